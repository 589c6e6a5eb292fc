"""Warnings that show the line of the user's own program, however deep in the library they are given."""

import sys
import warnings

__all__ = ["warn"]

# Packages whose functions may stand between that line and the warning: scikit-learn wraps ``transform``, say.
_BETWEEN = ("jaxlda", "jaxlda_app", "sklearn", "jaxtyping", "beartype", "contextlib")


def warn(message: str, category: type[Warning] = UserWarning) -> None:
    """Give a warning that points at the line that called the library.

    >>> with warnings.catch_warnings(record=True) as told:
    ...     warnings.simplefilter("always")
    ...     warn("the texts are empty")
    >>> str(told[0].message)
    'the texts are empty'
    """
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)
