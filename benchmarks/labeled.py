"""What a token of a labelled corpus costs, beside tomotopy's Labeled LDA.

    python -m benchmarks.labeled                      # Bibtex (needs JAXLDA_DATA) and a simulated corpus; two minutes
    python -m benchmarks.labeled --corpora simulated --json labeled.json

Nanoseconds per token and sweep, the best of several rounds by turns, each program on one core; what counts are the
ratios. The simulated corpus has 1,000 labels, 20 of them in every document.
"""

import argparse
import json
import os
import resource
import sys
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import numpy as np

import jaxlda
from benchmarks.corpora import words_of
from benchmarks.speed import SWEEPS, Chain, show
from benchmarks.timing import by_turns
from jaxlda import estimators, priors

BETA = 0.1


def simulated(
    num_docs: int = 2_000,
    num_labels: int = 1_000,
    labels_each: int = 20,
    num_words: int = 5_000,
    doc_length: int = 155,
    seed: int = 0,
) -> jaxlda.Corpus:
    """Draw a labelled corpus from the model of Labeled LDA."""
    rng = np.random.default_rng(seed)
    cumulative = rng.dirichlet(np.full(num_words, 0.02), num_labels).cumsum(axis=1)
    counts = np.zeros((num_docs, num_words), np.int32)
    labels = np.zeros((num_docs, num_labels), bool)
    for d in range(num_docs):
        own = rng.choice(num_labels, labels_each, replace=False)
        labels[d, own] = True
        for k in own[rng.choice(labels_each, doc_length, p=rng.dirichlet(np.full(labels_each, 0.5)))]:
            counts[d, min(np.searchsorted(cumulative[k], rng.random()), num_words - 1)] += 1
    return jaxlda.Corpus.from_counts(counts, labels=labels)


def tomotopy(corpus: jaxlda.Corpus, alpha: float) -> Callable[[], None]:
    """tomotopy's LLDAModel, one worker, hyper-parameters fixed."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        import tomotopy

    model = tomotopy.LLDAModel(alpha=alpha, eta=BETA, seed=1)
    labels = [row.indices for row in corpus.subset(corpus.n_d > 0).labels]
    for document, own in zip(words_of(corpus), labels, strict=True):
        model.add_doc([str(word) for word in document], labels=[str(k) for k in own])
    model.optim_interval = 0
    model.train(0, workers=1)

    def work() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)
            model.train(SWEEPS, workers=1)

    return work


def measure(corpus: jaxlda.Corpus, name: str) -> dict[str, Any]:
    """Sweeps of CGS and CVB0 and soft counts, beside tomotopy's sweeps."""
    alpha = 50 / corpus.labels.shape[1]
    data = corpus.data(alpha=priors.labeled(alpha, corpus.labels), beta=BETA)
    chains = {kernel: Chain(jaxlda.kernels.KERNELS[kernel](), data) for kernel in ("cgs", "cvb0")}
    chains["cgs"].sweep()
    sample = chains["cgs"].readout()

    def soften() -> None:
        jax.block_until_ready(estimators.soften(sample, data))

    seconds = by_turns(
        {kernel: partial(chain.sweep, SWEEPS) for kernel, chain in chains.items()}
        | {"soften": soften, "tomotopy": tomotopy(corpus, alpha)}
    )
    ns = {what: s / corpus.num_tokens / (1 if what == "soften" else SWEEPS) * 1e9 for what, s in seconds.items()}
    row = {"corpus": name, "labels": corpus.labels.shape[1], "a document": corpus.labels.nnz / corpus.num_docs}
    return row | ns | {"cgs / tomotopy": ns["cgs"] / ns["tomotopy"]}


def main() -> None:
    """Measure the chosen corpora."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpora", nargs="+", default=["bibtex", "simulated"], choices=["bibtex", "simulated"])
    parser.add_argument("--json", help="also write the figures to this file")
    options = parser.parse_args()
    print(f"JAX {jax.__version__}, Python {sys.version.split()[0]}, {os.cpu_count()} cores")
    table = []
    for name in options.corpora:
        table.append(measure(simulated() if name == "simulated" else jaxlda.datasets.load(name), name))
        show(f"{name}: nanoseconds per token", table[-1:])
    print(f"\npeak memory of this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GB")
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(table, file, indent=2, default=float)


if __name__ == "__main__":
    main()
