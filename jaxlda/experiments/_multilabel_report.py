"""What came out of the multi-label experiments, beside what the paper says."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxlda.evaluation import multilabel
from jaxlda.experiments._published import PAPER

__all__ = ["METHODS", "ZERO_DIVISION", "MultilabelReport", "Record"]

METHODS = {
    "phi+theta": "φ + θ  (CGS)",
    "phi+theta_p": "φ + θᵖ",
    "phi_p+theta": "φᵖ + θ",
    "phi_p+theta_p": "φᵖ + θᵖ (CGSₚ)",
    "cvb0": "CVB0",
    "soft_counts": "φ, soft counts",
    "hard_counts": "φ, hard counts",
    "cvb0_counts": "CVB0, counts",
}
MEASURES = {"micro": "Micro-F", "macro": "Macro-F", "example": "Example-based F"}
LEVEL = 0.05
ZERO_DIVISION = 1  # as the paper's program; of no effect where every label occurs in the test documents, as in Bibtex


class Record(NamedTuple):
    """One method in one run."""

    data_set: str
    variant: str
    """``"paper"``, ``"program"`` or ``"curve"``."""
    configuration: str
    """Chains x samples."""
    method: str
    run: int
    micro: float
    macro: float
    example: float


@dataclass(frozen=True, eq=False, repr=False)
class MultilabelReport:
    """Every number, and tables of them beside the paper's."""

    records: tuple[Record, ...]
    sizes: Mapping[str, int]
    """The number of test documents of each data set."""

    def values(self, measure: str, data_set: str, variant: str, configuration: str, method: str) -> np.ndarray:
        """A measure in every run."""
        wanted = (data_set, variant, configuration, method)
        return np.array([getattr(record, measure) for record in self.records if record[:4] == wanted])

    def differs(self, measure: str, data_set: str, configuration: str, method: str) -> bool:
        """Whether a method differs from the best of the paper's five at the level 0.05, by the paper's z-test."""
        means = {
            name: self.values(measure, data_set, "paper", configuration, name).mean() for name in list(METHODS)[:5]
        }
        best = max(means.values())
        own = self.values(measure, data_set, "paper", configuration, method).mean()
        return 0 < best < 1 and multilabel.z_test(own, best, self.sizes[data_set]).p_value < LEVEL

    def ranks(self, measure: str, configuration: str) -> dict[str, float]:
        """The average ranks of the paper's five methods over the data sets."""
        methods = list(METHODS)[:5]
        table = [
            [self.values(measure, name, "paper", configuration, method).mean() for name in self.sizes]
            for method in methods
        ]
        return dict(zip(methods, multilabel.average_ranks(table).tolist(), strict=True))

    def __str__(self) -> str:
        tables = [line for measure in MEASURES for line in self._table(measure)]
        choice = f"Labels and documents that have nothing and are given nothing (F1 = 0 / 0) count as {ZERO_DIVISION}."
        return "\n".join([*tables, choice, ""])

    def _table(self, measure: str) -> Iterable[str]:
        yield f"{MEASURES[measure]}: ours, mean ± spread over runs (the paper's); △ differs from the best at {LEVEL}"
        configurations = dict.fromkeys(record.configuration for record in self.records if record.variant == "paper")
        width = 34
        for configuration in configurations:
            yield f"  {configuration:<16}" + "".join(f"{name:<{width}}" for name in self.sizes) + "rank"
            ranks = self.ranks(measure, configuration)
            for method, title in METHODS.items():
                cells = [self._cell(measure, name, "paper", configuration, method) for name in self.sizes]
                rank = f"{ranks[method]:.2f}" if method in ranks else ""
                yield f"  {title:<16}" + "".join(f"{cell:<{width}}" for cell in cells) + rank
        program = dict.fromkeys(record.configuration for record in self.records if record.variant == "program")
        for configuration in program:
            yield f"  {configuration}, β 0.01 on the words of each label, no stop words (as the paper's φ + θᵖ at 5x30)"
            cells = [self._cell(measure, name, "program", configuration, "soft_counts") for name in self.sizes]
            yield f"  {METHODS['soft_counts']:<16}" + "".join(f"{cell:<{width}}" for cell in cells)
        yield ""

    def _cell(self, measure: str, name: str, variant: str, configuration: str, method: str) -> str:
        values = self.values(measure, name, variant, configuration, method)
        mark = "△" if variant == "paper" and self.differs(measure, name, configuration, method) else " "
        row = ("5x30", "phi+theta_p") if variant == "program" else (configuration, method)
        paper = PAPER.get((measure, *row, name))
        beside = "" if paper is None else f"({paper[0]:.4f} ± {paper[1]:.4f})"
        spread = values.std(ddof=1) if len(values) > 1 else 0.0
        return f"{values.mean():.4f} ± {spread:.4f}{mark} {beside}"

    def curve(self) -> dict[str, list]:
        """F1 against the number of samples: columns ``data_set``, ``method``, ``samples`` and the measures."""
        points = [record for record in self.records if record.variant == "curve"]
        columns: dict[str, list] = {
            "data_set": [point.data_set for point in points],
            "method": [METHODS[point.method] for point in points],
            "samples": [int(point.configuration.split("x")[1]) for point in points],
        }
        return columns | {measure: [getattr(point, measure) for point in points] for measure in MEASURES}

    def plot(self) -> Any:
        """F1 against the number of samples, as a Bokeh figure; needs ``pip install 'jaxlda[app]'``."""
        from jaxlda.plots.figures import measures_by_samples

        return measures_by_samples(self.curve())

    def save(self, folder: str | Path) -> tuple[Path, ...]:
        """Write ``multilabel.json``, the tables as ``multilabel.txt`` and, where Bokeh is installed, a picture."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        numbers, text, picture = (folder / f"multilabel.{ending}" for ending in ("json", "txt", "html"))
        content = {
            "records": [record._asdict() for record in self.records],
            "sizes": dict(self.sizes),
            "zero_division": ZERO_DIVISION,
        }
        numbers.write_text(json.dumps(content, indent=1), encoding="utf-8")
        text.write_text(str(self), encoding="utf-8")
        if not self.curve()["samples"]:
            return numbers, text
        from jaxlda.plots.figures import as_page

        try:
            page = as_page(self.plot(), "F1 against the number of samples")
        except ImportError:  # of Bokeh
            return numbers, text
        picture.write_text(page, encoding="utf-8")
        return numbers, text, picture
