"""Estimators: how many samples each needs, on held-out documents, and which words a word leads to."""

from typing import Any, ClassVar

import pandas as pd
import panel as pn
from bokeh.models import ColumnDataSource

from jaxlda import Corpus
from jaxlda.plots.rankings import rankings
from jaxlda.plots.scores import PAIRS, curve_columns, perplexity_by_samples
from jaxlda_app.questions import estimators as questions
from jaxlda_app.store import Session
from jaxlda_app.views._choices import chain_choice
from jaxlda_app.views._view import COMPUTING, FAILED, NOTHING, PlainText, View, charts, controls, stack
from jaxlda_app.words import counted

__all__ = ["EstimatorsView"]

MOST = 30  # samples: where the curves are level
GROWTH = 1.5  # sweeps after which a curve is drawn anew: so it costs a share of the sampling, however long that takes
WHAT = (
    "Perplexity of the held-out halves of documents that were not sampled, against the number of samples that θ is "
    "averaged over; lower is better (the paper's first experiment)."
)
RANKS = (
    "The words most likely after the cue, by φ on the left and by φᵖ on the right. Blue lines rise under φᵖ, red ones "
    "fall; rare cues change most. Words whose line ends below are not among the first 15 there."
)
NOBODY = "No documents were held out: start a run with a held-out share above 0 in the Fit view."


class EstimatorsView(View):
    """A curve that grows, and two rankings."""

    title: ClassVar[str] = "Estimates"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.source = ColumnDataSource({"samples": [], **{pair: [] for pair in PAIRS.values()}})
        self.curves = perplexity_by_samples(self.source)
        self.reading = PlainText(value=NOTHING, css_classes=["reading"])
        self.progress: questions.Progress | None = None
        self.asked: Corpus | None = None
        self.chain = chain_choice(session)
        self.cue = pn.widgets.TextInput(label="Cue: a word of the corpus", value=session.word, width=240)
        self.answer = PlainText(css_classes=["cue-answer"])
        self.lines = ColumnDataSource(questions.NO_LINES)
        self.ranks = rankings(self.lines)
        self.ranks.height = 420
        self.associations: questions.Associations | None = None
        self.words_part = self.chart(self.ranks, RANKS, "Words that a word leads to")
        self.words_part.insert(0, controls(self.cue, self.answer))
        self.curves_part = self.chart(self.curves, WHAT, "Perplexity by samples")
        self.curves_part.append(self.reading)
        self.cue.link(session, value="word", bidirectional=True)
        session.param.watch(lambda *events: self._changed(), ["word", "chain", "status"])

    def refresh(self) -> None:
        """Ask for more of the curve, and for the words."""
        session = self.session
        if session.snapshot is None:
            return
        if session.snapshot.held is None:
            self.reading.value = NOBODY
        else:
            if self.progress is None:
                self.reading.value = COMPUTING
            self._go_on()
        session.ask(
            "associations", questions.associations, self._show_words, cue=session.word, chain=session.shown_chain
        )

    def figures(self) -> dict[str, Any]:
        """Those that have something to show."""
        found = {} if self.progress is None else {"perplexity_by_samples": self.curves}
        return found if self.associations is None else found | {"word_association": self.ranks}

    def tables(self) -> dict[str, pd.DataFrame]:
        """What they are drawn from."""
        found = {} if self.associations is None else {"word_association": self.associations.table}
        if self.progress is not None:
            found["perplexity_by_samples"] = pd.DataFrame(curve_columns(self.progress.curve))
        return found

    def _changed(self) -> None:
        if self.session.active == self.title:
            self.refresh()

    def _go_on(self) -> None:
        """Ask for the next samples; of a new curve, if the old one is about chains that are long gone."""
        session, progress = self.session, self.progress
        if session.snapshot is None or self.asked is session.snapshot.corpus:
            return
        if progress is not None and self._outdated(progress):
            progress = None
        elif progress is not None and progress.curve.num_samples >= MOST:
            return
        self.asked = session.snapshot.corpus
        more = 1 if progress is None or progress.curve.num_samples < 5 else 5
        chain = session.shown_chain
        session.ask(
            "samples", questions.further, self._show_curve, self._give_up, chain=chain, progress=progress, more=more
        )

    def _give_up(self) -> None:
        """Of these documents nothing more is asked: it would fail again, all the time."""
        self.reading.value = FAILED

    def _outdated(self, progress: questions.Progress) -> bool:
        session = self.session
        assert session.snapshot is not None
        sweep = session.snapshot.run.sweep
        if session.snapshot.corpus is not progress.corpus:
            return True
        if session.chain is not None and session.chain != progress.chain:
            return True
        ended = session.status in ("finished", "stopped", "paused")
        complete = progress.curve.num_samples >= MOST
        return complete and (sweep >= GROWTH * progress.sweep or (ended and sweep > progress.sweep))

    def _show_curve(self, progress: questions.Progress) -> None:
        self.asked, self.progress = None, progress
        self.source.data = curve_columns(progress.curve)
        self.reading.value = questions.reading(progress)
        if self.session.active == self.title:
            self._go_on()

    def _show_words(self, found: questions.Associations) -> None:
        self.associations = found
        self.lines.data = found.lines
        if found.known:
            self.answer.value = f"“{found.cue}” occurs {counted(found.frequency, 'time')}. It leads to (Eq. 57):"
        elif found.suggestions:
            self.answer.value = (
                f"The corpus has no word “{found.cue}”. Words that begin like it: {', '.join(found.suggestions)}."
            )
        else:
            self.answer.value = f"The corpus has no word “{found.cue}”, nor one that begins like it."

    def __panel__(self) -> pn.viewable.Viewable:
        return stack(controls(self.chain), charts(self.curves_part, self.words_part))
