"""Files and other programs' objects: into corpora, and into samples that the estimators take like our own.

Names load on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # the same names as in _LAZY below, for type checkers and editors
    from jaxlda.io.extreme import from_multilabel as from_multilabel
    from jaxlda.io.extreme import read_extreme as read_extreme
    from jaxlda.io.mulan import read_mulan as read_mulan

# Public name -> the module of this package that has it.
_LAZY = {
    "from_multilabel": "extreme",
    "read_extreme": "extreme",
    "read_mulan": "mulan",
}

__all__ = sorted(_LAZY)


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'jaxlda.io' has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"jaxlda.io.{_LAZY[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return list(__all__)
