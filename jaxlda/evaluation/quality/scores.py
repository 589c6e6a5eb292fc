"""A score for each topic, and over draws and chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64

from jaxlda.evaluation.quality.reading import Draw, TopicsRead

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["INTERVAL", "TopicScores", "scored", "summarized"]

INTERVAL = 0.9
"""The share of the draws that intervals hold."""


@dataclass(frozen=True, eq=False, repr=False)
class TopicScores:
    """A score for each topic of a model, with what other draws and chains say of it.

    Examples
    --------
    >>> scores = TopicScores("npmi", np.array([0.2, np.nan]), ("cats", "dogs"), {1: "it has no tokens"})
    >>> scores.mean, scores.values.tolist()
    (0.2, [0.2, nan])
    >>> print(scores)
    npmi of 2 topics: 0.200 on average
      cats  0.200
      dogs  none: it has no tokens
    """

    measure: str
    values: Float64[np.ndarray, " K"]
    """Of the topics as the model tells them, ``phi_``. NaN only where ``reasons`` says why."""
    names: Sequence[str]
    reasons: Mapping[int, str] = field(default_factory=dict)
    """Why a topic has no score."""
    draws: Float64[np.ndarray, "S K"] | None = None
    """The same of every draw of every chain (of every chain, where draws did not keep phi), topics in the order of
    ``values``; NaN where a chain does not have the topic. ``None`` where there is but one estimate."""
    over: str = ""
    """``"draws"`` or ``"chains"``: what ``draws`` are."""
    means: Float64[np.ndarray, " S"] | None = None
    """The mean over all topics of each draw, whether the model has them or not."""

    @property
    def mean(self) -> float:
        """The mean over topics; NaN if none has a score."""
        known = self.values[np.isfinite(self.values)]
        return float(known.mean()) if known.size else float("nan")

    def interval(self, probability: float = INTERVAL) -> tuple[float, float] | None:
        """Where the mean over topics lies in this share of the draws (or chains); ``None`` without any."""
        known = np.empty(0) if self.means is None else self.means[np.isfinite(self.means)]
        if not known.size:
            return None
        low, high = np.quantile(known, [(1 - probability) / 2, (1 + probability) / 2])
        return float(low), float(high)

    @property
    def table(self) -> "pd.DataFrame":
        """A row for each topic.

        Columns are ``topic``, ``name``, ``score``; where there are draws, their ``mean``, ``low`` and ``high`` (90 % of
        them lie between) and ``draws``, how many have the topic; and ``reason``, empty where there is a score.
        """
        import pandas as pd

        K = len(self.values)
        columns: dict[str, Any] = {"topic": np.arange(K), "name": list(self.names), "score": self.values}
        if self.draws is not None:
            columns |= summarized(self.draws)
        return pd.DataFrame(columns | {"reason": [self.reasons.get(k, "") for k in range(K)]})

    def __len__(self) -> int:
        return len(self.values)

    def __str__(self) -> str:
        between = self.interval()
        told = "" if between is None else f" ({between[0]:.3f} to {between[1]:.3f} in 90 % of the {self.over})"
        widest = max(map(len, self.names), default=0)
        lines = [
            f"  {name:{widest}}  " + (f"none: {self.reasons[k]}" if k in self.reasons else f"{value:.3f}")
            for k, (name, value) in enumerate(zip(self.names, self.values.tolist(), strict=True))
        ]
        return "\n".join([f"{self.measure} of {len(self)} topics: {self.mean:.3f} on average{told}", *lines])

    def __repr__(self) -> str:
        return f"TopicScores({self.measure}, {len(self)} topics, mean {self.mean:.4g})"


def summarized(draws: Float64[np.ndarray, "S K"]) -> dict[str, np.ndarray]:
    """Mean, interval and number of the draws that have a topic.

    >>> {name: column.tolist() for name, column in summarized(np.array([[1.0, np.nan], [3.0, np.nan]])).items()}
    {'mean': [2.0, nan], 'low': [1.1, nan], 'high': [2.9, nan], 'draws': [2, 0]}
    """
    known = np.isfinite(draws)
    number = known.sum(axis=0)
    mean = np.where(known, draws, 0.0).sum(axis=0) / np.where(number > 0, number, np.nan)
    edges = np.full((2, draws.shape[1]), np.nan)
    some = number > 0
    if some.any():
        share = [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2]
        edges[:, some] = np.nanquantile(np.where(known, draws, np.nan)[:, some], share, axis=0)
    return {"mean": mean, "low": edges[0], "high": edges[1], "draws": number}


def scored(
    measure: str, read: TopicsRead, score: Callable[[Draw], tuple[np.ndarray, Mapping[int, str]]], draws: bool
) -> TopicScores:
    """The scores of a model by a function of phi or of top words, over its draws too if ``draws``."""
    values, reasons = score(read.own)
    reasons = {**reasons, **read.reasons}
    values = np.where(np.isin(np.arange(len(values)), list(reasons)), np.nan, values)
    every = list(read.draws()) if draws else []
    if not every:
        return TopicScores(measure, values, read.names, reasons)
    each = np.stack([score(draw)[0] for draw in every])
    each[:, list(read.reasons)] = np.nan
    known = np.isfinite(each)
    means = np.where(known, each, 0.0).sum(axis=1) / np.where(known.any(axis=1), known.sum(axis=1), np.nan)
    of_draws = np.where(np.stack([draw.has for draw in every]), each, np.nan)
    return TopicScores(measure, values, read.names, reasons, of_draws, read.over, means)
