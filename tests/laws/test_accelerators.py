"""The forms that GPUs and TPUs run, tried on the CPU: ``platform_dependent`` is made to choose as it would there.

Lowering for a platform shows that a form compiles, not that it is right; without this nothing would run it here.
"""

from collections.abc import Iterator

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

from jaxlda import estimators, kernels
from jaxlda.estimators import likelihood, log_likelihood_terms, soft
from jaxlda.kernels.cvb0 import _CHUNK
from jaxlda.kernels.layouts.blocks import Lists
from jaxlda.kernels.layouts.tokens import lay_out
from jaxlda.types import Sample
from tests import reference
from tests.laws.corpora import EXACT, FEW, LABELLED, LONG, MIXED, PREDICTION, TINY, pad
from tests.laws.labels import gamma_of_labels
from tests.laws.plain import recount
from tests.tiers import mostly_slow

pytestmark = pytest.mark.slow  # other programs than all other tests compile, and afterwards those once more

NUM_CHAINS, NUM_SWEEPS = 2, 3
CORPORA = {
    "mixed": pad(MIXED, 3),
    "labelled": LABELLED,
    "few labels": pad(FEW, 3),
    "prediction": pad(PREDICTION, 3),
    "twelve topics": TINY["twelve topics"],
}
COMPARED = "test_gives_the_samples_of_the_cpu"
HARD = EXACT  # whose samples are equal to the last bit

# Alone, a chain that learns its topics has one form everywhere; one that moves tokens in turn, by proposals, too.
FORMS = [(corpus, True) for corpus in CORPORA] + [("prediction", False)]

# On which corpora the gate tries a kernel, where not on the labelled one alone; on all of them on demand.
GATE = {"cgs": ["labelled", "prediction"], "pcgs": ["labelled", "prediction"], "warp": ["labelled"]}


def chains(kernel: str, corpus: str, together: bool) -> Sample:
    """Run chains for some sweeps; the functions are new, so that nothing compiled for another form is reused."""
    alg = kernels.find(kernel)
    data = alg.prepare(CORPORA[corpus])

    def chain(key, data):
        start, *keys = jax.random.split(key, NUM_SWEEPS + 1)
        state, _ = lax.scan(lambda s, k: alg.step(k, s, data), alg.init(start, data), jnp.stack(keys))
        return alg.readout(state, data)

    keys = jax.random.split(jax.random.key(3), NUM_CHAINS)
    if together:
        return jax.jit(jax.vmap(chain, (0, None)))(keys, data)
    run = jax.jit(chain)
    return jax.tree.map(lambda *x: jnp.stack(x), *(run(key, data) for key in keys))


@pytest.fixture(scope="module", autouse=True)
def on_cpu(request) -> dict[tuple[str, str], Sample]:
    """What the CPU's own form gives, of what will be compared."""
    asked = [item.callspec.params for item in request.session.items if getattr(item, "originalname", "") == COMPARED]
    return {one: chains(*one, together=False) for one in {(case["kernel"], case["corpus"]) for case in asked}}


@pytest.fixture(scope="module", autouse=True)
def converged() -> dict[str, Sample]:
    """Variational Bayes in the CPU's own form."""
    return {corpus: chains("vb", corpus, together=False) for corpus in ("mixed", "labelled", "prediction")}


@pytest.fixture(scope="module", autouse=True)
def accelerator(on_cpu, converged) -> Iterator[list[str]]:
    """Choose the default of every ``platform_dependent``, and count the choices; of estimators in several chunks."""
    chosen = []

    def choose(*args, default, **others):
        chosen.append(getattr(default, "func", default).__name__)
        return default(*args)

    jax.clear_caches()  # jitted functions of the package hold the CPU's form
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lax, "platform_dependent", choose)
        for module in (soft, likelihood):
            patch.setattr(module, "_CHUNK", 1000)
        yield chosen
    jax.clear_caches()


@pytest.mark.parametrize(
    ("kernel", "corpus", "together"),
    mostly_slow(
        [(k, *form) for k in HARD for form in FORMS if form[1] or "delayed" not in k],
        hours=lambda case: (not case[2] and case[0] != "cgs") or case[1] not in GATE.get(case[0], []),
    ),
)
def test_gives_the_samples_of_the_cpu(kernel, corpus, together, on_cpu, accelerator):
    before = len(accelerator)
    jax.tree.map(np.testing.assert_array_equal, chains(kernel, corpus, together), on_cpu[kernel, corpus])
    assert len(accelerator) > before, "no form was chosen: the test proves nothing"


