"""Where chains run.

On a CPU every chain is a computation of its own, and a thread for each keeps all cores busy: XLA runs computations that
different threads start side by side, even on one device. On accelerators the chains of a device are batched, because
one chain alone would leave most of it idle. Several devices share the chains out between them.
"""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax

__all__ = ["CHAIN_METHODS", "Group", "check_method", "num_workers", "share_out"]

CHAIN_METHODS = ("parallel", "sequential", "vectorized")


def check_method(method: Any) -> None:
    """Refuse ways to run chains that there are not.

    >>> check_method("fast")
    Traceback (most recent call last):
    ...
    ValueError: chain_method must be one of 'parallel', 'sequential', 'vectorized', not 'fast'.
    """
    if method not in CHAIN_METHODS:
        raise ValueError(f"chain_method must be one of {', '.join(map(repr, CHAIN_METHODS))}, not {method!r}.")


class Group(NamedTuple):
    """Chains that run as one computation on one device."""

    chains: tuple[int, ...]
    device: jax.Device
    batched: bool
    """Whether the chains run under ``vmap``; otherwise there is one."""


def share_out(num_chains: int, method: str | None = None, devices: Sequence[jax.Device] | None = None) -> list[Group]:
    """Share chains out between devices.

    Parameters
    ----------
    method
        ``"parallel"``: a thread for each chain (the default on CPU); ``"sequential"``: one chain after another;
        ``"vectorized"``: the chains of a device at once (the default on accelerators).
    devices
        All devices of JAX's default backend if not given.

    >>> [group.chains for group in share_out(3, "parallel")]
    [(0,), (1,), (2,)]
    >>> [group.chains for group in share_out(3, "vectorized", jax.devices()[:1])]
    [(0, 1, 2)]
    """
    if num_chains < 1:
        raise ValueError(f"num_chains must be at least 1, not {num_chains}.")
    devices = list(devices or jax.devices())
    if method is None:
        method = "parallel" if devices[0].platform == "cpu" else "vectorized"
    check_method(method)
    chains = range(num_chains)
    if method == "vectorized":
        shares = [tuple(chains[i :: len(devices)]) for i in range(len(devices))]
        return [Group(share, device, True) for share, device in zip(shares, devices, strict=True) if share]
    used = devices if method == "parallel" else devices[:1]
    return [Group((chain,), used[chain % len(used)], False) for chain in chains]


def num_workers(groups: Sequence[Group], method: str | None) -> int:
    """How many threads to start for these groups: no more than cores, one if chains shall wait for each other.

    >>> num_workers(share_out(3, "sequential"), "sequential")
    1
    """
    if method == "sequential":
        return 1
    return max(1, min(len(groups), os.cpu_count() or 1))
