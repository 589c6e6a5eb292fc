"""Inference algorithms, one per file. A new one is a file, and a line here."""

from jaxlda.kernels.auto import Chosen, choose
from jaxlda.kernels.blocks import blocks
from jaxlda.kernels.cgs import cgs
from jaxlda.kernels.cvb0 import cvb0
from jaxlda.kernels.effects import learn_effects
from jaxlda.kernels.hyper import learn_alpha, learn_beta
from jaxlda.kernels.light import light
from jaxlda.kernels.names import described, find
from jaxlda.kernels.online_vb import online_vb
from jaxlda.kernels.pcgs import pcgs
from jaxlda.kernels.registry import KERNELS, kernel, wrapper
from jaxlda.kernels.sparse import sparse
from jaxlda.kernels.vb import vb
from jaxlda.kernels.warp import warp

__all__ = [
    "KERNELS",
    "Chosen",
    "blocks",
    "cgs",
    "choose",
    "cvb0",
    "described",
    "find",
    "kernel",
    "learn_alpha",
    "learn_beta",
    "learn_effects",
    "light",
    "online_vb",
    "pcgs",
    "sparse",
    "vb",
    "warp",
    "wrapper",
]
