"""Texts as one array of NumPy, in which every text takes as much room as the longest."""

from collections.abc import Collection

import numpy as np

__all__ = ["as_array"]

MOST = 1 << 30  # bytes, four for a character


def as_array(texts: Collection[str], what: str = "the words") -> np.ndarray:
    """A unicode array of the texts, unless a few that are far too long make it larger than a gigabyte.

    >>> as_array(["cat", "mouse"]).dtype
    dtype('<U5')
    >>> as_array(["x" * 100_000, *map(str, range(5000))])
    Traceback (most recent call last):
    ...
    ValueError: the words need 2.0 GB of memory, more than the 1.1 allowed: ...
    """
    longest = max(texts, key=len, default="")
    size = 4 * len(texts) * len(longest)
    if size > MOST:
        raise ValueError(
            f"{what} need {size / 1e9:.1f} GB of memory, more than the {MOST / 1e9:.1f} allowed: there are "
            f"{len(texts):,}, and one of them, {longest[:20]!r}..., has {len(longest):,} characters. It is no word but "
            r"encoded data, perhaps: leave such out, with min_df=2 or token_pattern=r'\b\w{2,50}\b', say"
        )
    return np.array(texts, dtype=str)
