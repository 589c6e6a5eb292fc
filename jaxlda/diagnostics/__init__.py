"""How far a result can be believed."""

from jaxlda.diagnostics.arviz import ess, rhat

__all__ = ["ess", "rhat"]
