"""Latent Dirichlet Allocation as a scikit-learn estimator."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from jaxtyping import Float32
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from jaxlda import estimators, evaluation
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed, natural, positive_int
from jaxlda.kernels import learn_alpha, learn_beta
from jaxlda.kernels.names import find
from jaxlda.models._stored import Stored
from jaxlda.models._support import all_or_nothing, documents
from jaxlda.running.results import Run
from jaxlda.running.schedule import checked_sweeps
from jaxlda.types import Algorithm

__all__ = ["LDA"]

KINDS = ("phi", "phi_p", "theta", "theta_p")


class LDA(ClassNamePrefixFeaturesOutMixin, TransformerMixin, Stored):
    r"""Latent Dirichlet Allocation: :math:`\theta_d \sim \mathrm{Dir}(\alpha), \phi_k \sim \mathrm{Dir}(\beta)`.

    Several independent chains are run; the estimates are those of the best one, averaged over its draws.

    Parameters
    ----------
    num_topics : int
        K.
    kernel : str or Algorithm
        A name of ``jaxlda.kernels.KERNELS`` (``"cgs"``: exact collapsed Gibbs sampling; ``"cvb0"``; ``"vb"``:
        variational Bayes), or an algorithm.
    alpha : float or array
        The prior of theta: a number, ``(K,)``, or ``(D, K)``; 0 forbids a topic.
    beta : float or array
        The prior of phi: a number, ``(V,)`` or ``(K, V)``.
    learn_alpha : "asymmetric", "symmetric" or None
        Learn alpha while sampling, starting from the one given: a value for each topic, or one for all. Each chain
        learns its own, ``alpha_``. More choices, such as when: a kernel wrapped by ``jaxlda.kernels.learn_alpha``.
    learn_beta : bool
        Learn one beta for all words and topics, ``beta_``.
    num_warmup, num_samples, thinning : int
        Burn-in, the number of draws kept of each chain, and the lag: sweeps from one draw to the next.
    num_chains : int
        Independent chains, run side by side.
    seed : int
        Everything random follows from it: the same seed gives the same result, bit for bit.
    estimator : "cgs_p" or "cgs"
        ``phi_`` and ``theta_`` from transition probabilities (CGSₚ, Eqs. 40 and 41) or from counts (Eqs. 2 and 3). The
        same for kernels whose counts are soft already, as CVB0's.
    chain_method : "parallel", "sequential" or "vectorized", optional
        Where chains run, see ``jaxlda.running.placement.assign``. The result does not depend on it.
    trace_every : int
        Every how many sweeps to note the log joint in ``run_.trace``, and every fourth time the log-likelihood, which
        takes longer; 0: never.
    gap_every : int
        Every how many sweeps to note the difference of hard and soft counts (Eq. 60) there; that of draws is known.
    keep : "auto" or names
        Arrays of every draw to keep in ``run_`` (names of ``jaxlda.running.results.KEEP``), for :meth:`to_arviz` and
        :meth:`diagnostics`. By default what these use, as far as it fits into 64 MB for all draws and chains: topic
        sizes, the likeness of a few documents, the log-likelihood of every document, phi and theta.
    progress : bool
        Show a progress bar while fitting.
    checkpoint : str or path, optional
        A file to save the model in while it is fitted, and at the end. If it exists, :meth:`fit` goes on from there,
        with the same result as if it had never stopped; ``num_samples`` may be larger by then. A file that was made
        with other documents or parameters is an error.
    checkpoint_every : float
        Seconds from one checkpoint to the next; more where writing would take over 2 % of the time.

    Attributes
    ----------
    phi_ : array ``(K, V)``
        The topics of the best chain; ``components_`` is another name for them.
    theta_ : array ``(D, K)``
        The topic proportions of the training documents in the best chain.
    best_chain_ : int
        The chain whose last state has the highest log joint, :math:`\log p(w, z)`.
    run_ : Run
        All chains, with their traces.
    vocab_ : array ``(V,)``
        The words. New documents in another vocabulary are translated into this one.
    n_features_in_ : int
        V.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "purr cat purr", "bark dog bark"])
    >>> model = LDA(num_topics=2, num_warmup=50, num_chains=2, progress=False).fit(corpus)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [['bark', 'dog'], ['cat', 'purr']]
    >>> model.theta_.shape, model.transform(corpus).shape
    ((4, 2), (4, 2))
    """

    def __init__(
        self,
        # scikit-learn asks that anything can be set and fit be the one to complain, hence the Any.
        num_topics: int | Any = 50,
        *,
        kernel: str | Algorithm | Any = "cgs",
        alpha: Any = 0.1,
        beta: Any = 0.01,
        learn_alpha: str | Any = None,
        learn_beta: bool | Any = False,
        num_warmup: int | Any = 200,
        num_samples: int | Any = 1,
        thinning: int | Any = 5,
        num_chains: int | Any = 4,
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
        self.num_topics = num_topics
        self.kernel = kernel
        self.alpha = alpha
        self.beta = beta
        self.learn_alpha = learn_alpha
        self.learn_beta = learn_beta
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

    def fit(self, X: Any, y: Any = None, *, on_block: Callable[[Run], object] | None = None) -> "LDA":
        """Run the chains. Ctrl-C keeps what there is so far, with a warning; :meth:`resume` goes on.

        Parameters
        ----------
        X
            A ``Corpus``, or counts ``(D, V)``: a scipy sparse matrix, an array, or a table whose columns are the words.
        y
            Ignored.
        on_block
            Called with what there is (a ``Run``) after every block of sweeps, about twice a second. If it returns
            ``True``, the fit stops there as with Ctrl-C, without the warning.
        """
        K = positive_int(self.num_topics, "num_topics")
        algorithm = self._algorithm()
        sweeps = checked_sweeps(self.num_warmup, self.num_samples, self.thinning, self.num_chains)
        key = jax.random.key(checked_seed(self.seed))
        if not isinstance(self.estimator, str) or self.estimator not in ("cgs_p", "cgs"):
            raise ValueError(f"estimator must be 'cgs_p' or 'cgs'; got {self.estimator!r}")
        with all_or_nothing(self):
            corpus = documents(self, X, fitting=True)
            data = corpus.data(K, self.alpha, self.beta)
            result = self._sampled({"vocab_": corpus.vocab}, key, algorithm, data, on_block=on_block, **sweeps)
            self.vocab_ = corpus.vocab
            self._conclude(result)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32[np.ndarray, "D K"]:
        """Fit, and give the topic proportions of the training documents, ``theta_``.

        :meth:`transform` would infer them anew with the topics fixed, which is close but not the same.
        """
        return self.fit(X).theta_

    def resume(self, more_sweeps: int = 0, *, on_block: Callable[[Run], object] | None = None) -> "LDA":
        """Go on with the chains: bit for bit what one longer fit would have given.

        First comes whatever an interrupted fit has left to do, then ``more_sweeps``, rounded up to whole draws: one in
        ``thinning`` sweeps is averaged into the estimates. Parameters must be those of the fit.

        ``on_block`` is that of :meth:`fit`.
        """
        check_is_fitted(self, "run_")
        self._check_settings()
        more_draws = -(-natural(more_sweeps, "more_sweeps") // self.run_.schedule.thinning)
        schedule = self.run_.schedule._replace(num_samples=self.run_.schedule.num_samples + more_draws)
        self._conclude(
            self._sampled(
                {},
                self.run_.key,
                self.run_.algorithm,
                self.run_.data,
                **schedule._asdict(),
                num_chains=self.run_.num_chains,
                start=self.run_,
                on_block=on_block,
            )
        )
        return self

    def estimates(self, kind: str = "phi_p", chain: int | None = None) -> Float32[np.ndarray, "rows columns"]:
        """Any estimate of any chain, averaged over the chain's draws.

        Parameters
        ----------
        kind
            ``"phi"`` (Eq. 2) and ``"phi_p"`` (Eq. 41) are ``(K, V)``, ``"theta"`` (Eq. 3) and ``"theta_p"`` (Eq. 40)
            ``(D, K)``.
        chain
            The best chain if not given. Topic k of one chain is not topic k of another.
        """
        check_is_fitted(self, "run_")
        if kind not in KINDS:
            raise ValueError(f"kind must be one of {', '.join(map(repr, KINDS))}; got {kind!r}")
        soft = kind.endswith("_p")
        chain = self.best_chain_ if chain is None else chain
        if soft and self._soft_already:
            estimators.soften(self.run_.chain(chain), self.run_.data)  # which refuses, and says why
        estimate = estimators.phi if kind.startswith("phi") else estimators.theta
        return np.asarray(estimate(self.run_.counts(soft=soft, chain=chain), self.run_.chain_data(chain)))

    def transform(
        self,
        X: Any,
        *,
        num_warmup: int = 50,
        num_samples: int = 30,
        thinning: int = 5,
        num_chains: int = 5,
        estimator: str | None = None,
        alpha: Any = None,
        seed: int | None = None,
        progress: bool = False,
    ) -> Float32[np.ndarray, "D K"]:
        """Infer the topic proportions of new documents with the topics fixed at ``phi_`` (Eqs. 4 and 33).

        Parameters
        ----------
        X
            As in :meth:`fit`. A ``Corpus`` may have another vocabulary: words that the model does not know are dropped,
            with a warning. A document without tokens gets the proportions of the prior.
        num_warmup, num_samples, thinning, num_chains
            The estimate is averaged over the samples of all chains.
        estimator
            ``"theta_p"`` (Eq. 33) or ``"theta"`` (Eq. 3); if not given, the one that the model's estimator stands for.
        alpha
            The prior of the new documents; the model's if not given.
        seed
            The model's if not given. The same seed gives the same result.
        progress
            Show a progress bar.
        """
        soft = self._prefers_theta_p(estimator)
        corpus = documents(self, X)
        inferred = evaluation.infer_theta(
            self.phi_,
            self._alpha(alpha, corpus, seed),
            corpus,
            kernel=self.run_.algorithm or "cgs",
            num_warmup=num_warmup,
            num_samples=num_samples,
            thinning=thinning,
            num_chains=num_chains,
            seed=self.seed if seed is None else seed,
            chain_method=self.chain_method,
            progress=progress,
        )
        return inferred.best if soft else inferred.theta

    def perplexity(self, test: Any, *, estimator: str | None = None, **options: Any) -> float:
        """The perplexity of new documents by document completion (Eqs. 55 and 56).

        Theta is inferred from one half of each document's tokens and the other half is scored with it and ``phi_``.

        Parameters
        ----------
        test
            Documents as in :meth:`transform`, to be halved at random by ``seed``, or a pair of halves: observed, held.
        estimator, **options
            Those of :meth:`transform`.
        """
        return self._score(test, estimator, **options).perplexity

    def perplexity_table(self, test: Any, **options: Any) -> dict[tuple[str, str], float]:
        """The perplexities of all pairs of estimators: phi or phi_p with theta or theta_p.

        Both estimators of theta read the same samples. Kernels whose counts are soft already have one pair only.

        Parameters
        ----------
        test, **options
            As in :meth:`perplexity`.
        """
        check_is_fitted(self, "run_")
        phis = {kind: self.estimates(kind) for kind in (("phi",) if self._soft_already else ("phi", "phi_p"))}
        halves, options = self._completion(test, **options)
        table = evaluation.completion_table(phis, *halves, **options)
        return {pair: score.perplexity for pair, score in table.items()}

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood a held-out token: minus the logarithm of :meth:`perplexity`, so higher is better."""
        return self._score(X).per_token

    def log_likelihood(self, corpus: Any = None, **options: Any) -> float:
        """The log-likelihood of whole documents under ``phi_`` (Eq. 55).

        Parameters
        ----------
        corpus
            The training documents (the default) are scored with ``theta_``, others with the theta that
            :meth:`transform` infers from them.
        **options
            Those of :meth:`transform`.
        """
        check_is_fitted(self, "run_")
        tokens = self.run_.data.tokens
        if corpus is None:
            return evaluation.log_likelihood(self.phi_, self.theta_, tokens)
        new = documents(self, corpus)
        trained = all(np.array_equal(a, b) for a, b in zip(new.tokens(), tokens, strict=True))
        theta = self.theta_ if trained else self.transform(new, **options)
        return evaluation.log_likelihood(self.phi_, theta, new)

    def top_words(self, n: int = 10, chain: int | None = None) -> list[list[str]]:
        """The ``n`` most probable words of every topic, in the order of the topics.

        Parameters
        ----------
        n
            How many words.
        chain
            The best chain if not given.
        """
        check_is_fitted(self, "run_")
        phi = self.phi_ if chain is None else self.estimates(self._kind("phi"), chain)
        order = np.argsort(-phi, axis=1, kind="stable")[:, : positive_int(n, "n")]
        return [[str(word) for word in words] for words in self.vocab_[order]]

    @property
    def alpha_(self) -> Float32[np.ndarray, "*D K"]:
        """The prior of theta: as given, or as the best chain has learned it."""
        check_is_fitted(self, "run_")
        return np.asarray(self.run_.chain_data(self.best_chain_).priors.alpha)

    @property
    def beta_(self) -> Float32[np.ndarray, "*K V"]:
        """The prior of phi: as given, or as the best chain has learned it."""
        check_is_fitted(self, "run_")
        return np.asarray(self.run_.chain_data(self.best_chain_).priors.beta)

    @property
    def components_(self) -> Float32[np.ndarray, "K V"]:
        """``phi_`` by scikit-learn's name."""
        return self.phi_

    @property
    def _n_features_out(self) -> int:
        return self.phi_.shape[0]

    def _algorithm(self) -> Algorithm:
        algorithm = find(self.kernel)
        if self.learn_alpha is not None:
            if self.learn_alpha not in ("asymmetric", "symmetric"):
                raise ValueError(f"learn_alpha must be 'asymmetric', 'symmetric' or None; got {self.learn_alpha!r}")
            algorithm = learn_alpha(algorithm, symmetric=self.learn_alpha == "symmetric")
        return learn_beta(algorithm) if self.learn_beta else algorithm

    def _options(self) -> dict[str, Any]:
        """What a run depends on in everything but its result."""
        every = natural(self.trace_every, "trace_every")
        gap = natural(self.gap_every, "gap_every")
        shown = bool(self.progress)
        return {"chain_method": self.chain_method, "trace_every": every, "gap_every": gap, "progress": shown}

    def _conclude(self, result: Run) -> None:
        self.run_ = result
        self.best_chain_ = result.best_chain
        self._soft_already = result.chain(0).z is None
        self.phi_ = self.estimates(self._kind("phi"))
        self.theta_ = self.estimates(self._kind("theta"))

    def _kind(self, symbol: str) -> str:
        return f"{symbol}_p" if self.estimator == "cgs_p" and not self._soft_already else symbol

    def _prefers_theta_p(self, estimator: str | None) -> bool:
        check_is_fitted(self, "run_")
        if estimator not in (None, "theta", "theta_p"):
            raise ValueError(f"estimator must be 'theta_p' or 'theta'; got {estimator!r}")
        return (estimator or self._kind("theta")) == "theta_p"

    def _alpha(self, alpha: Any, corpus: Corpus, seed: int | None) -> Any:
        """The prior of these new documents: what was given, or else what the model says."""
        fitted = self.alpha_
        if alpha is None and fitted.ndim == 2:
            raise ValueError(
                f"the model was fitted with a prior for each of its {len(fitted)} documents, which says nothing of new "
                "ones; give their prior as alpha=: a number, (K,) or (D, K)"
            )
        return fitted if alpha is None else alpha

    def _score(self, test: Any, estimator: str | None = None, **options: Any) -> evaluation.Score:
        soft = self._prefers_theta_p(estimator)
        halves, options = self._completion(test, **options)
        result = evaluation.document_completion(self.phi_, *halves, **options)
        return result.best if soft else result.theta

    def _completion(self, test: Any, alpha: Any = None, seed: Any = None, **options: Any) -> tuple[tuple, dict]:
        """What document completion takes after phi: the prior and the halves, and options."""
        seed = checked_seed(self.seed if seed is None else seed)
        if isinstance(test, tuple) or (isinstance(test, list) and any(isinstance(half, Corpus) for half in test)):
            if len(test) != 2:
                raise ValueError(f"expected a pair of halves, (observed, held); got {len(test)} part(s)")
            observed, held = (documents(self, half) for half in test)
        else:
            observed, held = documents(self, test).halves(seed)
        options |= {"kernel": self.run_.algorithm or "cgs", "chain_method": self.chain_method, "seed": seed}
        return (self._alpha(alpha, observed, seed), observed, held), options

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # there is no tag for counts; this one also stands for whole numbers
        tags.transformer_tags.preserves_dtype = []
        return tags
