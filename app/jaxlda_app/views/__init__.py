"""The views, in the order of the menu."""

from jaxlda_app.views._view import PlainText, View
from jaxlda_app.views.compare import CompareView
from jaxlda_app.views.convergence import ConvergenceView
from jaxlda_app.views.data import DataView
from jaxlda_app.views.documents import DocumentsView
from jaxlda_app.views.estimates import EstimatesView
from jaxlda_app.views.export import ExportView
from jaxlda_app.views.fit import FitView
from jaxlda_app.views.kept import KeptView
from jaxlda_app.views.labels import LabelsView
from jaxlda_app.views.learn import LearnView
from jaxlda_app.views.topics import TopicsView

__all__ = ["VIEWS", "PlainText", "View"]

VIEWS: tuple[type[View], ...] = (
    LearnView,
    DataView,
    FitView,
    TopicsView,
    DocumentsView,
    CompareView,
    ConvergenceView,
    EstimatesView,
    LabelsView,
    ExportView,
    KeptView,
)
"""The one list of them: a view that stands here is in the menu."""
