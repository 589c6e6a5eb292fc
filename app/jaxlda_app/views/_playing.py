"""Buttons that go through something step by step. Panel's Player does the same, with buttons that have no names: who
cannot see them, or uses the keyboard, would not know which is which.
"""

from collections.abc import Callable
from typing import Any

import panel as pn
import panel_material_ui as pmui
import param

from jaxlda_app.views._view import controls

__all__ = ["Playing"]

SPEEDS = {"Slow": 1200, "Normal": 500, "Fast": 150}  # milliseconds of a step


class Playing(pn.viewable.Viewer):
    """Step, step back, play, and how fast.

    Parameters
    ----------
    label
        What is counted.
    end
        The last step.
    show
        Called with the number of the step that is to be seen.
    watched
        Whether anybody looks: it does not play on behind another view.
    """

    value = param.Integer(0, bounds=(0, None))

    def __init__(self, label: str, end: int, show: Callable[[int], None], watched: Callable[[], bool]) -> None:
        super().__init__()
        self.end, self.seen, self.watched = end, show, watched
        self.step = pmui.Button(label="Step", color="primary")
        self.undo = pmui.Button(label="Step back", variant="outlined")
        self.play = pmui.Toggle(label="Play", variant="outlined")
        self.speed = pmui.RadioButtonGroup(options=SPEEDS, value=SPEEDS["Normal"], color="primary", size="small")
        self.place = pn.widgets.IntSlider(
            label=label, start=0, end=end, value=0, sizing_mode="stretch_width", max_width=420, margin=(5, 10)
        )
        self.place.link(self, value="value", bidirectional=True)
        self.step.on_click(lambda event: self.go(self.value + 1))
        self.undo.on_click(lambda event: self.go(self.value - 1))
        self.play.param.watch(lambda event: self._play(event.new), "value")
        self.speed.param.watch(lambda event: self._play(self.play.value), "value")
        self.param.watch(lambda event: self._moved(), "value")
        self._clock: Any = None
        self._moved()

    def go(self, step: int) -> None:
        """See another step, if there is one."""
        self.value = min(max(step, 0), self.end)

    def pause(self) -> None:
        """Stand still."""
        self.play.value = False

    def _moved(self) -> None:
        self.step.disabled = self.value >= self.end
        self.undo.disabled = self.value <= 0
        self.seen(self.value)

    def _play(self, playing: bool) -> None:
        if self._clock is not None:
            self._clock.stop()
            self._clock = None
        self.play.label = "Pause" if playing else "Play"
        if playing:
            if self.value >= self.end:
                self.go(0)
            self._clock = pn.state.add_periodic_callback(self._tick, period=self.speed.value)

    def _tick(self) -> None:
        if self.value >= self.end or not self.watched():
            self.pause()
        else:
            self.go(self.value + 1)

    def __panel__(self) -> pn.viewable.Viewable:
        return controls(self.step, self.undo, self.play, self.speed, self.place)
