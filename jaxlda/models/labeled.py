"""Labeled LDA as a scikit-learn estimator, and what all supervised models have in common."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

import jax
import numpy as np
from jaxtyping import Float32, Int64
from scipy import sparse
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from jaxlda import evaluation
from jaxlda.corpora import priors
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed
from jaxlda.evaluation import multilabel
from jaxlda.evaluation.targets import in_columns_of, read_labels
from jaxlda.kernels.names import find
from jaxlda.models._supervision import trainable
from jaxlda.models._support import all_or_nothing, documents
from jaxlda.models.lda import KINDS, LDA
from jaxlda.running.results import Run
from jaxlda.running.schedule import checked_sweeps
from jaxlda.types import Algorithm

__all__ = ["RANK_BY", "LabeledLDA"]

RANK_BY = ("soft_counts", "hard_counts", "theta_p", "theta")


class LabeledLDA(LDA):
    r"""Labeled LDA (Ramage et al. 2009, Eq. 5): topic k is label k, and a document draws from its own labels only.

    .. math:: \alpha_{dk} = \alpha_k \text{ if document } d \text{ has label } k, \text{ else } 0

    Labels anchor the topics: topic k is the same in every chain, and the estimates are averaged over all draws of all
    chains. A sweep costs what the documents' own labels cost, not K. New documents may draw from all labels; their
    labels are ranked, and the best ones given.

    Parameters
    ----------
    kernel : str or Algorithm
        As in ``LDA``.
    alpha : float or array, optional
        The prior of theta: a number or ``(K,)``; 50 / K if not given.
    beta : float or array
        The prior of phi: a number, ``(V,)`` or ``(K, V)``.
    rank_by : "soft_counts", "hard_counts", "theta_p" or "theta"
        What labels of new documents are ranked by: the tokens that went to each, from transition probabilities or as
        they were drawn, or theta of the same counts, which adds the prior (Eqs. 33 and 3). Kernels whose counts are
        soft already, as CVB0's, have one of each.
    count : "metalabeler", int or float
        How many labels a new document gets: what a ``MetaLabeler`` predicts from its words, the same number for all, or
        (a float from 0 to 1) all labels whose share in the ranking reaches it.
    unlabeled : "error" or "skip"
        What to do about training documents with words but no labels: refuse, or leave their words out.
    num_warmup, num_samples, thinning, num_chains : int
        As in ``LDA``; the defaults are the paper's: burn-in 50, lag 5, five chains of 30 draws.
    seed, estimator, chain_method, trace_every, gap_every, keep, progress, checkpoint, checkpoint_every
        As in ``LDA``.

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

    _found_names: ClassVar[tuple[str, ...]] = (*LDA._found_names, "classes_")
    _harmless: ClassVar[tuple[str, ...]] = (*LDA._harmless, "rank_by", "count")
    _metalabeler: evaluation.MetaLabeler | None
    _anchored: ClassVar[bool] = True
    """Whether topic k is the same in every chain."""
    classes_: np.ndarray

    def __init__(
        self,
        *,
        # scikit-learn asks that anything can be set and fit be the one to complain, hence the Any.
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
        self.kernel = kernel
        self.alpha = alpha
        self.beta = beta
        self.rank_by = rank_by
        self.count = count
        self.unlabeled = unlabeled
        self.num_warmup = num_warmup
        self.num_samples = num_samples
        self.thinning = thinning
        self.num_chains = num_chains
        self.seed = seed
        self.estimator = estimator
        self.chain_method = chain_method
        self.trace_every = trace_every
        self.gap_every = gap_every
        self.keep = keep
        self.progress = progress
        self.checkpoint = checkpoint
        self.checkpoint_every = checkpoint_every

    def fit(self, X: Any, y: Any = None, *, on_block: Callable[[Run], object] | None = None) -> "LabeledLDA":
        """Run the chains. Ctrl-C keeps what there is so far, with a warning; :meth:`resume` goes on.

        Parameters
        ----------
        X
            A ``Corpus``, or counts ``(D, V)`` as ``LDA.fit`` takes them.
        y
            Indicators ``(D, L)``, dense or sparse, or for each document a list or set of labels (lists of 0 and 1 that
            can be read in both ways are refused); not needed where ``X`` is a ``Corpus`` with labels.
        on_block
            As in ``LDA.fit``.
        """
        algorithm = find(self.kernel)
        sweeps = checked_sweeps(self.num_warmup, self.num_samples, self.thinning, self.num_chains)
        key = jax.random.key(checked_seed(self.seed))
        self._check_choices()
        with all_or_nothing(self):
            corpus = documents(self, X, fitting=True)
            labels, classes = read_labels(y, corpus)
            self._check_count(len(classes))
            corpus = trainable(corpus, labels, self.unlabeled)
            found = {"vocab_": corpus.vocab, "classes_": classes} | self._learned_from_labels(labels)
            data = corpus.data(alpha=self._training_alpha(labels), beta=self.beta)
            result = self._sampled(found, key, algorithm, data, on_block=on_block, **sweeps)
            for name, value in found.items():
                setattr(self, name, value)
            self._conclude(result)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32[np.ndarray, "D K"]:
        """Fit, and give the topic proportions of the training documents, ``theta_``.

        These know the documents' labels, which :meth:`transform` of new documents cannot: a classifier after this model
        in a pipeline would learn from its own target. Give it :meth:`transform` instead.
        """
        return self.fit(X, y).theta_

    def estimates(self, kind: str = "phi_p", chain: int | None = None) -> Float32[np.ndarray, "rows columns"]:
        """Any estimate, averaged over the draws of one chain or of all.

        Parameters
        ----------
        kind
            ``"phi"``, ``"phi_p"``, ``"theta"`` or ``"theta_p"``, as in ``LDA``.
        chain
            All chains if not given: labels make topic k the same in each of them.
        """
        check_is_fitted(self, "run_")
        refused = kind not in KINDS or (kind.endswith("_p") and self._soft_already)
        if chain is not None or refused or not self._anchored:
            return super().estimates(kind, chain)
        # Labels that always occur together could be exchanged between chains, but then they are the same to everybody.
        of_chain = super().estimates
        return np.mean([of_chain(kind, chain) for chain in range(self.run_.num_chains)], axis=0)

    def decision_function(
        self, X: Any, *, alpha: Any = None, seed: int | None = None, **options: Any
    ) -> Float32[np.ndarray, "D L"]:
        """What the labels of new documents are ranked by, as shares; a document without known words has the prior's.

        A label without a training document gets nothing of counts: its words are all alike, and it would win those that
        no other label has seen.

        Parameters
        ----------
        X, alpha, seed, **options
            As in :meth:`transform`.
        """
        self._check_choices()
        return self.rankings(X, (self.rank_by,), alpha=alpha, seed=seed, **options)[self.rank_by]

    def rankings(
        self, X: Any, kinds: Sequence[str] = RANK_BY, *, alpha: Any = None, seed: int | None = None, **options: Any
    ) -> dict[str, Float32[np.ndarray, "D L"]]:
        """What :meth:`decision_function` gives for several ``rank_by``, from the same samples of the documents.

        Parameters
        ----------
        X, alpha, seed, **options
            As in :meth:`transform`.
        kinds
            Values of ``rank_by``.
        """
        check_is_fitted(self, "run_")
        if unknown := [kind for kind in kinds if kind not in RANK_BY]:
            raise ValueError(f"kinds must be of {', '.join(map(repr, RANK_BY))}; got {unknown[0]!r}")
        corpus = documents(self, X)
        alpha = self._alpha(alpha, corpus, seed)
        inferred = self._inferred(corpus, alpha, seed, **options)
        return {kind: self._ranking(kind, inferred, corpus, alpha) for kind in kinds}

    def _ranking(self, kind: str, inferred: evaluation.Proportions, corpus: Corpus, alpha: Any) -> np.ndarray:
        if kind in ("theta", "theta_p"):
            return self._of_labels(inferred.best if kind == "theta_p" else inferred.theta)
        soft = None if kind == "hard_counts" else inferred.n_dk_p
        counts, n_d = inferred.n_dk if soft is None else soft, corpus.n_d[:, None].astype(np.float32)
        counts = np.where((np.asarray(self.run_.data.priors.alpha) > 0).any(axis=0), counts, 0)
        prior = np.broadcast_to(np.asarray(alpha, np.float32), counts.shape)
        return self._of_labels(np.where(n_d > 0, counts / np.maximum(n_d, 1), prior / prior.sum(1, keepdims=True)))

    def predict_proba(self, X: Any, **options: Any) -> Float32[np.ndarray, "D L"]:
        """Theta of new documents: the share of each label in their words, prior included.

        These are shares that add up to 1, not probabilities of each label by itself. :meth:`predict` takes the best
        labels by :meth:`decision_function`, which need not be the highest here, unless ``rank_by`` is theta, too.

        Parameters
        ----------
        X, **options
            As in :meth:`transform`.
        """
        return self._of_labels(self.transform(X, **options))

    def predict(self, X: Any, **options: Any) -> Int64[np.ndarray, "D L"]:
        """The labels of new documents as indicators: the best by ``rank_by``, as many as ``count`` says.

        Parameters
        ----------
        X
            As in :meth:`fit`. Words that the model does not know are dropped, with a warning that counts them.
        **options
            As in :meth:`transform`.
        """
        check_is_fitted(self, "run_")
        corpus = documents(self, X)
        return self.cut(self.decision_function(corpus, **options), corpus)

    def cut(self, scores: Any, X: Any) -> Int64[np.ndarray, "D L"]:
        """The best labels of documents as indicators: as many as ``count`` says.

        Parameters
        ----------
        scores
            ``(D, L)``, such as what :meth:`decision_function` gave for these documents.
        X
            The documents, as in :meth:`fit`.
        """
        check_is_fitted(self, "run_")
        self._check_choices()
        self._check_count(len(self.classes_))
        if self.count == "metalabeler":
            chosen = multilabel.top_n(scores, self.metalabeler_.predict(documents(self, X).counts))
        elif isinstance(self.count, float):
            chosen = multilabel.threshold(scores, self.count)
        else:
            chosen = multilabel.top_n(scores, self.count)
        return chosen.astype(np.int64)

    def predict_sets(self, X: Any, **options: Any) -> list[set]:
        """The labels of new documents as a set for each; see :meth:`predict`."""
        predicted, classes = self.predict(X, **options), self.classes_.tolist()
        return [{classes[k] for k in np.flatnonzero(row)} for row in predicted]

    def transform(
        self, X: Any, *, estimator: str | None = None, alpha: Any = None, seed: int | None = None, **options: Any
    ) -> Float32[np.ndarray, "D K"]:
        """Infer the topic proportions of new documents with the topics fixed at ``phi_`` (Eqs. 4 and 33).

        Parameters
        ----------
        X
            As in :meth:`fit`. Words that the model does not know are dropped, with a warning.
        estimator
            ``"theta_p"`` or ``"theta"``; if not given, the one that the model's estimator stands for.
        alpha, seed, **options
            ``num_warmup``, ``num_samples``, ``thinning``, ``num_chains`` and ``progress``, as in ``LDA``.
        """
        soft = self._prefers_theta_p(estimator)
        corpus = documents(self, X)
        inferred = self._inferred(corpus, self._alpha(alpha, corpus, seed), seed, **options)
        return inferred.best if soft else inferred.theta

    def score(self, X: Any, y: Any = None) -> float:
        """Micro F1 of :meth:`predict`.

        Parameters
        ----------
        X, y
            As in :meth:`fit`; labels that the model does not know count as missed.
        """
        check_is_fitted(self, "run_")
        corpus = documents(self, X)
        labels, classes = read_labels(y, corpus, self.classes_)
        truth, unknown = in_columns_of(self.classes_, labels, classes)
        predicted = np.pad(self.predict(corpus), ((0, 0), (0, unknown)))
        return multilabel.f_measures(truth, predicted, zero_division=0).micro

    # ------------------------------------------------------------------------- what other supervised models change

    def _allowed(self, labels: sparse.csr_array) -> Any:
        """The topics ``(D, K)`` that the training documents may draw from."""
        return labels

    def _common_alpha(self) -> Float32[np.ndarray, " K"]:
        """The prior of new documents of which nothing is known."""
        K, alpha = self.run_.data.priors.alpha.shape[-1], self._settings_["alpha"]
        return np.broadcast_to(np.asarray(50 / K if alpha is None else alpha, np.float32), (K,))

    def _new_alpha(self, corpus: Corpus, seed: int | None) -> Float32[np.ndarray, " K"] | Float32[np.ndarray, "D K"]:
        """The prior of these new documents."""
        return self._common_alpha()

    def _learned_from_labels(self, labels: sparse.csr_array) -> dict[str, Any]:
        """What is found in the labels alone, before the chains start, to be kept in files too."""
        return {}

    def _of_labels(self, of_topics: Float32[np.ndarray, "D K"]) -> Float32[np.ndarray, "D L"]:
        """Shares of labels from shares of topics."""
        return of_topics

    # -------------------------------------------------------------------------------------------------------------

    @property
    def labels_(self) -> sparse.csr_array:
        """The training labels, as indicators ``(D, L)``."""
        check_is_fitted(self, "run_")
        return sparse.csr_array(np.asarray(self.run_.data.priors.alpha) > 0)

    @property
    def prediction_alpha_(self) -> Float32[np.ndarray, " K"]:
        """The prior of theta of new documents of which nothing is known."""
        check_is_fitted(self, "run_")
        return self._common_alpha()

    @property
    def metalabeler_(self) -> evaluation.MetaLabeler:
        """The Meta-Labeler of the training documents, fitted when first asked for."""
        check_is_fitted(self, "run_")
        if getattr(self, "_metalabeler", None) is None:
            w, d, m, n_d = (np.asarray(x) for x in self.run_.data.tokens)
            counts = sparse.csr_array((m, (d, w)), shape=(len(n_d), len(self.vocab_)))
            labels = self.labels_
            known = np.flatnonzero(np.diff(labels.indptr))
            self._metalabeler = evaluation.MetaLabeler().fit(counts[known], labels[known])
        assert self._metalabeler is not None
        return self._metalabeler

    def _conclude(self, result: Run) -> None:
        self._metalabeler = None
        super()._conclude(result)

    def _training_alpha(self, labels: sparse.csr_array) -> Any:
        """The prior ``(D, K)`` of the training documents."""
        if np.ndim(self.alpha) > 1:
            raise ValueError(
                f"alpha has shape {np.shape(self.alpha)}; give a number or (K,): labels say what each document may "
                "draw from, and new documents need a prior, too"
            )
        allowed = self._allowed(labels)
        return priors.labeled(50 / allowed.shape[1] if self.alpha is None else self.alpha, allowed)

    def _alpha(self, alpha: Any, corpus: Corpus, seed: int | None) -> Any:
        return self._new_alpha(corpus, seed) if alpha is None else alpha

    def _inferred(self, corpus: Corpus, alpha: Any, seed: int | None, **options: Any) -> evaluation.Proportions:
        return evaluation.infer_theta(
            self.phi_,
            alpha,
            corpus,
            kernel=self.run_.algorithm or "cgs",
            chain_method=self.chain_method,
            seed=self.seed if seed is None else seed,
            **options,
        )

    def _check_count(self, num_labels: int) -> None:
        if isinstance(self.count, int | np.integer) and self.count > num_labels:
            raise ValueError(f"count is {self.count}, but there are only {num_labels} labels")

    def _check_choices(self) -> None:
        if not isinstance(self.estimator, str) or self.estimator not in ("cgs_p", "cgs"):
            raise ValueError(f"estimator must be 'cgs_p' or 'cgs'; got {self.estimator!r}")
        if not isinstance(self.rank_by, str) or self.rank_by not in RANK_BY:
            raise ValueError(f"rank_by must be one of {', '.join(map(repr, RANK_BY))}; got {self.rank_by!r}")
        whole = isinstance(self.count, int | np.integer) and not isinstance(self.count, bool) and self.count >= 0
        share = isinstance(self.count, float) and 0 <= self.count <= 1
        if not (whole or share or (isinstance(self.count, str) and self.count == "metalabeler")):
            raise ValueError(
                "count must be 'metalabeler', a number of labels, or a share as a float from 0 to 1; got "
                f"{self.count!r}"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags
