"""Topics judged by people: find the word, or the topic, that does not belong (Chang et al. 2009)."""

from jaxlda.evaluation.intrusion.agreement import fleiss_kappa, krippendorff_alpha
from jaxlda.evaluation.intrusion.scoring import Intrusion, score_intrusion
from jaxlda.evaluation.intrusion.tasks import topic_intrusion, word_intrusion

__all__ = ["Intrusion", "fleiss_kappa", "krippendorff_alpha", "score_intrusion", "topic_intrusion", "word_intrusion"]
