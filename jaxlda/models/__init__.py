"""Models shaped like scikit-learn's: fit, transform, score."""

from jaxlda.models._from_run import from_run
from jaxlda.models._stored import load
from jaxlda.models.dependency import DependencyLDA
from jaxlda.models.labeled import LabeledLDA
from jaxlda.models.lda import LDA
from jaxlda.models.plda import PLDA
from jaxlda.models.prior import PriorLDA

__all__ = ["LDA", "PLDA", "DependencyLDA", "LabeledLDA", "PriorLDA", "from_run", "load"]
