"""How good estimates are: likelihood and perplexity, of training documents and of the unseen half of new ones."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from jaxlda.evaluation import multilabel
from jaxlda.evaluation.association import association_probabilities, association_ranks
from jaxlda.evaluation.completion import Completion, Score, completion_table, document_completion
from jaxlda.evaluation.inference import Proportions, infer_theta
from jaxlda.evaluation.likelihood import log_likelihood, log_likelihood_by_document, perplexity
from jaxlda.evaluation.quality import MEASURES, TopicScores, coherence, diversity, exclusivity, frex, topic_diagnostics
from jaxlda.evaluation.samples import SampleCurve, sample_curve

if TYPE_CHECKING:
    from jaxlda.evaluation import intrusion, metalabeler
    from jaxlda.evaluation.metalabeler import MetaLabeler

__all__ = [
    "MEASURES",
    "Completion",
    "MetaLabeler",
    "Proportions",
    "SampleCurve",
    "Score",
    "TopicScores",
    "association_probabilities",
    "association_ranks",
    "coherence",
    "completion_table",
    "diversity",
    "document_completion",
    "exclusivity",
    "frex",
    "infer_theta",
    "intrusion",
    "log_likelihood",
    "log_likelihood_by_document",
    "metalabeler",
    "multilabel",
    "perplexity",
    "sample_curve",
    "topic_diagnostics",
]


def __getattr__(name: str) -> Any:
    if name == "MetaLabeler":
        return import_module("jaxlda.evaluation.metalabeler").MetaLabeler
    if name in ("intrusion", "metalabeler"):  # which load pandas and scikit-learn
        return import_module(f"jaxlda.evaluation.{name}")
    raise AttributeError(f"module 'jaxlda.evaluation' has no attribute {name!r}")
