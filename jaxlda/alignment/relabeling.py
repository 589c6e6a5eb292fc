"""Topics put into the order of a reference."""

from typing import Any, TypeVar, overload

import jax.numpy as jnp
import numpy as np
from jaxtyping import Int

from jaxlda.types import Counts, Sample

__all__ = ["relabel"]

Labelled = TypeVar("Labelled", Counts, Sample)


@overload
def relabel(x: Labelled, permutation: Any, axis: None = None) -> Labelled: ...
@overload
def relabel(x: Any, permutation: Any, axis: int) -> np.ndarray: ...


def relabel(x: Any, permutation: Any, axis: int | None = None) -> Any:
    r"""Put the topics of anything into the order of a reference: :math:`y_k = x_{\pi(k)}`.

    Topics of the reference without a partner become NaN, and topics without a place in the reference are left out:
    after this, the rows of theta need not sum to 1. Integers have no NaN, so whole counts and z need every partner.

    Parameters
    ----------
    x
        An array with an axis of topics, a ``Counts`` (hard, soft or mean), or a ``Sample``.
    permutation
        ``(K,)`` of one chain, as :func:`align` gives it; or with the chains (and draws) in front, as :func:`align_all`
        does, for an ``x`` that has the same axes in front.
    axis
        The axis of an array that holds the topics: -1 for theta ``(..., D, K)``, -2 for phi ``(..., K, V)``.

    Examples
    --------
    >>> theta = np.array([[0.1, 0.2, 0.7], [0.5, 0.4, 0.1]])
    >>> relabel(theta, [2, 0, 1], axis=-1).tolist()
    [[0.7, 0.1, 0.2], [0.1, 0.5, 0.4]]
    >>> relabel(theta, [1, -1], axis=-1).tolist()
    [[0.2, nan], [0.4, nan]]

    Of two chains, one entry each:

    >>> relabel(np.stack([theta, theta]), [[0, 1, 2], [2, 1, 0]], axis=-1)[:, 0].tolist()
    [[0.1, 0.2, 0.7], [0.7, 0.2, 0.1]]
    """
    permutation = np.asarray(permutation)
    if permutation.dtype.kind not in "iu" or permutation.ndim == 0:
        raise TypeError(f"a permutation holds the numbers of topics, one for each topic; got {permutation!r:.60}")
    if isinstance(x, Counts):
        return Counts(*(jnp.asarray(_relabel(np.asarray(field), permutation, -1)) for field in x))
    if isinstance(x, Sample):
        z = None if x.z is None else jnp.asarray(_relabel_z(np.asarray(x.z), permutation, x.counts.n_k.shape[-1]))
        return Sample(relabel(x.counts, permutation), z)
    if axis is None:
        raise TypeError(
            "say which axis of the array holds the topics: axis=-1 for theta (D, K), axis=-2 for phi (K, V)"
        )
    return _relabel(np.asarray(x), permutation, axis)


def _relabel(x: np.ndarray, permutation: Int[np.ndarray, "*batch K"], axis: int) -> np.ndarray:
    batch = permutation.shape[:-1]
    axis = axis % x.ndim if -x.ndim <= axis < x.ndim else x.ndim
    if axis >= x.ndim or axis < len(batch) or x.shape[: len(batch)] != batch:
        raise ValueError(
            f"a permutation of shape {permutation.shape} needs an array that begins with {batch} and has an axis of "
            f"topics after that; got shape {x.shape} and topics on axis {axis}"
        )
    if permutation.size and (permutation.max() >= x.shape[axis] or permutation.min() < -1):
        raise ValueError(
            f"the permutation has topics {permutation.min()} to {permutation.max()}, x has {x.shape[axis]}"
        )
    index = np.expand_dims(permutation, tuple(i for i in range(len(batch), x.ndim) if i != axis))
    missing = index < 0
    if missing.any() and x.dtype.kind != "f":
        raise ValueError(
            f"{int((permutation < 0).sum())} topic(s) have no partner, which {x.dtype} has no number for (floats have "
            "NaN); convert it to floats, or leave these topics out of the permutation"
        )
    taken = np.take_along_axis(x, np.where(missing, 0, index), axis)
    return np.where(missing, np.nan, taken) if missing.any() else taken


def _relabel_z(z: np.ndarray, permutation: np.ndarray, K: int) -> np.ndarray:
    if permutation.shape[-1] != K or (np.sort(permutation, axis=-1) != np.arange(K)).any():
        raise ValueError(
            f"z can be relabelled only if every one of its {K} topics has a partner; relabel the counts, as floats"
        )
    return np.take_along_axis(np.argsort(permutation, axis=-1), z, axis=-1).astype(z.dtype)
