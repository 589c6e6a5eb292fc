r"""Choosing the number of topics by how well each predicts documents it has not seen, and by how good its topics are.

Every K is fitted to the same training documents and scored on the same halves of the same test documents (document
completion, Eqs. 55 and 56). Documents are the sampling units: tokens of one document are not independent, and a
difference between two K's is judged on the same documents, whose variety then cancels.
"""

import warnings
from collections.abc import Iterable, Iterator, Mapping
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from jaxlda.corpora.callers import warn
from jaxlda.corpora.comparing import fingerprint
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed, positive_int
from jaxlda.corpora.replacing import check_writable
from jaxlda.evaluation import Score, quality
from jaxlda.evaluation.quality.reading import labels_of
from jaxlda.kernels.names import described, find
from jaxlda.models import parameters as declared
from jaxlda.models._fits import Fits
from jaxlda.models._inference import score
from jaxlda.models.choice import COLUMNS, Choice
from jaxlda.models.documents import documents
from jaxlda.models.lda import LDA
from jaxlda.running.owning import owned
from jaxlda.running.schedule import checked_sweeps

__all__ = ["COLUMNS", "Choice", "choose_k"]

TEST_SIZE = 0.2
# Parameters of LDA that change nothing about a score, or are told elsewhere; and those that may depend on K.
_IRRELEVANT = {"num_topics", "seed", *(one.name for one in declared.LDA if one.harmless)} - {"estimator"}
_OF_K = ("alpha", "beta")


def choose_k(
    corpus: Any,
    ks: Any,
    *,
    test_size: float | int | None = None,
    folds: int | None = None,
    seed: int = 0,
    alpha: Any = 0.1,
    beta: Any = 0.01,
    inference: Mapping[str, int] | None = None,
    path: str | Path | None = None,
    progress: bool = True,
    **options: Any,
) -> Choice:
    """Compare numbers of topics by document completion.

    One K is fitted after the other, because the chains of each keep all cores busy already and one model at a time
    bounds the memory; to use more cores, ask for more chains. Ctrl-C keeps the K's that are finished, with a warning.

    Parameters
    ----------
    corpus
        A ``Corpus``, or counts ``(D, V)`` as ``LDA.fit`` takes them.
    ks
        The numbers of topics to compare.
    test_size
        The share of the documents to test on, or their number; 0.2 if neither this nor ``folds`` is given.
    folds
        Test on every document once: the documents are cut into so many parts, each predicted from topics of the others.
    seed
        Of the split, of the halves, and of the chains.
    alpha, beta
        As in ``LDA``, or functions of K, such as ``lambda K: 5 / K``.
    inference
        ``num_warmup=50``, ``num_samples=30``, ``thinning=5`` and ``num_chains=5`` of inferring the test documents.
    path
        A file to keep finished fits in. Called again with it, what is there is not computed again, so that an
        interrupted comparison can be finished, and more K's added; other settings or documents are an error.
    progress
        Show a progress bar.
    **options
        Those of ``LDA``: ``kernel``, ``num_warmup``, ``num_samples``, ``thinning``, ``num_chains``, ``estimator``, ...

    Returns
    -------
    Choice
        ``suggestion`` and ``why``, ``best``, ``smallest_within_one_se``, and a ``table`` of perplexity, coherence,
        exclusivity, diversity and stability; print it.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"] * 20)
    >>> jaxlda.choose_k(corpus, [1, 2], kernel="cvb0", num_warmup=20, num_chains=1, progress=False).best
    2
    """
    numbers = _numbers(ks)
    inference = _inference(inference)
    if options.get("checkpoint") is not None:
        raise TypeError(
            "a checkpoint belongs to one fit, and choose_k makes many; give path= instead, which keeps finished fits"
        )
    given = {"alpha": alpha, "beta": beta}
    defaults: dict[str, Any] = {"trace_every": 0, "keep": ()}  # scores need neither
    options = defaults | options | {"seed": checked_seed(seed), "progress": False}

    def model(K: int) -> LDA:
        return LDA(K, **{name: prior(K) if callable(prior) else prior for name, prior in given.items()}, **options)

    corpus = documents(model(numbers[0]), corpus, fitting=True)
    splits = _splits(corpus, test_size, folds, options["seed"])
    settings = _settings(model(numbers[0]), path is not None)
    settings |= {"test_size": test_size, "folds": folds, "seed": seed, "inference": inference}
    of_k = {K: _of_k(model(K)) for K in numbers}
    if path is not None:
        check_writable(path)
    with nullcontext() if path is None else owned(path, "give another path"):
        about = fingerprint(corpus, options.get("covariates") or ())
        fits = Fits(path, about, settings, of_k, num_parts=len(splits))
        missing = [(K, part) for K in numbers for part in range(len(splits)) if fits.get(K, part) is None]
        try:
            for K, part in _bar(missing, progress):
                fits.add(K, part, *_fitted(model(K), *splits[part], inference))
        except KeyboardInterrupt:
            done = [K for K in numbers if fits.score(K) is not None]
            if not done:
                raise
            _stopped(path, numbers, done)
    scores = {K: fits.score(K) for K in numbers}
    finished = {K: score for K, score in scores.items() if score is not None}
    return Choice(finished, {K: fits.quality(K) for K in finished})


