"""The gallery: pictures of the notebooks, of the experiments and of the dashboard, as far as there are any."""

import base64
import json
import shutil
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

import nbformat

__all__ = ["collect"]

# What is to be seen in the views of the dashboard, by the names of their pictures.
VIEWS = {
    "learn": "Learn: one token is drawn anew; its probabilities, and the counts that change",
    "data": "Data: corpora, files and pasted text; what was read",
    "fit": "Fit: number of topics and sampler; start, pause, go on; what is found meanwhile",
    "topics": "Topics: a list and a map of the topics, and all about one of them",
    "documents": "Documents: every token in the colour of its topic, the proportions, and the nearest documents",
    "compare": "Compare: chains and runs side by side, and numbers of topics",
    "convergence": "Convergence: traces, R-hat, effective sample size and ranks of four chains, and the verdict",
    "estimates": "Estimates: how far hard and soft counts are apart (Eq. 60), and what each estimator needs",
    "labels": "Labels: what a supervised model has learned, and what it predicts",
    "export": "Export: the run, tables, pictures, a report, and the code that does it all again",
}

KINDS = {"dark": "Dark", "phone": "On a phone", "phone_dark": "On a phone, dark"}
"""Folders of pictures of the same views."""
WIDTHS = {"dark": "48%", "phone": "23%", "phone_dark": "23%"}


def collect(folder: Path, notebooks: Sequence[Path], experiments: Path | None, pictures: Path | None) -> str:
    """Gather pictures in a folder beside the page; give the page."""
    folder.mkdir()
    lines = ["# Gallery", "", "## Notebooks", ""]
    for path in notebooks:
        title, picture = _first_picture(path, folder)
        lines.append(f"- {{doc}}`{title} <notebooks/{path.stem}>`" if picture is None else _item(title, path, picture))
    if corpora := _drawn(folder, None if pictures is None else pictures / "corpora", "corpus"):
        lines += ["", "## Corpora", "", *corpora]
    lines += ["", "## The paper's experiments", ""]
    lines += _drawn(folder, None if pictures is None else pictures / "experiments")
    lines += _reports(folder.parent / "static" / "experiments", experiments) or [
        "`jaxlda reproduce --all --output report` computes all of them (`--scale smoke` in a few minutes, as a check),",
        "and `python -m docs --experiments report` puts their reports, with every table and number, here.",
    ]
    lines += ["", "## The dashboard", ""]
    lines += _views(folder, pictures) or [
        "`jaxlda dashboard` opens it in the browser. `python -m benchmarks.screenshots` takes pictures of its views,",
        "and this page shows them when the site is built again.",
    ]
    return "\n".join(lines) + "\n"


def _first_picture(path: Path, folder: Path) -> tuple[str, str | None]:
    notebook = nbformat.read(path, as_version=4)
    title = notebook.cells[0].source.splitlines()[0].removeprefix("# ")
    for cell in notebook.cells:
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                name = f"{path.stem}.png"
                (folder / name).write_bytes(base64.b64decode(output.data["image/png"]))
                return title, name
    return title, None


def _item(title: str, path: Path, picture: str) -> str:
    return f"### {title}\n\n[![{title}](gallery/{picture})](notebooks/{path.stem}.ipynb)\n"


def _drawn(folder: Path, pictures: Path | None, kind: str = "experiment") -> list[str]:
    """Figures of experiments at full scale, as ``docs.reports`` keeps them, or of corpora, with what they say."""
    lines = []
    for path in _files(pictures, ".png") if pictures is not None and pictures.is_dir() else []:
        words = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
        picture = _kept(path, folder, f"{kind}_{path.name}")
        lines += [f"### {words['title']}", "", f"![{words['title']}](gallery/{picture})", ""]
        lines += [words["setting"], "", f"**Found.** {words['reading']}", ""]
    return lines


def _reports(target: Path, experiments: Path | None) -> list[str]:
    """Links to whole reports; those of a check say so."""
    lines = ["Whole reports, with every table:", ""]
    for page in _files(experiments, ".html"):
        title = page.stem
        if page.with_suffix(".json").is_file():
            report = json.loads(page.with_suffix(".json").read_text(encoding="utf-8"))
            title = report.get("title", title)
            if report.get("scale", "full") != "full":
                title += f" – {report['scale']}: a check, no result"
        lines.append(f"- <a href='_static/experiments/{_kept(page, target, page.name)}'>{escape(title)}</a>")
    return lines if len(lines) > 2 else []


def _views(folder: Path, pictures: Path | None) -> list[str]:
    paths = {path.stem: path for path in _files(pictures, ".png")}
    order = [name for name in VIEWS if name in paths] + [name for name in paths if name not in VIEWS]
    lines = []
    for name in order:
        title = VIEWS.get(name, name.replace("_", " ").capitalize())
        picture = _kept(paths[name], folder, f"dashboard_{name}.png")
        lines.append(f"### {title}\n\n![{title}](gallery/{picture})\n")
    return lines + [line for kind, words in KINDS.items() for line in _small(folder, pictures, kind, words)]


def _small(folder: Path, pictures: Path | None, kind: str, words: str) -> list[str]:
    """Pictures of the views as somebody else sees them, side by side."""
    if pictures is None or not (pictures / kind).is_dir():
        return []
    lines = [f"### {words}", ""]
    for path in _files(pictures / kind, ".png"):
        picture = _kept(path, folder, f"dashboard_{kind}_{path.name}")
        name = f"{path.stem.capitalize()}, {words.lower()}"
        lines += [f"```{{image}} gallery/{picture}", f":alt: {name}", f":width: {WIDTHS[kind]}", "```"]
    return [*lines, ""]


def _files(folder: Path | None, ending: str) -> Iterable[Path]:
    if folder is not None and not folder.is_dir():
        raise SystemExit(f"there is no folder {folder}")
    return [] if folder is None else sorted(folder.glob(f"*{ending}"))


def _kept(path: Path, folder: Path, name: str) -> str:
    """Copy a file under a name of its own: experiments and views of the dashboard may be called the same."""
    folder.mkdir(exist_ok=True)
    if (folder / name).exists():
        raise SystemExit(f"two pictures of the gallery are called {name}: rename {path}")
    shutil.copy(path, folder / name)
    return name
