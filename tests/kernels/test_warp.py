"""WarpLDA, beyond the laws: its two forms, its reports, its bias."""

from itertools import product

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import jaxlda
from jaxlda import kernels
from tests import reference
from tests.laws.chains import draws
from tests.laws.corpora import BLOCKS, LABELLED, MIXED, PREDICTION, TINY, pad
from tests.tiers import mostly_slow

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "prediction": PREDICTION}


def sweeps(alg, data, num_sweeps=4):
    layout = alg.prepare(data)
    state = jax.jit(alg.init)(jax.random.key(0), layout)
    step = jax.jit(lambda *args: alg.step(*args))  # new functions: no form that was compiled before is used
    infos = []
    for seed in range(num_sweeps):
        state, info = step(jax.random.key(seed), state, layout)
        infos.append(info)
    return jax.jit(alg.readout)(state, layout), infos


@pytest.mark.parametrize(
    ("corpus", "steps"),
    mostly_slow(product(CORPORA, [1, 2]), hours=lambda case: (case[0] == "mixed") != (case[1] == 2)),
)
def test_all_at_once_is_row_by_row(corpus, steps, monkeypatch):
    """What an accelerator does, and what a CPU does."""
    alg, data = kernels.warp(steps=steps), CORPORA[corpus]
    cpu = sweeps(alg, pad(data, 3))
    monkeypatch.setattr(lax, "platform_dependent", lambda *args, default, cpu: default(*args))
    jax.tree.map(np.testing.assert_array_equal, sweeps(alg, pad(data, 3)), cpu)


@pytest.mark.parametrize("delayed", [True, False])
def test_reports_what_was_accepted(delayed):
    _, infos = sweeps(kernels.warp(delayed=delayed), MIXED)
    assert all(0 < info.accepted < 1 and 0 < info.moved < 1 for info in infos)
    data = MIXED._replace(priors=MIXED.priors._replace(beta=MIXED.priors.beta * 1e6))  # words tell topics apart no more
    _, infos = sweeps(kernels.warp(delayed=delayed), data)
    assert infos[-1].accepted > 0.5


@pytest.mark.hours
def test_more_steps_move_more():
    moved = [np.mean([info.moved for info in sweeps(kernels.warp(steps=steps), MIXED, 8)[1]]) for steps in (1, 6)]
    assert moved[1] > 1.1 * moved[0]


@pytest.mark.hours
def test_finds_topics():
    run = jaxlda.run(jax.random.key(0), "warp", BLOCKS, num_warmup=150, num_chains=2)
    for chain in range(2):
        theta = np.asarray(jaxlda.estimators.theta(run.chain(chain), BLOCKS))
        assert abs(np.diff(theta[:, 0].reshape(-1, 2))).min() > 0.5, "every two neighbours are about different things"


@pytest.mark.hours
def test_alpha_can_be_learned():
    alg = kernels.learn_alpha(kernels.warp(), start=2, every=2)
    sample, _ = sweeps(alg, MIXED, 5)
    np.testing.assert_array_equal(sample.counts.n_dk.sum(1), MIXED.tokens.n_d)


@pytest.mark.hours
@pytest.mark.parametrize(("name", "least", "most"), [("asymmetric", 0.06, 0.12), ("labelled", 0.06, 0.12)])
def test_the_bias_of_delayed_counts_is_what_the_docstring_says(name, least, most):
    """Total variation from the posterior; of 20,000 exact draws it is .02 and .03 by chance."""
    p = reference.problem(TINY[name])
    posterior = reference.enumerate_posterior(p).probability
    z = draws(kernels.warp(), 1, TINY[name], 20_000)
    place = p.alpha.shape[1] ** np.arange(len(p.w))[::-1]
    observed = np.bincount(z @ place, minlength=len(posterior)) / len(z)
    assert least < np.abs(observed - posterior).sum() / 2 < most


def test_pairs_with_frequencies_are_refused():
    data = MIXED._replace(tokens=MIXED.tokens._replace(m=jnp.full_like(MIXED.tokens.m, 2)))
    for kernel in ("cgs", "pcgs", "warp"):
        with pytest.raises(ValueError, match="pass one entry per token"):
            kernels.find(kernel).prepare(data)


def test_steps_are_a_number():
    with pytest.raises(ValueError, match="steps"):
        kernels.warp(steps=0)


@pytest.mark.slow
def test_random_numbers_are_not_made_where_topics_are_looked_up():
    """There they would be made one by one, at several times the cost."""
    data = jaxlda.datasets.load("bars").data(num_topics=10)
    sampler = kernels.warp()
    layout = sampler.prepare(data)
    key = jax.random.key(0)
    program = jax.jit(sampler.step).lower(key, sampler.init(key, layout), layout).compile().as_text()
    looking = [part for part in program.split("\n\n") if part.count(" gather(")]
    assert looking and max(part.count(" shift-left(") for part in looking) == 0
