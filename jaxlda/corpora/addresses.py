"""The State of the Union addresses, 1790 to 2021: 233 texts with year, president and party, cut into passages."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.passages import passages

__all__ = ["PARTIES", "read_addresses"]

LARGEST = 1 << 26
"""Bytes of the file, unpacked; that of 2021 has 11 million."""
PARTIES = {
    "d": "Democratic",
    "dr": "Democratic-Republican",
    "f": "Federalist",
    "n": "none",
    "nu": "National Union",
    "r": "Republican",
    "w": "Whig",
    "wd": "Whig and Democratic",
}
DEFAULTS: dict[str, Any] = {"stop_words": "english", "min_df": 5, "max_df": 0.5, "token_pattern": "letters"}
"""How texts are read if nothing else is said."""


def read_addresses(path: Path, words: int | None = 200, **options: Any) -> Corpus:
    """The addresses as a corpus whose documents are passages; ``words=None`` takes whole addresses."""
    with gzip.open(path) as file:
        raw = file.read(LARGEST + 1)
    if len(raw) > LARGEST:
        raise ValueError(f"{path} has more than {LARGEST} bytes, unpacked: it is not the file of addresses")
    rows = [json.loads(line) for line in raw.decode().splitlines() if line]
    texts: list[str] = []
    columns: dict[str, list[Any]] = {name: [] for name in ("year", "president", "party", "passage")}
    for row in rows:
        pieces = [row["text"]] if words is None else passages(row["text"], words)
        texts += pieces
        columns["year"] += [int(row["year"])] * len(pieces)
        columns["president"] += [str(row["president"])] * len(pieces)
        columns["party"] += [PARTIES.get(row["party"], str(row["party"]))] * len(pieces)
        columns["passage"] += range(len(pieces))
    whole = zip(columns["year"], columns["president"], columns["passage"], strict=True)
    titles = [f"{year} {who}" + ("" if words is None else f", passage {i + 1}") for year, who, i in whole]
    kinds = {"year": np.int64, "passage": np.int64, "president": object, "party": object}
    table = {name: np.array(values, kinds[name]) for name, values in columns.items()}
    return Corpus.from_texts(texts, titles=titles, **(DEFAULTS | options)).with_metadata(table)