@pytest.mark.parametrize("fixed", [False, True], ids=["learned", "fixed"])
def test_cvb0_updates_chunks_of_pairs(fixed):
    data = LONG._replace(
        phi=jnp.asarray(np.random.default_rng(0).dirichlet(np.ones(40), 3), jnp.float32) if fixed else None
    )
    p = reference.problem(data)
    pairs = len(reference.pairs(p)[0])
    assert pairs > 2 * _CHUNK, "the last chunk must be a part of one"
    alg = kernels.cvb0()
    layout = alg.prepare(data)
    state = alg.init(jax.random.key(0), layout)
    gamma = np.asarray(state.gamma[0], np.float64)[:pairs, :3]
    step = jax.jit(lambda *args: alg.step(*args))
    for _ in range(2):
        state, _ = step(jax.random.key(1), state, layout)
        gamma = reference.cvb0_sweep(gamma, p, _CHUNK)
    np.testing.assert_allclose(state.gamma[0][:pairs, :3], gamma, rtol=0, atol=1e-4)
    for ours, theirs in zip(alg.readout(state, layout).counts, reference.cvb0_counts(gamma, p), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4)


def test_cvb0_updates_chunks_of_pairs_over_few_topics():
    alpha = np.zeros((20, 40), np.float32)
    for d, row in enumerate(alpha):
        row[[d, (d * d) % 40, 39 - d]] = 0.3
    data = LONG._replace(priors=LONG.priors._replace(alpha=jnp.asarray(alpha)))
    p = reference.problem(data)
    assert len(reference.pairs(p)[0]) > 2 * _CHUNK, "the last chunk must be a part of one"
    alg = kernels.cvb0()
    layout = alg.prepare(data)
    state = alg.init(jax.random.key(0), layout)
    gamma = gamma_of_labels(state, layout)
    step = jax.jit(lambda *args: alg.step(*args))
    for _ in range(2):
        state, _ = step(jax.random.key(1), state, layout)
        gamma = reference.cvb0_sweep(gamma, p, _CHUNK)
    np.testing.assert_allclose(gamma_of_labels(state, layout), gamma, rtol=0, atol=1e-4)
    for ours, theirs in zip(alg.readout(state, layout).counts, reference.cvb0_counts(gamma, p), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("corpus", ["mixed", "labelled", "prediction"])
def test_vb_brings_all_documents_to_convergence_at_once(corpus, converged):
    sample = chains("vb", corpus, together=True)
    jax.tree.map(lambda a, b: np.testing.assert_allclose(a, b, rtol=0, atol=1e-3), sample, converged[corpus])


@pytest.mark.parametrize("leave_out", mostly_slow(["token", "document", "none"], hours=lambda x: x != "token"))
@pytest.mark.parametrize("corpus", ["long", "labelled", "few labels", "prediction"])
def test_softens_chunks_of_tokens(corpus, leave_out):
    data = {"long": LONG, **CORPORA}[corpus]
    p = reference.problem(data)
    rng = np.random.default_rng(0)
    z = np.array([rng.choice(np.flatnonzero(p.alpha[d])) for d in p.d])
    padded = jnp.asarray(np.pad(z, (0, len(data.tokens.w) - len(z))), jnp.int32)
    assert isinstance(lay_out(data).blocks[0], Lists) == (corpus == "few labels")
    soft = estimators.soften(Sample(recount(padded, data), padded), data, leave_out=leave_out)
    for ours, theirs in zip(soft, reference.soft_counts(z, p, leave_out), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5, atol=1e-5)


def test_scores_chunks_of_tokens():
    p = reference.problem(LONG)
    rng = np.random.default_rng(0)
    phi, theta = rng.dirichlet(np.ones(40), 3), rng.dirichlet(np.ones(3), len(p.alpha))
    terms = log_likelihood_terms(jnp.asarray(phi, jnp.float32), jnp.asarray(theta, jnp.float32), LONG.tokens)
    assert np.sum(np.asarray(terms), dtype=np.float64) == pytest.approx(
        reference.log_likelihood(phi, theta, p), rel=1e-6
    )
