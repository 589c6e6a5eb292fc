"""What came out of the multi-label experiments, beside what the paper says."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from jaxlda.evaluation import multilabel
from jaxlda.experiments._published import PAPER
from jaxlda.experiments._report import Figure, Report, Table, agreement, mean

__all__ = ["METHODS", "ZERO_DIVISION", "Record", "Results"]

METHODS = {
    "phi+theta": "φ + θ (CGS)",
    "phi+theta_p": "φ + θᵖ",
    "phi_p+theta": "φᵖ + θ",
    "phi_p+theta_p": "φᵖ + θᵖ (CGSₚ)",
    "cvb0": "CVB0",
    "soft_counts": "φ, soft counts",
    "hard_counts": "φ, hard counts",
    "cvb0_counts": "CVB0, counts",
}
FIVE = tuple(METHODS)[:5]  # those of the paper
MEASURES = {"micro": "Micro-F", "macro": "Macro-F", "example": "Example-based F"}
LEVEL = 0.05
PUBLISHED_GAIN = ("5x30", "phi+theta_p")  # the row that the formula cannot give
TOLERANCE = 0.02  # a gain that differs by less agrees
MET = 0.006  # averages that differ by less
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


class Results(NamedTuple):
    """Every number of the experiment, and the report of them."""

    records: tuple[Record, ...]
    sizes: Mapping[str, int]
    """The number of test documents of each data set."""

    def values(self, measure: str, data_set: str, variant: str, configuration: str, method: str) -> np.ndarray:
        """A measure in every run."""
        wanted = (data_set, variant, configuration, method)
        return np.array([getattr(record, measure) for record in self.records if record[:4] == wanted])

    def configurations(self, variant: str) -> list[str]:
        """The configurations of a variant, in order."""
        return list(dict.fromkeys(record.configuration for record in self.records if record.variant == variant))

    def differs(self, measure: str, data_set: str, configuration: str, method: str) -> bool:
        """Whether a method differs from the best of the paper's five at the level 0.05, by the paper's z-test."""
        best = max(self.values(measure, data_set, "paper", configuration, name).mean() for name in FIVE)
        own = self.values(measure, data_set, "paper", configuration, method).mean()
        return 0 < best < 1 and multilabel.z_test(own, best, self.sizes[data_set]).p_value < LEVEL

    def ranks(self, measure: str, configuration: str) -> dict[str, float]:
        """The average ranks of the paper's five methods over the data sets."""
        table = [
            [self.values(measure, name, "paper", configuration, method).mean() for name in self.sizes]
            for method in FIVE
        ]
        return dict(zip(FIVE, multilabel.average_ranks(table).tolist(), strict=True))

    def curve(self) -> dict[str, list]:
        """F1 against the number of samples: columns ``data_set``, ``method``, ``samples`` and the measures."""
        points = [record for record in self.records if record.variant == "curve"]
        columns: dict[str, list] = {
            "data_set": [point.data_set for point in points],
            "method": [METHODS[point.method] for point in points],
            "samples": [int(point.configuration.split("x")[1]) for point in points],
        }
        return columns | {measure: [getattr(point, measure) for point in points] for measure in MEASURES}

    def report(self, scale: str, here: str) -> Report:
        """Tables beside the paper's, a figure, and what they say."""
        curve = self.curve()
        figure = Figure("F1 against the number of samples of one chain", curve, function="measures_by_samples")
        return Report(
            "multilabel",
            scale,
            "Labels of documents by Prior-LDA (section 6)",
            "The paper: Delicious, Bookmarks, Bibtex and BioASQ; α 50/K in training, 50 f/Σf + 30/K in prediction, β "
            "0.1; 1 chain × 1 sample and 5 chains × 30 samples after a burn-in of 50, lag 5; the number of labels by "
            f"the Meta-Labeler. Here: {here}, ± their spread. Labels and documents that have nothing and are given "
            f"nothing (F1 = 0 / 0) count as {ZERO_DIVISION}. “Counts”, ours: labels ranked by the words that went to "
            "each, without the prior. “Program”, ours: β 0.01 on the words of each label only, no stop words; beside: "
            "the paper's φ + θᵖ at 5x30.",
            tuple(
                Table(f"{MEASURES[name]}; △ differs from the best at {LEVEL}", self._rows(name)) for name in MEASURES
            ),
            (figure,) if curve["samples"] else (),
            " ".join(sentence for data_set in self.sizes for sentence in self._reading(data_set)),
            {"records": [record._asdict() for record in self.records], "sizes": dict(self.sizes)},
        )

    def _rows(self, measure: str) -> list[dict[str, Any]]:
        rows = []
        for size in self.configurations("paper"):
            ranks = self.ranks(measure, size)
            for method, title in METHODS.items():
                row: dict[str, Any] = {"chains x samples": size, "estimates": title}
                for name in self.sizes:
                    mark = " △" if self.differs(measure, name, size, method) else ""
                    row |= self._cells(name, measure, "paper", size, method, (size, method), mark)
                rows.append(row | ({"rank": f"{ranks[method]:.2f}"} if method in ranks else {}))
        for size in self.configurations("program"):
            row = {"chains x samples": size, "estimates": f"{METHODS['soft_counts']} (program)"}
            for name in self.sizes:
                row |= self._cells(name, measure, "program", size, "soft_counts", PUBLISHED_GAIN)
            rows.append(row)
        return rows

    def _cells(
        self, name: str, measure: str, variant: str, size: str, method: str, row: tuple[str, str], mark: str = ""
    ) -> dict[str, str]:
        own = mean(self.values(measure, name, variant, size, method))
        paper = PAPER.get((measure, *row, name))
        beside = "" if paper is None else f"{paper[0]:.4f} ± {paper[1]:.4f}"
        return {name: own.show(4) + mark, f"{name}, the paper": beside}

    def _reading(self, data_set: str) -> Iterator[str]:
        """What the micro-averages of a data set say, in the order of the configurations."""

        def micro(size: str, method: str) -> float:
            return float(self.values("micro", data_set, "paper", size, method).mean())

        few, *_, many = self.configurations("paper")
        for size in (few, many):
            gain = micro(size, "phi+theta_p") - micro(size, "phi+theta")
            published = [PAPER.get(("micro", size, method, data_set)) for method in ("phi+theta_p", "phi+theta")]
            sentence = f"{data_set}, {size}: θᵖ has {gain:+.3f} micro F1 over θ"
            if published[0] and published[1]:
                said = published[0][0] - published[1][0]
                sentence += f" (the paper {said:+.3f}: {agreement(abs(gain - said) < TOLERANCE)})"
            best = max(FIVE, key=lambda method: micro(size, method))
            yield f"{sentence}; of the paper's five methods {METHODS[best]} is best."
        yield (
            f"Ranked by soft counts, without the prior, labels have {micro(many, 'soft_counts'):.3f} at {many}, where "
            f"θᵖ has {micro(many, 'phi+theta_p'):.3f} and θ {micro(many, 'phi+theta'):.3f}; averages of θ and θᵖ "
            f"{'meet, as the theory says' if abs(gain) < MET else 'have not met yet'}."
        )
        published_row = PAPER.get(("micro", *PUBLISHED_GAIN, data_set))
        for size in self.configurations("program"):
            found = self.values("micro", data_set, "program", size, "soft_counts").mean()
            if published_row is not None:
                yield (
                    f"So ranked, the program's variant has {found:.3f} at {size}; published for φ + θᵖ is "
                    f"{published_row[0]:.3f}."
                )
