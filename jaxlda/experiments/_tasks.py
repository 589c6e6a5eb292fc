"""What several experiments are tried on: documents to learn topics from, and others of which one half is to be told."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from jaxlda.corpora import datasets
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.experiments._report import Mean

__all__ = ["ALPHA", "BETA", "PAPER", "Task", "curve", "load", "names", "present"]

ALPHA, BETA = 0.1, 0.01  # the paper's, everywhere
PAPER = "BioASQ, New York Times, Reuters-21578 and TASA"  # its data sets
HALVES = 2017  # the seed of the halves
TITLES = {"reuters21578": "Reuters-21578", "ap": "AP"}


class Task(NamedTuple):
    """A corpus for document completion."""

    name: str
    train: Corpus
    observed: Corpus
    """Half of the tokens of each test document, from which theta is inferred."""
    held: Corpus
    """The other half, which is scored."""

    @property
    def fingerprints(self) -> dict[str, str]:
        """What results depend on."""
        return {"train": fingerprint(self.train), "observed": fingerprint(self.observed)}


def load(data: str | Path | None, scale: str) -> list[Task]:
    """Reuters-21578 (ModApte) and Associated Press, as far as they are there; for a check, the bundled Reuters corpus.

    One of the two is enough; where neither is there, the error says what is missing.
    """
    if scale != "full":
        train, test = datasets.load("reuters").subset(slice(120)).split(0.25, seed=0)
        return [Task("Reuters, 90 stories", train, *test.halves(HALVES))]
    tasks = []
    for name, corpus in present(TITLES, data).items():
        train, test = corpus.split(seed=0) if name == "ap" else (corpus, datasets.load(name, folder=data, part="test"))
        tasks.append(Task(TITLES[name], train, *test.halves(HALVES)))
    return tasks


def present(names: Iterable[str], data: str | Path | None) -> dict[str, Corpus]:
    """Those of the data sets that are there; where none is, the error says what is missing."""
    found, missing = {}, None
    for name in names:
        try:
            found[name] = datasets.load(name, folder=data)
        except FileNotFoundError as error:
            missing = missing or error
    if missing is not None and not found:
        raise missing
    return found


def names(tasks: Sequence[Task]) -> str:
    """The data sets in words, with their sizes.

    >>> names(load(None, "smoke"))
    'Reuters, 90 stories (90 documents to train on, 30 to test)'
    """
    sizes = (f"{x.name} ({x.train.num_docs:,} documents to train on, {x.held.num_docs:,} to test)" for x in tasks)
    return " and ".join(sizes)


def curve(points: Mapping[tuple[str, str, float], Mean]) -> dict[str, list[Any]]:
    """The table of a figure from means by panel, line and x.

    >>> curve({("K = 20", "CGS", 1.0): Mean(3.0, 0.1)})["y"]
    [3.0]
    """
    panel, line, x = zip(*points, strict=True)
    values = list(points.values())
    return {
        "panel": list(panel),
        "line": list(line),
        "x": list(x),
        "y": [value.mean for value in values],
        "spread": [value.spread for value in values],
    }
