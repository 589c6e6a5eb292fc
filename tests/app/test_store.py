"""Sessions without a page: what they sample, what they answer, and that they leave nothing behind."""

import dataclasses
import gc
import threading
import tracemalloc
import weakref

import numpy as np
import pytest

import jaxlda
from jaxlda_app import sources, store
from jaxlda_app.jobs import Jobs, memory_needed
from jaxlda_app.questions import convergence
from jaxlda_app.store import Model, Session, Snapshot

BARS = jaxlda.datasets.bars(num_docs=40, size=3, doc_length=20)[0]
SMALL = {"num_topics": 6, "num_chains": 2, "num_warmup": 10, "num_samples": 5, "thinning": 2}


@pytest.fixture
def jobs():
    jobs = Jobs()
    yield jobs
    jobs.close()


@pytest.fixture
def session(jobs):
    session = Session(jobs, corpus=BARS, corpus_name="bars", **SMALL)
    yield session
    session.close()


@pytest.fixture(scope="module")
def fitted():
    return jaxlda.LDA(alpha=0.1, beta=0.01, seed=0, progress=False, trace_every=5, gap_every=5, **SMALL).fit(BARS)


def snapshot_of(model) -> Snapshot:
    return Snapshot(Model("LDA", model.get_params(deep=False)), model.run_, BARS, None, 1.0, 1e6, 0, None)


def test_samples_to_the_end_and_more(session, until):
    seen = []
    session.param.watch(lambda event: seen.append(event.new), "snapshot")
    session.start()
    until(lambda: session.status == "finished")
    run = session.snapshot.run
    assert run.sweep == 20 and run.num_draws == 5
    assert session.snapshot.held.num_docs == 4 and session.snapshot.corpus.num_docs == 36
    assert [one.run.sweep for one in seen if one is not None] == sorted({one.run.sweep for one in seen if one})
    assert not np.isnan(run.trace["gap"][:, 4]).any()
    session.more(10)
    until(lambda: session.status == "finished" and session.snapshot.run.sweep == 30)


def test_pause_and_stop_are_noted_at_once(session, until):
    session.num_samples = 100_000
    session.start()
    until(lambda: session.snapshot is not None)
    session.pause()
    assert session.asked == "Pausing." or session.status == "paused"
    until(lambda: session.status == "paused")
    assert session.asked == ""
    at = session.snapshot.run.sweep
    session.resume()
    until(lambda: session.snapshot.run.sweep > at)
    session.stop()
    until(lambda: session.status == "stopped")
    assert session.asked == ""


def test_other_documents_while_pausing(session, until):
    session.num_samples = 100_000
    session.start()
    until(lambda: session.status == "running" and session.snapshot is not None)
    session.pause()
    session.take(sources.Input("bars", BARS))
    assert (session.status, session.asked, session.snapshot) == ("idle", "", None)


def test_more_than_the_memory_is_refused(session, monkeypatch):
    monkeypatch.setattr(session.jobs, "memory", memory_needed(BARS, 6, 2) - 1)
    session.start()
    assert session.status == "idle" and "choose fewer topics" in session.message


def test_a_kernel_with_options(session, until):
    session.param.update(kernel="cvb0", kernel_options="chunk=0")
    session.start()
    assert session.status == "idle" and "chunk must be at least 1; got 0" in session.message
    session.kernel_options = "chunk=16"
    session.start()
    until(lambda: session.status == "finished")
    assert jaxlda.kernels.described(session.snapshot.run.algorithm) == "cvb0(chunk=16)"
    model = jaxlda.LDA.from_run(session.snapshot.run, session.snapshot.corpus)
    session.param.update(kernel="cgs", kernel_options="")
    session._adopt(model)
    assert (session.kernel, session.kernel_options) == ("cvb0", "chunk=16")


def test_a_kernel_of_its_own_choice(session, until):
    assert "auto" in session.param.kernel.objects
    session.kernel = "auto"
    session.start()
    until(lambda: session.status == "finished")
    assert jaxlda.kernels.described(session.snapshot.run.algorithm) == "cgs"


def test_is_the_model_that_it_says(session, until):
    session.start()
    until(lambda: session.status == "finished")
    name, params = session.snapshot.model
    again = getattr(jaxlda, name)(**params).fit(session.snapshot.corpus)
    np.testing.assert_array_equal(again.run_.sample.counts.n_dk, session.snapshot.run.sample.counts.n_dk)
    best = session.snapshot.best_chain
    last = session.snapshot.run.trace["log_joint"][:, -1]
    assert last[best] == last.max() and session.shown_chain == best
    session.chain = 1 - best
    assert session.shown_chain == 1 - best
    session.chain = 7
    assert session.shown_chain == best


