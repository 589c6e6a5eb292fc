"""Loops over tokens: one after another, in place, and the same computation for one chain and for many."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
from jax import lax
from jax.custom_batching import custom_vmap
from jaxtyping import Array, Bool, UInt32

__all__ = ["apart", "fold_chunks", "fold_tokens", "split_by", "token_loop"]

Carried = TypeVar("Carried")
Change = TypeVar("Change")


def fold_tokens(
    size: UInt32[Array, ""],
    tables: Carried,
    nothing: Change,
    visit: Callable[[UInt32[Array, ""], Carried], tuple[Carried, Change]],
    apply: Callable[[Carried, Change], Carried],
    first: UInt32[Array, ""] | int = 0,
    more: Callable[[UInt32[Array, ""]], Bool[Array, ""]] = lambda i: jnp.bool_(True),
) -> Carried:
    """Visit tokens ``first`` to ``size - 1``, each seeing the changes of all before it.

    What a visit changes is applied at the start of the next one: a loop body that reads a table and later writes it
    makes XLA copy the whole table for every token (see ``rows``); reading after writing does not.

    Parameters
    ----------
    size
        The number of tokens.
    tables
        What visits read and changes alter.
    nothing
        A change that changes nothing, for the first round.
    visit
        ``(i, tables) -> (tables, change)``. What it writes to the tables itself, it must write before it reads.
    apply
        ``(tables, change) -> tables``.
    first
        The number of the first token.
    more
        ``i -> whether``: the first token that is not to be visited ends the loop.

    Examples
    --------
    >>> seen = jnp.zeros(4)
    >>> visit = lambda i, seen: (seen, (i, seen.sum() + 1))
    >>> fold_tokens(jnp.uint32(4), seen, (jnp.uint32(0), 0.0), visit, lambda seen, c: seen.at[c[0]].set(c[1])).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """

    def body(carry: tuple) -> tuple:
        i, tables, change = carry
        return i + 1, *visit(i, apply(tables, change))

    def goes_on(carry: tuple) -> Array:
        return (carry[0] < size) & more(carry[0])

    _, tables, change = lax.while_loop(goes_on, body, (jnp.uint32(first), tables, nothing))
    return apply(tables, change)


def fold_chunks(
    size: int,
    chunk: int,
    tables: Carried,
    visit: Callable[[UInt32[Array, " c"], Bool[Array, " c"], Carried], Carried],
) -> Carried:
    """Visit tokens a chunk at a time, each chunk seeing the changes of those before: what accelerators want.

    Parameters
    ----------
    size, chunk
        The number of tokens, and how many are visited at once; fewer where there are not so many.
    tables
        What visits read and change.
    visit
        ``(index, fresh, tables) -> tables``. The last chunk is filled up with copies of the last token, not ``fresh``.

    Examples
    --------
    >>> x = jnp.arange(5.0)
    >>> float(fold_chunks(5, 2, 0.0, lambda i, fresh, total: total + jnp.where(fresh, x[i], 0).sum()))
    10.0
    """
    chunk = min(chunk, size)

    def body(i: Array, tables: Carried) -> Carried:
        index = i.astype(jnp.uint32) * chunk + jnp.arange(chunk, dtype=jnp.uint32)
        return visit(jnp.minimum(index, jnp.uint32(size - 1)), index < size, tables)

    return lax.fori_loop(0, -(-size // chunk), body, tables) if size else tables


def split_by(sizes: list[int], x: Array) -> list[Array]:
    """Cut an array into parts of these sizes.

    >>> [part.tolist() for part in split_by([1, 2], jnp.arange(3))]
    [[0], [1, 2]]
    """
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [lax.slice_in_dim(x, end - size, end) for size, end in zip(sizes, ends, strict=True)]


def apart(wanted: Bool[Array, ""], make: Callable[[], Any]) -> Any:
    """What ``make`` gives, made once, before anybody reads it; where it is not wanted, it may be zeros.

    XLA makes arrays anew in every loop that reads them, and one number at a time where that loop looks up others. On a
    CPU it forgets ``lax.optimization_barrier`` before it does so, and only a condition it cannot foresee keeps it off.

    >>> apart(jnp.bool_(True), lambda: jnp.arange(3)).tolist()
    [0, 1, 2]
    """

    def nothing() -> Any:
        return jax.tree.map(jnp.zeros_like, jax.eval_shape(make))

    return lax.platform_dependent(cpu=lambda: lax.cond(wanted, make, nothing), default=make)


def token_loop(loop: Callable) -> Callable:
    """Make a sequential loop over tokens the same computation alone and under ``vmap``.

    Batched on a CPU (several chains under ``vmap``) the loop runs once per chain, in the form it has for one chain:
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
