"""The model written slowly and obviously, in float64 NumPy: what the fast code is tested against.

Every function follows an equation of the paper, one token and one topic at a time. Nothing here is shared with the
package but the names of the fields of ``Data``, so an error has to be made twice, independently, to go unnoticed.
"""

import itertools
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Enumeration",
    "Problem",
    "cgs_sweep",
    "conditional",
    "counts",
    "cvb0_counts",
    "cvb0_sweep",
    "enumerate_posterior",
    "hard_soft_gap",
    "log_joint",
    "log_likelihood",
    "mean_n_dk",
    "pair_marginals",
    "pairs",
    "phi",
    "phi_p",
    "problem",
    "soft_counts",
    "theta",
    "theta_p",
    "token_marginals",
]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Triple = tuple[Floats, Floats, Floats]


class Problem(NamedTuple):
    """A corpus without padding, one entry per token, and priors of full shape."""

    w: Ints
    d: Ints
    alpha: Floats
    """(D, K)"""
    beta: Floats
    """(K, V)"""
    phi: Floats | None = None
    """(K, V); given, the topics are fixed."""


def problem(data: Any) -> Problem:
    """Read a ``jaxlda.types.Data``: drop its padding, repeat what counts several times, broadcast its priors."""
    m = np.asarray(data.tokens.m).astype(np.int64)
    n_docs = len(np.asarray(data.tokens.n_d))
    alpha, beta = (np.asarray(x, np.float64) for x in data.priors)
    n_topics = alpha.shape[-1]
    return Problem(
        w=np.repeat(np.asarray(data.tokens.w, np.int64), m),
        d=np.repeat(np.asarray(data.tokens.d, np.int64), m),
        alpha=np.broadcast_to(alpha, (n_docs, n_topics)),
        beta=np.broadcast_to(beta, (n_topics, beta.shape[-1])),
        phi=None if data.phi is None else np.asarray(data.phi, np.float64),
    )


def counts(z: Ints, p: Problem) -> Triple:
    """Count the assignments: n_dk (D, K), n_vk (V, K), n_k (K)."""
    n_docs, n_topics = p.alpha.shape
    n_dk, n_vk, n_k = np.zeros((n_docs, n_topics)), np.zeros((p.beta.shape[1], n_topics)), np.zeros(n_topics)
    for w, d, k in zip(p.w, p.d, z, strict=True):
        n_dk[d, k] += 1
        n_vk[w, k] += 1
        n_k[k] += 1
    return n_dk, n_vk, n_k


def _log_dirichlet_multinomial(n: Floats, prior: Floats) -> float:
    """Log probability of one sequence with counts ``n`` under a Dirichlet; a parameter 0 forbids its outcome."""
    if np.any((prior == 0) & (n > 0)):
        return -math.inf
    allowed = [(a, b) for a, b in zip(n, prior, strict=True) if b > 0]
    total = sum(a for a, _ in allowed), sum(b for _, b in allowed)
    if total[0] == 0:
        return 0.0
    return sum(math.lgamma(a + b) - math.lgamma(b) for a, b in allowed) - (
        math.lgamma(total[0] + total[1]) - math.lgamma(total[1])
    )


def log_joint(n_dk: Floats, n_vk: Floats, p: Problem) -> float:
    """Log p(w, z | alpha, beta), or log p(w, z | alpha, phi) where the topics are fixed."""
    result = sum(_log_dirichlet_multinomial(n, a) for n, a in zip(n_dk, p.alpha, strict=True))
    if p.phi is None:
        return result + sum(_log_dirichlet_multinomial(n, b) for n, b in zip(n_vk.T, p.beta, strict=True))
    used = n_vk.T > 0
    if np.any(p.phi[used] == 0):
        return -math.inf
    return result + float(np.sum(n_vk.T[used] * np.log(p.phi[used])))


class Enumeration(NamedTuple):
    """The posterior of a tiny corpus: every z there is, and its probability."""

    z: Ints
    """(K^N, N), in lexicographic order: the first token is the most significant digit."""
    probability: Floats
    """(K^N)"""


