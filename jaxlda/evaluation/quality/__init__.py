"""How good topics are to their readers: coherence, diversity, exclusivity, and MALLET's diagnostics."""

from jaxlda.evaluation.quality.coherence import MEASURES, coherence
from jaxlda.evaluation.quality.distinct import diversity, exclusivity, frex
from jaxlda.evaluation.quality.scores import TopicScores
from jaxlda.evaluation.quality.table import topic_diagnostics

__all__ = ["MEASURES", "TopicScores", "coherence", "diversity", "exclusivity", "frex", "topic_diagnostics"]
