"""What a comparison of numbers of topics found, and which to take."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float64, Num

from jaxlda.corpora.callers import warn
from jaxlda.evaluation import Score

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["QUALITIES", "Choice"]

COLUMNS = ("num_topics", "perplexity", "perplexity_se", "per_token", "per_token_se", "difference", "difference_se")
QUALITIES = ("coherence", "exclusivity", "diversity", "stability")
"""What is told of the topics of each number, if it is known; higher is better for all."""
_JUDGES = ("coherence", "exclusivity", "stability")


@dataclass(frozen=True, eq=False, repr=False)
class Choice:
    """How well each number of topics did, and which to take.

    Standard errors are those of a mean over documents (of a ratio, as documents differ in length): how much the numbers
    would change with other test documents. That another seed finds other topics is not in them.

    Examples
    --------
    >>> n = np.array([2, 3, 2])
    >>> choice = Choice({5: Score(np.log([0.1, 0.2, 0.1]), n), 9: Score(np.log([0.1, 0.19, 0.1]), n)})
    >>> choice.best, choice.smallest_within_one_se
    (5, 5)
    """

    scores: Mapping[int, Score]
    """Of every number of topics, document by document; the same documents for all."""
    quality: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """Of every number of topics, what is known of ``coherence`` (NPMI in the training documents, mean over topics),
    ``exclusivity``, ``diversity`` and ``stability`` (how alike the topics of different chains are)."""

    @cached_property
    def table(self) -> "pd.DataFrame":
        """A row for every number of topics, in increasing order.

        ``perplexity`` (Eq. 56; lower is better) and ``per_token``, the mean log-likelihood of a held token (higher is
        better), with their standard errors; ``difference`` is that of ``per_token`` to the best, zero or negative. Its
        standard error is smaller than the others suggest, because both were scored on the same documents. Then come
        those of ``quality`` that are known of all.
        """
        import pandas as pd

        best = self.scores[self.best]
        rows = [self._row(K, self.scores[K], best) for K in sorted(self.scores)]
        table = pd.DataFrame(rows, columns=list(COLUMNS))
        return table.assign(**{name: [self.quality[K][name] for K in sorted(self.scores)] for name in self._known})

    @property
    def _known(self) -> list[str]:
        """The qualities that are known of every number of topics."""
        found = [self.quality.get(K, {}) for K in self.scores]
        return [name for name in QUALITIES if all(np.isfinite(one.get(name, np.nan)) for one in found)]

    @staticmethod
    def _row(K: int, score: Score, best: Score) -> tuple[int | float, ...]:
        se = _standard_error(score.log_likelihood, score.num_tokens)
        difference = score.log_likelihood - best.log_likelihood
        return (
            K,
            score.perplexity,
            score.perplexity * se,  # as exp(x + dx) - exp(x) is exp(x) dx
            score.per_token,
            se,
            float(difference.sum() / score.num_tokens.sum()),
            _standard_error(difference, score.num_tokens),
        )

    @cached_property
    def best(self) -> int:
        """The number of topics with the lowest perplexity."""
        return min(sorted(self.scores), key=lambda K: -self.scores[K].per_token)

    @property
    def smallest_within_one_se(self) -> int:
        """The smallest number of topics whose difference to the best is at most its own standard error."""
        return self._able[0]

    @cached_property
    def suggestion(self) -> int:
        """The number to take: of those that predict as well as the best, the one with the best topics.

        As well as the best are those whose difference to it is at most its own standard error. Among them coherence,
        exclusivity and stability each rank; the lowest mean rank wins, and of equals the smaller number. :attr:`why`
        says it in words.
        """
        able, judges = self._able, [name for name in _JUDGES if name in self._known]
        if not judges:
            return min(able)
        rank = self.table.set_index("num_topics").loc[able, judges].round(6).rank(ascending=False).mean(axis=1)
        return min(able, key=lambda K: (round(float(rank[K]), 6), K))

    @property
    def _able(self) -> list[int]:
        """Numbers that predict as well as the best, increasing."""
        # The best itself is named because a single document has no standard error, and nothing compares with NaN.
        near = self.table.num_topics[self.table.difference >= -self.table.difference_se]
        return sorted({self.best, *near.tolist()})

    @property
    def why(self) -> str:
        """Why :attr:`suggestion` is suggested, in words."""
        able, K, table = self._able, self.suggestion, self.table.set_index("num_topics")
        lowest = f"perplexity {self.scores[self.best].perplexity:.1f}"
        if len(self.scores) == 1:
            return f"{K} topics: there is nothing to compare them with."
        if len(able) == 1:
            text = f"{K} topics predict new documents clearly better than the others ({lowest})."
        else:
            others = ", ".join(str(other) for other in able if other != self.best)
            text = f"{self.best} topics have the lowest {lowest}, and {others} within one standard error of it."
            text += f" Of these, {K} topics {self._merits(able, K)}."
        elsewhere = {name: int(table[name].idxmax()) for name in _JUDGES if name in self._known}
        told = [f"{name} is highest with {other}" for name, other in elsewhere.items() if other != K]
        return text + (f" Of all, {'; '.join(told)}." if told else "")

    def _merits(self, able: list[int], K: int) -> str:
        table = self.table.set_index("num_topics").loc[able]
        first = [name for name in _JUDGES if name in self._known and table[name].idxmax() == K]
        if not first:
            return (
                "are the fewest"
                if K == min(able)
                else "have the best mean rank by coherence, exclusivity and stability"
            )
        return "have the highest " + " and ".join(f"{name} ({table[name][K]:.3f})" for name in first)

    def to_pandas(self) -> "pd.DataFrame":
        """Deprecated: ``table`` is a ``DataFrame`` itself."""
        warn("Choice.to_pandas() is deprecated: table is a DataFrame", DeprecationWarning)
        return self.table

    def plot(self) -> Any:
        """The perplexities with their standard errors, as a Bokeh figure."""
        from jaxlda.plots import perplexity_by_k

        return perplexity_by_k(self.table)

    def __str__(self) -> str:
        names = self._known
        lines = [
            "    K  perplexity       se  difference per token, its se" + "".join(f"  {name:>11}" for name in names)
        ]
        lines += [
            f"{line.num_topics:5d}  {line.perplexity:10.2f}  {line.perplexity_se:7.2f}          "
            f"{line.difference:9.5f}  {line.difference_se:8.5f}"
            + "".join(f"  {getattr(line, name):11.3f}" for name in names)
            for line in self.table.itertuples()
        ]
        end = f"best: {self.best}; smallest within one se: {self.smallest_within_one_se}"
        return "\n".join([*lines, end, f"suggested: {self.suggestion}. {self.why}"])

    def __repr__(self) -> str:
        known = ", ".join(str(K) for K in sorted(self.scores))
        return f"Choice(best={self.best}, smallest_within_one_se={self.smallest_within_one_se}, of K = {known})"


def _standard_error(x: Float64[np.ndarray, " D"], n: Num[np.ndarray, " D"]) -> float:
    r"""Of the ratio :math:`r = \sum_d x_d / \sum_d n_d` of sums over a random sample of documents.

    .. math:: \frac{1}{\sum_d n_d} \sqrt{\frac{D}{D - 1} \sum_d (x_d - r n_d)^2}
    """
    D, N = np.count_nonzero(n), n.sum()
    if D < 2:
        return float("nan")
    residual = x - x.sum() / N * n
    return float(np.sqrt(D / (D - 1) * np.square(residual).sum()) / N)
