"""Benchmarks of single parts run to their end, on corpora too small to tell anything."""

import numpy as np
import pytest

import jaxlda
from benchmarks import labeled, speed

pytestmark = pytest.mark.slow


def test_labelled_documents(monkeypatch):
    monkeypatch.setattr(labeled, "tomotopy", lambda corpus, alpha: lambda: None)  # which may be missing
    corpus = labeled.simulated(num_docs=20, num_labels=5, labels_each=2, num_words=30, doc_length=10)
    row = labeled.measure(corpus, "tiny")
    assert row["labels"] == 5 and row["a document"] == 2
    assert all(row[what] > 0 for what in ("cgs", "cvb0", "soften"))


def test_soft_counts_beside_a_sweep(monkeypatch):
    corpus = jaxlda.Corpus.from_counts(np.random.default_rng(0).poisson(0.5, (20, 30)))
    monkeypatch.setattr(speed, "named", lambda name: corpus)
    (row,) = speed.soften([3], ["tiny"])
    assert row["soften"] > 0 and row["/ sweep"] == row["soften"] / row["sweep"]
