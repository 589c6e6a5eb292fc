"""One chain, as most of the experiments want it."""

from collections.abc import Iterator, Sequence
from typing import Any

import jax

from jaxlda import kernels
from jaxlda.running import driver
from jaxlda.types import Data, Sample

__all__ = ["one_sample", "samples_after"]


def one_sample(data: Data, sweeps: int, seed: int, kernel: str = "cgs") -> Sample:
    """The state of one chain after some sweeps; Ctrl-C gives nothing."""
    run = driver.run(
        jax.random.key(seed),
        kernels.KERNELS[kernel](),
        data,
        num_warmup=0,
        num_samples=1,
        thinning=sweeps,
        trace_every=0,
        soft=False,
        keep_partial=False,
    )
    return run.chain(0)


def samples_after(data: Data, sweeps: Sequence[int], seed: int, kernel: str = "cgs") -> Iterator[Sample]:
    """The states of one chain after each of these sweeps."""
    options: dict[str, Any] = {"num_warmup": sweeps[-1], "num_samples": 0, "block": 1, "trace_every": 0, "soft": False}
    for now in driver.run_blocks(jax.random.key(seed), kernels.KERNELS[kernel](), data, **options):
        if now.sweep in sweeps:
            yield now.chain(0)
