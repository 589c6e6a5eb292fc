"""What all views have in common."""

import html
import re
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui
from bokeh.models import DataRange1d
from panel.widgets.base import WidgetBase

from jaxlda_app.axes import remember
from jaxlda_app.store import Session
from jaxlda_app.views._downloads import Downloads

__all__ = [
    "COMPUTING",
    "FAILED",
    "NOTHING",
    "Empty",
    "PlainText",
    "View",
    "card",
    "charts",
    "controls",
    "notice",
    "skeleton",
    "stack",
]

NOTHING = "There is nothing to see yet: start a run first."
COMPUTING = "Computing…"
FAILED = "This could not be computed; the message above says why."
GAP = "16px"
ALIGNED = (4, 0)  # margins of the parts of cards: they begin where the heading does
WIDE: dict[str, Any] = {"sizing_mode": "stretch_width", "margin": 0}
CARD = {"& .MuiCardHeader-content .MuiTypography-root": {"fontSize": "1rem", "fontWeight": 600}}
FILLED = ":host { height: auto; } :host > div { height: 100%; }"  # cards of a row are of one height
NOTICE = {
    "backgroundColor": "background.paper",
    "alignItems": "center",
    "& .MuiAlertTitle-root": {"display": "none"},
    "& .MuiAlert-message": {"width": "100%"},
}
FIGURE = ":host { --bokeh-font-size: 13px; }"  # which legends are measured by


class PlainText(pn.widgets.StaticText):
    """Text that may hold anything, such as words and titles of users' documents: it is shown, never interpreted."""

    def __init__(self, **params: Any) -> None:
        super().__init__(**({"margin": ALIGNED} | params))

    def _process_param_change(self, params: dict[str, Any]) -> dict[str, Any]:
        if isinstance(params.get("value"), str):
            params = params | {"value": html.escape(params["value"])}
        return super()._process_param_change(params)


def charts(*parts: pn.viewable.Viewable) -> pn.FlexBox:
    """Parts side by side where there is room, one below the other where there is not."""
    return pn.FlexBox(
        *parts, gap=GAP, align_items="stretch", css_classes=["charts"], styles={"flex-shrink": "0"}, **WIDE
    )


def stack(*parts: Any, **options: Any) -> pn.Column:
    """Parts one below the other."""
    return pn.Column(
        *parts,
        styles={"gap": GAP, "min-width": "0", "flex-shrink": "0"} | options.pop("styles", {}),
        **(WIDE | options),
    )


def controls(*parts: Any) -> pn.FlexBox:
    """Boxes and buttons in a row, on one line below their labels."""
    for part in parts:
        part.margin = 0
    return pn.FlexBox(
        *parts, align_items="flex-end", gap="8px 12px", css_classes=["controls"], **(WIDE | {"margin": ALIGNED})
    )


def card(title: str, *parts: Any, width: int | None = 340, grow: int = 1, **options: Any) -> pmui.Card:
    """Parts that belong together, below a heading.

    As wide as there is room for, and beside others if it can be about that wide; ``None``: below them. One that grows
    more takes more of what is left.
    """
    beside = {} if width is None else {"flex": f"{grow} 1 {width}px"}
    for part in parts:
        if isinstance(part, WidgetBase) and not isinstance(part, PlainText):
            part.param.update(margin=ALIGNED)
    return pmui.Card(
        *parts,
        title=title,
        title_variant="h6",
        collapsible=options.pop("collapsible", False),
        variant="outlined",
        elevation=0,
        sx=CARD,
        margin=0,
        styles={"min-width": "min(100%, 280px)"} | beside,
        stylesheets=[FILLED],
        sizing_mode="stretch_width",
        css_classes=["card", *options.pop("css_classes", ())],
        **options,
    )


def notice(*parts: Any, **options: Any) -> pmui.Alert:
    """Words that are to be noticed, and what can be done about them."""
    return pmui.Alert(*parts, sx=NOTICE, **(WIDE | options))


