"""The Fit view without a browser: numbers that will not do, and runs that come from a file."""

import math

import pytest

import jaxlda
from jaxlda_app import sources
from jaxlda_app.jobs import Jobs
from jaxlda_app.store import Session
from jaxlda_app.views.fit import FitView

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]


@pytest.fixture
def view():
    jobs = Jobs()
    session = Session(jobs, corpus=BARS, corpus_name="bars")
    yield FitView(session)
    session.close()
    jobs.close()


@pytest.mark.parametrize(
    ("name", "bad", "range"),
    [
        ("num_topics", 0, "from 1 to 5,000"),
        ("num_topics", 10**9, "from 1 to 5,000"),
        ("num_chains", None, "from 1 to 64"),
        ("alpha", 0, "above 0"),
        ("alpha", None, "above 0"),
        ("beta", math.inf, "above 0"),
        ("beta", math.nan, "above 0"),
        ("seed", -1, "from 0 to 4,294,967,295"),
        ("held_share", 0.9, "from 0 to 0.5"),
    ],
)
def test_numbers_that_will_not_do_are_told_and_taken_back(view, name, bad, range):
    before = getattr(view.session, name)
    view.settings[name].value = bad
    assert range in view.session.message
    assert getattr(view.session, name) == view.settings[name].value == before


def test_numbers_follow_the_session_and_it_them(view):
    view.settings["num_topics"].value = 7
    assert view.session.num_topics == 7 and view.session.message == ""
    view.session.num_topics = 8
    assert view.settings["num_topics"].value == 8


def test_what_a_model_chooses_itself_is_not_asked_for(view):
    view.session.model_name = "PriorLDA"
    assert not view.settings["alpha"].visible and not view.settings["num_topics"].visible
    view.session.model_name = "LDA"
    assert view.settings["alpha"].visible and view.settings["num_topics"].visible


def test_a_saved_run_shows_how_far_it_is(view):
    model = jaxlda.LDA(3, num_warmup=4, num_samples=3, thinning=2, num_chains=1, progress=False).fit(BARS)
    view.session.take(sources.Input("run", BARS, model))
    assert view.progress.value == view.progress.max
    view.session.take(sources.Input("bars", BARS))
    assert view.progress.value == 0


def test_what_goes_wrong_is_told(view, monkeypatch):
    monkeypatch.setattr(view.session, "params", lambda: 1 / 0)
    view.attempt(view.session.start)
    assert view.session.message == "This did not work: division by zero"
