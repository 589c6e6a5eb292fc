"""Inference algorithms, one a file. A new one is a file and a line in ``KERNELS``."""

from collections.abc import Callable

from jaxlda.kernels.cgs import cgs
from jaxlda.kernels.cvb0 import cvb0
from jaxlda.kernels.hyper import learn_alpha, learn_beta, learned_priors
from jaxlda.kernels.vb import vb
from jaxlda.types import Algorithm

__all__ = ["KERNELS", "cgs", "cvb0", "learn_alpha", "learn_beta", "learned_priors", "vb"]

KERNELS: dict[str, Callable[[], Algorithm]] = {"cgs": cgs, "cvb0": cvb0, "vb": vb}
"""Every algorithm by the name users choose it with."""
