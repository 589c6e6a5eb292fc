"""Algorithms in words: ``"cvb0(chunk=256)"`` in the command line, in files and in the dashboard."""

import ast
import inspect
from typing import Any

from jaxlda.kernels.registry import DEFERRED, KERNELS, WRAPPERS, made_anew
from jaxlda.types import Algorithm, Online

__all__ = ["described", "find"]

LONGEST = 1000  # characters; algorithms in algorithms, ever deeper, cannot be compared


def described(algorithm: Algorithm) -> str:
    """Spell an algorithm with all its options, such that :func:`find` finds it again.

    Examples
    --------
    >>> from jaxlda.kernels import cgs, learn_beta
    >>> described(learn_beta(cgs(), every=5))
    'learn_beta(algorithm=cgs, every=5, start=50, num_iterations=5)'
    """
    if made_anew(algorithm.name, algorithm.options) != algorithm:
        raise ValueError(
            f"the algorithm {algorithm.name!r} is one of your own and cannot be saved by name. Register the function "
            "that makes it wherever it is saved or loaded: decorate it with jaxlda.kernels.kernel (registered so far: "
            f"{', '.join(map(repr, KERNELS))})"
        )
    options = ", ".join(f"{name}={_spelled(value)}" for name, value in algorithm.options)
    return f"{algorithm.name}({options})" if options else algorithm.name


def _spelled(value: Any) -> str:
    return described(value) if isinstance(value, Algorithm) else repr(value)


def find(kernel: Any) -> Algorithm:
    """The algorithm a user means: by name, by name and options, or an algorithm itself.

    Nothing in the text is executed: options are plain numbers, texts, or the names of other algorithms.

    Examples
    --------
    >>> find("cvb0(chunk=128)").options
    (('chunk', 128),)
    >>> find("gibs")
    Traceback (most recent call last):
    ...
    ValueError: there is no kernel 'gibs'; known are 'cgs', ...
    """
    if isinstance(kernel, Algorithm):
        if not hasattr(kernel.objective, "__name__"):
            raise TypeError(
                f"the objective of the algorithm {kernel.name!r} is a {type(kernel.objective).__name__} without a "
                "name, and is traced by its name: define it as a function"
            )
        return kernel
    if isinstance(kernel, Online):
        raise TypeError(f"{kernel.name} learns from mini-batches: call its update with one after another")
    if not isinstance(kernel, str):
        raise TypeError(f"kernel must be a name or an Algorithm such as jaxlda.kernels.cgs(); got {kernel!r}")
    if len(kernel) > LONGEST:
        raise ValueError(
            f"the name of a kernel, with its options, has at most {LONGEST} characters; got {kernel!r:.60}..."
        )
    try:
        return _made(ast.parse(kernel.strip(), mode="eval").body, kernel)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(
            f"{kernel!r} is not the name of a kernel, nor a name with options such as 'cvb0(chunk=256)'; known are "
            f"{', '.join(map(repr, KERNELS))}"
        ) from None


def _made(node: ast.expr, text: str) -> Algorithm:
    call = node if isinstance(node, ast.Call) else ast.Call(node, [], [])
    if not isinstance(call.func, ast.Name):
        raise SyntaxError
    name = call.func.id
    make = KERNELS.get(name) or WRAPPERS.get(name) or DEFERRED.get(name)
    if make is None:
        known = ", ".join(map(repr, (*KERNELS, *DEFERRED, *WRAPPERS)))
        raise ValueError(f"there is no kernel {name!r}; known are {known}")
    names = [option.arg for option in call.keywords]
    if None in names:
        raise SyntaxError
    if len(set(names)) < len(names):
        raise ValueError(f"the kernel {text!r} has an option twice")
    try:
        args = [_value(arg, text) for arg in call.args]
        return make(*args, **{str(option.arg): _value(option.value, text) for option in call.keywords})
    except TypeError as error:
        options = inspect.signature(make).parameters
        if unknown := [option for option in names if option not in options]:
            raise ValueError(f"{name} has no option {unknown[0]!r}; it has {', '.join(options) or 'none'}") from None
        raise ValueError(f"the kernel {text!r} does not fit: {error}") from None


def _value(node: ast.expr, text: str) -> Any:
    try:
        return ast.literal_eval(node)
    except ValueError:
        return _made(node, text)
