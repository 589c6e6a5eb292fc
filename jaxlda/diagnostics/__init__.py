"""How far a result can be believed."""

from jaxlda.diagnostics.arviz import ess, inference_data, mcse, rhat
from jaxlda.diagnostics.autocorrelation import autocorrelation, correlation_time
from jaxlda.diagnostics.convergence import Diagnostics, Line, diagnose, rhat_limit
from jaxlda.diagnostics.export import to_arviz
from jaxlda.diagnostics.labels import Labels, label
from jaxlda.diagnostics.quantities import NOTED, Quantity

__all__ = [
    "NOTED",
    "Diagnostics",
    "Labels",
    "Line",
    "Quantity",
    "autocorrelation",
    "correlation_time",
    "diagnose",
    "ess",
    "inference_data",
    "label",
    "mcse",
    "rhat",
    "rhat_limit",
    "to_arviz",
]
