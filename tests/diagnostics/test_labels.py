"""Topics are followed through draws and chains."""

from dataclasses import replace

import jax
import numpy as np
import pytest

import jaxlda
from jaxlda.alignment.labels import _completed
from jaxlda.diagnostics import label
from tests.diagnostics.conftest import in_modes


def relabelled(run, chain, draws, order):
    """The same run with the topics of some draws of a chain numbered otherwise."""
    kept = {name: [draw.copy() for draw in values] for name, values in run.kept.items()}
    for s in draws:
        kept["phi"][s][chain] = kept["phi"][s][chain][order]
        kept["theta"][s][chain] = kept["theta"][s][chain][:, order]
        kept["n_k"][s][chain] = kept["n_k"][s][chain][order]
    return replace(run, kept={name: tuple(values) for name, values in kept.items()})


def test_all_chains_in_the_order_of_the_reference(bars):
    found = label(bars, reference=2)
    assert found.reference == 2 and found.matched.all() and found.stability.min() > 0.95
    assert (found.permutations[2] == np.arange(10)).all()
    assert (np.sort(found.permutations, axis=-1) == np.arange(10)).all()
    apart = np.abs(found.phi - found.phi[2]).max(axis=(1, 2))
    assert (apart < 0.1).all()  # a wrong partner has its words elsewhere: 0.2 for each
    for chain in range(4):
        last = bars.kept["phi"][-1][chain][found.permutations[chain, -1]]
        assert np.abs(last - found.phi[2]).max() < 0.1


def test_switches_within_a_chain_are_undone(bars):
    order = np.roll(np.arange(10), 3)
    before, after = label(bars, 0), label(relabelled(bars, 1, range(40, 70), order), 0)
    # One is phi of the mean counts, the other the mean of phi; topics taken for another are 0.1 apart and more.
    np.testing.assert_allclose(before.phi, after.phi, atol=5e-3)
    undone = order[after.permutations[1, 40:70]]  # the numbers before the switch
    assert (undone == before.permutations[1, 40:70]).all()
    unswitched = np.r_[0:40, 70:100]
    assert (after.permutations[:, unswitched] == before.permutations[:, unswitched]).all()


def test_topics_that_a_chain_does_not_have():
    found = label(in_modes([[0, 0, 1, 1], [0, 1, 0, 1]], num_samples=4), reference=0)
    assert found.matched.tolist() == [[True, True], [False, False]]
    assert (np.sort(found.permutations, axis=-1) == np.arange(2)).all()  # something stands in their place
    assert found.stability.tolist() == [0, 0]


def test_anchored_topics_are_not_aligned():
    """Labels say which topic is which, even where chains have swapped their words."""
    corpus = jaxlda.Corpus.from_counts([[3, 1, 0], [0, 2, 2], [1, 1, 1]])
    alpha = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    options = {"num_warmup": 3, "num_samples": 2, "num_chains": 2, "keep": ("phi",)}
    run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(2, alpha=alpha), **options)
    assert run.anchored
    found = label(run)
    assert (found.permutations == np.arange(2)).all() and found.matched.all()
    assert (found.stability > 0.5).all()
    fixed = corpus.data(alpha=0.5, phi=np.array([[0.9, 0.05, 0.05], [0.05, 0.05, 0.9]]))
    found = label(jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), fixed, **(options | {"keep": ()})))
    assert (found.permutations == np.arange(2)).all() and found.stability.tolist() == pytest.approx([1, 1])


@pytest.mark.parametrize(
    ("partial", "full"),
    [([2, -1, 0], [2, 1, 0]), ([-1, -1, 0], [2, 1, 0]), ([0, 1], [0, 1]), ([-1, -1], [0, 1]), ([1, -1], [1, 0])],
)
def test_what_is_left_fills_the_gaps(partial, full):
    assert _completed(np.array(partial)).tolist() == full


def test_draws_of_labels_keep_their_numbers():
    """However far the words of a label jump from one draw to the next."""
    corpus = jaxlda.Corpus.from_counts(np.eye(6, dtype=int)[np.arange(10) % 6] * 2)
    alpha = np.ones((10, 2))
    alpha[0, 1] = 0
    run = jaxlda.run(
        jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(alpha=alpha, beta=0.01), num_samples=60, keep=("phi",)
    )
    assert run.tied and (label(run).permutations == np.arange(2)).all()
