"""Models of labelled documents: Labeled LDA, Prior-LDA, Dependency-LDA and PLDA, one class with four priors."""

from typing import ClassVar

from jaxlda.models import parameters as declared
from jaxlda.models.label_priors import BlockPrior, DependencyPrior, FrequencyPrior, LabelPrior
from jaxlda.models.labels import LabelModel

__all__ = ["PLDA", "DependencyLDA", "LabeledLDA", "PriorLDA"]


class LabeledLDA(LabelModel):
    r"""Labeled LDA (Ramage et al. 2009, Eq. 5): topic k is label k, and a document draws from its own labels only.

    .. math:: \alpha_{dk} = \alpha_k \text{ if document } d \text{ has label } k, \text{ else } 0

    Labels anchor the topics: topic k is the same in every chain, and the estimates are averaged over all draws of all
    chains. A sweep costs what the documents' own labels cost, not K. New documents may draw from all labels; their
    labels are ranked, and the best ones given.

    {parameters}

    Attributes
    ----------
    classes_ : array ``(L,)``
        The labels, in the order of the columns of indicators.
    phi_, theta_ : arrays ``(K, V)``, ``(D, K)``
        Averaged over the draws of all chains.
    run_, vocab_, n_features_in_, best_chain_
        As in ``LDA``.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["cat purr cat", "dog bark dog", "purr cat dog bark"]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=[{"cats"}, {"dogs"}, {"cats", "dogs"}])
    >>> model = LabeledLDA(num_samples=5, num_chains=2, alpha=0.5, count=1, progress=False).fit(corpus)
    >>> model.predict_sets(jaxlda.Corpus.from_texts(["bark bark", "a purr"]))
    [{'dogs'}, {'cats'}]
    """

    parameters: ClassVar = declared.LABELED_LDA
    prior = LabelPrior


class PriorLDA(LabelModel):
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

    {parameters}

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

    parameters: ClassVar = declared.PRIOR_LDA
    prior = FrequencyPrior


class DependencyLDA(LabelModel):
    r"""Dependency-LDA (Rubin et al. 2012): an LDA over sets of labels gives every new document a prior of its own.

    The labels of each training document are a document of their own, and an LDA of ``label_topics`` topics over them,
    :math:`\phi'`, learns which labels go together. A new document starts with the prior of Prior-LDA; then, ``rounds``
    times, its words are assigned to labels, the topics :math:`\theta'_d` of these labels are inferred, and

    .. math:: \alpha_{dk} = 50 \sum_t \theta'_{dt} \phi'_{tk} + \frac{30}{K}

    takes the place of the prior.

    {parameters}

    Attributes
    ----------
    label_phi_ : array ``(T, L)``
        The topics of labels.
    classes_, phi_, theta_, run_, vocab_, n_features_in_, best_chain_
        As in ``LabeledLDA``.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["cat purr cat pet", "dog bark dog pet", "cat purr pet", "dog bark pet"]
    >>> labels = [{"cats", "pets"}, {"dogs", "pets"}, {"cats", "pets"}, {"dogs", "pets"}]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=labels)
    >>> model = DependencyLDA(label_topics=2, num_samples=5, num_chains=2, progress=False).fit(corpus)
    >>> model.label_phi_.shape
    (2, 3)
    """

    parameters: ClassVar = declared.DEPENDENCY_LDA
    prior = DependencyPrior


class PLDA(LabelModel):
    r"""Partially labeled LDA (Ramage, Manning and Dumais 2011): hidden topics within labels, and shared ones.

    Label l has the topics from ``l * topics_per_label`` on; the last ``background_topics`` belong to all documents. A
    document draws from the topics of its labels and from the shared ones. The score of a label is the sum over its
    topics; shared topics take up words that say nothing about labels.

    The topics within a label have no names, and are numbered differently in every chain: as in ``LDA``, the estimates
    are those of the best chain.

    {parameters}

    Attributes
    ----------
    label_of_topic_ : array ``(K,)``
        The label of each topic, as its place in ``classes_``; -1 for shared topics.
    classes_, run_, vocab_, n_features_in_, best_chain_
        As in ``LabeledLDA``.
    phi_, theta_ : arrays ``(K, V)``, ``(D, K)``
        Of the best chain.

    Examples
    --------
    >>> import jaxlda
    >>> texts = ["the cat the purr cat", "the dog bark the dog", "purr the cat dog bark the"]
    >>> corpus = jaxlda.Corpus.from_texts(texts, labels=[{"cats"}, {"dogs"}, {"cats", "dogs"}])
    >>> model = PLDA(topics_per_label=2, num_chains=1, count=1, progress=False).fit(corpus)
    >>> model.label_of_topic_.tolist()
    [0, 0, 1, 1, -1]
    >>> model.phi_.shape, model.predict_proba(corpus).shape
    ((5, 5), (3, 2))
    """

    parameters: ClassVar = declared.PLDA
    prior = BlockPrior
