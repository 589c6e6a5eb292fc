"""Learn: what a topic model does, in five screens."""

from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui

from jaxlda_app.learn.formulas import folded
from jaxlda_app.panes import HtmlPane
from jaxlda_app.store import Session
from jaxlda_app.views._screens import SCREENS, Drawn
from jaxlda_app.views._view import COMPUTING, FAILED, WIDE, PlainText, View, controls, stack

__all__ = ["LearnView"]

STYLE = """
.lesson { max-width: 46rem; font-size: 1.02rem; line-height: 1.55; }
.lesson h2 { margin: .2rem 0 .4rem; font-size: 1.35rem; }
details { margin: .3rem 0; max-width: 46rem; } summary { cursor: pointer; } math { margin: .5rem 0; overflow-x: auto; }
"""


class LearnView(View):
    """One screen at a time. What it shows is computed when it is first opened, and kept."""

    title: ClassVar[str] = "Learn"
    icon: ClassVar[str] = "school"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.number = 0
        self.drawn: dict[int, Drawn] = {}
        self.asked: set[int] = set()
        self.back = pmui.Button(label="Back", variant="outlined")
        self.next = pmui.Button(label="Next", color="primary")
        self.progress = PlainText(css_classes=["learn-progress"])
        self.words = HtmlPane("", stylesheets=[STYLE], css_classes=["learn-words"], **WIDE)
        self.formula = HtmlPane("", stylesheets=[STYLE], css_classes=["learn-formula"], **WIDE)
        self.stage = pn.Column(sizing_mode="stretch_width", margin=0, css_classes=["learn-stage"])
        self.back.on_click(lambda event: self.go(self.number - 1))
        self.next.on_click(lambda event: self.go(self.number + 1))
        self._tell()

    def refresh(self) -> None:
        """Nothing here depends on the run: only a screen that nobody has asked for yet is asked for."""
        self._ask()

    def go(self, number: int) -> None:
        """Turn to another screen, if there is one."""
        playing = self.drawn[self.number].playing if self.number in self.drawn else None
        if playing is not None:
            playing.pause()
        self.number = min(max(number, 0), len(SCREENS) - 1)
        self._tell()
        self._ask()

    def _tell(self) -> None:
        lesson = SCREENS[self.number].lesson
        self.back.disabled, self.next.disabled = self.number == 0, self.number == len(SCREENS) - 1
        self.progress.value = f"{self.number + 1} of {len(SCREENS)}"
        self.words.object = f'<div class="lesson"><h2>{lesson.heading}</h2><p>{lesson.words}</p></div>'
        self.formula.object = folded(lesson.formula, lesson.letters)
        if self.number in self.drawn:
            self.stage[:] = [self.drawn[self.number].layout]
        else:
            self.stage[:] = [PlainText(value=COMPUTING)]

    def _ask(self) -> None:
        number = self.number
        if number not in self.asked:
            self.asked.add(number)
            self.session.do(
                SCREENS[number].work, lambda found: self._draw(number, found), lambda: self._give_up(number)
            )

    def _draw(self, number: int, found: Any) -> None:
        self.drawn[number] = SCREENS[number].draw(self, found)
        self._tell()

    def _give_up(self, number: int) -> None:
        self.asked.discard(number)
        if number == self.number:
            self.stage[:] = [PlainText(value=FAILED)]

    def __panel__(self) -> pn.viewable.Viewable:
        return stack(controls(self.back, self.progress, self.next), self.words, self.stage, self.formula)
