"""Latent Dirichlet Allocation in JAX: many compiled Gibbs chains, and dense estimates from sparse samples.

Public names load on first use, so that ``import jaxlda`` costs little more than ``import jax``.
"""

from importlib import import_module
from importlib.metadata import version
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from jaxlda._bricks import native

if TYPE_CHECKING:  # the same names as in _LAZY below, for type checkers and editors
    from jaxlda import alignment as alignment
    from jaxlda import datasets as datasets
    from jaxlda import diagnostics as diagnostics
    from jaxlda import estimators as estimators
    from jaxlda import evaluation as evaluation
    from jaxlda import io as io
    from jaxlda import kernels as kernels
    from jaxlda import models as models
    from jaxlda import ppl as ppl
    from jaxlda import priors as priors
    from jaxlda import results as results
    from jaxlda import sharding as sharding
    from jaxlda import store as store
    from jaxlda import types as types
    from jaxlda.corpus import Corpus as Corpus
    from jaxlda.driver import run as run
    from jaxlda.driver import run_blocks as run_blocks
    from jaxlda.models import LDA as LDA
    from jaxlda.models import PLDA as PLDA
    from jaxlda.models import DependencyLDA as DependencyLDA
    from jaxlda.models import LabeledLDA as LabeledLDA
    from jaxlda.models import PriorLDA as PriorLDA
    from jaxlda.models import load as load
    from jaxlda.models.choose_k import choose_k as choose_k
    from jaxlda.results import Run as Run

native.enable()  # before anything can start JAX's backend, which reads its flags once

__version__ = version("jaxlda")

# Public name -> where it lives: a module of the package, or "module:attribute".
_LAZY = {
    "Corpus": "corpus:Corpus",
    "DependencyLDA": "models:DependencyLDA",
    "LDA": "models:LDA",
    "LabeledLDA": "models:LabeledLDA",
    "PLDA": "models:PLDA",
    "PriorLDA": "models:PriorLDA",
    "Run": "results:Run",
    "alignment": "alignment",
    "choose_k": "models.choose_k:choose_k",
    "datasets": "datasets",
    "diagnostics": "diagnostics",
    "estimators": "estimators",
    "evaluation": "evaluation",
    "io": "io",
    "kernels": "kernels",
    "load": "models:load",
    "models": "models",
    "ppl": "ppl",
    "priors": "priors",
    "results": "results",
    "run": "driver:run",
    "run_blocks": "driver:run_blocks",
    "sharding": "sharding",
    "store": "store",
    "types": "types",
}

# Without the extra numpyro, `jaxlda.ppl` says what is missing, but `from jaxlda import *` must not stumble over it.
__all__ = ["__version__", *sorted(name for name in _LAZY if name != "ppl" or find_spec("numpyro"))]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'jaxlda' has no attribute {name!r}; it has {', '.join(sorted(_LAZY))}")
    module, _, attribute = _LAZY[name].partition(":")
    value = import_module(f"jaxlda.{module}")
    if attribute:
        value = getattr(value, attribute)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
