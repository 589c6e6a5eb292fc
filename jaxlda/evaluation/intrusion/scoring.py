"""What people answered: how often they found the intruder, topic by topic, and whether they agree."""

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float64

from jaxlda.corpora.inputs import is_missing
from jaxlda.evaluation.intrusion.agreement import fleiss_kappa, krippendorff_alpha

__all__ = ["Intrusion", "score_intrusion"]


@dataclass(frozen=True, eq=False)
class Intrusion:
    """The result of an intrusion task."""

    table: pd.DataFrame
    """A row for each question: ``question``, ``topic`` or ``document``, ``raters`` (how many answered), ``precision``
    (the share of them that found the intruder), with ``low`` and ``high``, between which it lies with 95 % confidence
    (Wilson's interval)."""
    precision: float
    """The mean over questions: the model precision of Chang et al. NaN if nobody answered."""
    chance: float
    """What guessing would reach."""
    kappa: float | None
    """Fleiss' kappa; ``None`` where answers are missing or there is but one rater."""
    alpha: float | None
    """Krippendorff's alpha; ``None`` where there is but one rater, or all answers are the same."""

    def __str__(self) -> str:
        lines = [
            f"{len(self.table)} questions, precision {self.precision:.3f} (guessing: {self.chance:.3f})",
            "agreement: "
            + ", ".join(
                f"{name} {'cannot be told' if value is None else format(value, '.3f')}"
                for name, value in (("Krippendorff's alpha", self.alpha), ("Fleiss' kappa", self.kappa))
            ),
        ]
        return "\n".join(lines)


def score_intrusion(tasks: pd.DataFrame, answers: Any) -> Intrusion:
    """Score the answers to the questions of ``word_intrusion`` or ``topic_intrusion``.

    Parameters
    ----------
    tasks
        The questions, with their ``answer``.
    answers
        ``(questions, raters)``, in the order of the questions: numbers of options from 1, or the words of an option;
        ``None`` or NaN where a rater did not answer. A DataFrame with a column ``question`` and one for each rater is
        put into that order.

    Examples
    --------
    >>> tasks = pd.DataFrame(
    ...     {"question": [0, 1], "topic": [4, 2], "option 1": ["cat", "tax"], "option 2": "dog oil".split()}
    ... )
    >>> result = score_intrusion(tasks.assign(answer=[1, 2]), [[1, "cat"], [2, 1]])
    >>> result.precision, result.table.precision.tolist()
    (0.75, [1.0, 0.5])
    """
    if "answer" not in tasks:
        raise ValueError("the tasks have no column 'answer': give them as they were made, not as people saw them")
    options = [name for name in tasks.columns if str(name).startswith("option ")]
    given = _numbers(tasks, _in_order(tasks, answers), options)
    right = (given == tasks["answer"].to_numpy()[:, None]) & np.isfinite(given)
    raters = np.isfinite(given).sum(axis=1)
    share = right.sum(axis=1) / np.where(raters > 0, raters, np.nan)
    low, high = _wilson(share, raters)
    about = "topic" if "topic" in tasks else "document"
    columns = {"question": tasks["question"].to_numpy(), about: tasks[about].to_numpy()}
    table = pd.DataFrame(columns | {"raters": raters, "precision": share, "low": low, "high": high})
    told = share[raters > 0]
    several = given.shape[1] > 1
    kappa = fleiss_kappa(given) if several and np.isfinite(given).all() and len(given) else None
    alpha = krippendorff_alpha(given) if several else None
    precision = float(told.mean()) if told.size else float("nan")
    return Intrusion(table, precision, 1 / max(len(options), 1), _known(kappa), _known(alpha))


def _known(value: float | None) -> float | None:
    return None if value is None or np.isnan(value) else value


def _in_order(tasks: pd.DataFrame, answers: Any) -> list[list[Any]]:
    """The answers to each question, a row each."""
    if isinstance(answers, pd.DataFrame):
        if "question" in answers:
            by_question = answers.set_index("question")
            unknown = by_question.index.difference(tasks["question"])
            if len(unknown) or by_question.index.has_duplicates:
                what = f"question {unknown[0]}, which was not asked" if len(unknown) else "a question twice"
                raise ValueError(f"the answers have {what}")
            answers = by_question.reindex(tasks["question"])
        answers = answers.astype(object).to_numpy()
    rows = [list(row) if isinstance(row, list | tuple | np.ndarray) else [row] for row in answers]
    if len(rows) != len(tasks):
        raise ValueError(f"there are answers to {len(rows)} question(s), and {len(tasks)} question(s)")
    if len({len(row) for row in rows}) > 1:
        raise ValueError("every question needs a place for every rater: give None where one did not answer")
    return rows


def _numbers(tasks: pd.DataFrame, rows: list[list[Any]], options: list[Any]) -> Float64[np.ndarray, "Q R"]:
    """Options by number, NaN where there is no answer."""
    given = np.full((len(rows), len(rows[0]) if rows else 0), np.nan)
    for question, row in enumerate(rows):
        words = [str(word) for word in tasks.iloc[question][options].tolist()]
        for rater, answer in enumerate(row):
            if is_missing(answer):
                continue
            text = str(answer).strip()
            if text in words:
                given[question, rater] = words.index(text) + 1
            elif text.removesuffix(".0").isdecimal() and 1 <= int(text.removesuffix(".0")) <= len(options):
                given[question, rater] = int(text.removesuffix(".0"))
            elif text:
                raise ValueError(
                    f"{text!r:.40} is no option of question {question}: give a number from 1 to {len(options)}"
                )
    return given


def _wilson(share: np.ndarray, raters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    z = NormalDist().inv_cdf(0.975)
    n = np.where(raters > 0, raters, np.nan)
    middle, width = share + z**2 / (2 * n), z * np.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return np.maximum((middle - width) / (1 + z**2 / n), 0), np.minimum((middle + width) / (1 + z**2 / n), 1)
