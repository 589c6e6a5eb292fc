"""Runs that several tests look at."""

import importlib
from dataclasses import replace

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.diagnostics import NOTED
from jaxlda.running.results import Run

cgs = importlib.import_module("jaxlda.kernels.cgs")  # the name in the package is the function
KEEP = (*NOTED, "log_likelihood", "phi", "theta")


@pytest.fixture(scope="session")
def bars() -> Run:
    """Four chains that agree: the bars, with the priors they were made with, long enough."""
    data = jaxlda.datasets.load("bars").subset(range(80)).data(num_topics=10, alpha=1.0, beta=1.0)
    return jaxlda.run(
        jax.random.key(0),
        jaxlda.kernels.cgs(),
        data,
        num_warmup=100,
        num_samples=100,
        thinning=8,
        num_chains=4,
        keep=KEEP,
    )


def in_modes(groupings: list[list[int]], **changes: object) -> Run:
    """Two topics for a corpus of four blocks, which may be paired in three equally good ways: a chain for each given.

    ``groupings`` has the topic of each block, chain by chain.
    """
    rng = np.random.default_rng(0)
    counts = rng.poisson(np.kron(np.eye(4), np.full((12, 4), 3.0)) + 0.05)
    data = jaxlda.Corpus.from_counts(counts).data(num_topics=2, alpha=1.0, beta=0.1)
    options = {"num_warmup": 20, "num_samples": 40, "thinning": 3, "num_chains": len(groupings), "keep": KEEP} | changes
    blocks = jaxlda.run_blocks(jax.random.key(1), jaxlda.kernels.cgs(), data, chain_method="sequential", **options)
    start = next(blocks)
    blocks.close()
    parts = [
        part._replace(state=_state(start.algorithm, data, grouping))
        for part, grouping in zip(start.parts, groupings, strict=True)
    ]
    start = replace(start, parts=tuple(parts), room=None)
    return jaxlda.run(start.key, start.algorithm, data, chain_method="sequential", **options, start=start)


def _state(algorithm, data, grouping):
    """Every token in the topic of its block of documents, with the counts of that."""
    layout = algorithm.prepare(data)
    (block,) = layout.blocks
    topics = np.append(np.asarray(grouping), 0)[np.minimum(np.asarray(block.d) // 12, len(grouping))]
    j = (jax.numpy.asarray(np.where(np.asarray(block.m) > 0, topics, 0), "uint32"),)
    n_dj = cgs.doc_counts(layout, j)
    return cgs.CGSState(j, n_dj, cgs.word_counts(layout, j), layout.totals(n_dj))
