r"""The effects of covariates on the prior of topics, with intervals.

The squared standard error of an effect has two parts. *Within* a draw, the counts leave it uncertain: the inverse of
the curvature of its log posterior density, at the last draw. *Between* draws, it varies because the topics of tokens
do. They add up as in multiple imputation, the second being :math:`1 + 1/S` times the variance of S draws.
"""

from collections.abc import Sequence
from statistics import NormalDist
from typing import Any

import numpy as np
import pandas as pd
from jaxtyping import Float

from jaxlda.topics.fitted import Fitted, fitted
from jaxlda.types import Data

__all__ = ["curvature", "effects"]


def effects(
    model: Any, names: Sequence[str] | None = None, *, level: float | int = 0.95, chain: int | None = None
) -> pd.DataFrame:
    r"""The effects :math:`\lambda_{fk}` of covariates on topics, by which alpha is multiplied: :math:`\exp(\lambda)`.

    Parameters
    ----------
    model
        Fitted with ``covariates``, or a run of ``learn_effects``.
    names
        Of the covariates; numbers if not given.
    level
        Of each interval.
    chain
        The best one if not given.

    Returns
    -------
    pandas.DataFrame
        A row for each covariate and topic: ``covariate``, ``topic``, ``name`` where topics have names, ``effect`` (the
        mean over draws), ``se``, ``low`` and ``high``. ``attrs`` say how many draws there were.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr", "dog bark"] * 9).with_metadata({"who": ["a", "b"] * 9})
    >>> model = jaxlda.LDA(2, covariates=["who"], num_warmup=40, num_chains=1, progress=False).fit(corpus)
    >>> model.effects().covariate.unique().tolist()
    ['intercept', 'who: b']
    """
    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; got {level!r}")
    about = fitted(model, chain)
    if about.run.data.covariates is None:
        raise ValueError("alpha does not depend on covariates here: fit with covariates=[names of columns]")
    F, K = about.run.data.covariates.effects.shape
    draws = _draws(about)
    within = np.diag(np.linalg.inv(curvature(about.data, np.asarray(about.sample.counts.n_dk)))).reshape(F, K)
    between = draws.var(axis=0, ddof=1) * (1 + 1 / len(draws)) if len(draws) > 1 else 0.0
    mean, se = draws.mean(axis=0), np.sqrt(within + between)
    reach = NormalDist().inv_cdf((1 + level) / 2) * se
    columns: dict[str, Any] = {
        "covariate": np.repeat(np.array(range(F) if names is None else names, object), K),
        "topic": np.tile(np.arange(K), F),
    }
    if about.names is not None:
        columns["name"] = np.tile(np.array(about.names, object), F)
    columns |= {"effect": mean, "se": se, "low": mean - reach, "high": mean + reach}
    table = pd.DataFrame({name: np.ravel(column) for name, column in columns.items()})
    table.attrs |= {"level": level, "draws": len(draws), "chain": about.chain}
    return table


def _draws(about: Fitted) -> Float[np.ndarray, "S F K"]:
    """The effects of draws, or, if they were not kept, the present ones alone."""
    if about.run.kept.get("effects"):
        return np.stack([np.asarray(draw[about.chain], np.float64) for draw in about.run.kept["effects"]])
    assert about.data.covariates is not None
    return np.asarray(about.data.covariates.effects, np.float64)[None]


def curvature(data: Data, n_dk: np.ndarray) -> Float[np.ndarray, "FK FK"]:
    r"""Minus the second derivatives of the log posterior density of effects, at those that the data have.

    With :math:`\alpha_{d\cdot} = \sum_k \alpha_{dk}` and the trigamma function :math:`\psi'`,

    .. math:: -\sum_d x_{df} x_{dg} \big[ \delta_{kl} (g_{dk} + \alpha_{dk}^2 (\psi'(\alpha_{dk} + n_{dk})
        - \psi'(\alpha_{dk}))) - \alpha_{dk} \alpha_{dl} (\psi'(\alpha_{d\cdot} + n_d) - \psi'(\alpha_{d\cdot})) \big]
        + \delta_{kl} \delta_{fg} / s_f^2

    where :math:`g_{dk}` are the derivatives by :math:`\log \alpha_{dk}`. What would be below the information of the
    prior alone, because chains have not climbed to the top yet, is raised to it.
    """
    from scipy.special import digamma, polygamma

    assert data.covariates is not None
    x, scale, _ = (np.asarray(one, np.float64) for one in data.covariates)
    (F, K), alpha = (x.shape[1], n_dk.shape[1]), np.asarray(data.priors.alpha, np.float64)
    safe, total, n_d = np.where(alpha > 0, alpha, 1.0), alpha.sum(axis=1), n_dk.sum(axis=1)
    total = np.where(total > 0, total, 1.0)
    slope = digamma(safe + n_dk) - digamma(safe) - (digamma(total + n_d) - digamma(total))[:, None]
    own = alpha * slope + alpha**2 * (polygamma(1, safe + n_dk) - polygamma(1, safe))
    shared = polygamma(1, total + n_d) - polygamma(1, total)
    weighted = (x[:, :, None] * alpha[:, None, :]).reshape(len(x), F * K)
    matrix = (weighted.T * shared) @ weighted
    blocks = matrix.reshape(F, K, F, K)
    for k in range(K):
        blocks[:, k, :, k] += np.diag(1 / scale**2) - (x.T * own[:, k]) @ x
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, (1 / scale**2).min())) @ vectors.T
