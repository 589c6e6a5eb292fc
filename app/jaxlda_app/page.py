"""The page of one browser tab: a menu, a line for messages, and the view that is open."""

import logging
from collections.abc import Callable, Mapping
from typing import Any

import panel as pn
import panel_material_ui as pmui
from bokeh.document import Document
from panel.io.resources import get_dist_path
from panel.util.parameters import edit_readonly
from panel_material_ui.template.base import BreakpointSwitcher
from panel_material_ui.template.base import Page as MaterialPage
from tornado.ioloop import IOLoop

from jaxlda_app import sources
from jaxlda_app.first import FirstRun
from jaxlda_app.jobs import Full, Jobs
from jaxlda_app.palette import PAGE, THEME
from jaxlda_app.place import Place
from jaxlda_app.reading import Readings
from jaxlda_app.runs import Kept
from jaxlda_app.spoken import Spoken
from jaxlda_app.stage import Stage, place_of
from jaxlda_app.status import Sessions
from jaxlda_app.steady import Steady
from jaxlda_app.store import Session
from jaxlda_app.tabs import when_back
from jaxlda_app.views import VIEWS, PlainText, View
from jaxlda_app.views._view import notice, skeleton

__all__ = ["Page", "open_page"]

REFRESH = 400  # milliseconds: views are updated at least twice a second
# Panel draws its bar of progress also where none is asked for: full, transparent, and without a name.
NOT_BUSY = {".MuiAppBar-root > .MuiLinearProgress-root": {"display": "none"}}


