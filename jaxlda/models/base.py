"""What all models share: parameters, fitting, estimates, inference, scores, diagnostics and files."""

import copy
import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from jaxtyping import Float32
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from jaxlda import evaluation
from jaxlda.corpora.callers import warn
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import as_names
from jaxlda.corpora.numbers import natural, positive_int
from jaxlda.kernels.auto import settled
from jaxlda.kernels.names import find
from jaxlda.models import _adopting, _fitting, _inference, files
from jaxlda.models._fitting import Problem, all_or_nothing
from jaxlda.models.chains import Chains
from jaxlda.models.documents import documents
from jaxlda.models.exports import Exports
from jaxlda.models.groups import Groups
from jaxlda.models.parameters import ESTIMATOR, Parameter, checked_choice, constructor, described, renamed
from jaxlda.models.tables import Tables
from jaxlda.running.interrupting import patient
from jaxlda.running.results import Run
from jaxlda.running.schedule import checked_sweeps
from jaxlda.types import Algorithm, Data

if TYPE_CHECKING:
    import pandas as pd


__all__ = ["TopicModel"]


class TopicModel(Chains, Tables, Groups, Exports, ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """A model of documents as mixtures of topics, sampled by chains.

    A subclass declares its ``parameters``, from which its constructor is made, and says what is sampled
    (:meth:`_problem`) and what new documents expect (:meth:`_new_alpha`).
    """

    parameters: ClassVar[tuple[Parameter, ...]] = ()
    _harmless: ClassVar[frozenset[str]] = frozenset()
    """Parameters that the chains do not depend on."""
    _found_names: ClassVar[tuple[str, ...]] = tuple(
        "vocab_ doc_titles_ doc_columns_ written_ n_features_in_ feature_names_in_ text_options_ lost_text_options_ "
        "seed_ topic_names_ edits_ covariates_".split()
    )
    """What a fit finds besides the run, to be kept in files."""
    _topics_names: ClassVar[tuple[str, ...]] = ("phi_", "_topics_alpha", "_topics_kind")
    """What a file has in the place of a run if it has topics only."""
    phi_: np.ndarray

    def __init_subclass__(cls, **options: Any) -> None:
        if "parameters" in vars(cls):
            cls.__init__ = constructor(cls.parameters)  # type: ignore[method-assign]
            cls.__doc__ = described(cls.__doc__ or "", cls.parameters)
            cls._harmless = frozenset(one.name for one in cls.parameters if one.harmless)
        super().__init_subclass__(**options)
        files.register(cls)

    if TYPE_CHECKING:  # parameters are attributes, too

        def __init__(self, *args: Any, **parameters: Any) -> None: ...

        def __getattr__(self, name: str) -> Any: ...

    def set_params(self, **params: Any) -> Self:
        """Change parameters; scikit-learn's names ``n_components`` and ``random_state`` are understood, too."""
        return super().set_params(**renamed(self._get_param_names(), params))

    # ----------------------------------------------------------------------------------------------------- fitting

    def fit(self, X: Any, y: Any = None, *, on_block: Callable[[Run], object] | None = None) -> Self:
        """Run the chains. Ctrl-C keeps the draws so far, with a warning; :meth:`resume` goes on.

        Parameters
        ----------
        X
            A ``Corpus``, or counts ``(D, V)``: a scipy sparse matrix, an array, or a table whose columns are the words.
        y
            For models of labels: indicators ``(D, L)``, dense or sparse, or for each document a label, or a list or set
            of labels (lists of 0 and 1 that can be read in both ways are refused); not needed where ``X`` is a
            ``Corpus`` with labels. Ignored by ``LDA``.
        on_block
            Called with the chains so far (a ``Run``) after every block of sweeps, about twice per second. If it returns
            ``True``, the fit stops there as with Ctrl-C, without the warning.
        """
        self._check()
        sweeps = checked_sweeps(self.num_warmup, self.num_samples, self.thinning, self.num_chains)
        with patient() as patience, all_or_nothing(self):
            for name in ("topic_names_", "edits_"):
                self.__dict__.pop(name, None)  # of other topics
            self.seed_ = _fitting.first_seed(self)
            problem = self._problem(documents(self, X, fitting=True), y)
            result = _fitting.sample(self, problem, sweeps, on_block=on_block)
            patience.keep()
            self.__dict__.update(problem.found)
            self._conclude(result)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Float32[np.ndarray, "D K"]:
        """Fit, and give the topic proportions of the training documents, ``theta_``.

        :meth:`transform` would infer them anew with the topics fixed, which is close but not the same. Those of models
        of labels know the documents' labels, which :meth:`transform` of new documents cannot: a classifier after such a
        model in a pipeline would learn from its own target. Give it :meth:`transform` instead.
        """
        return self.fit(X, y).theta_

    def resume(self, more_sweeps: int = 0, *, on_block: Callable[[Run], object] | None = None) -> Self:
        """Go on with the chains: bit for bit what one longer fit with the same ``chain_method`` would have given.

        First comes whatever an interrupted fit has left to do, then ``more_sweeps``, rounded up to whole draws: one in
        ``thinning`` sweeps is averaged into the estimates. Parameters must be those of the fit.

        ``on_block`` is that of :meth:`fit`.
        """
        run = self._chains()
        if run.algorithm is None:
            what = "an edited model" if hasattr(self, "edits_") else "the sample of another program"
            raise ValueError(f"{what} cannot go on here; fit its documents to sample them anew")
        _fitting.check_settings(self)
        more_draws = -(-natural(more_sweeps, "more_sweeps") // run.schedule.thinning)
        schedule = run.schedule._replace(num_samples=run.schedule.num_samples + more_draws)
        sweeps = {**schedule._asdict(), "num_chains": run.num_chains}
        problem = Problem(run.algorithm, run.data, {})
        best = self.best_chain_
        with patient() as patience, all_or_nothing(self):
            result = _fitting.sample(self, problem, sweeps, start=run, on_block=on_block)
            patience.keep()
            self._conclude(result)
        if self.best_chain_ != best and not self._pooled and self.__dict__.pop("topic_names_", None) is not None:
            warn(
                f"the best chain is {self.best_chain_} now, no longer {best}, and its topics are others: their names "
                "are taken back"
            )
        return self

    @classmethod
    def from_sample(cls, corpus: Any, priors: Any = None, sample: Any = None, **parameters: Any) -> Self:
        """A model made from samples of another program: MALLET, tomotopy, WarpLDA, lda, gensim or scikit-learn.

        It estimates, infers, scores, is diagnosed and saved like one that was fitted here, but cannot :meth:`resume`.

        Parameters
        ----------
        corpus
            The documents; or what a function of ``jaxlda.io`` gave, which has the other two in it, or a list of such:
            then each is a chain.
        priors
            ``Priors`` that the program sampled with; needed if programs differ in it.
        sample
            A ``Sample``, with z in the order of ``corpus.tokens()``, or a list of them: each a chain.
        **parameters
            Of the model, such as ``estimator``; those of the sample follow from it.

        Examples
        --------
        >>> import jaxlda, lda, logging
        >>> logging.getLogger("lda").addHandler(logging.NullHandler())  # or it sets up logging
        >>> theirs = lda.LDA(n_topics=2, n_iter=5, random_state=0).fit(np.array([[2, 1], [0, 3]]))
        >>> jaxlda.LDA.from_sample(jaxlda.io.from_lda(theirs, [[2, 1], [0, 3]])).theta_.shape
        (2, 2)
        """
        return _adopting.from_sample(cls, corpus, priors, sample, parameters)

    @classmethod
    def from_run(cls, run: Any, corpus: Any = None, **parameters: Any) -> Self:
        """A model made from the chains of ``jaxlda.run``, finished or not, as if the model had fitted them.

        It can estimate, predict, be saved and resumed then. That is how a live view gets a model out of a fit that goes
        on.

        Parameters
        ----------
        run
            Of any moment, before the first draw too.
        corpus
            The training documents; or their words alone, in order. Without it words, and labels, have numbers.
        **parameters
            Of the model. What the run says already need not be given; what contradicts it is refused.

        Examples
        --------
        >>> import jax, jaxlda
        >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "purr cat purr", "bark dog bark"])
        >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(num_topics=2), num_warmup=20)
        >>> sorted(sorted(words) for words in jaxlda.LDA.from_run(run, corpus).top_words(2))
        [['bark', 'dog'], ['cat', 'purr']]
        """
        return _adopting.from_run(cls, run, corpus, parameters)

    # --------------------------------------------------------------------------------------------------- estimates

    def top_words(self, n: int = 10, chain: int | None = None) -> list[list[str]]:
        """The ``n`` most probable words of every topic, in the order of the topics.

        Parameters
        ----------
        n
            How many words.
        chain
            Whose topics; those of ``phi_`` if not given.
        """
        check_is_fitted(self, "phi_")
        phi = self.phi_ if chain is None else self.estimates(self._kind("phi"), chain)
        order = np.argsort(-phi, axis=1, kind="stable")[:, : positive_int(n, "n")]
        return [[str(word) for word in words] for words in self.vocab_[order]]

    def set_words(self, words: Any) -> Self:
        """Name the words of a model that was fitted to bare counts, such as those of a ``CountVectorizer``.

        ``pipeline[-1].set_words(pipeline[:-1].get_feature_names_out())``; a ``jaxlda.models.CorpusVectorizer`` in its
        place tells the words by itself, and how texts are read.
        """
        check_is_fitted(self, "phi_")
        self.vocab_ = as_names(words, "words", self.phi_.shape[1])
        return self

    @property
    def components_(self) -> Float32[np.ndarray, "K V"]:
        """``phi_`` by scikit-learn's name."""
        check_is_fitted(self, "phi_")
        return self.phi_

    @property
    def _n_features_out(self) -> int:
        return self.phi_.shape[0]

    # ------------------------------------------------------------------------------------------------ new documents

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
            As in :meth:`fit`; or texts, which are read as those of the ``Corpus`` that the model was fitted to. A
            ``Corpus`` may have another vocabulary: words that the model does not know are dropped, with a warning, stop
            words of the model without. A document without known words gets the proportions of the prior.
        num_warmup, num_samples, thinning, num_chains
            The estimate is averaged over the samples of all chains.
        estimator
            ``"cgs_p"`` (Eq. 33) or ``"cgs"`` (Eq. 3); the model's if not given.
        alpha
            The prior of the new documents; the model's if not given.
        seed
            The model's if not given. The same seed gives the same result.
        progress
            Show a progress bar.
        """
        sweeps = {"num_warmup": num_warmup, "num_samples": num_samples, "thinning": thinning, "num_chains": num_chains}
        return _inference.theta(self, X, estimator, alpha, seed, progress=progress, **sweeps)

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
        return _inference.score(self, test, estimator, **options).perplexity

    def perplexity_table(self, test: Any, **options: Any) -> "pd.DataFrame":
        """The perplexities of all pairs of estimators: a row for phi and phi_p, a column for theta and theta_p.

        Both estimators of theta read the same samples. Kernels whose counts are soft already have one pair only.

        Parameters
        ----------
        test, **options
            As in :meth:`perplexity`.
        """
        import pandas as pd

        check_is_fitted(self, "phi_")
        phis = {self._kind("phi"): self.phi_}
        if hasattr(self, "run_") and not self._soft_already:
            phis = {kind: self.estimates(kind) for kind in ("phi", "phi_p")}
        halves, options = _inference.completed(self, test, **options)
        found = evaluation.completion_table(phis, *halves, **options)
        rows = {phi: {theta: score.perplexity for (one, theta), score in found.items() if one == phi} for phi in phis}
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis(index="phi", columns="theta")

    def score(self, X: Any, y: Any = None) -> float:
        """The mean log-likelihood per held-out token, minus the logarithm of :meth:`perplexity`: higher is better."""
        return _inference.score(self, X).per_token

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
        if corpus is None:
            run = self._chains()
            return evaluation.log_likelihood(self.phi_, self.theta_, run.data.tokens)
        return _inference.log_likelihood(self, corpus, **options)

    # ------------------------------------------------------------------------------------------------------- files

    def save(self, path: str | os.PathLike, *, only: str | None = None) -> None:
        """Save the fitted model in one file, which ``jaxlda.load`` reads. It can :meth:`resume` then as if never saved.

        A full file holds the documents, the state of every chain, the counts of its draws, hard and soft (for each
        chain about ``(D + V) K`` numbers, three times), its traces, what was kept of every draw (at most 64 MB if
        ``keep`` was not given), and the parameters. Numbers and texts only, no pickle; checksummed, and written such
        that an older file at ``path`` stays whole until the new one is.

        Parameters
        ----------
        path
            Such as ``"news.jaxlda"``; the folder must exist.
        only
            ``"topics"``: a small file of phi, alpha, the words and how texts are read (and the labels, of models of
            labels), for :meth:`transform`, :meth:`perplexity` and :meth:`top_words`. It has no documents and no chains.
        """
        check_is_fitted(self, "phi_")
        files.save(self, path, only)

    # ---------------------------------------------------------------------------------- what models say of themselves

    def _problem(self, corpus: Corpus, y: Any) -> Problem:
        """What is sampled to learn from these documents."""
        raise NotImplementedError

    def _new_alpha(self, corpus: Corpus, seed: int) -> Any:
        """The prior of these new documents."""
        raise NotImplementedError

    def _labels_of(self, run: Run) -> Any:
        """The labels of the documents of a run, where they can be told from its prior."""

    def _topics_only(self) -> dict[str, Any]:
        """What inference needs beside phi when there is no run: of the names in ``_topics_names``."""
        raise NotImplementedError

    def _check(self) -> None:
        """Refuse parameters that make no sense."""
        checked_choice(ESTIMATOR, self.estimator)
        find(self.kernel)

    def _kernel(self, data: Data) -> Algorithm:
        """The kernel; ``"auto"`` is chosen now, and said where progress is shown."""
        return settled(find(self.kernel), data, show=bool(self.progress))

    # ------------------------------------------------------------------------------------------------------- inside

    def _conclude(self, result: Run) -> None:
        self.run_ = result
        self.best_chain_ = result.best_chain
        self._soft_already = result.chain(0).z is None
        self.phi_ = np.ones(0)  # there is something to ask for
        self.phi_ = self.estimates(self._kind("phi"))
        self.theta_ = self.estimates(self._kind("theta"))

    def _settings(self) -> dict[str, Any]:
        """Parameters that the chains depend on, safe from being changed in place."""
        params = {name: value for name, value in self.get_params(deep=False).items() if name not in self._harmless}
        return {name: value if isinstance(value, Algorithm) else copy.deepcopy(value) for name, value in params.items()}

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.positive_only = True
        tags.input_tags.categorical = True  # there is no tag for counts; this one also stands for whole numbers
        tags.transformer_tags.preserves_dtype = []
        return tags
