"""Prior-LDA: Labeled LDA that knows how frequent labels are."""

from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float32

from jaxlda.models.labeled import LabeledLDA
from jaxlda.types import Algorithm

__all__ = ["PriorLDA"]


class PriorLDA(LabeledLDA):
    r"""Prior-LDA (Rubin et al. 2012): Labeled LDA with the frequencies of labels in the prior of new documents.

    .. math:: \alpha_k = \frac{50}{K} \text{ in training,} \quad
        \alpha_k = 50 \frac{f_k}{\sum_k f_k} + \frac{30}{K} \text{ in prediction (Eqs. 58 and 59)}

    with :math:`f_k` the number of training documents that have label k, and :math:`\beta = 0.1`.

    Labels of new documents are ranked by soft counts if not said otherwise: by the evidence of the words, without the
    prior added to it once more. The prior of Eq. 59 weighs as much as 80 tokens, more than a typical document has, and
    in theta and theta_p it comes before the words. Micro, macro and example-based F1 on three validation folds of the
    Bibtex training documents:

    =========================  ==================  ==================
    ``rank_by``                1 chain, 1 sample   5 chains x 30
    =========================  ==================  ==================
    ``"soft_counts"``          .277 / .163 / .291  .336 / .216 / .346
    ``"hard_counts"``          .215 / .110 / .231  .334 / .214 / .344
    ``"theta_p"``              .232 / .133 / .243  .250 / .143 / .258
    ``"theta"``                .208 / .105 / .222  .250 / .143 / .258
    counts, ``kernel="cvb0"``  .361 / .250 / .367
    theta, ``kernel="cvb0"``   .277 / .188 / .282
    =========================  ==================  ==================

    On the test documents the order is the same (``jaxlda.experiments.multilabel``).

    Parameters
    ----------
    frequency_mass : float
        What the prior of new documents adds up to, spread by the frequency of labels: 50 in Eq. 59.
    uniform_mass : float
        What it adds up to, spread evenly: 30 in Eq. 59.
    kernel, alpha, beta, rank_by, count, unlabeled
        As in ``LabeledLDA``; ``alpha`` is the prior in training.
    num_warmup, num_samples, thinning, num_chains, seed, estimator
        As in ``LabeledLDA``.
    chain_method, trace_every, gap_every, keep, progress, checkpoint, checkpoint_every
        As in ``LDA``.

    Attributes
    ----------
    classes_, phi_, theta_, run_, vocab_, n_features_in_, best_chain_
        As in ``LabeledLDA``.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["cat purr cat", "dog bark dog", "purr cat dog bark", "cat purr"]
    >>> labels = [["cats"], ["dogs"], ["cats", "dogs"], ["cats"]]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=labels)
    >>> model = PriorLDA(num_samples=5, num_chains=2, count=1, progress=False).fit(corpus)
    >>> model.predict(jaxlda.Corpus.from_texts(["bark bark", "a purr"])).tolist()
    [[0, 1], [1, 0]]
    """

    _harmless: ClassVar[tuple[str, ...]] = (*LabeledLDA._harmless, "frequency_mass", "uniform_mass")

    def __init__(
        self,
        *,
        frequency_mass: float | Any = 50.0,
        uniform_mass: float | Any = 30.0,
        kernel: str | Algorithm | Any = "cgs",
        alpha: Any = None,
        beta: Any = 0.1,
        rank_by: str | Any = "soft_counts",
        count: str | int | float | Any = "metalabeler",
        unlabeled: str | Any = "error",
        num_warmup: int | Any = 50,
        num_samples: int | Any = 30,
        thinning: int | Any = 5,
        num_chains: int | Any = 5,
        seed: int | Any = 0,
        estimator: str | Any = "cgs_p",
        chain_method: str | Any = None,
        trace_every: int | Any = 20,
        gap_every: int | Any = 0,
        keep: Any = "auto",
        progress: bool | Any = True,
        checkpoint: Any = None,
        checkpoint_every: float | Any = 60.0,
    ) -> None:
        super().__init__(
            kernel=kernel,
            alpha=alpha,
            beta=beta,
            rank_by=rank_by,
            count=count,
            unlabeled=unlabeled,
            num_warmup=num_warmup,
            num_samples=num_samples,
            thinning=thinning,
            num_chains=num_chains,
            seed=seed,
            estimator=estimator,
            chain_method=chain_method,
            trace_every=trace_every,
            gap_every=gap_every,
            keep=keep,
            progress=progress,
            checkpoint=checkpoint,
            checkpoint_every=checkpoint_every,
        )
        self.frequency_mass = frequency_mass
        self.uniform_mass = uniform_mass

    def _common_alpha(self) -> Float32[np.ndarray, " K"]:
        frequency = np.bincount(self.labels_.indices, minlength=len(self.classes_))
        return self._spread(frequency / frequency.sum())

    def _spread(self, shares: np.ndarray) -> Float32[np.ndarray, "*n K"]:
        """The prior of documents whose labels are expected in these shares (Eq. 59)."""
        alpha = self.frequency_mass * shares + self.uniform_mass / shares.shape[-1]
        return np.asarray(alpha, np.float32)

    def _check_choices(self) -> None:
        super()._check_choices()
        for name, least in (("frequency_mass", "not negative"), ("uniform_mass", "greater than 0")):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float | np.number):
                raise TypeError(f"{name} must be a number; got {value!r}")
            if not (0 <= value < np.inf) or (name == "uniform_mass" and value == 0):
                raise ValueError(f"{name} must be {least} and finite; got {value!r}")
