"""Latent Dirichlet Allocation as a scikit-learn estimator."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from jaxlda import kernels
from jaxlda.corpora import priors
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import positive_int
from jaxlda.models import parameters as declared
from jaxlda.models._fitting import Problem, drawn_seed
from jaxlda.models.base import TopicModel
from jaxlda.models.covariates import Design, alpha_of
from jaxlda.models.editing import Editing
from jaxlda.models.files import checked_topics
from jaxlda.models.names import checked_names
from jaxlda.running.processes import several
from jaxlda.types import Algorithm, Data

__all__ = ["LDA"]


class LDA(Editing, TopicModel):
    r"""Latent Dirichlet Allocation: :math:`\theta_d \sim \mathrm{Dir}(\alpha), \phi_k \sim \mathrm{Dir}(\beta)`.

    Several independent chains are run; the estimates are those of the best one, averaged over its draws.

    {parameters}

    Attributes
    ----------
    phi_ : array ``(K, V)``
        The topics of the best chain; ``components_`` is another name for them.
    theta_ : array ``(D, K)``
        The topic proportions of the training documents in the best chain.
    best_chain_ : int
        The chain whose last state has the highest objective: the log joint :math:`\log p(w, z)`, or a bound.
    run_ : Run
        All chains, with their traces.
    vocab_ : array ``(V,)``
        The words. New documents in another vocabulary are translated into this one.
    text_options_ : dict or None
        How the texts of the corpus were read, and new ones will be.
    seed_ : int
        The seed: the one given, or the one drawn.
    n_features_in_ : int
        V.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "purr cat purr", "bark dog bark"])
    >>> model = LDA(num_topics=2, num_warmup=50, num_chains=2, progress=False).fit(corpus)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [['bark', 'dog'], ['cat', 'purr']]
    >>> model.theta_.shape, model.transform(["a cat!"]).shape
    ((4, 2), (1, 2))
    """

    parameters: ClassVar = declared.LDA

    @classmethod
    def from_topics(
        cls,
        phi: Any,
        vocab: Any = None,
        *,
        alpha: Any = 0.1,
        text_options: Mapping[str, Any] | None = None,
        **parameters: Any,
    ) -> "LDA":
        """A model of given topics, for :meth:`transform`, :meth:`perplexity`, :meth:`top_words` and :meth:`save`.

        Parameters
        ----------
        phi
            ``(K, V)``, each row a distribution over words.
        vocab
            The V words; ``w0``, ``w1``, ... if not given.
        alpha
            The prior of theta: a number or ``(K,)``.
        text_options
            How to read texts, as ``Corpus.text_options`` says it; without it, the model takes counts only.
        **parameters
            Of the model, such as ``kernel`` and ``estimator``.

        Examples
        --------
        >>> model = LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"], alpha=0.5, text_options={})
        >>> model.transform(["cat " * 9 + "dog", ""]).round(1)
        array([[0.9, 0.1],
               [0.5, 0.5]], dtype=float32)
        """
        topics, prior, words = checked_topics(phi, alpha, vocab)
        model = cls(len(topics), alpha=alpha, **parameters)
        model._check()
        model.phi_, model._topics_alpha, model.vocab_ = topics, prior, words
        model.n_features_in_, model.seed_ = len(words), drawn_seed(model.seed)
        model.doc_titles_ = model.doc_columns_ = model.written_ = None
        model.text_options_, model.lost_text_options_ = None if text_options is None else dict(text_options), ()
        model._settings_ = model._settings()
        return model

    def _problem(self, corpus: Corpus, y: Any) -> Problem:
        beta = self.beta
        if self.seed_words:
            numbered = dict(enumerate(self.seed_words.values()))
            beta = priors.seeded(corpus.vocab, numbered, self.num_topics, self.beta)
        data = corpus.data(self.num_topics, self.alpha, beta, whole=not several())
        found: dict[str, Any] = {"vocab_": corpus.vocab, "covariates_": None}
        if self.covariates:
            design = Design.of(self.covariates, corpus.doc_columns)
            found["covariates_"] = design.stored()
            data = data._replace(covariates=design.covariates(corpus.doc_columns, self.num_topics))
        return Problem(self._learner(data), data, found)

    def _default_names(self) -> list[str]:
        """Topics with seed words have the names of these."""
        return [*(self.seed_words or ()), *super()._default_names()[len(self.seed_words or ()) :]]

    def _learner(self, data: Data) -> Algorithm:
        algorithm = self._kernel(data)
        if (alpha := declared.learned(declared.LEARN_ALPHA, self.learn_alpha)) is not None:
            algorithm = kernels.learn_alpha(algorithm, symmetric=alpha == "symmetric")
        if self.covariates:
            algorithm = kernels.learn_effects(algorithm)
        beta = declared.learned(declared.LEARN_BETA, self.learn_beta)
        return algorithm if beta is None else kernels.learn_beta(algorithm)

    def _new_alpha(self, corpus: Corpus, seed: int) -> Any:
        fitted = self.alpha_
        if self.covariates_ is not None and self.run_.data.priors.alpha.ndim == 1:
            effects: Any = self.run_.chain_data(self.best_chain_).covariates
            x = Design.restored(self.covariates_).x(corpus.doc_columns)
            return alpha_of(x, np.asarray(self.run_.data.priors.alpha), np.asarray(effects.effects))
        if fitted.ndim == 2:
            raise ValueError(
                f"the model was fitted with a prior for each of its {len(fitted)} documents, which says nothing of new "
                "ones; give their prior as alpha=: a number, (K,) or (D, K)"
            )
        return fitted

    def _topics_only(self) -> dict[str, Any]:
        if self.alpha_.ndim == 2:
            raise ValueError(
                "the model has a prior for each document, and so none to go with its topics alone: save it whole"
            )
        return {"_topics_alpha": self.alpha_}

    def _check(self) -> None:
        K = positive_int(self.num_topics, "num_topics")
        if self.seed_words is not None:
            _check_seed_words(self.seed_words, K)
        if self.covariates is not None:
            _check_covariates(self.covariates, self.learn_alpha)
        super()._check()


def _check_covariates(given: Any, learn_alpha: Any) -> None:
    """Refuse what is no list of names."""
    if not isinstance(given, list | tuple) or not given or not all(isinstance(name, str) for name in given):
        raise TypeError(f"covariates must be a list of names of columns; got {given!r:.60}")
    if len(set(given)) < len(given):
        raise ValueError(f"covariates names a column twice: {given!r:.60}")
    if learn_alpha:
        raise ValueError(
            "covariates and learn_alpha are two ways to learn alpha: give one. The intercepts of covariates learn an "
            "asymmetric alpha, too"
        )


def _check_seed_words(given: Any, K: int) -> None:
    """Refuse what is no dict of names and lists of words."""
    if not isinstance(given, Mapping):
        raise TypeError(f"seed_words must be a dict of names and lists of words; got {given!r:.60}")
    if len(given) > K:
        raise ValueError(f"seed_words names {len(given)} topics, but there are {K}: give more topics")
    checked_names(list(given), len(given))
    for name, words in given.items():
        if not isinstance(words, list | tuple) or not words or not all(isinstance(word, str) for word in words):
            raise TypeError(f"the seed words of {name!r} must be a list of words; got {words!r:.60}")
