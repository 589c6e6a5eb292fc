"""The views, in the order of the page."""

from jaxlda_app.views._view import View
from jaxlda_app.views.run import RunView

__all__ = ["VIEWS", "View"]

VIEWS: tuple[type[View], ...] = (RunView,)
