r"""Estimating phi and theta from counts: the standard estimators, and CGSₚ.

Two normalisations, ``phi`` (Eq. 2) and ``theta`` (Eq. 3), turn counts into distributions. ``soften`` replaces the hard
counts of a sample by the sums of its transition probabilities (Eq. 31); then

* ``phi_p = phi ∘ soften`` (Eq. 41) and ``theta_p = theta ∘ soften`` (Eqs. 33 and 40),

so that four estimators are {hard, soft} x {phi, theta}. They are pure functions over counts: which program drew the
sample does not matter. To average over samples or chains, average the counts, then estimate; ``Run.counts`` does, and
refuses where that is not legitimate.
"""

from jaxlda.estimators.documents import document_pairs, gap, likeness
from jaxlda.estimators.likelihood import log_likelihood_terms, log_likelihoods
from jaxlda.estimators.point import phi, phi_p, theta, theta_p
from jaxlda.estimators.soft import LeaveOut, Softened, soften
from jaxlda.estimators.transitions import transitions

__all__ = [
    "LeaveOut",
    "Softened",
    "document_pairs",
    "gap",
    "likeness",
    "log_likelihood_terms",
    "log_likelihoods",
    "phi",
    "phi_p",
    "soften",
    "theta",
    "theta_p",
    "transitions",
]
