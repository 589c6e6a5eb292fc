"""The page of one browser tab: a menu, a line for messages, and the view that is open."""

import logging
from collections.abc import Callable
from typing import Any

import panel as pn
from bokeh.document import Document
from bokeh.themes import Theme
from panel.io.resources import get_dist_path

from jaxlda_app import sources
from jaxlda_app.jobs import Full, Jobs
from jaxlda_app.place import Place
from jaxlda_app.reading import Readings
from jaxlda_app.status import Sessions
from jaxlda_app.store import Session
from jaxlda_app.tabs import when_back
from jaxlda_app.views import VIEWS, PlainText, View
from jaxlda_app.views.run import RunView

__all__ = ["Page", "open_page"]

REFRESH = 400  # milliseconds: views are updated at least twice a second
LINES, TEXT = "#8c959f", "#e6edf3"
DARK = Theme(
    json={
        "attrs": {
            "Plot": {
                "background_fill_color": "#161b22",
                "border_fill_color": "#0d1117",
                "outline_line_color": LINES,
                "outline_line_alpha": 0.4,
            },
            "Grid": {"grid_line_color": LINES, "grid_line_alpha": 0.25},
            "Axis": {
                "axis_label_text_color": TEXT,
                "axis_line_color": LINES,
                "major_label_text_color": TEXT,
                "major_tick_line_color": LINES,
                "minor_tick_line_alpha": 0,
            },
            "Legend": {
                "background_fill_color": "#161b22",
                "background_fill_alpha": 0.8,
                "border_line_alpha": 0,
                "label_text_color": TEXT,
            },
            "BaseColorBar": {
                "background_fill_color": "#161b22",
                "major_label_text_color": TEXT,
                "title_text_color": TEXT,
            },
            "Title": {"text_color": TEXT},
        }
    }
)
LIGHT = Theme(json={"attrs": {"Legend": {"background_fill_alpha": 0.8, "border_line_alpha": 0}}})


class Page(pn.viewable.Viewer):
    """Views are built when they are first opened, and only the one that is open asks for anything."""

    def __init__(self, session: Session, document: Document | None = None) -> None:
        super().__init__()
        self.session, self.document = session, document
        self.views: dict[str, View] = {}
        self.kinds = {kind.title: kind for kind in VIEWS}
        self.shown: tuple[str, Any] | None = None
        self.menu = pn.widgets.RadioButtonGroup(
            options=list(self.kinds),
            value=session.active,
            color="primary",
            variant="outline",
            css_classes=["menu"],
            styles={"max-width": "100%"},
            stylesheets=[".bk-btn-group { flex-wrap: wrap; }"],
        )
        self.menu.link(session, value="active", bidirectional=True)
        self.dark = pn.widgets.Toggle(label="Dark", value=False, css_classes=["dark-switch"])
        self.dark.param.watch(lambda event: self.paint(event.new), "value")
        self.first = pn.Column(sizing_mode="stretch_width", margin=0)
        self.other = pn.Column(sizing_mode="stretch_width", margin=0)
        self.content = pn.Column(
            self.first,
            self.other,
            sizing_mode="stretch_width",
            css_classes=["content"],
            styles={"max-width": "100%", "overflow-x": "auto"},
        )
        self.message = PlainText(css_classes=["message"])
        self.state = PlainText(css_classes=["brief"])
        self.layout = pn.Column(
            pn.FlexBox(
                pn.pane.HTML("<h1>jaxlda</h1>", margin=0),
                self.menu,
                self.state,
                self.dark,
                align_items="center",
                css_classes=["top"],
            ),
            self.message,
            self.content,
            sizing_mode="stretch_width",
            css_classes=["page"],
        )
        session.param.watch(lambda event: self.say(event.new), "message")
        session.param.watch(lambda event: self.open(event.new), "active")
        session.param.watch(lambda *events: self.tell(), ["status", "snapshot"])
        self.tell()
        self.say(session.message)
        self.draw(session.active)

    def say(self, message: str) -> None:
        """Show a message; nothing takes no room."""
        self.message.param.update(value=message, visible=bool(message))

    def tell(self) -> None:
        """How far the sampling is, in a few words."""
        snapshot = self.session.snapshot
        sweeps = "" if snapshot is None else f", sweep {snapshot.run.sweep:,} of {snapshot.run.schedule.total:,}"
        status = "loading" if self.session.corpus is None else self.session.status
        self.state.value = status + sweeps + (" · computing" if self.session.thinking else "")

    def open(self, title: str) -> None:
        """Show a view: at once that it is coming, and itself as soon as it is drawn, which takes a moment."""
        if title in self.kinds:
            self.content.css_classes = ["content"]
            self.first.visible = False
            self.other[:] = [PlainText(value=f"Opening {title}…")]
            self.session.post(lambda: self.draw(title))

    def draw(self, title: str) -> None:
        """Show a view, unless somebody wants another one by now."""
        if title != self.session.active:
            return
        if title != RunView.title:
            view = self.view(title)
            if view not in self.other.objects:
                view.forget_ranges()
            self.other[:] = [view]
        else:  # stays, if hidden: files that are on their way must find where they belong
            if not len(self.first):
                self.first.append(self.view(title))
            self.first.visible = True
            self.other[:] = []
        self.content.css_classes = ["content", title.lower().replace(" ", "-")]
        self.shown = None
        self.tick()

    def view(self, title: str) -> View:
        """A view, built when it is first needed."""
        if title not in self.views:
            self.views[title] = view = self.kinds[title](self.session)
            view.others = lambda: [self.view(other) for other in self.kinds if other != title]
        return self.views[title]

    def tick(self) -> None:
        """Let the view that is open ask again, if there is anything new."""
        now = (self.session.active, self.session.snapshot)
        if now[0] not in self.views:
            return  # it is being opened
        if self.shown is None or self.shown[0] != now[0] or self.shown[1] is not now[1]:
            self.shown = now
            self.views[self.session.active].refresh()
        self.session.answer()
        self.tell()

    def paint(self, dark: bool) -> None:
        """Dark, or light: the page by its style sheet, the figures by their theme."""
        self.layout.css_classes = ["page", "dark"] if dark else ["page"]
        self.session.post(lambda: self._paint_figures(dark))

    def _paint_figures(self, dark: bool) -> None:
        if self.document is not None:
            self.document.theme = DARK if dark else LIGHT

    def __panel__(self) -> pn.viewable.Viewable:
        return self.layout


