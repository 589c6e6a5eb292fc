"""A sampler samples p(z | w): compared with the listing of every z of a tiny corpus.

Each draw comes from its own chain, a warm-up after a random start, so the draws are independent and Pearson's test
applies as it stands. Every test rejects a right kernel with probability 1e-3 over seeds; the seed is fixed.
"""

from functools import cache

import numpy as np
import pytest

from jaxlda import kernels
from jaxlda.types import Algorithm
from tests import reference
from tests.laws.chains import chi_square, draws
from tests.laws.corpora import EXACT, TINY, pad
from tests.laws.plain import DEFECTS, plain_cgs
from tests.tiers import mostly_slow

FALSE_ALARM = 1e-3
NUM_CHAINS = 4000
NUM_WARMUP = 30
THINNING = 8


@cache
def exact(name: str) -> tuple[reference.Problem, reference.Enumeration]:
    p = reference.problem(TINY[name])
    return p, reference.enumerate_posterior(p)


def p_value(alg: Algorithm, name: str, seed: int = 1) -> float:
    p, posterior = exact(name)
    return chi_square(draws(alg, seed, TINY[name], NUM_CHAINS, num_warmup=NUM_WARMUP), posterior, p.alpha.shape[1])


# Of two kernels the most general corpus is short, of CGS another one too.
_SHORT = [("cgs", "labelled"), ("pcgs", "labelled"), ("cgs", "asymmetric")]
_CASES = mostly_slow(
    [(kernel, name) for kernel in EXACT for name in TINY],
    *_SHORT,
    hours=lambda case: case[0] != "cgs" and case[1] != "labelled",
)


@pytest.mark.parametrize(("kernel", "name"), _CASES)
def test_samples_the_posterior(kernel, name):
    assert p_value(kernels.find(kernel), name) > FALSE_ALARM


@pytest.mark.parametrize("kernel", mostly_slow(EXACT, "cgs", hours=lambda kernel: kernel != "sparse"))
def test_one_long_chain_samples_the_posterior(kernel):
    """Also without other chains, and with padding: draws so far apart that the chain has forgotten the last one."""
    p, posterior = exact("three topics")
    z = draws(kernels.find(kernel), 2, pad(TINY["three topics"], 2), 1, num_draws=3000, thinning=THINNING)
    assert chi_square(z[:, : len(p.w)], posterior, 3) > FALSE_ALARM


@pytest.mark.parametrize(("name", "sweeps"), [("asymmetric", NUM_WARMUP + 1), ("three topics", THINNING)])
def test_chains_forget_where_they_were(name, sweeps):
    """Why the draws above count as independent: every sweep shrinks correlations by its second eigenvalue."""
    p, posterior = exact(name)
    place = p.alpha.shape[1] ** np.arange(len(p.w))[::-1]
    sweep = np.eye(len(posterior.z))
    for i in range(len(p.w)):
        update = np.zeros_like(sweep)
        for row, z in enumerate(posterior.z):
            neighbours = z @ place + (np.arange(p.alpha.shape[1]) - z[i]) * place[i]
            update[row, neighbours] = reference.conditional(i, z, reference.counts(z, p), p)
        sweep = sweep @ update
    second = np.sort(np.abs(np.linalg.eigvals(sweep)))[-2]
    assert second**sweeps < 0.005


@pytest.mark.slow
def test_the_comparison_accepts_a_right_sampler():
    assert p_value(plain_cgs(), "asymmetric") > FALSE_ALARM


@pytest.mark.slow
@pytest.mark.parametrize("defect", DEFECTS)
def test_the_comparison_rejects_a_wrong_sampler(defect):
    assert p_value(plain_cgs(defect), "asymmetric") < 1e-6


def test_the_comparison_rejects_a_draw_of_a_forbidden_topic():
    p, posterior = exact("labelled")
    z = posterior.z[np.random.default_rng(0).choice(len(posterior.z), 1000, p=posterior.probability)]
    assert chi_square(z, posterior, 3) > FALSE_ALARM
    z[0, 0] = 2
    assert p.alpha[0, 2] == 0
    assert chi_square(z, posterior, 3) == 0.0


def test_p_values_of_right_draws_are_uniform():
    """The chi-square keeps its promise: of 400 samples drawn from the listing itself, about 5 % fall below 0.05.

    The bounds have a false-alarm rate below 1e-4 (binomial).
    """
    rng = np.random.default_rng(0)
    _, posterior = exact("asymmetric")
    rows = rng.choice(len(posterior.z), (400, NUM_CHAINS), p=posterior.probability)
    below = sum(chi_square(posterior.z[row], posterior, 2) < 0.05 for row in rows)
    assert 5 <= below <= 40
