"""The gallery: pictures of the notebooks, of the experiments and of the dashboard, as far as there are any."""

import base64
import re
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import nbformat

__all__ = ["collect"]


def collect(folder: Path, notebooks: Sequence[Path], experiments: Path | None, pictures: Path | None) -> str:
    """Gather pictures in a folder beside the page; give the page."""
    folder.mkdir()
    lines = ["# Gallery", "", "## Notebooks", ""]
    for path in notebooks:
        title, picture = _first_picture(path, folder)
        lines.append(f"- {{doc}}`{title} <notebooks/{path.stem}>`" if picture is None else _item(title, path, picture))
    lines += ["", "## The paper's experiments", ""]
    lines += _experiments(folder, experiments) or [
        "`jaxlda reproduce --all --output report` computes them (`--scale smoke` in a few minutes, as a check), and",
        "`python -m docs --experiments report` puts their tables and figures here.",
    ]
    lines += ["", "## The dashboard", ""]
    lines += _pictures(folder, pictures) or [
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


def _experiments(folder: Path, experiments: Path | None) -> list[str]:
    return [
        f"- <a href='_static/experiments/{_kept(page, folder.parent / 'static' / 'experiments')}'>{page.stem}</a>"
        for page in _files(experiments, ".html")
    ]


def _pictures(folder: Path, pictures: Path | None) -> list[str]:
    return [
        f"### {re.sub('[-_]+', ' ', path.stem)}\n\n![{path.stem}](gallery/{_kept(path, folder)})\n"
        for path in _files(pictures, ".png")
    ]


def _files(folder: Path | None, ending: str) -> Iterable[Path]:
    if folder is not None and not folder.is_dir():
        raise SystemExit(f"there is no folder {folder}")
    return [] if folder is None else sorted(folder.glob(f"*{ending}"))


def _kept(path: Path, folder: Path) -> str:
    folder.mkdir(exist_ok=True)
    shutil.copy(path, folder)
    return path.name
