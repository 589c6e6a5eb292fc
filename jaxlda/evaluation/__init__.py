"""How good estimates are: likelihood and perplexity, of training documents and of the unseen half of new ones."""

from jaxlda.evaluation.completion import Completion, Score, completion_table, document_completion
from jaxlda.evaluation.inference import Proportions, infer_theta
from jaxlda.evaluation.likelihood import log_likelihood, log_likelihood_by_document, perplexity

__all__ = [
    "Completion",
    "Proportions",
    "Score",
    "completion_table",
    "document_completion",
    "infer_theta",
    "log_likelihood",
    "log_likelihood_by_document",
    "perplexity",
]