class Page(pn.viewable.Viewer):
    """Views are built when they are first opened, or while nobody does anything; only the one that is open asks."""

    def __init__(self, session: Session, document: Document | None = None) -> None:
        super().__init__()
        self.session, self.document = session, document
        self.views: dict[str, View] = {}
        self.kinds = {kind.title: kind for kind in VIEWS}
        self.titles = list(self.kinds)
        self.built: set[str] = set()
        """The views that are in the page."""
        self.shown: tuple[str, Any] | None = None
        self.menu = pmui.MenuList(
            items=[{"label": kind.title, "icon": kind.icon} for kind in VIEWS],
            active=self.titles.index(session.active) if session.active in self.titles else 0,
            css_classes=["menu"],
            sizing_mode="stretch_width",
            margin=(8, 0),
        )
        self.menu.param.watch(self._chosen, "active")
        self.places = {title: place_of(title) for title in self.titles}
        self.stage = Stage(width=0, height=0)
        self.content = pn.Column(*self.places.values(), sizing_mode="stretch_width", margin=0, css_classes=["content"])
        self.message = PlainText(css_classes=["message"], sizing_mode="stretch_width", margin=0)
        self.notice = notice(self.message, severity="info", closeable=True)
        self.state = PlainText(css_classes=["brief"], margin=(0, 8))
        # Neither of both shows anything: which one would tells how wide the browser's window is.
        self.narrow, self.wide = pn.Spacer(width=0, height=0), pn.Spacer(width=0, height=0)
        self.width = BreakpointSwitcher(small=self.narrow, large=self.wide, breakpoint="sm", width=0, height=0)
        # Told before the page is drawn, when Panel sends no changes: posted, it waits.
        self.width.param.watch(lambda event: session.post(self._fold), "current")
        self.layout = MaterialPage(
            title="jaxlda",
            sidebar=[self.menu],
            sidebar_width=190,
            sidebar_resizable=False,
            header=[self.state, self.width, Steady(width=0, height=0), self.stage, Spoken(width=0, height=0)],
            main=[
                pn.Column(
                    self.notice,
                    self.content,
                    sizing_mode="stretch_width",
                    margin=0,
                    # As high as what it holds: by itself it is as high as the window, and parts lie on each other.
                    styles={"padding": "16px", "box-sizing": "border-box", "gap": "16px", "max-height": "none"},
                )
            ],
            sx=PAGE | NOT_BUSY,
            theme_config=THEME,
            busy_indicator=None,
            site_url="",
        )
        # It would be told whenever the server does anything for any page, and all of its parts be searched each time.
        with edit_readonly(self.layout):
            self.layout.busy = False
        self.stage.on_msg(lambda message: session.jobs.give_way(session))
        session.param.watch(lambda event: self.say(event.new), "message")
        session.param.watch(lambda event: self.open(event.new), "active")
        session.param.watch(lambda *events: self.tell(), ["status", "snapshot"])
        self.tell()
        self.say(session.message)
        self.draw(session.active)

    def _chosen(self, event: Any) -> None:
        index = event.new[0] if isinstance(event.new, tuple) else event.new
        if index is not None:
            self.session.active = self.titles[index]
            self._fold()

    def _fold(self) -> None:
        """Where there is no room for it, the menu goes away once something is chosen."""
        self.layout.sidebar_open = self.width.current is not self.narrow

    def say(self, message: str) -> None:
        """Show a message; nothing takes no room."""
        self.message.value = message
        self.notice.param.update(closed=False, visible=bool(message))

    def tell(self) -> None:
        """How far the sampling is, in a few words."""
        snapshot = self.session.snapshot
        sweeps = "" if snapshot is None else f", sweep {snapshot.run.sweep:,} of {snapshot.run.schedule.total:,}"
        session = self.session
        status = "loading" if session.corpus is None else f"{session.corpus_name} · {session.status}"
        self.state.value = status + sweeps + (" · computing" if self.session.thinking else "")

    def open(self, title: str) -> None:
        """Show a view. One that is not in the page yet takes a moment, and that it is coming is said at once."""
        if title not in self.kinds:
            return
        self.session.post(lambda: self._announce(title))
        self.session.post(lambda: self.draw(title))

    def _announce(self, title: str) -> None:
        if title != self.session.active:
            return
        if title not in self.built:
            self.content.css_classes = ["content"]
            self.places[title][:] = [skeleton(title)]
        self._choose(title)

    def draw(self, title: str) -> None:
        """Show a view, unless somebody wants another one by now."""
        if title != self.session.active:
            return
        self.build(title)
        self._choose(title)
        self.content.css_classes = ["content", title.lower().replace(" ", "-")]
        self.shown = None
        self.tick()

    def build(self, title: str) -> None:
        """Put a view into the page, if it is not there yet: where it waits until it is chosen."""
        if title not in self.built:
            self.built.add(title)
            self.places[title][:] = [self.view(title)]

    def _choose(self, title: str) -> None:
        index = self.titles.index(title)
        if self.menu.active not in (index, (index,)):
            self.menu.active = index
        self.stage.shown = title

    def renew(self) -> None:
        """Before the page is drawn once more: only the open view is sent."""
        self.session.jobs.give_way(self.session)
        for title in self.built - {self.session.active}:
            self.places[title][:] = []
        self.built &= {self.session.active}

    def _build_ahead(self) -> None:
        """Put the next view into the page, unless a page or this session has anything else to do."""
        if self._may_build():
            self.session.post(self._build_next)

    def _build_next(self) -> None:
        if self._may_build():
            self.build(self._unbuilt()[0])

    def _unbuilt(self) -> list[str]:
        return [title for title in self.titles if title not in self.built]

    def _may_build(self) -> bool:
        closed = self.document is not None and not _connected(self.document)
        return bool(self._unbuilt()) and not (closed or self.session.jobs.gives_way or self.session.thinking)

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

    def beat(self) -> None:
        """What the page does again and again."""
        self.tick()
        self._build_ahead()

    def __panel__(self) -> pn.viewable.Viewable:
        return self.layout


