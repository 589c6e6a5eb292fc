"""Models shaped like scikit-learn's: fit, transform, score. Names load on first use: parameters need no JAX."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jaxlda.corpora.callers import warn

if TYPE_CHECKING:  # the same names as in _LAZY below
    from jaxlda.models.files import load
    from jaxlda.models.labeled import PLDA, DependencyLDA, LabeledLDA, PriorLDA
    from jaxlda.models.lda import LDA
    from jaxlda.models.vectorizer import CorpusVectorizer

__all__ = ["LDA", "PLDA", "CorpusVectorizer", "DependencyLDA", "LabeledLDA", "PriorLDA", "load"]

_LAZY = {"LDA": "lda", "CorpusVectorizer": "vectorizer", "load": "files"} | dict.fromkeys(
    ("PLDA", "DependencyLDA", "LabeledLDA", "PriorLDA"), "labeled"
)


def from_run(model: Any, run: Any, corpus: Any) -> Any:
    """Deprecated: ``LDA.from_run(run, corpus, **parameters)``."""
    warn("jaxlda.models.from_run is deprecated: use LDA.from_run", DeprecationWarning)
    return type(model).from_run(run, corpus, **model.get_params(deep=False))


def __getattr__(name: str) -> Any:
    if name in _LAZY:
        return getattr(import_module(f"jaxlda.models.{_LAZY[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