def skeleton(title: str) -> pn.Column:
    """Shows where a view will be."""
    return pn.Column(
        PlainText(value=f"Opening {title}…", css_classes=["opening"]),
        pmui.Skeleton(height=48, variant="rounded", sizing_mode="stretch_width", margin=8),
        pmui.Skeleton(height=280, variant="rounded", sizing_mode="stretch_width", margin=8),
        **WIDE,
    )


class Empty(pn.viewable.Viewer):
    """Says why there is nothing, with a button that does the next sensible thing."""

    def __init__(self, words: str, label: str, act: Callable[[], None]) -> None:
        super().__init__()
        self.words = PlainText(value=words, css_classes=["empty-words"])
        self.button = pmui.Button(label=label, color="primary", css_classes=["next"])
        self.button.on_click(lambda event: act())
        self.layout = pn.Column(self.words, self.button, css_classes=["empty"], **WIDE)

    def appear(self, visible: bool) -> None:
        """Say it, or take no room."""
        self.layout.visible = visible

    def __panel__(self) -> pn.viewable.Viewable:
        return self.layout


class View(pn.viewable.Viewer):
    """A part of the page. It has widgets and figures, asks the session, and shows the answers; it computes nothing."""

    title: ClassVar[str]
    icon: ClassVar[str] = "circle"
    """Of the menu: a name of a Material icon."""

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(**params)
        self.session = session
        self._captions: dict[Any, PlainText] = {}
        self._ranges: list[tuple[Any, Any, Any]] = []
        self.others: Callable[[], Sequence[View]] = lambda: ()
        """All other views of the page, whose figures and tables may be exported."""

    def refresh(self) -> None:
        """Ask for what is shown. Called when the view is opened, and while it is open whenever there is more to see."""

    def forget_ranges(self) -> None:
        """Let axes follow the data again.

        Browsers tell the server how far the axes of a figure reach. A figure that is sent with such numbers keeps them,
        whatever it is fed. To be called while the figures are in no page.
        """
        for range, start, end in self._ranges:
            range.update(start=start, end=end)

    def figures(self) -> dict[str, Any]:
        """The Bokeh figures to be exported, by name."""
        return {}

    def caption(self, plot: Any) -> str:
        """The sentence that stands below a figure."""
        return str(self._captions[plot].value) if plot in self._captions else ""

    def tables(self) -> dict[str, pd.DataFrame]:
        """The tables to be exported, by name."""
        return {}

    def nothing(self) -> Empty:
        """What is shown before there is a run."""
        return Empty(NOTHING, "Go to Fit", lambda: self.session.go("Fit"))

    def chart(self, plot: Any, sentence: str, title: str = "", width: int = 340) -> Any:
        """A figure in a card, as wide as there is room for, and a sentence that says what is seen.

        The second part of the card is the sentence.
        """
        plot.update(sizing_mode="stretch_width", stylesheets=[FIGURE], outline_line_color=None)
        said = PlainText(value=sentence, css_classes=["sentence"], sizing_mode="stretch_width")
        self._captions[plot] = said
        for range in (plot.x_range, plot.y_range):
            if isinstance(range, DataRange1d):
                self._ranges.append((range, range.start, range.end))
                remember(range)
        axes = " against ".join(str(axis.axis_label) for axis in (*plot.yaxis, *plot.xaxis) if axis.axis_label)
        text = title or axes or "figure"
        save = Downloads(figure=plot.id, file=re.sub(r"\W+", "_", text.lower()).strip("_"), text=text, **WIDE)
        drawn = pn.pane.Bokeh(plot, **WIDE)
        return card(text[:1].upper() + text[1:], drawn, said, save, width=width, css_classes=["chart"])

    def forget(self, plot: Any) -> None:
        """Forget a figure that is not shown again."""
        if self._captions.pop(plot, None) is not None:
            ranges = (plot.x_range, plot.y_range)
            self._ranges = [one for one in self._ranges if one[0] not in ranges]

    def _if_open(self, action: Callable[[], None]) -> None:
        if self.session.active == self.title:
            action()

    def __panel__(self) -> pn.viewable.Viewable:
        raise NotImplementedError
