"""Models shaped like scikit-learn's: fit, transform, score."""

from jaxlda.models._stored import load
from jaxlda.models.lda import LDA

__all__ = ["LDA", "load"]
