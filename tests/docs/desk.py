"""What the pages of the documentation suppose: files in a folder, and names of texts and corpora, all small."""

import csv
import gzip
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import jax
import numpy as np

import jaxlda

__all__ = ["lay_out", "names"]

THEMES = {
    "pets": "cat dog paw tail purr bark play bank",
    "money": "bank loan rate debt fund tax goal share",
    "sport": "team goal match coach league ball play share",
}
ARFF = """@relation tags
@attribute cat {0,1}
@attribute loan {0,1}
@attribute ball {0,1}
@attribute TAG_pets {0,1}
@attribute TAG_money {0,1}
@data
"""
XML = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="TAG_pets"/><label name="TAG_money"/></labels>'


def _written(number: int, seed: int) -> tuple[list[str], list[set[str]]]:
    """Texts about one theme or two, and which."""
    draw = random.Random(seed)
    pairs = [draw.choices(list(THEMES), k=2) for _ in range(number)]
    texts = [" ".join(draw.choices(" ".join(THEMES[theme] for theme in pair).split(), k=12)) for pair in pairs]
    return texts, [set(pair) for pair in pairs]


def names() -> dict[str, Any]:
    """The names that pages use without defining them."""
    texts, label_sets = _written(120, 0)
    new_texts, new_label_sets = _written(20, 1)
    corpus = jaxlda.Corpus.from_texts(texts, labels=label_sets)
    train, test = corpus.split(test_size=0.2, seed=0)
    return {
        "texts": texts,
        "label_sets": label_sets,
        "new_texts": new_texts,
        "new_label_sets": new_label_sets,
        "corpus": corpus,
        "train": train,
        "test": test,
        "X": corpus.counts,
        "Y": corpus.labels,
    }


def lay_out(folder: Path) -> None:
    """Write the files that pages name."""
    texts, label_sets = _written(120, 0)
    for name in ("texts.txt", "new.txt", "held-out.txt"):
        (folder / name).write_text("\n".join(texts) + "\n", encoding="utf-8")
    rows = [
        {"headline": f"story {i}", "body": text, "topics": ";".join(sorted(labels)), "year": 1990 + 10 * (i % 2)}
        for i, (text, labels) in enumerate(zip(texts, label_sets, strict=True))
    ]
    for name in ("news.csv", "train.csv", "new.csv", "reviews.csv"):
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, ["headline", "body", "topics", "year"])
            writer.writeheader()
            writer.writerows(rows)
    (folder / "news.csv.gz").write_bytes(gzip.compress((folder / "news.csv").read_bytes()))
    lines = [json.dumps(row | {"topics": row["topics"].split(";")}) for row in rows]
    (folder / "news.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "texts").mkdir()
    with zipfile.ZipFile(folder / "folder.zip", "w") as packed:
        for i, (text, labels) in enumerate(zip(texts, label_sets, strict=True)):
            (folder / "texts" / f"{i}.txt").write_text(text, encoding="utf-8")
            packed.writestr(f"{min(labels)}/{i}.txt", text)
    _counts(folder)
    _samples(folder)


def _counts(folder: Path) -> None:
    (folder / "ap.dat").write_text("2 0:1 1:2\n1 2:3\n", encoding="utf-8")
    (folder / "vocab.txt").write_text("cat\nloan\nball\n", encoding="utf-8")
    (folder / "docword.nips.txt.gz").write_bytes(gzip.compress(b"2\n3\n3\n1 1 1\n1 2 2\n2 3 3\n"))
    (folder / "vocab.nips.txt").write_text("cat\nloan\nball\n", encoding="utf-8")
    for name in ("bibtex-train.arff", "bibtex-test.arff"):
        rows = ["{0 1, 3 1}", "{1 1, 4 1}", "{0 1, 1 1, 3 1, 4 1}", "{1 1, 2 1, 4 1}"] * 5
        (folder / name).write_text(ARFF + "\n".join(rows) + "\n", encoding="utf-8")
    (folder / "bibtex.xml").write_text(XML, encoding="utf-8")
    (folder / "train.txt").write_text("2 3 2\n0 0:0.5 1:1.5\n0,1 2:0.25\n", encoding="utf-8")


def _samples(folder: Path) -> None:
    """A sample as MALLET writes it, and one as WarpLDA does; topics are drawn by chance, which no reader can know."""
    corpus = names()["corpus"]
    w, d = (np.asarray(part) for part in corpus.data(num_topics=3).tokens[:2])
    z = np.asarray(jax.random.randint(jax.random.key(0), w.shape, 0, 3))
    positions = np.arange(len(w)) - np.searchsorted(d, d)
    head = ["#doc source pos typeindex type topic", "#alpha : 0.1 0.1 0.1 ", "#beta : 0.01"]
    for name, topics in (("state.gz", z), ("state2.gz", z[::-1])):
        rows = [
            f"{doc} NA {at} {v} {corpus.vocab[v]} {k}" for doc, at, v, k in zip(d, positions, w, topics, strict=True)
        ]
        (folder / name).write_bytes(gzip.compress(("\n".join([*head, *rows]) + "\n").encode()))
    of_documents = [" ".join(f"{v}:{k}" for v, k in zip(w[d == i], z[d == i], strict=True)) for i in range(len(corpus))]
    lines = [f"{len(line.split())} {line}" for line in of_documents]
    (folder / "z.estimate").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "vocab").write_text("\n".join(corpus.vocab) + "\n", encoding="utf-8")
