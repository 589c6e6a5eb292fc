"""Kernels that walk over the documents' own topics do what those do that walk over all of them.

Counts, forms and accelerators are tested with the other kernels; here the posterior, and the choice between the two.
"""

from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy import stats

import jaxlda
from jaxlda import estimators, kernels, priors
from jaxlda.kernels.layouts.blocks import Lists, Rows
from jaxlda.kernels.layouts.tokens import lay_out_lists, lay_out_rows
from jaxlda.types import Algorithm, Counts, Sample
from tests import reference
from tests.laws.chains import chi_square, draws
from tests.laws.corpora import FEW, FEW_IN_ORDER, LABELLED, MIXED, PREDICTION, TINY, make_data, pad
from tests.laws.labels import gamma_of_labels
from tests.laws.plain import recount
from tests.tiers import mostly_slow

FALSE_ALARM = 1e-3
IN_LISTS = {name: kernels.find(name)._replace(prepare=lay_out_lists) for name in ("cgs", "pcgs", "pcgs(theta='drawn')")}
IN_ROWS = kernels.cgs()._replace(prepare=lay_out_rows)

# What can be listed, whatever `prepare` would choose: one topic, two, three; and a prior of every topic.
ENUMERABLE = {
    "labelled": TINY["labelled"],
    "one topic in a document": make_data(
        [[0, 1], [2, 2, 0], [1, 0]],
        [[0.0, 0.0, 0.7], [0.4, 0.0, 0.9], [0.3, 0.8, 0.5]],
        [[0.2, 0.7, 0.4], [0.9, 0.1, 0.6], [0.3, 0.3, 0.3]],
    ),
}


@pytest.mark.parametrize(
    ("kernel", "name"),
    mostly_slow(
        [(k, name) for k in IN_LISTS for name in ENUMERABLE],
        ("cgs", "labelled"),
        hours=lambda case: case[1] == "labelled" or "drawn" in case[0],
    ),
)
def test_samples_the_posterior(kernel, name):
    """Rejects a right kernel with probability 1e-3 over seeds; the seed is fixed."""
    p = reference.problem(ENUMERABLE[name])
    z = draws(IN_LISTS[kernel], 1, ENUMERABLE[name], 4000)
    assert chi_square(z, reference.enumerate_posterior(p), 3) > FALSE_ALARM


@cache
def features(alg: Algorithm, seed: int, scale: float = 1.0) -> np.ndarray:
    """Counts of documents and words in 400 chains, each on its own."""
    data = FEW._replace(priors=FEW.priors._replace(alpha=FEW.priors.alpha * scale))
    p = reference.problem(FEW)
    tables = [reference.counts(row, p) for row in draws(alg, seed, data, 400, num_warmup=20)]
    return np.array([np.concatenate([n_dk[p.alpha > 0], n_vk[:3].ravel()]) for n_dk, n_vk, _ in tables])


def p_value(ours: np.ndarray, theirs: np.ndarray) -> float:
    """Of equal second moments, by Welch's test with Bonferroni's correction: false alarms as often as said."""
    varied = (ours.std(0) > 0) | (theirs.std(0) > 0)
    assert varied.sum() > 50
    test = stats.ttest_ind(ours[:, varied] ** 2, theirs[:, varied] ** 2, equal_var=False)
    return float(np.min(test.pvalue) * varied.sum())


@pytest.mark.slow
def test_lists_and_rows_sample_the_same_distribution():
    assert p_value(features(IN_LISTS["cgs"], 1), features(IN_ROWS, 2)) > FALSE_ALARM


@pytest.mark.slow
def test_that_comparison_notices_another_prior():
    assert p_value(features(IN_LISTS["cgs"], 1), features(IN_LISTS["cgs"], 3, scale=10.0)) < 1e-6


@pytest.mark.slow
def test_cvb0_sweeps_are_those_of_the_reference():
    """Documents stand in the order of their groups here, so that both visit pairs in the same order."""
    p = reference.problem(FEW_IN_ORDER)
    alg = kernels.cvb0()
    layout = alg.prepare(FEW_IN_ORDER)
    assert [block.num_places for block in layout.blocks] == [1, 8, 16]
    state, step = alg.init(jax.random.key(0), layout), jax.jit(alg.step)
    gamma = gamma_of_labels(state, layout)
    np.testing.assert_array_equal(gamma > 0, p.alpha[reference.pairs(p)[0]] > 0)
    np.testing.assert_allclose(gamma.sum(1), 1, rtol=1e-5)
    for sweep in range(1, 6):
        state, _ = step(jax.random.key(sweep), state, layout)
        gamma = reference.cvb0_sweep(gamma, p)
        if sweep in (1, 5):
            np.testing.assert_allclose(gamma_of_labels(state, layout), gamma, rtol=0, atol=1e-4)
            for ours, theirs in zip(alg.readout(state, layout).counts, reference.cvb0_counts(gamma, p), strict=True):
                np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-4)


