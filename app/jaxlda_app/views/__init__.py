"""The views, in the order of the page."""

from jaxlda_app.views._view import PlainText, View
from jaxlda_app.views.convergence import ConvergenceView
from jaxlda_app.views.counts import CountsView
from jaxlda_app.views.documents import DocumentsView
from jaxlda_app.views.estimators import EstimatorsView
from jaxlda_app.views.export import ExportView
from jaxlda_app.views.kept import KeptView
from jaxlda_app.views.labels import LabelsView
from jaxlda_app.views.learn import LearnView
from jaxlda_app.views.run import RunView
from jaxlda_app.views.topics import TopicsView

__all__ = ["VIEWS", "PlainText", "View"]

VIEWS: tuple[type[View], ...] = (
    LearnView,
    RunView,
    ConvergenceView,
    CountsView,
    TopicsView,
    DocumentsView,
    EstimatorsView,
    LabelsView,
    ExportView,
    KeptView,
)
