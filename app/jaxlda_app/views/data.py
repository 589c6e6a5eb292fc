"""Data: ready-made corpora, one's own files, and pasted text; what they hold, and which words are kept."""

from functools import partial
from typing import Any, ClassVar

import pandas as pd
import panel as pn
import panel_material_ui as pmui

from jaxlda_app import sources
from jaxlda_app.panes import HtmlPane
from jaxlda_app.report import html_table
from jaxlda_app.store import Session
from jaxlda_app.views._tables import TABLE
from jaxlda_app.views._upload import Upload
from jaxlda_app.views._view import WIDE, PlainText, View, card, charts, stack

__all__ = ["DataView"]

INTRO = (
    "Latent Dirichlet allocation (LDA) finds what documents are about without being told. It supposes that there are K "
    "topics, each a list of words with probabilities, that every document is a mixture of topics, and that every word "
    "in it, a token, was drawn from one of them. Choose documents here, and press Start in the Fit view."
)
GRID = {"display": "grid", "grid-template-columns": "repeat(auto-fill, minmax(150px, 1fr))", "gap": "16px"}
APART = {"justify-content": "space-between"}
FACTS = "thead { display: none; } td:first-child { white-space: nowrap; }"
ROWS, LONGEST = 5, 90  # of the preview: documents, and signs of a cell


class DataView(View):
    """Where documents come from, and what was read."""

    title: ClassVar[str] = "Data"
    icon: ClassVar[str] = "storage"

    def __init__(self, session: Session, **params: Any) -> None:
        super().__init__(session, **params)
        self.buttons = {
            name: pmui.Button(label=f"Use {name}", variant="outlined", size="small", margin=0, css_classes=["use"])
            for name in sources.ready_made()
        }
        self.upload = Upload(session, self.take, session.max_upload)
        self.pasted = pn.widgets.TextAreaInput(
            label="One document per line",
            placeholder="The cat sat on the mat.\nThe dog barked at the cat.",
            height=165,
            max_length=2_000_000,
            sizing_mode="stretch_width",
            css_classes=["pasted"],
        )
        self.read_pasted = pmui.Button(label="Use this text", variant="outlined")
        self.about = PlainText(css_classes=["about"])
        self.facts = HtmlPane("", stylesheets=[TABLE, FACTS], css_classes=["corpus-facts"], **WIDE)
        self.preview = HtmlPane("", stylesheets=[TABLE], css_classes=["corpus-preview"], **WIDE)
        self.first = PlainText(value="The first documents", css_classes=["sentence"], margin=(16, 0, 4, 0))
        self.next = pmui.Button(label="Choose the number of topics", color="primary", css_classes=["next"])
        for name, button in self.buttons.items():
            button.on_click(partial(self.use, name))
        self.read_pasted.on_click(lambda event: self.paste())
        self.next.on_click(lambda event: session.go("Fit"))
        session.param.watch(lambda *events: self.tell(), "corpus")
        self.tell()

    def use(self, name: str, event: Any = None) -> None:
        """Load a ready-made corpus in the background."""
        self.session.message = f"Loading {name}…"
        self.session.do(lambda: sources.bundled_source(name), self.take)

    def paste(self) -> None:
        """Read what was pasted as a file of text."""
        text = self.pasted.value_input or self.pasted.value or ""
        if text.strip():
            self.upload.offer({"pasted.txt": text.encode()}, "text")
        else:
            self.session.message = "Paste some text first: one document per line."

    def take(self, source: sources.Input) -> None:
        """Use the documents that were read."""
        self.session.take(source)
        said = "".join(f"{note[:1].upper()}{note[1:]}. " for note in source.notes)
        read = f"Read {source.name}: {source.corpus!r}. {said}"
        advice = "Its sample can be looked at." if source.model is not None else "Press Start in the Fit view."
        self.session.message = read + advice

    def tell(self) -> None:
        """What is used now."""
        corpus = self.session.corpus
        self.next.disabled = corpus is None
        if corpus is None:
            self.about.value = "No documents yet: choose some of those on the left, or upload a file."
            self.facts.object = self.preview.object = ""
            return
        self.about.value = f"{self.session.corpus_name}: {corpus!r}".replace("Corpus(", "").removesuffix(")") + "."
        self.facts.object = html_table(_facts(corpus))
        self.preview.object = html_table(_preview(corpus))

    def __panel__(self) -> pn.viewable.Viewable:
        ready = [
            pn.Column(PlainText(value=about, css_classes=["sentence"]), self.buttons[name], styles=APART, **WIDE)
            for name, about in sources.ready_made().items()
        ]
        left = stack(
            card(
                "Ready-made corpora",
                pn.Column(*ready, styles=GRID, **WIDE),
                width=None,
                css_classes=["ready"],
            ),
            card("Your own file", self.upload, width=None),
            card("Paste text", self.pasted, self.read_pasted, width=None),
            styles={"flex": "1 1 420px"},
        )
        used = stack(
            card("In use", self.about, self.facts, self.first, self.preview, self.next, width=None),
            styles={"flex": "1 1 420px"},
        )
        intro = PlainText(value=INTRO, css_classes=["intro", "sentence"], **WIDE)
        return stack(intro, charts(left, used))


def _facts(corpus: Any) -> pd.DataFrame:
    """The numbers of a corpus, and what was left out when it was read."""
    summary = corpus.summary()
    rows = [
        (
            "Documents",
            f"{summary.documents:,}" + (f", {summary.empty_documents:,} empty" * bool(summary.empty_documents)),
        ),
        ("Words kept", f"{summary.words:,}"),
        ("Tokens", f"{summary.tokens:,}; {summary.shortest:,} to {summary.longest:,} per document"),
    ]
    if summary.labels:
        rows.append(("Labels", f"{summary.labels:,}"))
    if summary.columns:
        rows.append(("Metadata", ", ".join(summary.columns)))
    for reason, words, tokens, examples in summary.removed:
        rows.append(("Left out", f"{words:,} words, {tokens:,} tokens: {reason} ({', '.join(examples)})"))
    return pd.DataFrame(rows, columns=["", "what was read"], dtype=object)


def _preview(corpus: Any) -> pd.DataFrame:
    """The first documents: title, text or words, and what else is known of them."""
    number = min(ROWS, corpus.num_docs)
    columns: dict[str, list[str]] = {}
    if corpus.titles is not None:
        columns["title"] = [_cut(title) for title in corpus.titles[:number]]
    texts = corpus.texts
    columns["text" if texts is not None else "words"] = [
        _cut(texts[d] if texts is not None else " ".join(corpus.tokens_of(d)[:20])) for d in range(number)
    ]
    for name, values in list((corpus.doc_columns or {}).items())[:4]:
        columns[str(name)] = [_cut(str(value)) for value in values[:number]]
    return pd.DataFrame(columns, dtype=object)


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"