def _poster(
    document: Document, loop: IOLoop, failed: Callable[[Exception], None]
) -> Callable[[Callable[[], None]], None]:
    """How other threads have something done by the thread of a page.

    They only speak to the server's loop. Bokeh's documents are not made for several threads: what another one asks of a
    document while its own thread lets go of held events is lost now and then, and an answer with it.

    The browser sees it all at once: who chooses from a list that is half replaced chooses nothing. And in order: Panel
    and Bokeh have a queue each of what is to be sent, one of which may overtake the other while the connection is busy,
    and figures would get data before they are there; what is done while events are held goes through Panel's. No error
    leaves it: Bokeh would take the document of a callback that raised for the current one from then on, on all pages.

    While a browser draws the page it was sent, everything has to wait: Panel believes until the page is drawn that it
    is yet to be sent, and sends no changes.
    """
    waiting: list[Callable[[], None]] = []  # used by the thread of the page only

    def drawn() -> None:
        for action in waiting:
            document.add_next_tick_callback(action)
        waiting.clear()

    def post(action: Callable[[], None]) -> None:
        def at_once() -> None:
            if not pn.state.loaded and _connected(document):
                waiting.append(at_once)
                return
            try:
                with pn.io.hold(document):
                    action()
            except Exception as error:
                failed(error)

        def ask() -> None:
            if document.session_context is not None:  # a page that is gone has none
                document.add_next_tick_callback(at_once)

        loop.add_callback(ask)

    pn.state.onload(drawn)
    return post


def _connected(document: Document) -> bool:
    """Whether a browser has been sent the page, or is about to be."""
    session = getattr(document.session_context, "session", None)
    return session is not None and session.connection_count > 0


def _shower(
    page: Page, place: Place, first: FirstRun | Callable[[], sources.Input], finished: Kept | None
) -> Callable[[], None]:
    """A function that fills the page once the browser has it: with the finished run, or with documents to be read."""
    session = page.session

    def begin(source: sources.Input) -> None:
        session.take(source)
        if source.model is None:
            session.start()
        place.go()

    def look(kept: Kept | None) -> None:
        if kept is None:
            assert isinstance(first, FirstRun)
            session.do(first.documents, begin)
        else:
            session.show_finished(kept)
            place.go()

    def loaded() -> None:
        session.jobs.give_way(session)  # it draws, and whoever came looks first
        browser = pn.state.browser_info
        if browser is not None:  # what it prefers is known now, or soon
            browser.param.watch(lambda event: page.layout.param.update(dark_theme=bool(event.new)), "dark_mode")
            if browser.dark_mode:
                page.layout.dark_theme = True
        place.follow(pn.state.location)
        if finished is not None:
            place.go()
        elif isinstance(first, FirstRun):
            session.do(first.finished, look)  # it is being read, or there is none
        else:
            session.do(first, begin)

    return loaded


def open_page(
    jobs: Jobs,
    first: FirstRun | Callable[[], sources.Input],
    max_upload: int,
    readings: Readings,
    sessions: Sessions,
) -> Any:
    """The page of a new browser tab, with a session of its own that ends with it.

    Parameters
    ----------
    first
        What is shown at first: a finished run of the bundled corpus, or documents that are read.
    """
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
    jobs.give_way(session)

    def failed(error: Exception) -> None:
        logging.getLogger(__name__).error("A page could not be updated", exc_info=error)
        session.message = f"This could not be shown: {error}"

    session.post = _poster(document, IOLoop.current(), failed)
    finished = first.finished(wait=0.5) if isinstance(first, FirstRun) else None
    if finished is not None:
        session.show_finished(finished)
    page = Page(session, document)

    def leave(context: Any) -> None:
        session.close()
        sessions.leave()

    pn.state.on_session_destroyed(leave)

    place = Place(session, [view.title for view in VIEWS])

    def back(address: Mapping[str, str]) -> None:
        page.renew()
        place.look(place.asked(address))

    when_back(document, back)
    pn.state.add_periodic_callback(page.beat, period=REFRESH)

    pn.state.onload(_shower(page, place, first, finished))
    return page.layout
