"""The server and the page: one session for each browser tab, views that are built when they are first opened."""

import os
from pathlib import Path
from typing import Any

import panel as pn
from bokeh.document import Document

import jaxlda
from jaxlda_app.jobs import Jobs
from jaxlda_app.store import Session
from jaxlda_app.views import VIEWS, View

__all__ = ["Page", "serve"]

REFRESH = 400  # milliseconds
UNUSED = 15_000  # milliseconds after which the session of a closed tab is given up
CSS = (Path(__file__).parent / "style.css").read_text(encoding="utf-8")


class Page:
    """What one browser tab shows."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.views: dict[str, View] = {}
        self.kinds = {kind.title: kind for kind in VIEWS}
        self.shown: tuple[str, Any] | None = None
        self.menu = pn.widgets.RadioButtonGroup(
            options=list(self.kinds),
            value=session.active,
            css_classes=["menu"],
            button_type="primary",
            button_style="outline",
        )
        self.menu.link(session, value="active", bidirectional=True)
        self.content = pn.Column(sizing_mode="stretch_width", css_classes=["content"])
        self.message = pn.widgets.StaticText(value=session.message, css_classes=["message"])
        session.param.watch(lambda event: self.message.param.update(value=event.new), "message")
        session.param.watch(lambda event: self.open(event.new), "active")
        self.open(session.active)

    def open(self, title: str) -> None:
        """Show a view."""
        if title not in self.kinds:
            return
        if title not in self.views:
            self.views[title] = self.kinds[title](self.session)
        self.content[:] = [self.views[title]]
        self.shown = None
        self.tick()

    def tick(self) -> None:
        """Let the view that is open ask again, if there is anything new and time for it."""
        state = (self.session.active, self.session.snapshot)
        if self.shown is not None and self.shown[0] == state[0] and self.shown[1] is state[1]:
            return
        if self.shown is None or self.session.at_leisure:
            self.shown = state
            self.views[self.session.active].refresh()

    def __panel__(self) -> pn.viewable.Viewable:
        return pn.Column(
            pn.FlexBox(pn.pane.HTML("<h1>jaxlda</h1>"), self.menu, css_classes=["top"]),
            self.message,
            self.content,
            sizing_mode="stretch_width",
            css_classes=["page"],
        )


def _poster(document: Document) -> Any:
    """How other threads have something done by the thread of a page."""

    def post(action: Any) -> None:
        if document.session_context is not None and not getattr(document.session_context, "destroyed", False):
            document.add_next_tick_callback(action)

    return post


def _open_page(jobs: Jobs, name: str) -> pn.viewable.Viewable:
    session = Session(jobs)
    if pn.state.curdoc is not None:
        session.post = _poster(pn.state.curdoc)
    page = Page(session)
    pn.state.on_session_destroyed(lambda context: session.close())
    pn.state.add_periodic_callback(page.tick, period=REFRESH)

    def begin(corpus: jaxlda.Corpus) -> None:
        session.param.update(corpus=corpus, corpus_name=name)
        session.start()

    pn.state.onload(lambda: session.do(lambda: jaxlda.datasets.load(name), begin))
    return page.__panel__()


def serve(
    port: int = 5006,
    show: bool = True,
    address: str = "localhost",
    file: str | os.PathLike | None = None,
    workers: int | None = None,
    max_upload: int = 50,
    threaded: bool = False,
) -> Any:
    """Serve the dashboard until it is interrupted.

    Parameters
    ----------
    port, address
        Where; 0 is any free port. By default nobody but this computer can connect.
    show
        Open a browser.
    file
        Documents, or a saved run, to begin with.
    workers
        Jobs that sample at the same time; one for every four cores if not given.
    max_upload
        Megabytes that may be uploaded.
    threaded
        Return at once, and serve in a thread.
    """
    pn.extension(raw_css=[CSS])
    jobs = Jobs(workers or max(1, (os.cpu_count() or 1) // 4))
    try:
        return pn.serve(
            {"/": lambda: _open_page(jobs, "reuters")},
            port=port,
            address=address,
            show=show,
            title="jaxlda",
            threaded=threaded,
            websocket_max_message_size=max_upload * 2**20 * 3 // 2,  # files travel as text, a third longer
            unused_session_lifetime_milliseconds=UNUSED,
            check_unused_sessions_milliseconds=UNUSED // 3,
        )
    finally:
        if not threaded:
            jobs.close()
