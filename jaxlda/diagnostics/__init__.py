"""How far a result can be believed."""

from jaxlda.alignment.labels import Labels, label
from jaxlda.diagnostics.agreement import rhat_limit
from jaxlda.diagnostics.arviz import ess, inference_data, mcse
from jaxlda.diagnostics.assessment import Assessment, assess
from jaxlda.diagnostics.autocorrelation import autocorrelation, correlation_time
from jaxlda.diagnostics.convergence import Diagnostics, Line, diagnose
from jaxlda.diagnostics.export import to_arviz
from jaxlda.diagnostics.quantities import NOTED, Quantity
from jaxlda.diagnostics.scores import rhat, rhat_nested

__all__ = [
    "NOTED",
    "Assessment",
    "Diagnostics",
    "Labels",
    "Line",
    "Quantity",
    "assess",
    "autocorrelation",
    "correlation_time",
    "diagnose",
    "ess",
    "inference_data",
    "label",
    "mcse",
    "rhat",
    "rhat_limit",
    "rhat_nested",
    "to_arviz",
]