def test_two_sessions_know_nothing_of_each_other(jobs, session, until):
    other = Session(jobs, corpus=BARS, **(SMALL | {"seed": 1}))
    session.start()
    other.start()
    other.stop()
    until(lambda: session.status == "finished" and other.status in ("stopped", "finished"))
    assert session.snapshot.run.sweep == 20
    other.close()
    session.more(2)
    until(lambda: session.status == "finished" and session.snapshot.run.sweep == 22)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corpus": None}, "There is no corpus yet"),
        ({"model_name": "PriorLDA"}, "learns from labels"),
        ({"alpha": None}, "Give alpha"),
    ],
)
def test_what_cannot_start_is_told(session, changes, message):
    session.param.update(**changes)
    session.start()
    assert message in session.message and session.status == "idle" and session.job is None


def test_a_failure_is_told_and_another_start_works(session, until, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr(session, "params", lambda: {"num_topics": 0, "progress": False})
        session.start()
        until(lambda: session.status == "failed")
    assert session.message.startswith("Sampling failed: num_topics must be")
    session.more()
    assert session.status == "failed"
    session.start()
    assert session.message == ""
    until(lambda: session.status == "finished")


@pytest.mark.slow
def test_supervised_models_have_labels(jobs, until):
    corpus = sources.bundled("simulated")
    session = Session(jobs, corpus=corpus, **SMALL)
    session.model_name = "LabeledLDA"
    assert (session.alpha, session.beta) == (None, 0.1)
    session.start()
    until(lambda: session.status in ("finished", "failed"))
    assert session.status == "finished", session.message
    assert session.snapshot.labels.tolist() == corpus.label_names.tolist()
    session.close()


@pytest.mark.slow
def test_a_model_from_elsewhere_goes_on(session, fitted, until):
    session.take(sources.Input("saved", BARS, fitted))
    until(lambda: session.snapshot is not None)
    assert session.status == "finished" and session.snapshot.run is fitted.run_
    assert session.num_warmup == SMALL["num_warmup"]
    sweep = session.snapshot.run.sweep
    session.more(4)
    until(lambda: session.status == "finished" and session.snapshot.run.sweep == sweep + 4)


def test_the_sample_of_another_program_does_not_go_on(session, fitted):
    theirs = jaxlda.LDA.from_sample(BARS, fitted.run_.data.priors, fitted.run_.chain(0))
    session.take(sources.Input("state.gz", BARS, theirs))
    session.more()
    assert "cannot go on" in session.message


def test_settings_of_a_run_that_was_looked_at_do_not_stay(session, fitted):
    mine = {"num_topics": 7, "num_warmup": 11, "beta": 0.2, "kernel": "cgs"}
    session.param.update(**mine)
    session.take(sources.Input("saved", BARS, fitted.set_params(beta=np.float32(0.01))))
    assert session.num_warmup == SMALL["num_warmup"] and session.beta == 0.01, "not 0.009999999776"
    session.take(sources.Input("saved again", BARS, fitted))
    session.take(sources.Input("bars", BARS))
    assert {name: getattr(session, name) for name in mine} == mine


def test_changed_settings_are_known(session, fitted):
    session.param.update(num_topics=fitted.num_topics, num_chains=2, num_warmup=SMALL["num_warmup"])
    known = session.params() | {"progress": False}
    session.snapshot = snapshot_of(fitted)._replace(model=store.Model("LDA", known))
    assert session.changed_settings == []
    session.param.update(num_topics=9, beta=0.5)
    assert session.changed_settings == ["num_topics", "beta"]
    session.model_name = "PriorLDA"
    assert session.changed_settings == ["model_name"]


class TestQuestions:
    @pytest.fixture
    def asked(self, session, fitted):
        session.snapshot = snapshot_of(fitted)
        return session

    def test_are_answered_in_the_background(self, asked, until):
        answers = []
        asked.ask(
            "a", lambda snapshot, n: (threading.current_thread().name, snapshot.run.num_chains + n), answers.append, n=3
        )
        until(lambda: answers)
        assert answers[0][0].startswith("jaxlda-questions") and answers[0][1] == 5

    def test_a_newer_one_replaces_one_that_waits(self, asked, until):
        gate, answers = threading.Event(), []
        asked.ask("slow", lambda snapshot: gate.wait(60), lambda answer: None)
        for n in range(5):
            asked.ask("quick", lambda snapshot, n: n, answers.append, n=n)
        gate.set()
        until(lambda: answers)
        asked.ask("end", lambda snapshot: None, answers.append)
        until(lambda: None in answers)
        assert answers == [4, None]

    def test_the_same_one_rests_as_long_as_it_took(self, asked, until):
        answers = []

        def question(snapshot, n=0):
            threading.Event().wait(0.3)
            return n

        asked.ask("a", question, answers.append)
        until(lambda: len(answers) == 1)
        until(lambda: not asked.thinking)
        asked.ask("a", question, answers.append)
        assert asked.thinking and len(answers) == 1  # not yet
        asked.ask("a", question, answers.append, n=1)  # other arguments are somebody's click
        until(lambda: answers == [0, 1])

    def test_those_of_the_view_that_is_open_come_first(self, asked, until):
        gate, answers = threading.Event(), []
        asked.ask("first", lambda snapshot: gate.wait(60), lambda answer: None)
        until(lambda: not asked._questions)  # it has begun
        for name in ("a", "b"):
            asked.ask(name, lambda snapshot, name: name, answers.append, name=name)
        asked.active = "Documents"
        for name in ("c", "d"):
            asked.ask(name, lambda snapshot, name: name, answers.append, name=name)
        gate.set()
        until(lambda: len(answers) == 4)
        assert answers == ["c", "d", "a", "b"]

    def test_what_comes_after_all_waits_for_all(self, asked, until):
        gate, done = threading.Event(), []
        asked.after(lambda: done.append("nothing asked"))
        assert done == ["nothing asked"]

        def slowly(snapshot, n):
            threading.Event().wait(0.3)
            return n

        asked.ask("rests", slowly, done.append, n=1)
        until(lambda: not asked.thinking)
        asked.ask("rests", slowly, done.append, n=1)  # not before 0.3 s have passed
        asked.ask("gate", lambda snapshot: gate.wait(60), done.append)
        for name in ("one", "other"):  # none takes the place of another
            asked.after(lambda name=name: done.append(name))
        asked.ask("rests", slowly, done.append, n=2)  # takes the place of one that was to be waited for
        asked.after(lambda: asked.after(lambda: done.append("later")))
        gate.set()
        until(lambda: not asked.thinking and asked.answer() is None and "later" in done)
        assert done[:2] == ["nothing asked", 1] and set(done[2:4]) == {True, 2}
        assert done[4:] == ["one", "other", "later"]
        asked.after(lambda: 1 / 0)
        assert "could not be shown" in asked.message

    def test_a_wrong_one_is_a_message(self, asked, until):
        asked.ask("a", lambda snapshot: 1 / 0, lambda answer: None)
        until(lambda: "division" in asked.message)
        asked.ask("b", lambda snapshot: 1, lambda answer: {}["no"])
        until(lambda: "could not be shown" in asked.message)
        answers = []
        asked.ask("c", lambda snapshot: 1, answers.append)
        until(lambda: answers == [1])

    def test_who_asks_in_vain_is_told(self, asked, until):
        given_up = []
        asked.ask("wrong", lambda snapshot: 1 / 0, lambda answer: None, lambda: given_up.append(1))
        asked.do(lambda: 1 / 0, lambda answer: None, lambda: given_up.append(2))
        until(lambda: given_up == [1, 2])

    def test_nothing_is_asked_of_nothing(self, session):
        session.ask("a", lambda snapshot: 1 / 0, lambda answer: None)
        assert not session._questions


def test_a_closed_session_frees_its_job_and_its_memory(jobs, until):
    session = Session(jobs, corpus=BARS, **(SMALL | {"num_samples": 100_000}))
    session.start()
    until(lambda: session.snapshot is not None and session.snapshot.run.sweep > 20)
    run, job, held = (weakref.ref(x) for x in (session.snapshot.run, session.job, session.snapshot.corpus))
    session.close()
    until(lambda: not jobs.busy)
    assert session.snapshot is None
    until(lambda: gc.collect() >= 0 and run() is None and job() is None and held() is None, seconds=20)


@pytest.mark.slow
def test_an_hour_of_updates_takes_no_more_memory(session, fitted):
    """7,200 updates, two a second, of chains that have been sampled for long: what pages are sent stays small."""
    run = fitted.run_
    T = 100_000
    trace = {name: np.random.default_rng(0).random((2, T)) for name in run.trace}
    long = dataclasses.replace(run, trace=trace, sweep=T)
    model = Model("LDA", fitted.get_params(deep=False))

    def update(i):
        now = dataclasses.replace(long, sweep=T - 7200 + i)
        now = dataclasses.replace(now, trace={name: x[:, : now.sweep] for name, x in trace.items()})
        session.snapshot = Snapshot(model, now, BARS, None, i / 2, 1e6, 0, None)
        if i % 100 == 0:
            lines = convergence.curves(session.snapshot).likelihood
            assert max(map(len, lines["xs"])) <= 500 and lines["xs"][0][-1] == now.sweep

    for i in range(200):
        update(i)
    tracemalloc.start()
    try:
        for i in range(200, 1200):
            update(i)
        before = tracemalloc.get_traced_memory()[0]
        for i in range(1200, 7200):
            update(i)
        assert tracemalloc.get_traced_memory()[0] - before < 200_000
    finally:
        tracemalloc.stop()
