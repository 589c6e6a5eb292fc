"""Loops over tokens as one native function, on CPU.

XLA's CPU runtime dispatches every small operation of a loop's body by itself, more than a microsecond a token;
compiled as one native function the same loop takes 50 to 100 nanoseconds. JAX 0.12 does that unasked. Before, a
backend option in ``XLA_FLAGS`` asks for it, read once when the backend starts: ``enable`` sets it when ``jaxlda`` is
imported. It concerns all loops of the process, and can be turned off with ``JAXLDA_NATIVE=0`` in the environment.

(JAX 0.10 can also be asked for a single function, by metadata ``xla_cpu_small_call``. Measured: code 1.3 to 1.5 times
slower than with the option, and an abort of the process when these loops are combined with ``platform_dependent``.)
"""

import os
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
from jax import lax
from jax._src import xla_bridge  # no public function tells whether the backend has started
from jax.custom_batching import custom_vmap

__all__ = ["enable", "token_loop"]

_OPTION = "xla_cpu_small_while_loop_byte_threshold"
_UNASKED = (0, 12)  # the JAX version from which such loops are native without our help


def _version() -> tuple[int, ...]:
    return tuple(int(part) for part in jax.__version__.split(".")[:2])


def enable() -> None:
    """Ask XLA for native loops, if it has to be asked and still listens."""
    flags = os.environ.get("XLA_FLAGS", "")
    if _version() >= _UNASKED or _OPTION in flags or os.environ.get("JAXLDA_NATIVE") == "0":
        return
    flag = f"--xla_backend_extra_options={_OPTION}=1000000000"
    if xla_bridge.backends_are_initialized() or "xla_backend_extra_options" in flags:
        warnings.warn(
            "jaxlda was imported after JAX had started its backend (or with other xla_backend_extra_options), too late "
            "to ask for natively compiled loops: sampling on CPU will be about ten times slower. Import jaxlda before "
            f"the first JAX operation, or set XLA_FLAGS={flag} in the environment. JAXLDA_NATIVE=0 silences this.",
            RuntimeWarning,
            stacklevel=3,
        )
        return
    os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip()


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
