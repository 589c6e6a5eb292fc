"""Algorithms in words, which can be stored and compared; functions cannot."""

from typing import Any

from jaxlda.kernels import KERNELS, learn_alpha, learn_beta
from jaxlda.kernels.hyper import unwrapped
from jaxlda.types import Algorithm

__all__ = ["described", "find", "from_description"]

WRAPPERS = {"learn_alpha": learn_alpha, "learn_beta": learn_beta}


def described(algorithm: Algorithm) -> dict[str, Any]:
    """Say by which function and options of ``jaxlda.kernels`` an algorithm was made.

    Examples
    --------
    >>> described(learn_beta(KERNELS["cgs"](), every=5))["algorithm"]
    {'name': 'cgs'}
    """
    for name, make in KERNELS.items():
        if make() == algorithm:
            return {"name": name}
    if wrapped := unwrapped(algorithm):
        inner, name, options = wrapped
        return {"name": name, "options": options, "algorithm": described(inner)}
    raise ValueError(
        "an algorithm of one's own has no name to be saved under. Give it one wherever it is saved or loaded: "
        f"jaxlda.kernels.KERNELS['mine'] = a function that returns it (named so far: {', '.join(map(repr, KERNELS))})"
    )


def from_description(description: dict[str, Any]) -> Algorithm:
    """The algorithm that :func:`described` describes: the same one, not a copy.

    Examples
    --------
    >>> from_description({"name": "cgs"}) == KERNELS["cgs"]()
    True
    """
    name = description["name"]
    if name in WRAPPERS:
        return WRAPPERS[name](from_description(description["algorithm"]), **description["options"])
    if name not in KERNELS:
        raise ValueError(
            f"there is no kernel {name!r} in jaxlda.kernels.KERNELS, which has {', '.join(map(repr, KERNELS))}; if it "
            "is one of your own, add it there first"
        )
    return KERNELS[name]()


def find(kernel: Any) -> Algorithm:
    """The algorithm a user means by a name of ``KERNELS``, or an algorithm itself.

    >>> find("gibs")
    Traceback (most recent call last):
    ...
    ValueError: there is no kernel 'gibs'; known are 'cgs', 'cvb0', 'vb'
    """
    if isinstance(kernel, Algorithm):
        return kernel
    if not isinstance(kernel, str):
        raise TypeError(f"kernel must be a name or an Algorithm such as jaxlda.kernels.cgs(); got {kernel!r}")
    if kernel not in KERNELS:
        raise ValueError(f"there is no kernel {kernel!r}; known are {', '.join(map(repr, KERNELS))}")
    return KERNELS[kernel]()
