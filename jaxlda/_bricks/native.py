"""Loops over tokens as one native function, on CPU.

XLA's CPU runtime dispatches every small operation of a loop's body by itself, about 1.5 microseconds a token; compiled as
one native function the same loop takes 50 to 100 nanoseconds. JAX 0.12 does that unasked. Before, there are two ways:

* a backend option in ``XLA_FLAGS``, read once when the backend starts: ``enable`` sets it when ``jaxlda`` is imported first;
* metadata on a single function, which works at any time but yields code 1.3 to 1.5 times slower: the fallback when the
  backend was running before ``jaxlda`` was imported.

``JAXLDA_NATIVE=0`` in the environment turns both off.
"""

import os
from collections.abc import Callable
from typing import Any

import jax
from jax import lax
from jax._src import xla_bridge
from jax.custom_batching import custom_vmap
from jax.experimental.xla_metadata import set_xla_metadata

__all__ = ["enable", "token_loop"]

_OPTION = "xla_cpu_small_while_loop_byte_threshold"
_UNASKED = (0, 12)  # the JAX version from which such loops are native without our help


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in jax.__version__.split(".")[:2])


def enable() -> None:
    """Ask XLA for native loops, if it has to be asked and still listens."""
    if _version() >= _UNASKED or os.environ.get("JAXLDA_NATIVE") == "0":
        return
    flags = os.environ.get("XLA_FLAGS", "")
    if not xla_bridge.backends_are_initialized() and "xla_backend_extra_options" not in flags:
        os.environ["XLA_FLAGS"] = f"{flags} --xla_backend_extra_options={_OPTION}=1000000000".strip()


def _must_ask_per_function() -> bool:
    return (
        _version() < _UNASKED
        and _OPTION not in os.environ.get("XLA_FLAGS", "")
        and os.environ.get("JAXLDA_NATIVE") != "0"
    )


def _as_native_call(loop: Callable) -> Callable:
    inner = jax.jit(loop)

    def call(*args: Any) -> Any:
        with set_xla_metadata(xla_cpu_small_call="true", inlineable="false"):
            return inner(*args)

    return call


def token_loop(loop: Callable) -> Callable:
    """Make a sequential loop over tokens fast on its own and correct under ``vmap``.

    Batched on a CPU (several chains under ``vmap``) the loop runs once a chain, in the very form it has for one chain:
    equally fast, and equal to the last bit. On an accelerator the batch is what keeps the device busy.

    >>> import jax.numpy as jnp
    >>> double = token_loop(lambda x: lax.fori_loop(0, 3, lambda i, y: y + x, x))
    >>> jax.vmap(double)(jnp.arange(2.0)).tolist()
    [0.0, 4.0]
    """

    def on_cpu(*args: Any) -> Any:
        return (_as_native_call(loop) if _must_ask_per_function() else loop)(*args)

    @custom_vmap
    def call(*args: Any) -> Any:
        return lax.platform_dependent(*args, cpu=on_cpu, default=loop)

    @call.def_vmap
    def batched(axis_size: int, in_batched: Any, *args: Any) -> Any:
        leaves, tree = jax.tree.flatten(args)
        mapped = jax.tree.leaves(in_batched)

        def one_by_one(*leaves: Any) -> Any:
            def single(own: list) -> Any:
                own = iter(own)
                return on_cpu(*tree.unflatten(next(own) if b else leaf for leaf, b in zip(leaves, mapped, strict=True)))

            return lax.map(single, [leaf for leaf, b in zip(leaves, mapped, strict=True) if b])

        def together(*leaves: Any) -> Any:
            in_axes = [0 if b else None for b in mapped]
            return jax.vmap(lambda *own: loop(*tree.unflatten(own)), in_axes)(*leaves)

        out = lax.platform_dependent(*leaves, cpu=one_by_one, default=together)
        return out, jax.tree.map(lambda _: True, out)

    return call
