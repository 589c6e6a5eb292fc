"""The picture of topics over time for the gallery: ``python -m docs.addresses``.

Fifty topics of the State of the Union addresses (``sotu.jsonl.gz`` in the folder ``JAXLDA_DATA``), of which one peaks
in the Civil War and others after 2001; about two minutes. The picture, ``docs/pictures/corpora/sotu.png``, has words
beside it, as those of the experiments.
"""

import json
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import pandas as pd

import jaxlda

__all__ = ["FITTING", "draw", "fitted", "peaks"]

TARGET = Path(__file__).resolve().parent / "pictures" / "corpora" / "sotu.png"
FITTING: dict[str, Any] = {"num_topics": 50, "num_warmup": 250, "num_samples": 20, "thinning": 2, "num_chains": 1}
FITTING |= {"seed": 1, "learn_alpha": "asymmetric", "keep": ("theta",), "trace_every": 0, "progress": False}
OTHERS = (
    "Every fit has topics that peak after 2001. Whether one peaks in 1861-1865 depends on the chain: of nine more fits "
    "of 600 sweeps, two of five with a symmetric prior have one, and two of four with a learned one. Longer passages, "
    "fewer common words, seed words and a prior that depends on the period did not make it sure. Words of that war are "
    "few: emancipation comes 45 times and rebellion 94 times among 767,040 tokens. One chain is one view of the corpus."
    " Whole addresses (words=None, K = 50, symmetric prior, 290 sweeps) have a topic that peaks in 1861-1865, by year "
    "and in groups of five years, and others after 2001, for each of the seeds 1 to 5; but slavery is among the six "
    "first words of that topic for two of them only: an address is about all of its year."
)


def fitted(folder: Path | None = None) -> Any:
    """The model of the addresses."""
    return jaxlda.LDA(**FITTING).fit(jaxlda.datasets.load("sotu", folder=folder))


def peaks(table: pd.DataFrame) -> pd.DataFrame:
    """The row of every topic's highest year, where its band is above twice the median of all years."""
    highest = table.loc[table.groupby("topic").share.idxmax()].set_index("topic")
    return highest[highest.low > 2 * table.groupby("topic").share.median()]


def draw(model: Any, target: Path = TARGET) -> None:
    """Draw the topics of the Civil War and of the years after 2001."""
    table, words = model.prevalence("year"), model.top_words(5)
    found = peaks(table)
    war = found[found.year.between(1861, 1865)].sort_values("share", ascending=False).index[:1]
    late = found[found.year > 2001].sort_values("share", ascending=False).index[:2]
    by_five = model.prevalence((model.doc_columns_["year"] - 1) // 5 * 5 + 1)  # 1861 to 1865 is one of them
    figure, axis = plt.subplots(figsize=(10, 4))
    for k in [*war, *late]:
        own = by_five[by_five.topic == k]
        (line,) = axis.plot(own.group + 2, own.share, label=f"{' '.join(words[k])} (peak {found.year[k]})")
        axis.fill_between(own.group + 2, own.low, own.high, alpha=0.2, color=line.get_color())
    axis.axvspan(1861, 1865, color="0.9", zorder=0)
    axis.set(xlabel="year, in groups of five", ylabel="share of the topic", ylim=(0, None))
    axis.legend(fontsize=8)
    target.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(target, dpi=110, bbox_inches="tight", metadata={"Software": None})
    plt.close(figure)
    setting = "State of the Union addresses 1790-2021 in 8,981 passages; K = 50, one chain, alpha learned, 290 sweeps."
    rows = [(" ".join(words[k][:3]), found.loc[k]) for k in [*war, *late]]
    highest = "; ".join(
        f"{name}: {row.year:.0f}, {row.share:.0%} ({row.low:.0%} to {row.high:.0%})" for name, row in rows
    )
    reading = f"Topics by their highest year, with the band of 95 % (documents and draws): {highest}. {OTHERS}"
    told = {"title": "Topics over time", "setting": setting, "reading": reading}
    target.with_suffix(".json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    draw(fitted())
