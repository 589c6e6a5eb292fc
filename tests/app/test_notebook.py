"""The views of ``model.explore()`` without a notebook."""

import subprocess
import sys
import threading

import pytest

import jaxlda
from jaxlda_app import notebook
from jaxlda_app.notebook import ELSEWHERE, Explorer
from jaxlda_app.views import VIEWS

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]
SETTINGS = {"num_warmup": 3, "num_samples": 2, "thinning": 1, "num_chains": 2, "seed": 5, "progress": False}


@pytest.fixture
def model():
    return jaxlda.LDA(3, trace_every=1, **SETTINGS)


def test_a_fitted_model(model, until):
    view = Explorer(model.fit(BARS))
    assert view.menu.options == [kind.title for kind in VIEWS if kind.title not in ELSEWHERE]
    assert view.session.snapshot.run is model.run_ and view.state.value == "finished, sweep 5 of 5"
    for title in view.menu.options:
        view.menu.value = title
        assert title in view.views and len(view.content) == 1
    until(lambda: view.session.answer() or not view.session.thinking)
    assert view.session.message == ""
    view.close()


def test_answers_wait_for_their_turn(model):
    """A page that two threads change at once would ask the network for its style sheets."""
    view = Explorer(model.fit(BARS))
    shown = threading.Event()
    with notebook._TURN:  # somebody is changing the page
        threading.Thread(target=view.session.post, args=(shown.set,)).start()
        assert not shown.wait(0.2)
    assert shown.wait(60)
    view.close()


def test_a_fit_tells_of_its_blocks(model):
    view = Explorer(model, BARS)
    assert view.session.snapshot is None and "on_block" in view.state.value
    seen = []
    model.fit(BARS, on_block=lambda run: seen.append((run.sweep, view(run), view.session.snapshot.run.sweep)))
    assert seen and all(told is None and sweep == shown for sweep, told, shown in seen)  # True would stop the fit
    assert view.state.value == "finished, sweep 5 of 5"
    view.close()


def test_documents_are_needed_before_a_fit(model):
    with pytest.raises(ValueError, match=r"explore\(corpus\)"):
        Explorer(model)


def test_the_core_imports_no_panel():
    code = "import sys, jaxlda; jaxlda.LDA; jaxlda.models; sys.exit('panel' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