def _stopped(path: str | Path | None, numbers: list[int], done: list[int]) -> None:
    """Tell what is finished, and how to go on."""
    again = "call choose_k with the same path to go on" if path is not None else "give a path to be able to go on"
    warn(
        f"Stopped with {len(done)} of {len(numbers)} numbers of topics finished ({', '.join(map(str, done))}); "
        f"{again}.",
        RuntimeWarning,
    )


def _numbers(ks: Any) -> list[int]:
    if isinstance(ks, str) or not isinstance(ks, Iterable):
        raise TypeError(f"ks must be numbers of topics to compare, such as [10, 20, 50]; got {ks!r}")
    numbers = sorted({positive_int(K, "a number of topics in ks") for K in ks})
    if not numbers:
        raise ValueError("ks is empty: give at least one number of topics")
    return numbers


def _inference(given: Mapping[str, int] | None) -> dict[str, int]:
    given = dict(given or {})
    if unknown := sorted(set(given) - set(declared.INFERENCE)):
        raise TypeError(f"inference takes {', '.join(declared.INFERENCE)}; not {', '.join(unknown)}")
    return checked_sweeps(**(declared.INFERENCE | given))


def _splits(
    corpus: Corpus, test_size: float | int | None, folds: int | None, seed: int
) -> list[tuple[Corpus, Corpus, Corpus]]:
    """Training documents and the two halves of the test documents, once or once per fold."""
    if folds is None:
        pairs = [corpus.split(TEST_SIZE if test_size is None else test_size, seed)]
    elif test_size is not None:
        raise ValueError("give test_size or folds, not both")
    else:
        D, size = corpus.num_docs, positive_int(folds, "folds")
        if not 2 <= size <= D:
            raise ValueError(f"folds must be from 2 to the number of documents, {D}; got {folds!r}")
        order = np.random.default_rng(seed).permutation(D)
        parts = [np.sort(part) for part in np.array_split(order, size)]
        pairs = [(corpus.subset(np.setdiff1d(np.arange(D), part)), corpus.subset(part)) for part in parts]
    for train, test in pairs:
        if not train.num_tokens or not test.num_tokens:
            raise ValueError("all documents on one side of the split are empty; leave out documents without tokens")
    return [(train, *test.halves(seed)) for train, test in pairs]


def _fitted(
    model: LDA, train: Corpus, observed: Corpus, held: Corpus, inference: Mapping[str, int]
) -> tuple[Score, dict[str, float]]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Stopped at sweep", RuntimeWarning)
        model.fit(train)
    if not model.run_.finished:
        raise KeyboardInterrupt  # a fit that was cut short is no measure of its K
    return score(model, (observed, held), **inference), _quality(model)


def _quality(model: LDA) -> dict[str, float]:
    """How good the topics are; without what cannot be known, such as the stability of a single chain."""
    found = {
        "coherence": quality.coherence(model, draws=False).mean,
        "exclusivity": quality.exclusivity(model, draws=False).mean,
        "diversity": quality.diversity(model, draws=False).mean,
        "stability": float(labels_of(model.run_, model.best_chain_).stability.mean()),
    }
    return {name: value for name, value in found.items() if np.isfinite(value)}


def _settings(model: LDA, stored: bool) -> dict[str, Any]:
    """Everything but K that the scores depend on, as JSON can hold it."""
    params = model.get_params(deep=False)
    params = {name: value for name, value in params.items() if name not in _IRRELEVANT.union(_OF_K)}
    try:
        return params | {"kernel": described(find(params["kernel"]))}
    except ValueError:
        if stored:  # another call could not tell whether it is the same
            raise
        return params | {"kernel": None}


def _of_k(model: LDA) -> dict[str, Any]:
    return {name: np.asarray(getattr(model, name), np.float64).tolist() for name in _OF_K}


def _bar(tasks: list[tuple[int, int]], progress: bool) -> Iterator[tuple[int, int]]:
    from tqdm.auto import tqdm

    with tqdm(tasks, unit="fit", disable=not progress) as bar:
        for K, part in bar:
            bar.set_description(f"K = {K}")
            yield K, part
