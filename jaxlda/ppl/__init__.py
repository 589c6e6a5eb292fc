"""NumPyro: the generative model, and collapsed Gibbs sampling as a kernel of ``numpyro.infer.MCMC``.

``lda`` writes the model down once more, in the words of a probabilistic programming language, to simulate from it, to
check predictions, and to compare our samplers with NumPyro's own. ``CollapsedGibbs`` hands any of our algorithms to
NumPyro's driver, with its summaries, its chain methods and ``arviz.from_numpyro``.

Nothing else imports NumPyro.
"""

from jaxlda.ppl.kernel import SITES, CollapsedGibbs, GibbsState
from jaxlda.ppl.model import lda

__all__ = ["SITES", "CollapsedGibbs", "GibbsState", "lda"]
