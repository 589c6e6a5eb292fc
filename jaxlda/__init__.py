"""Latent Dirichlet Allocation in JAX: many compiled Gibbs chains, and dense estimates from sparse samples.

Public names load on first use, so that ``import jaxlda`` costs little more than ``import jax``.
"""

from importlib import import_module
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _LAZY below, for type checkers and editors
    from jaxlda import types as types

__version__ = version("jaxlda")

# Public name -> where it lives: a module of the package, or "module:attribute".
_LAZY = {
    "types": "types",
}

__all__ = ["__version__", *sorted(_LAZY)]


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
    return sorted({*globals(), *_LAZY})