def enumerate_posterior(p: Problem) -> Enumeration:
    """Compute p(z | w) for every z."""
    z = np.array(list(itertools.product(range(p.alpha.shape[1]), repeat=len(p.w))), np.int64)
    log_p = np.array([log_joint(*counts(row, p)[:2], p) for row in z])
    weight = np.exp(log_p - log_p.max())
    return Enumeration(z, weight / weight.sum())


def token_marginals(posterior: Enumeration, n_topics: int) -> Floats:
    """Posterior p(z_i = k), (N, K)."""
    return np.stack([posterior.probability @ (posterior.z == k) for k in range(n_topics)], axis=1)


def pair_marginals(posterior: Enumeration) -> Floats:
    """Posterior p(z_i = z_j), (N, N): does not change when topics are renamed."""
    same = posterior.z[:, :, None] == posterior.z[:, None, :]
    return np.einsum("s,sij->ij", posterior.probability, same)


def mean_n_dk(posterior: Enumeration, p: Problem) -> Floats:
    """Posterior mean of n_dk, (D, K)."""
    result = np.zeros(p.alpha.shape)
    for z, probability in zip(posterior.z, posterior.probability, strict=True):
        result += probability * counts(z, p)[0]
    return result


def conditional(i: int, z: Ints, tables: Triple, p: Problem, leave_out: str = "token") -> Floats:
    """Eq. 1, or Eq. 4 where the topics are fixed: p(z_i = k | the rest), (K).

    ``leave_out`` names the counts token i is taken out of: all ("token"), n_dk ("document") or none ("none").
    """
    n_dk, n_vk, n_k = tables
    w, d = p.w[i], p.d[i]
    weight = np.zeros(p.alpha.shape[1])
    for k in range(len(weight)):
        own = 1.0 if z[i] == k else 0.0
        from_document = own if leave_out in ("token", "document") else 0.0
        from_topic = own if leave_out == "token" else 0.0
        if p.phi is None:
            word = (n_vk[w, k] - from_topic + p.beta[k, w]) / (n_k[k] - from_topic + p.beta[k].sum())
        else:
            word = p.phi[k, w]
        # A forbidden topic stays forbidden even if a flawed sample used it.
        weight[k] = word * (n_dk[d, k] - from_document + p.alpha[d, k]) if p.alpha[d, k] > 0 else 0.0
    return weight / weight.sum()


def soft_counts(z: Ints, p: Problem, leave_out: str = "token") -> Triple:
    """Sum the transition probabilities of Eqs. 1, 4 and 31 over the tokens, in the shapes of ``counts``."""
    tables = counts(z, p)
    n_dk, n_vk, n_k = (np.zeros_like(table) for table in tables)
    for i in range(len(p.w)):
        probability = conditional(i, z, tables, p, leave_out)
        n_dk[p.d[i]] += probability
        n_vk[p.w[i]] += probability
        n_k += probability
    return n_dk, n_vk, n_k


def phi(n_vk: Floats, p: Problem) -> Floats:
    """Eq. 2, (K, V)."""
    result = np.zeros(p.beta.shape)
    for k in range(len(result)):
        result[k] = (n_vk[:, k] + p.beta[k]) / sum(n_vk[v, k] + p.beta[k, v] for v in range(len(n_vk)))
    return result


def theta(n_dk: Floats, p: Problem) -> Floats:
    """Eq. 3, (D, K); the row of a document that allows no topic, which is empty, is zero."""
    result = np.zeros(p.alpha.shape)
    for d in np.flatnonzero(p.alpha.any(axis=1)):
        result[d] = (n_dk[d] + p.alpha[d]) / (n_dk[d].sum() + p.alpha[d].sum())
    return result


def theta_p(z: Ints, p: Problem, leave_out: str = "token") -> Floats:
    """Algorithm 1, first function (Eqs. 33 and 40), (D, K)."""
    tables = counts(z, p)
    result = np.zeros(p.alpha.shape)
    for d in np.flatnonzero(p.alpha.any(axis=1)):
        result[d] = p.alpha[d]
        for j in np.flatnonzero(p.d == d):
            result[d] += conditional(int(j), z, tables, p, leave_out)
        result[d] /= result[d].sum()
    return result


