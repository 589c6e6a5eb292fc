"""Where chains run.

On a CPU every chain is a computation of its own, and a thread for each keeps all cores busy: XLA runs computations that
different threads start side by side, even on one device. On accelerators the chains of a device are batched, because
one chain alone would leave most of it idle. Several devices share the chains out between them; or, ``"sharded"``, the
documents of every chain: then the corpus may be larger than the memory of one, and devices may belong to several
processes.
"""

import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.sharding import Mesh

from jaxlda.corpora.numbers import one_of, positive_int

__all__ = ["AXES", "CHAIN_METHODS", "Group", "mesh_of", "num_workers", "platform_of", "share_out"]

CHAIN_METHODS = ("parallel", "sequential", "vectorized", "sharded")
AXES = ("chain", "doc")
"""Of a mesh of devices: those of a row share the documents of its chains."""


class Group(NamedTuple):
    """Chains that run as one computation on one device."""

    chains: tuple[int, ...]
    device: jax.Device
    batched: bool
    """Whether the chains run under ``vmap``; otherwise there is one."""
    shards: Any = None
    """How several devices share the documents (``jaxlda.running.shards``); ``None``: the one device has them all."""


def mesh_of(
    num_chains: int, method: str | None, devices: Sequence[jax.Device] | Mesh | None, learning: bool = True
) -> Mesh | None:
    """The devices (chain, doc) that share documents; ``None`` where chains run each on one device.

    Several processes share documents unless they are told otherwise, or the topics are known: then each infers what it
    is asked for.

    >>> mesh_of(4, "sharded", jax.devices()[:1]).shape["doc"]
    1
    """
    if not isinstance(devices, Mesh):
        unasked = method is None and devices is None and learning and jax.process_count() > 1
        if method != "sharded" and not unasked:
            return None
        return Mesh(np.array(_as_devices(devices) or jax.devices()).reshape(1, -1), AXES)
    if method not in (None, "sharded"):
        raise ValueError(f"a mesh of devices shares documents: leave chain_method={method!r} away, or give a list")
    if devices.axis_names != AXES:
        raise ValueError(f"a mesh of devices must have the axes {AXES}, as jax.make_mesh((2, 4), {AXES}) gives them")
    if num_chains % devices.shape[AXES[0]]:
        raise ValueError(f"{num_chains} chains cannot be dealt out evenly to {devices.shape[AXES[0]]} rows of devices")
    if jax.process_index() not in {device.process_index for device in devices.devices.flat}:
        raise ValueError("the mesh has no device of this process: give one with devices of all processes")
    return Mesh(devices.devices, AXES)  # whatever its axes were to JAX before


def platform_of(devices: Sequence[jax.Device] | Mesh | None) -> str | None:
    """What kind of devices these are; ``None`` where nobody has said.

    >>> platform_of(jax.devices("cpu"))
    'cpu'
    """
    given = list(devices.devices.flat) if isinstance(devices, Mesh) else _as_devices(devices)
    return given[0].platform if given else None


def _as_devices(devices: Any) -> list[jax.Device]:
    found = [] if devices is None else [devices] if isinstance(devices, jax.Device) else devices
    if not isinstance(found, list | tuple) or not all(isinstance(device, jax.Device) for device in found):
        raise TypeError(f"devices must be a list such as jax.devices(), or a mesh; got {devices!r:.60}")
    return list(found)


def share_out(num_chains: int, method: str | None = None, devices: Sequence[jax.Device] | None = None) -> list[Group]:
    """Share chains out between devices.

    Parameters
    ----------
    method
        ``"parallel"``: a thread for each chain (the default on CPU); ``"sequential"``: one chain after another;
        ``"vectorized"``: the chains of a device at once (the default on accelerators).
    devices
        All devices of this process if not given.

    >>> [group.chains for group in share_out(3, "parallel")]
    [(0,), (1,), (2,)]
    >>> [group.chains for group in share_out(3, "vectorized", jax.devices()[:1])]
    [(0, 1, 2)]
    """
    positive_int(num_chains, "num_chains")
    devices = _as_devices(devices) or jax.local_devices()
    if method is None:
        method = "parallel" if devices[0].platform == "cpu" else "vectorized"
    one_of(method, "chain_method", CHAIN_METHODS)
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
