"""What the view of intrusion asks: questions for people, their score, and answers that others gave."""

import csv
import io
from collections.abc import Mapping
from typing import NamedTuple

import pandas as pd

from jaxlda.evaluation import intrusion
from jaxlda_app.files import as_csv
from jaxlda_app.questions._chain import model_of
from jaxlda_app.store import Snapshot

__all__ = ["Answers", "Asked", "Scored", "asked", "others", "scored"]

Answers = Mapping[str, Mapping[int, int]]
"""Of each rater, by question: the number of an option, from 1."""

WORDS, TOPIC_WORDS, DOCUMENTS, TOPICS = 5, 8, 20, 3
TEXT = 1200
"""Letters of a document that people are asked to read."""
LARGEST = 1 << 20
"""Bytes of a file of answers."""


class Asked(NamedTuple):
    """Questions that belong together."""

    kind: str
    """``"word"`` or ``"topic"``."""
    seed: int
    tasks: pd.DataFrame
    """As ``jaxlda.evaluation.intrusion.word_intrusion`` or ``topic_intrusion`` makes them."""

    @property
    def name(self) -> str:
        """In names of files: whoever has the same model and this name has the same questions."""
        return f"{self.kind}_intrusion_seed{self.seed}"

    def options(self, question: int) -> list[str]:
        """What one may choose."""
        names = [name for name in self.tasks.columns if str(name).startswith("option ")]
        return [str(option) for option in self.tasks.loc[question, names]]

    def text(self, question: int) -> str:
        """What there is to read before one chooses."""
        return str(self.tasks.loc[question, "text"]) if "text" in self.tasks else ""


class Scored(NamedTuple):
    """How often the intruder was found."""

    table: pd.DataFrame
    """A row for each topic, or document."""
    note: str
    answers: bytes
    """A csv file for ``jaxlda.evaluation.intrusion.score_intrusion``: a row per question, a column per rater."""
    tasks: bytes
    """The questions, with what is right, as a csv file."""


def asked(snapshot: Snapshot, kind: str, seed: int) -> Asked:
    """Questions about the topics of the best chain; the same for the same seed."""
    model = model_of(snapshot)
    if kind == "word":
        words = min(WORDS, max(snapshot.corpus.num_words - 2, 1))
        return Asked(kind, seed, intrusion.word_intrusion(model, words=words, seed=seed))
    texts, K = snapshot.corpus.texts, len(model.phi_)
    shown = None if texts is None else [_shortened(str(text)) for text in texts]
    number = min(TOPICS, max(K - 1, 1))
    tasks = intrusion.topic_intrusion(
        model, documents=DOCUMENTS, topics=number, words=TOPIC_WORDS, seed=seed, texts=shown
    )
    return Asked(kind, seed, tasks)


def scored(snapshot: Snapshot, asked: Asked, answers: Answers) -> Scored:
    """The score of all raters together, and whether they agree."""
    given = pd.DataFrame({"question": asked.tasks["question"]})
    for rater, own in answers.items():
        given[rater] = [own.get(question) for question in given["question"].tolist()]
    given = given.astype({rater: "Int64" for rater in answers})
    found = intrusion.score_intrusion(asked.tasks, given.astype(object).where(given.notna(), None))
    table = found.table.drop(columns="question")
    if asked.kind == "word":
        table = table.sort_values("topic", ignore_index=True)
    people = f"{len(answers)} rater{'s' * (len(answers) != 1)}"
    note = f"{people}: {str(found).replace(chr(10), '; ')}." if answers else "Nobody has answered yet."
    return Scored(table, note, as_csv(given), as_csv(asked.tasks))


def others(snapshot: Snapshot, asked: Asked, content: bytes) -> dict[str, dict[int, int]]:
    """The answers in a file that was downloaded here, of every rater in it."""
    if len(content) > LARGEST:
        raise ValueError("a file of answers has less than a megabyte: this is another one")
    try:
        rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"), newline="")))
    except (UnicodeDecodeError, csv.Error):
        raise ValueError("this is no csv file of answers") from None
    if not rows or "question" not in rows[0]:
        raise ValueError("a file of answers has a column question, and one for each rater")
    known, most = set(asked.tasks["question"].tolist()), len(asked.options(0))
    found: dict[str, dict[int, int]] = {str(rater): {} for rater in rows[0] if rater not in ("question", None)}
    for row in rows:
        question = _whole(row["question"])
        if question not in known:
            raise ValueError(
                f"the file answers question {row['question']!r:.20}, which is not asked here: take its seed"
            )
        for rater, own in found.items():
            if not (row[rater] or "").strip():
                continue
            option = _whole(row[rater])
            if not 1 <= option <= most:
                raise ValueError(f"{row[rater]!r:.20} is no option of question {question}: they go from 1 to {most}")
            own[question] = option
    return found


def _whole(text: str | None) -> int:
    text = (text or "").strip()
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else -1


def _shortened(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= TEXT else text[:TEXT].rsplit(" ", 1)[0] + " …"
