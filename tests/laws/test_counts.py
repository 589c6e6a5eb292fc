"""What is counted stays counted: conservation laws at every sweep, and reports that say what happened."""

from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda import kernels
from jaxlda.estimators import phi
from jaxlda.kernels.cvb0 import _EVERY
from jaxlda.types import Data, Sample
from tests import reference
from tests.laws.corpora import FEW, LABELLED, MIXED, PREDICTION, make_data, pad
from tests.tiers import each_kernel, each_on

CORPORA = {"mixed": MIXED, "labelled": LABELLED, "few labels": FEW, "prediction": PREDICTION}
NUM_SWEEPS = 8
PADDING = 5

every_kernel = pytest.mark.parametrize("kernel", each_kernel())
every_run = pytest.mark.parametrize(("kernel", "corpus"), each_on(CORPORA))


class Run(NamedTuple):
    samples: list[Sample]
    """After ``init``, and after each sweep."""
    infos: list


@cache
def run(kernel: str, corpus: str, padding: int = 0) -> Run:
    """Sweep over a corpus, on the host, keeping everything."""
    data = pad(CORPORA[corpus], padding) if padding else CORPORA[corpus]
    return sweep(kernel, data)


def sweep(kernel: str, data: Data, num_sweeps: int = NUM_SWEEPS, seed: int = 0) -> Run:
    alg = kernels.find(kernel)
    data = alg.prepare(data)
    step, readout = jax.jit(alg.step), jax.jit(alg.readout)
    start, *keys = jax.random.split(jax.random.key(seed), num_sweeps + 1)
    state = jax.jit(alg.init)(start, data)
    samples, infos = [readout(state, data)], []
    for key in keys:
        state, info = step(key, state, data)
        samples.append(readout(state, data))
        infos.append(info)
    return Run(*(jax.tree.map(np.asarray, x) for x in (samples, infos)))


@every_run
def test_counts_are_conserved(kernel, corpus):
    p = reference.problem(CORPORA[corpus])
    for counts, z in run(kernel, corpus).samples:
        hard = z is not None
        atol = 0 if hard else 2e-5
        assert all(np.issubdtype(x.dtype, np.integer if hard else np.floating) for x in counts)
        assert all(x.min() >= 0 for x in counts)
        n_d, n_v = np.bincount(p.d, minlength=len(p.alpha)), np.bincount(p.w, minlength=p.beta.shape[1])
        np.testing.assert_allclose(counts.n_dk.sum(axis=1), n_d, rtol=0, atol=atol)
        np.testing.assert_allclose(counts.n_vk.sum(axis=1), n_v, rtol=0, atol=atol)
        np.testing.assert_allclose(counts.n_k, counts.n_vk.sum(axis=0), rtol=0, atol=5 * atol)
        np.testing.assert_allclose(counts.n_k, counts.n_dk.sum(axis=0), rtol=0, atol=5 * atol)


def worn(state):
    """The counts of CVB0 after many small changes, much worse than they ever get."""
    words = state.words._replace(n_vk=state.words.n_vk * 1.01 - 0.02)
    return state._replace(words=words, n_dj=tuple(n * 0.99 - 0.01 for n in state.n_dj))


@pytest.mark.parametrize(
    "data", [pytest.param(MIXED, id="all topics"), pytest.param(FEW, id="lists of them", marks=pytest.mark.slow)]
)
def test_cvb0_renews_its_counts(data):
    alg = kernels.cvb0()
    layout = alg.prepare(data)
    state = jax.jit(alg.init)(jax.random.key(0), layout)
    step = jax.jit(alg.step)
    jax.tree.map(np.testing.assert_array_equal, *(jax.jit(alg.readout)(s, layout) for s in (state, worn(state))))
    for sweep, renewed in ((3, False), (_EVERY - 1, True)):
        after, _ = step(jax.random.key(0), worn(state)._replace(sweep=jnp.int32(sweep)), layout)
        n_vk = jax.jit(alg.readout)(after, layout).counts.n_vk
        drift = np.abs(after.words.n_vk[:, : n_vk.shape[1]] - n_vk).max()
        assert drift < 1e-5 if renewed else drift > 0.01
        assert all(n.min() >= 0 for n in after.n_dj) or not renewed
        np.testing.assert_allclose(phi(jax.jit(alg.readout)(after, layout), data).sum(axis=1), 1, rtol=1e-6)


