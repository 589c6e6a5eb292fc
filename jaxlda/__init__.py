"""Latent Dirichlet Allocation in JAX: many compiled Gibbs chains, and dense estimates from sparse samples.

Public names load on first use, and JAX with the first that needs it.
"""

import sys
import warnings
from functools import partial
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.metadata import version
from types import ModuleType
from typing import TYPE_CHECKING, Any

from jaxlda import startup

if TYPE_CHECKING:  # the same names as below, for type checkers and editors
    from jaxlda import alignment as alignment
    from jaxlda import datasets as datasets
    from jaxlda import diagnostics as diagnostics
    from jaxlda import estimators as estimators
    from jaxlda import evaluation as evaluation
    from jaxlda import io as io
    from jaxlda import kernels as kernels
    from jaxlda import models as models
    from jaxlda import plots as plots
    from jaxlda import ppl as ppl
    from jaxlda import topics as topics
    from jaxlda import types as types
    from jaxlda.corpora import priors as priors
    from jaxlda.corpora.corpus import Corpus as Corpus
    from jaxlda.models import LDA as LDA
    from jaxlda.models import PLDA as PLDA
    from jaxlda.models import DependencyLDA as DependencyLDA
    from jaxlda.models import LabeledLDA as LabeledLDA
    from jaxlda.models import PriorLDA as PriorLDA
    from jaxlda.models import load as load
    from jaxlda.models.choose_k import choose_k as choose_k
    from jaxlda.running.driver import run as run
    from jaxlda.running.driver import run_blocks as run_blocks
    from jaxlda.running.results import Run as Run

# Before anything can start JAX's backend, which reads its flags once.
startup.native_loops()

__version__ = version("jaxlda")

# What loads on first use: modules of the package, and names in them.
_ROOMS = "alignment datasets diagnostics estimators evaluation io kernels models plots ppl topics types"
_MODULES = {name: name for name in _ROOMS.split()} | {"priors": "corpora.priors"}
_NAMES = {
    "Corpus": "corpora.corpus",
    "Run": "running.results",
    "choose_k": "models.choose_k",
    **dict.fromkeys(("run", "run_blocks"), "running.driver"),
    **dict.fromkeys(("DependencyLDA", "LDA", "LabeledLDA", "PLDA", "PriorLDA", "load"), "models"),
}

# Modules of version 0.1, for one release: what they are called now.
_RENAMED = {
    "conditional": "kernels.conditional",
    "corpus": "corpora.corpus",
    "driver": "running.driver",
    "models.dependency": "models.labeled",
    "models.plda": "models.labeled",
    "models.prior": "models.labeled",
    "priors": "corpora.priors",  # which stays, as a public name
    "results": "running.results",
    "sharding": "running.placement",
    "store": "running.store",
}

__all__ = ["__version__", *sorted(_MODULES | _NAMES)]


class _Renamed(MetaPathFinder, Loader):
    """Finds modules by their old names, with a warning; what is in them is in the new ones."""

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """Of an old name only; others are not asked for here."""
        package, _, name = fullname.partition(".")
        return ModuleSpec(fullname, self) if package == "jaxlda" and name in _RENAMED else None

    def exec_module(self, module: ModuleType) -> None:
        """Look everything up in the new module."""
        name = module.__name__.partition(".")[2]
        new = f"jaxlda.{_RENAMED[name]}"
        if name not in _MODULES:
            text = f"{module.__name__} is now {new}; the old name goes with version 0.3"
            warnings.warn(text, DeprecationWarning, stacklevel=2)
        found = import_module(new)
        vars(module).update({name: getattr(found, name) for name in found.__all__}, __all__=found.__all__)
        module.__getattr__ = partial(getattr, found)  # type: ignore[method-assign]


sys.meta_path.append(_Renamed())


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        value = import_module(f"jaxlda.{_MODULES[name]}")
    elif name in _NAMES:
        value = getattr(import_module(f"jaxlda.{_NAMES[name]}"), name)
    elif name in _RENAMED:
        value = import_module(f"jaxlda.{name}")
    else:
        raise AttributeError(f"module 'jaxlda' has no attribute {name!r}; it has {', '.join(__all__[1:])}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