@pytest.mark.parametrize("leave_out", ["token", "document", "none"])
def test_soft_counts_are_those_of_the_reference(leave_out):
    data = pad(FEW, 4)
    p = reference.problem(data)
    rng = np.random.default_rng(0)
    z = np.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d])
    padded = jnp.asarray(np.pad(z, (0, 4)), np.int32)
    soft = estimators.soften(Sample(recount(padded, data), padded), data, leave_out=leave_out)
    for ours, theirs in zip(soft, reference.soft_counts(z, p, leave_out), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("kernel", ["cgs", "cvb0", "pcgs"])  # others may walk over all topics
def test_lists_are_chosen_where_documents_allow_few_topics(kernel):
    alg = kernels.KERNELS[kernel]()
    assert all(isinstance(block, Lists) for block in alg.prepare(FEW).blocks)
    for data in (LABELLED, MIXED, PREDICTION, FEW._replace(phi=np.full((70, 15), 1 / 15, np.float32))):
        assert isinstance(alg.prepare(data).blocks[0], Rows)


@pytest.mark.hours
def test_groups_hold_every_token_once():
    data = pad(FEW, 4)
    groups = lay_out_lists(data).blocks
    alpha = np.asarray(data.priors.alpha)
    entries = np.concatenate([group.entry[: int(group.size)] for group in groups])
    assert sorted(entries.tolist()) == list(range(len(FEW.tokens.w)))
    for group in groups:
        size = int(group.size)
        entry, g = np.asarray(group.entry)[:size], np.asarray(group.d)[:size]
        np.testing.assert_array_equal(group.w[:size], data.tokens.w[entry])
        np.testing.assert_array_equal(np.asarray(group.document)[g], data.tokens.d[entry])
        assert not group.m[size:].any()
        for document, labels, length in zip(group.document, group.topics, group.length, strict=True):
            assert length == 0 or np.flatnonzero(alpha[document]).tolist() == labels[:length].tolist()
            assert not labels[length:].any()
        np.testing.assert_array_equal(np.asarray(group.of_documents(data.priors.alpha)) > 0, group.allowed)


def test_a_thousand_labels_take_the_memory_of_a_few():
    """The sweep's own tables follow the documents' labels: no table of documents x K, none of pairs x K."""
    corpus = jaxlda.Corpus.from_counts(np.random.default_rng(0).poisson(0.5, (50, 30)))
    labels = np.zeros((50, 1000), bool)
    labels[np.arange(50)[:, None], np.random.default_rng(1).integers(0, 1000, (50, 3))] = True
    data = corpus.data(alpha=priors.labeled(0.1, labels))
    for alg in (kernels.cgs(), kernels.cvb0()):
        state = jax.eval_shape(alg.init, jax.random.key(0), alg.prepare(data))
        shapes = [x.shape for x in jax.tree.leaves(state)]
        assert [shape for shape in shapes if 1000 in shape] == [(30, 1000), (1000,)]


@pytest.mark.hours  # the driver's own test of chain methods is short
@pytest.mark.parametrize("kernel", kernels.KERNELS)
def test_chain_methods_agree(kernel):
    def result(method):
        options = {"num_warmup": 2, "num_samples": 2, "thinning": 1, "num_chains": 2, "chain_method": method}
        run = jaxlda.run(jax.random.key(5), kernels.KERNELS[kernel](), FEW, trace_every=1, **options)
        soft = [run.counts(chain=chain, soft=True) for chain in range(2)] if kernel == "cgs" else None
        return [run.counts(chain=chain) for chain in range(2)], soft, run.trace

    first, second = result("parallel"), result("vectorized")
    jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-4, atol=1e-4), first, second)


@pytest.mark.hours
def test_beta_can_be_learned():
    """Until the first time it is due, the sweeps are those of the algorithm alone; then they go on with another."""
    data = FEW_IN_ORDER._replace(priors=FEW_IN_ORDER.priors._replace(beta=jnp.full(15, 0.25)))
    options = {"num_warmup": 5, "num_samples": 1, "thinning": 1, "keep": ("z",), "trace_every": 0, "soft": False}
    never, once = (kernels.learn_beta(kernels.cgs(), start=start, every=100) for start in (100, 3))
    plain, same, other = (jaxlda.run(jax.random.key(0), a, data, **options) for a in (kernels.cgs(), never, once))
    np.testing.assert_array_equal(plain.z, same.z)
    assert other.state(0).beta != 0.25
    np.testing.assert_array_equal(other.chain(0).counts.n_dk.sum(1), data.tokens.n_d)


def one_sweep(alg: Algorithm, layout: Any) -> tuple[Counts, Any]:
    state, info = alg.step(jax.random.key(0), alg.init(jax.random.key(1), layout), layout)
    return alg.readout(state, layout).counts, info


@pytest.mark.slow
def test_nothing_but_single_labels():
    data = make_data([[0, 1], [1]], np.eye(40)[[3, 9]], [0.1, 0.2])
    for name in kernels.KERNELS:
        alg = kernels.KERNELS[name]()
        counts, info = jax.jit(partial(one_sweep, alg))(alg.prepare(data))
        assert info.moved == 0
        np.testing.assert_array_equal(counts.n_dk[:, [3, 9]], [[2, 0], [0, 1]])
        assert counts.n_k.sum() == 3