@every_run
def test_counts_are_those_of_z(kernel, corpus):
    p = reference.problem(CORPORA[corpus])
    for sample in run(kernel, corpus).samples:
        if sample.z is not None:
            assert sample.z.shape == p.w.shape
            for ours, recount in zip(sample.counts, reference.counts(sample.z, p), strict=True):
                np.testing.assert_array_equal(ours, recount)


@every_run
def test_counts_move(kernel, corpus):
    """A kernel that does nothing would pass every conservation law."""
    first, *_, last = run(kernel, corpus).samples
    assert np.abs(last.counts.n_dk - first.counts.n_dk).sum() > 5


@every_kernel
def test_forbidden_topics_never_appear(kernel):
    forbidden = np.asarray(LABELLED.priors.alpha) == 0
    used = sum(sample.counts.n_dk > 0 for sample in run(kernel, "labelled").samples)
    assert not used[forbidden].any()
    real = np.asarray(LABELLED.tokens.n_d) > 0
    assert used[real].any(axis=1).all()
    assert (used[~forbidden & real[:, None]] > 0).mean() > 0.8, "allowed topics do appear"


@every_run
def test_padding_is_inert(kernel, corpus):
    plain, padded = run(kernel, corpus), run(kernel, corpus, PADDING)
    for ours, theirs in zip(plain.samples, padded.samples, strict=True):
        if ours.z is not None:
            np.testing.assert_array_equal(theirs.z[: len(ours.z)], ours.z)
        jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=0, atol=1e-5), ours.counts, theirs.counts)
    for ours, theirs in zip(plain.infos, padded.infos, strict=True):
        np.testing.assert_allclose(theirs.moved, ours.moved, rtol=1e-5)


@every_run
def test_moved_is_the_share_that_changed_topic(kernel, corpus):
    samples, infos = run(kernel, corpus, PADDING)
    n_tokens = len(CORPORA[corpus].tokens.w)
    for before, after, info in zip(samples, samples[1:], infos, strict=False):
        if before.z is not None:
            moved = np.sum(before.z[:n_tokens] != after.z[:n_tokens])
        else:
            moved = np.abs(after.counts.n_dk - before.counts.n_dk).sum() / 2
        # Tables of float32 are subtracted to find out what moved.
        assert info.moved == pytest.approx(moved / n_tokens, rel=1e-5, abs=0 if before.z is not None else 1e-6)


@every_kernel
def test_one_topic(kernel):
    data = make_data([[0, 1, 1], [], [2]], [0.5], [0.1, 0.2, 0.3])
    samples, infos = sweep(kernel, data, num_sweeps=2)
    for counts, z in samples:
        np.testing.assert_allclose(counts.n_dk, [[3], [0], [1]], rtol=1e-6)
        np.testing.assert_allclose(counts.n_vk, [[1], [2], [1]], rtol=1e-6)
        assert z is None or not z.any()
    assert all(info.moved == 0 for info in infos)


@every_kernel
def test_nothing_but_empty_documents(kernel):
    """What remains of new documents whose words are all unknown."""
    samples, infos = sweep(kernel, make_data([[], []], [0.5, 0.2], [0.1, 0.2, 0.3]), num_sweeps=2)
    for counts, _ in samples:
        assert counts.n_dk.shape == (2, 2) and counts.n_vk.shape == (3, 2)
        assert not any(x.any() for x in counts)
    assert all(info.moved == 0 for info in infos)
