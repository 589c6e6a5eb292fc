"""Several runs of a session."""

import pytest

import jaxlda
from jaxlda_app import sources
from jaxlda_app.jobs import Jobs, memory_needed
from jaxlda_app.runs import MOST
from jaxlda_app.settings import PRESETS
from jaxlda_app.store import Session
from jaxlda_app.views._history import History

BARS = jaxlda.datasets.bars(num_docs=40, size=3, doc_length=20)[0]
SMALL = {"num_topics": 3, "num_chains": 2, "num_warmup": 4, "num_samples": 2, "thinning": 1}


@pytest.fixture
def session():
    jobs = Jobs()
    session = Session(jobs, corpus=BARS, corpus_name="bars", **SMALL)
    yield session
    session.close()
    jobs.close()


def sampled(session, until, **changes):
    session.param.update(**changes)
    session.start()
    until(lambda: session.status == "finished")
    return session.current


def test_runs_are_kept_and_looked_at_again(session, until):
    one, two = sampled(session, until), sampled(session, until, num_topics=4)
    assert [run.name for run in session.runs] == ["bars, K 3", "bars, K 4"]
    session.topic = 2
    session.look_at(one)
    assert session.snapshot is one.snapshot and session.topic == 0 and session.changed_settings == ["num_topics"]
    session.forget(one)
    assert session.current is two and session.snapshot is two.snapshot
    assert session.jobs.reserved == two.size
    session.forget(two)
    assert session.snapshot is None and session.status == "idle" and session.jobs.reserved == 0


def test_a_run_that_goes_on_is_stopped_and_stays(session, until):
    session.num_samples = 100_000
    session.start()
    until(lambda: session.snapshot is not None)
    first = session.current
    second = sampled(session, until, num_samples=2)
    assert session.runs == [first, second] and second.name == "bars, K 3 (2)"
    until(lambda: first.job.status == "stopped")
    assert first.snapshot.run.sweep > 0
    session.take(sources.Input("other", BARS))
    assert session.current is None and session.snapshot is None and len(session.runs) == 2


def test_the_oldest_make_room(session, until, monkeypatch):
    size = memory_needed(BARS, 3, 2)
    monkeypatch.setattr(session.jobs, "memory", 2 * size)
    runs = [sampled(session, until) for _ in range(3)]
    assert session.runs == runs[1:] and session.jobs.reserved == 2 * size
    monkeypatch.setattr(session.jobs, "memory", 1 << 40)
    for _ in range(MOST):
        session.keep("again", runs[2].job.model, BARS)
    assert len(session.runs) == MOST and session.runs[-1].name == f"again ({MOST})"


def test_names_of_topics_belong_to_their_run_and_chain(session, until):
    one = sampled(session, until)
    chain = session.shown_chain
    session.call_topic(1, "  a \n name ")
    session.hide_topics([0])
    assert session.snapshot.names == {(chain, 1): "a name"} and session.snapshot.hidden == {(chain, 0)}
    session.more(2)
    until(lambda: session.status == "finished" and session.snapshot.run.sweep == 8)
    assert session.snapshot.names == {(chain, 1): "a name"}
    two = sampled(session, until)
    assert not two.snapshot.names
    session.look_at(one)
    session.chain = chain  # another may be the best by now
    session.call_topic(1, "")
    session.hide_topics([0], hidden=False)
    assert not session.snapshot.names and not session.snapshot.hidden


def test_a_model_brings_the_names_of_its_topics(session, until):
    model = sampled(session, until).job.model
    model.topic_names = {1: "cats"}
    session.keep("named", model, BARS)
    assert session.snapshot.names == {(model.best_chain_, 1): "cats"}


def test_presets(session):
    session.param.update(**PRESETS["Careful"])
    assert session.preset == "Careful"
    session.num_chains = 3
    assert session.preset is None


def test_the_list_follows(session, until):
    history = History(session)
    assert history.empty.visible and history.remove.disabled
    one, two = sampled(session, until), sampled(session, until)
    assert len(history.choice.options) == 2 and history.choice.value == 1 and not history.empty.visible
    history.choice.value = 0
    assert session.current is one
    history.called.value = "mine"
    assert one.name == "mine" and next(iter(history.choice.options)).startswith("mine · LDA, 3 topics")
    assert two.name == "bars, K 3 (2)"
