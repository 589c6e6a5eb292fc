"""Export: files of the run, pictures of the plots, and the code that gives the same chains."""

import html
import io
from typing import Any, ClassVar

import panel as pn
import panel_material_ui as pmui
from bokeh.models import SaveTool

from jaxlda_app.panes import HtmlPane
from jaxlda_app.questions import export as questions
from jaxlda_app.report import clone, plot_json
from jaxlda_app.store import Session
from jaxlda_app.views._choices import CLEAR
from jaxlda_app.views._view import FAILED, PlainText, View, card, charts, controls, stack

__all__ = ["ExportView"]

NONE = "(choose one)"
FORMATS = {"PNG": "canvas", "SVG": "svg"}
SIZE = {"width": 800, "height": 450}
SAVE = "tool.do.emit('save')"
EVERYTHING = ("report", "tables")
STYLE = "pre { overflow-x: auto; margin: 0; padding: .8rem; background: #8882; font-size: .85rem; line-height: 1.4; }"


class ExportView(View):
    """Nothing is computed by the page: files are prepared in the background, and offered when they are there."""

    title: ClassVar[str] = "Export"
    icon: ClassVar[str] = "download"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.what = pn.widgets.Select(label="File", options=questions.FILES, sizing_mode="stretch_width", max_width=400)
        self.prepare = pmui.Button(label="Prepare", color="primary")
        self.state = PlainText(value="", css_classes=["export-state"])
        self.download = pmui.FileDownload(
            file=io.BytesIO(),
            filename="nothing",
            label="Download",
            disabled=True,
            auto=True,
            css_classes=["export-file"],
        )
        self.plot = pn.widgets.Select(label="Plot", options=[NONE], value=NONE, width=260)
        self.format = pmui.RadioButtonGroup(label="Format", options=list(FORMATS), value="PNG", **CLEAR)
        self.update = pmui.Button(label="Bring plots up to date", variant="outlined")
        self.picture = pn.Column(sizing_mode="stretch_width", css_classes=["picture"])
        self.code = HtmlPane("", stylesheets=[STYLE], sizing_mode="stretch_width", css_classes=["export-code"])
        self.known = False
        self.prepare.on_click(lambda event: self.begin())
        self.update.on_click(lambda event: self.look_around())
        self.what.param.watch(lambda event: self._withdraw(""), "value")
        for choice in (self.plot, self.format):
            choice.param.watch(lambda event: self.draw(), "value")

    def refresh(self) -> None:
        """Ask for the code; and when first opened, for everything that other views can show."""
        if self.session.snapshot is None:
            self.state.value = "There is nothing to export yet: start a run in the Fit view."
            return
        if not self.known:
            self.known = True
            self.state.value = ""
            self.look_around()
        self.session.ask("code", questions.code, self._show_code)

    def look_around(self) -> None:
        """Have all views ask, and see what they show then."""
        self._after_all(self._offer_plots)

    def begin(self) -> None:
        """Have the file prepared."""
        if self.session.snapshot is None:
            return
        self._withdraw("Preparing…")
        if self.what.value in EVERYTHING:
            self._after_all(self._prepare)
        else:
            self._prepare()

    def draw(self) -> None:
        """Show the plot that was chosen, to be saved."""
        plot = self._figures().get(self.plot.value)
        if plot is None:
            self.picture[:] = []
            return
        copy = clone(plot_json(plot), FORMATS[self.format.value])
        copy.update(sizing_mode=None, **SIZE)
        tool = SaveTool(filename=self.plot.value)
        copy.add_tools(tool)
        save = pn.widgets.Button(label=f"Save {self.plot.value} as {self.format.value}", css_classes=["save-picture"])
        save.js_on_click(args={"tool": tool}, code=SAVE)
        self.picture[:] = [save, pn.Column(pn.pane.Bokeh(copy), styles={"overflow-x": "auto"})]

    def _figures(self) -> dict[str, Any]:
        return {name: plot for view in self.others() for name, plot in view.figures().items()}

    def _pictures(self) -> dict[str, tuple[str, str]]:
        """The figures, each with its caption."""
        return {
            name: (plot_json(plot), view.caption(plot))
            for view in self.others()
            for name, plot in view.figures().items()
        }

    def _after_all(self, then: Any) -> None:
        """Let all views ask, and do something once they have their answers, and those of what these made them ask."""
        for view in self.others():
            view.refresh()
        self.session.after(lambda: self.session.after(then))

    def _offer_plots(self) -> None:
        names = [NONE, *self._figures()]
        if names != self.plot.options:
            self.plot.param.update(options=names, value=self.plot.value if self.plot.value in names else NONE)
        self.draw()

    def _prepare(self) -> None:
        everything = self.what.value in EVERYTHING
        views = self.others() if everything else ()
        self.session.ask(
            "export",
            questions.prepared,
            self._offer,
            lambda: self._withdraw(FAILED),
            what=self.what.value,
            chain=self.session.shown_chain,
            name=self.session.corpus_name,
            shown={name: table for view in views for name, table in view.tables().items()},
            plots=self._pictures() if everything else {},
        )

    def _offer(self, file: questions.Prepared) -> None:
        self.download.param.update(
            file=io.BytesIO(file.content), filename=file.name, label=f"Download {file.name}", disabled=False
        )
        self.state.value = f"{file.name}: {_size(len(file.content))}, of sweep {self._sweep():,}."

    def _withdraw(self, words: str) -> None:
        self.state.value = words
        self.download.param.update(file=io.BytesIO(), filename="nothing", label="Download", disabled=True)

    def _sweep(self) -> int:
        return 0 if self.session.snapshot is None else self.session.snapshot.run.sweep

    def _show_code(self, code: str) -> None:
        self.code.object = f'<pre tabindex="0" role="region" aria-label="Python code">{html.escape(code)}</pre>'

    def __panel__(self) -> pn.viewable.Viewable:
        files = card("Files", self.what, controls(self.prepare, self.download), self.state, width=None)
        code = card(
            "The code of this run",
            PlainText(
                value="Python code that gives the same chains, to the bit, as far as they are now.",
                css_classes=["sentence"],
            ),
            self.code,
            width=None,
        )
        pictures = card(
            "Pictures",
            PlainText(value="Every plot of the other views, as they were last shown.", css_classes=["sentence"]),
            controls(self.plot, self.format, self.update),
            self.picture,
            width=420,
        )
        return charts(stack(files, code, styles={"flex": "1 1 420px"}), pictures)


def _size(size: int) -> str:
    """As browsers count, and as the limit of uploads does."""
    return f"{size / 1e6:,.1f} MB" if size >= 1e6 else f"{max(size / 1e3, 0.1):,.1f} kB"
