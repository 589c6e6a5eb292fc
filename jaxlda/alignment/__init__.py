"""Which topic is which: across chains, draws, runs and models, and how stable each of them is."""

from jaxlda.alignment.chains import Average, ChainAlignment, Stability, align_all, average
from jaxlda.alignment.comparison import Comparison, Pair, compare
from jaxlda.alignment.distances import distance, similarity
from jaxlda.alignment.matching import Alignment, Mixture, align
from jaxlda.alignment.relabeling import relabel

__all__ = [
    "Alignment",
    "Average",
    "ChainAlignment",
    "Comparison",
    "Mixture",
    "Pair",
    "Stability",
    "align",
    "align_all",
    "average",
    "compare",
    "distance",
    "relabel",
    "similarity",
]
