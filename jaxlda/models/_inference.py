"""New documents under a model's topics: their theta, and how well one half of them predicts the other."""

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jaxlda import evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed
from jaxlda.kernels.names import find
from jaxlda.models.documents import documents
from jaxlda.models.parameters import estimator_named
from jaxlda.types import Algorithm

__all__ = ["completed", "inferred", "log_likelihood", "score", "seed_of", "theta"]


def theta(model: Any, X: Any, estimator: Any = None, alpha: Any = None, seed: Any = None, **options: Any) -> np.ndarray:
    """Theta ``(D, K)`` of new documents."""
    soft = _soft(model, estimator)
    corpus, seed = documents(model, X), seed_of(model, seed)
    alpha = model._new_alpha(corpus, seed) if alpha is None else alpha
    found = inferred(model, corpus, alpha, seed, **options)
    return found.best if soft else found.theta


def inferred(model: Any, corpus: Corpus, alpha: Any, seed: int, **options: Any) -> evaluation.Proportions:
    """Both estimates of theta, and the counts they were made of."""
    own = {"kernel": _algorithm(model), "chain_method": model.chain_method, "seed": seed}
    return evaluation.infer_theta(model.phi_, alpha, corpus, **own, **options)


def score(model: Any, test: Any, estimator: Any = None, **options: Any) -> evaluation.Score:
    """How well ``phi_`` completes documents."""
    soft = _soft(model, estimator)
    halves, options = completed(model, test, **options)
    result = evaluation.document_completion(model.phi_, *halves, **options)
    return result.best if soft else result.theta


def completed(model: Any, test: Any, alpha: Any = None, seed: Any = None, **options: Any) -> tuple[tuple, dict]:
    """The arguments of document completion after phi: the prior, the halves and options."""
    seed = seed_of(model, seed)
    if isinstance(test, tuple) or (isinstance(test, list) and any(isinstance(half, Corpus) for half in test)):
        if len(test) != 2:
            raise ValueError(f"expected a pair of halves, (observed, held); got {len(test)} part(s)")
        observed, held = (documents(model, half) for half in test)
    else:
        observed, held = documents(model, test).halves(seed)
    options |= {"kernel": _algorithm(model), "chain_method": model.chain_method, "seed": seed}
    return (model._new_alpha(observed, seed) if alpha is None else alpha, observed, held), options


def log_likelihood(model: Any, corpus: Any, **options: Any) -> float:
    """Of whole documents (Eq. 55); those of the training are known by their tokens."""
    check_is_fitted(model, "phi_")
    new = documents(model, corpus)
    run = getattr(model, "run_", None)
    trained = run is not None and all(np.array_equal(*pair) for pair in zip(new.tokens(), run.data.tokens, strict=True))
    return evaluation.log_likelihood(model.phi_, model.theta_ if trained else theta(model, new, **options), new)


def seed_of(model: Any, seed: Any) -> int:
    """The seed that was given, or else that of the model."""
    return checked_seed(model.seed_ if seed is None else seed)


def _soft(model: Any, estimator: Any) -> bool:
    check_is_fitted(model, "phi_")
    return estimator_named(model.estimator if estimator is None else estimator) == "cgs_p"


def _algorithm(model: Any) -> Algorithm:
    """By which new documents are inferred: that of the chains, if they have one."""
    run = getattr(model, "run_", None)
    return find(model.kernel) if run is None or run.algorithm is None else run.algorithm
