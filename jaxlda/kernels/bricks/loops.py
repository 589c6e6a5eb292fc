"""Loops over tokens that are the same computation for one chain and for many."""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jax import lax
from jax.custom_batching import custom_vmap

__all__ = ["token_loop"]


def token_loop(loop: Callable) -> Callable:
    """Make a sequential loop over tokens the same computation alone and under ``vmap``.

    Batched on a CPU (several chains under ``vmap``) the loop runs once a chain, in the very form it has for one chain:
    equally fast, and equal to the last bit. On an accelerator the batch is what keeps the device busy.

    >>> import jax.numpy as jnp
    >>> double = token_loop(lambda x: lax.fori_loop(0, 3, lambda i, y: y + x, x))
    >>> jax.vmap(double)(jnp.arange(2.0)).tolist()
    [0.0, 4.0]
    """

    @custom_vmap
    def call(*args: Any) -> Any:
        return loop(*args)

    @call.def_vmap
    def batched(axis_size: int, in_batched: Any, *args: Any) -> Any:
        leaves, tree = jax.tree.flatten(args)
        rebuild = partial(jax.tree.unflatten, tree)
        mapped = jax.tree.leaves(in_batched)

        def one_by_one(*leaves: Any) -> Any:
            def single(own: list) -> Any:
                own_leaves = iter(own)
                both = zip(leaves, mapped, strict=True)
                return loop(*rebuild([next(own_leaves) if batched else leaf for leaf, batched in both]))

            return lax.map(single, [leaf for leaf, batched in zip(leaves, mapped, strict=True) if batched])

        def together(*leaves: Any) -> Any:
            in_axes = [0 if batched else None for batched in mapped]
            return jax.vmap(lambda *own: loop(*rebuild(own)), in_axes)(*leaves)

        out = lax.platform_dependent(*leaves, cpu=one_by_one, default=together)
        return out, jax.tree.map(lambda _: True, out)

    return call
