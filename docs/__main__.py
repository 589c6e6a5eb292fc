"""Build the documentation site, strictly and without a network: ``python -m docs``.

Pages are put together in ``docs/_build/source``: those of this folder, the notebooks with their pictures, and what the
gallery shows. Any warning is an error.
"""

import argparse
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from docs import figures, gallery
from notebooks.render import NOTEBOOKS, render

FOLDER = Path(__file__).resolve().parent


def assemble(source: Path, *, execute: bool, experiments: Path | None, pictures: Path | None) -> None:
    """Put everything the site is made of into one folder."""
    shutil.rmtree(source, ignore_errors=True)
    source.mkdir(parents=True)
    for page in [*FOLDER.glob("**/*.md"), *FOLDER.glob("guide/*.png")]:
        if "_build" not in page.parts:
            target = source / page.relative_to(FOLDER)
            target.parent.mkdir(exist_ok=True)
            shutil.copy(page, target)
    shutil.copytree(FOLDER / "static", source / "static")
    shutil.copytree(FOLDER / "pictures", source / "pictures", ignore=shutil.ignore_patterns("corpora", "experiments"))
    shutil.copy(FOLDER.parent / "benchmarks" / "overview.png", source / "static")
    if execute:
        page_of_figures = source / "guide" / "figures.md"
        page_of_figures.write_text(figures.drawn(page_of_figures.read_text(encoding="utf-8")), encoding="utf-8")
    executed = render(NOTEBOOKS, source / "notebooks", execute=execute)
    page = gallery.collect(source / "gallery", executed, experiments, pictures)
    (source / "gallery.md").write_text(page, encoding="utf-8")


def main() -> int:
    """Build; give Sphinx's exit code."""
    parser = argparse.ArgumentParser(prog="python -m docs", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="run neither the notebooks nor the page of figures")
    parser.add_argument("--experiments", type=Path, help="what `jaxlda reproduce --all --output FOLDER` wrote")
    parser.add_argument("--pictures", type=Path, help="PNGs; those of `python -m benchmarks.screenshots` if not given")
    parser.add_argument("--output", type=Path, default=FOLDER / "_build", help="(default: docs/_build)")
    options = parser.parse_args()
    if options.pictures is None and (FOLDER / "pictures").is_dir():
        options.pictures = FOLDER / "pictures"
    options.output = options.output.resolve()
    source, site = options.output / "source", options.output / "html"
    assemble(source, execute=not options.quick, experiments=options.experiments, pictures=options.pictures)
    static = f"html_static_path={source / 'static'}"
    strict = ["-W", "--keep-going", "-q", "-E", "-D", static, "-c", str(FOLDER), "-d", str(options.output / "cache")]
    code = build_main([*strict, str(source), str(site)])
    if code == 0:
        print(f"wrote {site / 'index.html'}")
    return code


if __name__ == "__main__":
    sys.exit(main())
