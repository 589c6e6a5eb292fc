"""The dashboard's views in a notebook: ``model.explore()``. No server: Panel talks to the page through the notebook's
own connection.
"""

import threading
import warnings
from collections.abc import Callable
from typing import Any

import panel as pn
from panel.io.notebook import patch_inline_stylesheets

from jaxlda import Corpus
from jaxlda.running.results import Run
from jaxlda_app.echoes import NoEchoes
from jaxlda_app.jobs import Jobs
from jaxlda_app.reporting import snapshot_of
from jaxlda_app.spoken import Spoken
from jaxlda_app.store import Model, Session, Snapshot, topic_labels
from jaxlda_app.views import VIEWS, PlainText, View

__all__ = ["Explorer", "explore"]

ELSEWHERE = ("Learn", "Data", "Fit", "Kept")
"""Views that read documents and start runs, which a notebook does by code."""
REFRESH = 400  # milliseconds
WAITING = "Nothing is sampled yet. Give this to the fit: model.fit(corpus, on_block=view)"


def explore(model: Any, corpus: Any = None) -> "Explorer":
    """The views of a model, to be shown as the last line of a cell; see ``model.explore``."""
    # What is shown needs no network: style sheets and scripts come along.
    pn.extension("filedropper", "tabulator", inline=True, notifications=False)
    warnings.filterwarnings("ignore", "reference already known", UserWarning)
    return Explorer(model, corpus)


def _self_contained(_: Any, root: Any) -> None:
    """Put style sheets into what is shown: those that Panel's design adds to a new part would come from the network."""
    for part in root.references():
        if hasattr(part, "stylesheets"):
            patch_inline_stylesheets(part)


# Pages speak and are spoken to in turns. Cells run in one thread, Jupyter hears pages in another, and answers come from
# a third; and where two threads change pages at once, Panel forgets the hooks of one of them.
_TURN = threading.RLock()


class _Turns(pn.Column):
    """A page that is spoken to when it is its turn."""

    def _on_msg(self, ref: str, manager: Any, msg: Any) -> None:
        with _TURN:
            super()._on_msg(ref, manager, msg)


def _in_turn(action: Callable[[], None]) -> None:
    with _TURN:
        action()


class Explorer(pn.viewable.Viewer):
    """A menu and the view that is open; ``on_block`` of a fit.

    Parameters
    ----------
    model
        Fitted, or to be fitted.
    corpus
        The documents that it will be fitted to; not needed where it is fitted already.
    """

    def __init__(self, model: Any, corpus: Any = None) -> None:
        super().__init__()
        self.model = model
        self.corpus = corpus if corpus is None or isinstance(corpus, Corpus) else Corpus.from_counts(corpus)
        self.kinds = {kind.title: kind for kind in VIEWS if kind.title not in ELSEWHERE}
        first = "Topics" if "Topics" in self.kinds else next(iter(self.kinds))
        self.session = Session(Jobs(1), corpus_name="the model", active=first)
        self.session.post = _in_turn
        self.views: dict[str, View] = {}
        self.menu = pn.widgets.RadioButtonGroup(
            options=list(self.kinds),
            value=first,
            color="primary",
            variant="outline",
            css_classes=["menu"],
            styles={"max-width": "100%"},
            stylesheets=[".bk-btn-group { flex-wrap: wrap; }"],
        )
        self.menu.link(self.session, value="active", bidirectional=True)
        self.message = PlainText(css_classes=["message"], visible=False)
        self.state = PlainText(css_classes=["brief"])
        self.content = pn.Column(sizing_mode="stretch_width", margin=0, css_classes=["content"])
        self.layout = _Turns(
            self.menu,
            self.state,
            self.message,
            self.content,
            Spoken(width=0, height=0),
            NoEchoes(width=0, height=0),
            sizing_mode="stretch_width",
            css_classes=["explorer"],
            hooks=[_self_contained],
        )
        self.session.param.watch(lambda event: self.open(), "active")
        self.session.param.watch(lambda event: self.say(event.new), "message")
        self._clock: Any = None
        if hasattr(model, "run_"):
            self.look(snapshot_of(model), "finished" if model.run_.finished else "stopped")
        elif self.corpus is None:
            raise ValueError("the model is not fitted yet: give the documents it will be fitted to, explore(corpus)")
        else:
            self.state.value = WAITING
        self.open()

    def __call__(self, run: Run) -> None:
        """Look at the chains so far: to be given to a fit, which calls it after every block of sweeps."""
        corpus = self.corpus if self.corpus is not None else snapshot_of(self.model).corpus
        try:
            labels = topic_labels(self.model, corpus)
        except AttributeError:  # which labels topics belong to is known after the fit
            labels = None
        known = Model(type(self.model).__name__, self.model.get_params(deep=False))
        snapshot = Snapshot(known, run, corpus, None, 0.0, 0.0, run.best_chain, labels)
        self.look(snapshot, "finished" if run.finished else "running")

    def look(self, snapshot: Snapshot, status: str) -> None:
        """Show another state of the chains."""
        with _TURN:
            self.session.param.update(snapshot=snapshot, corpus=snapshot.corpus, status=status)
            run = snapshot.run
            self.state.value = f"{status}, sweep {run.sweep:,} of {run.schedule.total:,}"
            if self.session.active in self.views:
                self.views[self.session.active].refresh()

    def open(self) -> None:
        """Show the view that was chosen."""
        title = self.session.active
        if title not in self.kinds:
            return
        with _TURN:
            if title not in self.views:
                self.views[title] = self.kinds[title](self.session)
                self.views[title].others = lambda: [self._other(one) for one in self.kinds if one != title]
            view = self.views[title]
            view.forget_ranges()
            self.content.css_classes = ["content", title.lower().replace(" ", "-")]
            self.content[:] = [view]
            view.refresh()

    def say(self, words: str) -> None:
        """Show a message; nothing takes no room."""
        self.message.param.update(value=words, visible=bool(words))

    def close(self) -> None:
        """Give back the threads; the output stays as it is."""
        if self._clock is not None:
            self._clock.stop()
        self.session.close()
        self.session.jobs.close(0)

    def _answer(self) -> None:
        with _TURN:
            self.session.answer()

    def _other(self, title: str) -> View:
        if title not in self.views:
            self.views[title] = self.kinds[title](self.session)
        return self.views[title]

    def __panel__(self) -> pn.viewable.Viewable:
        if self._clock is None:  # questions that rest are asked again
            self._clock = pn.state.add_periodic_callback(self._answer, period=REFRESH)
        return self.layout
