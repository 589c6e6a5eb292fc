"""The page of the benchmarks from their figures: ``python -m benchmarks.page``."""

import json
import math
from pathlib import Path
from typing import Any, NamedTuple

__all__ = ["PLACES", "Places", "page", "places_in", "write"]

ROOT = Path(__file__).resolve().parents[1]
Table = list[dict[str, Any]]
OURS = ("cgs", "sparse", "warp", "pcgs", "light")


class Places(NamedTuple):
    """Where figures, plot and page go."""

    results: Path
    plot: Path
    page: Path


PLACES = Places(
    ROOT / "benchmarks" / "results" / "benchmarks.json",
    ROOT / "docs" / "guide" / "benchmarks.png",
    ROOT / "docs" / "guide" / "benchmarks.md",
)
TITLES = {
    "cost": "What a token costs: nanoseconds per token and sweep (variational programs: per pass)",
    "quality": "Seconds to the held-out perplexity of tomotopy after 200 sweeps: ours by φᵖ, its time included",
    "cores": "One chain on one core and on two: nanoseconds per token and sweep",
    "chains": "Four chains with a verdict on convergence, against four runs of tomotopy",
    "memory": "Peak memory of a process",
    "new documents": "New documents per second",
    "growth": "Nanoseconds per token as tokens (N), words (V) and topics (K) grow",
}


def places_in(folder: Path) -> Places:
    """All three in one folder, for a trial."""
    folder.mkdir(parents=True, exist_ok=True)
    return Places(*(folder / place.name for place in PLACES))


def page(results: dict[str, Any]) -> str:
    """The page as Markdown."""
    machine = results["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in machine["versions"].items())
    text = "% Written by `python -m benchmarks`; do not edit.\n\n# Benchmarks\n\n"
    text += "jaxlda beside other programs, by turns in one run (`python -m benchmarks`): read the ratios. "
    text += f"{machine['cores']} cores; {versions}.\n\n"
    if results.get("quick"):
        text += "**A trial with small sizes: these figures say nothing of speed.**\n\n"
    text += "![Nanoseconds per token of each program, against the number of topics](benchmarks.png)\n"
    for name, title in TITLES.items():
        measured = [isa for isa in ("native", "AVX2") if name in results.get(isa, {})]
        text += f"\n## {title}\n" if measured else ""
        for isa in measured:
            found = results[isa][name]
            words = "All instructions of the processor" if isa == "native" else "AVX2 alone, as most laptops have it"
            processor = results.get("processors", {}).get(f"{isa}, {name}", machine["processor"])
            text += f"\n{words}; measured on {processor}:\n\n"
            if isinstance(found, dict):
                text += f"not measured: {found['error']}\n"
            else:
                text += _markdown(_wide(found) if name == "cost" else found)
    return text


def _wide(table: Table) -> Table:
    """One row per program, one column per number of topics, and the ratio to tomotopy with one worker."""
    topics = sorted({row["K"] for row in table})
    ns = {(row["program"], row["K"]): row["ns"] for row in table}
    rows: Table = []
    for program in dict.fromkeys(row["program"] for row in table):
        row: dict[str, Any] = {"program": program}
        for K in topics:
            value, other = ns.get((program, K)), ns.get(("tomotopy, 1 worker", K))
            row[f"K {K}"] = "–" if value is None else f"{value:,.0f}"
            row[f"/ tomotopy, K {K}"] = "–" if value is None or other is None else f"{value / other:.2f}"
        rows.append(row)
    return rows


def _cell(value: Any) -> str:
    if not isinstance(value, float):
        return str(value)
    if math.isnan(value):
        return "not reached"
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


def _markdown(table: Table) -> str:
    if not table:
        return "no program to compare with is installed\n"
    names = list(dict.fromkeys(name for row in table for name in row))
    lines = [names, ["---"] * len(names), *([_cell(row.get(name, "–")) for name in names] for row in table)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def plot(results: dict[str, Any], target: Path) -> None:
    """Cost by topics for every program, one panel for each instruction set: ours in colours, the others grey."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    isas = [isa for isa in ("native", "AVX2") if isinstance(results.get(isa, {}).get("cost"), list)]
    figure, axes = plt.subplots(
        1, max(len(isas), 1), figsize=(10, 3.8), squeeze=False, sharey=True, layout="constrained"
    )
    lines: dict[str, Any] = {}
    for axis, isa in zip(axes[0], isas, strict=False):
        table = results[isa]["cost"]
        for program in dict.fromkeys(row["program"] for row in table):
            points = sorted((row["K"], row["ns"]) for row in table if row["program"] == program)
            (lines[program],) = axis.plot(*zip(*points, strict=True), **_line(program))
        title = "all instructions of the processor" if isa == "native" else "AVX2 alone"
        axis.set(xscale="log", yscale="log", xlabel="topics K", title=title)
        axis.spines[["top", "right"]].set_visible(False)
    axes[0, 0].set_ylabel("ns per token and sweep")
    figure.legend(lines.values(), lines, frameon=False, fontsize=8, loc="outside right center")
    figure.savefig(target, dpi=110)
    plt.close(figure)


def _line(program: str) -> dict[str, Any]:
    """How a program is drawn."""
    if program in OURS:
        return {"color": f"C{OURS.index(program)}", "marker": "o", "ms": 4, "lw": 2}
    others = {"tomotopy, 1 worker": "s-", "tomotopy, 2 workers": "s:", "lda": "^-", "gensim LdaMulticore": "v-"}
    marker, style = others.get(program, "D-" if program.endswith("batch") else "D:")
    return {"color": "0.55", "marker": marker, "linestyle": style, "ms": 4, "lw": 1}


def write(results: dict[str, Any], places: Places = PLACES) -> None:
    """Write plot and page."""
    plot(results, places.plot)
    places.page.write_text(page(results), encoding="utf-8")
    guide = places.page.parent.parent / "guide.md"
    if places is PLACES and "guide/benchmarks\n" not in (text := guide.read_text(encoding="utf-8")):
        guide.write_text(text.replace("guide/speed\n```", "guide/speed\nguide/benchmarks\n```"), encoding="utf-8")


def main() -> None:
    """Write them from the figures that there are."""
    write(json.loads(PLACES.results.read_text(encoding="utf-8")))
    print(PLACES.page)


if __name__ == "__main__":
    main()