def _poster(document: Document, failed: Callable[[Exception], None]) -> Callable[[Callable[[], None]], None]:
    """How other threads have something done by the thread of a page.

    The browser sees it all at once: who chooses from a list that is half replaced chooses nothing. And in order: Panel
    and Bokeh have a queue each of what is to be sent, one of which may overtake the other while the connection is busy,
    and figures would get data before they are there; what is done while events are held goes through Panel's. No error
    leaves it: Bokeh would take the document of a callback that raised for the current one from then on, on all pages.
    """

    def post(action: Callable[[], None]) -> None:
        def at_once() -> None:
            try:
                with pn.io.hold(document):
                    action()
            except Exception as error:
                failed(error)

        if document.session_context is not None:  # a page that is gone has none
            document.add_next_tick_callback(at_once)

    return post


def open_page(
    jobs: Jobs, first: Callable[[], sources.Input], max_upload: int, readings: Readings, sessions: Sessions
) -> Any:
    """The page of a new browser tab, with a session of its own that ends with it."""
    document = pn.state.curdoc
    assert document is not None  # pages are made for browsers, by the server
    try:
        sessions.enter()
    except Full as error:
        return PlainText(value=str(error))
    # Panel knows it once it has rendered the page; a browser that comes back to a session given up gets none rendered,
    # and would look for style sheets in the internet.
    document.template_variables.setdefault("dist_url", get_dist_path(cdn=False))
    session = Session(jobs, max_upload, readings)

    def failed(error: Exception) -> None:
        logging.getLogger(__name__).error("A page could not be updated", exc_info=error)
        session.message = f"This could not be shown: {error}"

    session.post = _poster(document, failed)
    page = Page(session, document)

    def leave(context: Any) -> None:
        session.close()
        sessions.leave()

    pn.state.on_session_destroyed(leave)

    def back() -> None:
        for view in page.views.values():
            view.forget_ranges()

    when_back(document, back)
    pn.state.add_periodic_callback(page.tick, period=REFRESH)

    place = Place(session, [view.title for view in VIEWS])

    def begin(source: sources.Input) -> None:
        session.take(source)
        if source.model is None:
            session.start()
        place.go()

    def loaded() -> None:
        browser = pn.state.browser_info
        if browser is not None:  # what it prefers is known now, or soon
            browser.param.watch(lambda event: page.dark.param.update(value=bool(event.new)), "dark_mode")
            page.dark.value = bool(browser.dark_mode)
        page.paint(page.dark.value)
        place.follow(pn.state.location)
        session.do(first, begin)

    pn.state.onload(loaded)
    return page