def phi_p(z: Ints, p: Problem, leave_out: str = "token") -> Floats:
    """Algorithm 1, second function (Eq. 41), (K, V)."""
    tables = counts(z, p)
    result = np.array(p.beta, copy=True)
    for d in range(len(p.alpha)):
        for j in np.flatnonzero(p.d == d):
            result[:, p.w[j]] += conditional(int(j), z, tables, p, leave_out)
    for k in range(len(result)):
        result[k] /= result[k].sum()
    return result


def cgs_sweep(z: Ints, u: Floats, p: Problem) -> Ints:
    """One sweep of collapsed Gibbs sampling in the order of the tokens; ``u`` (N) are inverted through the CDF."""
    z = np.array(z, copy=True)
    tables = counts(z, p)
    for i in range(len(z)):
        cumulative = np.cumsum(conditional(i, z, tables, p))
        new = min(int(np.searchsorted(cumulative, u[i] * cumulative[-1], side="right")), len(cumulative) - 1)
        for table, row in zip(tables, (p.d[i], p.w[i], None), strict=True):
            cells = table if row is None else table[row]
            cells[z[i]] -= 1
            cells[new] += 1
        z[i] = new
    return z


def pairs(p: Problem) -> tuple[Ints, Ints, Ints]:
    """Return document, word and frequency of each distinct (document, word) pair, documents first, then words."""
    distinct, frequency = np.unique(np.stack([p.d, p.w], axis=1), axis=0, return_counts=True)
    return distinct[:, 0], distinct[:, 1], frequency


def cvb0_counts(gamma: Floats, p: Problem) -> Triple:
    """Expected counts under gamma (P, K), one row a distinct pair."""
    n_docs, n_topics = p.alpha.shape
    n_dk, n_vk = np.zeros((n_docs, n_topics)), np.zeros((p.beta.shape[1], n_topics))
    for d, w, m, row in zip(*pairs(p), gamma, strict=True):
        n_dk[d] += m * row
        n_vk[w] += m * row
    return n_dk, n_vk, n_vk.sum(axis=0)


def cvb0_sweep(gamma: Floats, p: Problem, chunk: int = 1) -> Floats:
    """One sweep of CVB0 (Eq. 6) over the distinct pairs; its analogue of Eq. 4 where the topics are fixed.

    Equal tokens of a document share one gamma. One of them is left out of the counts; all of them are then replaced.
    The pairs of a chunk all read the counts the chunk began with.
    """
    gamma = np.array(gamma, np.float64, copy=True)
    entries = list(enumerate(zip(*pairs(p), strict=True)))
    for start in range(0, len(entries), chunk):
        n_dk, n_vk, n_k = cvb0_counts(gamma, p)
        for i, (d, w, _) in entries[start : start + chunk]:
            if p.phi is None:
                word = (n_vk[w] - gamma[i] + p.beta[:, w]) / (n_k - gamma[i] + p.beta.sum(axis=1))
            else:
                word = p.phi[:, w]
            new = np.where(p.alpha[d] > 0, word * (n_dk[d] - gamma[i] + p.alpha[d]), 0.0)
            gamma[i] = new / new.sum()
    return gamma


def hard_soft_gap(z: Ints, p: Problem) -> float:
    """Eq. 60 with the counts of each document divided by its length first; the mean is over documents with tokens."""
    hard, soft = counts(z, p)[0], soft_counts(z, p)[0]
    distances = [np.abs(hard[d] - soft[d]).sum() / hard[d].sum() for d in range(len(hard)) if hard[d].sum() > 0]
    return float(np.mean(distances))


def log_likelihood(phi: Floats, theta: Floats, p: Problem) -> float:
    """Eq. 55."""
    return sum(math.log(sum(phi[k, w] * theta[d, k] for k in range(len(phi)))) for w, d in zip(p.w, p.d, strict=True))
