"""One chain, as most of the experiments want it."""

import jax

from jaxlda import kernels
from jaxlda.running import driver
from jaxlda.types import Data, Sample

__all__ = ["one_sample"]


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
