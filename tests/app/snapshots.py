"""Snapshots as sessions take them, without a session: what questions are asked of."""

import jax
import numpy as np

import jaxlda
from jaxlda_app.store import Model, Snapshot, topic_labels

__all__ = ["HOSTILE", "partial", "same_chains", "snapshot_of"]

HOSTILE = "<script>alert(1)</script>"


def snapshot_of(corpus, name="LDA", held=None, **params):
    """What there is at the end of a fit."""
    settings = {"num_warmup": 3, "num_samples": 2, "thinning": 2, "num_chains": 2, "seed": 5, "progress": False}
    model = getattr(jaxlda, name)(**settings | {"trace_every": 1} | params).fit(corpus)
    labels = topic_labels(model, corpus)
    known = Model(name, model.get_params(deep=False))
    return Snapshot(known, model.run_, corpus, held, 1.0, 1e6, model.run_.best_chain, labels)


def partial(snapshot, sweep):
    """The same run when it had got as far as a sweep."""
    run = snapshot.run
    blocks = jaxlda.run_blocks(
        run.key,
        run.algorithm,
        run.data,
        **run.schedule._asdict(),
        num_chains=run.num_chains,
        keep=tuple(run.kept),
        block=sweep,
    )
    next(blocks)
    early = next(blocks)
    blocks.close()
    assert early.sweep == sweep
    return snapshot._replace(run=early, best_chain=0)


def same_chains(one, other):
    """Whether two runs have the same states and mean counts, to the bit."""

    def leaves(run):
        soft = run.chain(0).z is not None
        chains = range(run.num_chains)
        return jax.tree.leaves([(run.chain(c), run.counts(chain=c), run.counts(soft=soft, chain=c)) for c in chains])

    trees = leaves(one), leaves(other)
    return len(trees[0]) == len(trees[1]) and all(np.array_equal(a, b) for a, b in zip(*trees, strict=True))
