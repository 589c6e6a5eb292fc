"""Run the notebooks, each in a fresh kernel, and keep them with their pictures: ``python -m notebooks.render``."""

import argparse
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jupytext
import nbformat

FOLDER = Path(__file__).resolve().parent
NOTEBOOKS = sorted(FOLDER.glob("[0-9][0-9]_*.py"))
TIMEOUT = 600  # seconds per cell: for machines that are busy with other things


def rendered(path: Path, execute: bool = True, folder: Path = FOLDER) -> nbformat.NotebookNode:
    """A notebook, with all outputs if it is executed in a folder; one that warns is not finished, and an error."""
    notebook = jupytext.read(path, fmt="py:percent")
    if not execute:
        return notebook
    from nbclient import NotebookClient

    quiet = ["--IPKernelApp.log_level=40"]  # what kernels say about themselves
    resources = {"metadata": {"path": folder}}
    NotebookClient(
        notebook, timeout=TIMEOUT, kernel_name="python3", resources=resources, extra_arguments=quiet
    ).execute()
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    warned = "".join(output.text for output in outputs if output.get("name") == "stderr")
    if warned:
        raise RuntimeError(f"{path.name} runs, but warns:\n{warned}")
    return notebook


def render(paths: Iterable[Path], folder: Path, *, execute: bool = True, jobs: int = 2) -> list[Path]:
    """Write notebooks as ``.ipynb`` to a folder, and say how long each has taken."""
    folder.mkdir(parents=True, exist_ok=True)

    def one(path: Path) -> Path:
        began, target = time.perf_counter(), folder / f"{path.stem}.ipynb"
        nbformat.write(rendered(path, execute, folder), target)
        if execute:
            print(f"{path.name}: {time.perf_counter() - began:.0f} s", flush=True)
        return target

    with ThreadPoolExecutor(jobs) as threads:
        return list(threads.map(one, paths))


def main() -> None:
    """Run all notebooks, or those whose numbers are given."""
    parser = argparse.ArgumentParser(prog="python -m notebooks.render", description=__doc__)
    parser.add_argument("numbers", nargs="*", type=int, help="which (default: all)")
    parser.add_argument("--output", type=Path, default=Path("rendered"), help="a folder (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, help="kernels at the same time (default: %(default)s)")
    options = parser.parse_args()
    chosen = [path for path in NOTEBOOKS if not options.numbers or int(path.name[:2]) in options.numbers]
    if not chosen:
        sys.exit(f"there are no such notebooks; there are {', '.join(path.name[:2] for path in NOTEBOOKS)}")
    render(chosen, options.output, jobs=options.jobs)
    print(f"wrote {len(chosen)} notebooks to {options.output}")


if __name__ == "__main__":
    main()
