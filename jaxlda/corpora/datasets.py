"""Corpora by name, and corpora drawn from the model, whose truth is known."""

import os
import warnings
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from jaxlda.corpora import priors
from jaxlda.corpora.addresses import read_addresses
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import positive_int
from jaxlda.corpora.packages import PACKAGED, load_packaged

__all__ = ["Truth", "bars", "data_file", "load", "names", "simulate"]

# Name -> part -> file in the data directory; the first part is the default one.
FILES = {
    "20newsgroups": {"train": "20newsgroups_train.npz"},
    "ap": {"all": "ap_blei.npz"},
    "bibtex": {"train": "bibtex_train.npz", "test": "bibtex_test.npz"},
    "reuters21578": {"train": "reuters21578_modapte_train.npz", "test": "reuters21578_modapte_test.npz"},
}
ADDRESSES = "sotu.jsonl.gz"


class Truth(NamedTuple):
    """The parameters that a corpus was drawn from."""

    phi: np.ndarray
    """The topics ``(K, V)``."""
    theta: np.ndarray
    """The topic proportions of each document ``(D, K)``."""
    z: np.ndarray
    """The topic of each token ``(N,)``, int32, in the order of ``Corpus.tokens()``."""


def names() -> list[str]:
    """The corpora that :func:`load` knows.

    Examples
    --------
    >>> names()
    ['20newsgroups', 'ap', 'bars', 'bbc', 'bibtex', 'news_articles', 'nyt', 'reuters', 'reuters21578', 'reuters52',
     'sotu']
    """
    return sorted({*FILES, *PACKAGED, "bars", "reuters", "sotu"})


def load(name: str, *, folder: str | Path | None = None, **options: Any) -> Corpus:
    """A corpus by its name.

    ``"reuters"`` (395 news stories with titles) and ``"bars"`` (images of bars, made by :func:`bars`) always work.
    The others are files of the directory that the environment variable ``JAXLDA_DATA`` names: ``"ap"`` (Associated
    Press), ``"20newsgroups"`` (labelled by group), ``"reuters21578"`` and ``"bibtex"`` (multi-label), and ``"sotu"``
    (State of the Union addresses, 1790 to 2021, in passages of about 200 words, with year, president and party).

    ``"bbc"``, ``"news_articles"``, ``"nyt"``, ``"reuters52"``, and ``"20newsgroups"`` where that directory does not
    have it, are obtained from the package index at the first use: one pinned file of a package, which is checked, not
    installed, and kept in the user's cache; see :mod:`jaxlda.corpora.packages`. Their texts are read without English
    stop words, rare and very common words if nothing else is said.

    Parameters
    ----------
    name
        One of :func:`names`.
    folder
        Where the files are, if not in that directory, or in the cache.
    **options
        Those of :func:`bars`; ``part="train"`` or ``"test"`` of the corpora that come in parts, train by default; of
        ``"sotu"``, ``words`` (of a passage; ``None``: whole addresses). Those of ``Corpus.from_texts`` of all that come
        as texts; with one of them, ``"20newsgroups"`` does.

    Examples
    --------
    >>> load("bars", num_docs=50)
    Corpus(50 documents, 25 words, 5,000 tokens)
    """
    if name not in names():
        raise ValueError(f"there is no corpus {name!r}; known are {', '.join(names())}")
    if name == "bars":
        return bars(**options)[0]
    if name == "sotu":
        return read_addresses(data_file(ADDRESSES, folder), **options)
    if name in PACKAGED and not _counted(name, folder, options):
        return load_packaged(name, folder=folder, **options)
    parts = FILES.get(name, {"all": ""})
    part = options.pop("part", next(iter(parts)))
    if options:
        raise TypeError(f"the corpus {name!r} does not take the option(s) {', '.join(options)}")
    if part not in parts:
        raise ValueError(f"the corpus {name!r} has no part {part!r}; it has {', '.join(parts)}")
    return _reuters() if name == "reuters" else _from_npz(data_file(parts[part], folder))


def _counted(name: str, folder: str | Path | None, options: dict[str, Any]) -> bool:
    """Whether a corpus is asked for, and there, as a file of counts."""
    file = FILES.get(name, {}).get(options.get("part", "train"))
    if file is None or set(options) - {"part"}:
        return False
    return folder is not None or _path(file, folder).is_file()


def _path(file: str, folder: str | Path | None) -> Path:
    directory = folder or os.environ.get("JAXLDA_DATA")
    return (Path(directory) if directory else Path(__file__).resolve().parents[3] / "shared" / "data") / file


def data_file(file: str, folder: str | Path | None = None) -> Path:
    """The path of a file in a folder; by default ``JAXLDA_DATA``, or ``../shared/data`` beside a source checkout.

    Examples
    --------
    >>> data_file("no_such_file.npz")
    Traceback (most recent call last):
    ...
    FileNotFoundError: no_such_file.npz is not in ...; set the environment variable JAXLDA_DATA to ...
    """
    path = _path(file, folder)
    if not path.is_file() and folder is not None:
        raise FileNotFoundError(f"{file} is not in {folder}; give the folder that holds it")
    if not path.is_file():
        raise FileNotFoundError(
            f"{file} is not in {path.parent}; set the environment variable JAXLDA_DATA to the directory that holds it. "
            "The corpora 'reuters' and 'bars' need no files"
        )
    return path


def bars(
    num_docs: int = 1000, size: int = 5, doc_length: int = 100, alpha: Any = 1.0, seed: int = 0
) -> tuple[Corpus, Truth]:
    r"""The bars of Griffiths and Steyvers: words are pixels of an image, topics its rows and columns.

    Topic ``k < size`` is uniform over row ``k``, topic ``size + k`` over column ``k``;
    :math:`\theta_d \sim \mathrm{Dir}(\alpha)`. Because the topics can be seen, so can what a sampler makes of them.

    Parameters
    ----------
    num_docs
        D.
    size
        The side of the image: V = size², K = 2 size.
    doc_length
        The tokens of every document.
    alpha
        A number, ``(K,)`` or ``(D, K)``.
    seed
        Of ``numpy.random.default_rng``.

    Returns
    -------
    corpus, truth

    Examples
    --------
    >>> corpus, truth = bars(num_docs=20, size=3)
    >>> corpus.vocab[:4].tolist(), truth.phi.shape
    (['r0c0', 'r0c1', 'r0c2', 'r1c0'], (6, 9))
    """
    rng = np.random.default_rng(seed)
    eye = np.eye(positive_int(size, "size"))
    phi = np.concatenate([np.kron(eye, np.ones(size)), np.kron(np.ones(size), eye)]) / size
    D, K = positive_int(num_docs, "num_docs"), 2 * size
    prior = priors.make(K, D, size**2, alpha)
    theta = _dirichlet(rng, np.broadcast_to(prior.alpha, (D, K)))
    lengths = np.full(D, positive_int(doc_length, "doc_length"))
    counts, z = _draw(rng, lengths, theta, phi)
    vocab = [f"r{row}c{column}" for row in range(size) for column in range(size)]
    return Corpus.from_counts(counts, vocab), Truth(phi, theta, z)


def simulate(
    num_docs: int,
    num_topics: int,
    num_words: int,
    doc_length: float | int,
    alpha: Any = 0.1,
    beta: Any = 0.01,
    labels_per_doc: float | int | None = None,
    seed: int = 0,
) -> tuple[Corpus, Truth]:
    r"""A corpus drawn from the model, and the parameters it was drawn from.

    .. math:: \phi_k \sim \mathrm{Dir}(\beta), \quad \theta_d \sim \mathrm{Dir}(\alpha), \quad
        n_d \sim \mathrm{Poisson}, \quad z_i \sim \theta_d, \quad w_i \sim \phi_{z_i}

    Parameters
    ----------
    num_docs, num_topics, num_words
        D, K and V.
    doc_length
        The mean length of a document. Short documents may come out empty.
    alpha, beta
        Numbers or arrays, as :func:`jaxlda.priors.make` takes them.
    labels_per_doc
        If given, topic ``k`` is label ``k`` and a document uses only its own labels (Labeled LDA, Eq. 5). It has
        1 + Poisson(labels_per_doc - 1) of them, at most K, each set of that size being equally likely.
    seed
        Of ``numpy.random.default_rng``.

    Returns
    -------
    corpus, truth

    Examples
    --------
    >>> corpus, truth = simulate(num_docs=30, num_topics=4, num_words=50, doc_length=20, labels_per_doc=2)
    >>> corpus.num_docs, corpus.num_words, corpus.label_names.tolist()
    (30, 50, ['label0', 'label1', 'label2', 'label3'])
    >>> truth.phi.shape, truth.theta.shape, truth.z.shape == corpus.tokens().w.shape
    ((4, 50), (30, 4), True)
    """
    prior = priors.make(num_topics, num_docs, num_words, alpha, beta)
    if not (np.isfinite(doc_length) and doc_length > 0):
        raise ValueError(f"doc_length must be greater than 0; got {doc_length!r}")
    rng = np.random.default_rng(seed)
    D, K, V = num_docs, num_topics, num_words
    phi = _dirichlet(rng, np.broadcast_to(prior.beta, (K, V)))
    alpha_dk, labels = np.broadcast_to(prior.alpha, (D, K)), None
    if labels_per_doc is not None:
        if not (np.isfinite(labels_per_doc) and labels_per_doc >= 1):
            raise ValueError(f"labels_per_doc must be at least 1; got {labels_per_doc!r}")
        num_labels = np.minimum(1 + rng.poisson(labels_per_doc - 1, D), K)
        # The ranks of random numbers are a random permutation: the labels ranked below the number are the set.
        ranks = np.argsort(np.argsort(rng.random((D, K)), axis=1), axis=1)
        labels = ranks < num_labels[:, None]
        alpha_dk = np.asarray(priors.make(K, D, V, priors.labeled(alpha_dk, labels)).alpha)
    theta = _dirichlet(rng, alpha_dk)
    counts, z = _draw(rng, rng.poisson(doc_length, D), theta, phi)
    return Corpus.from_counts(counts, labels=labels), Truth(phi, theta, z)


def _dirichlet(rng: np.random.Generator, a: np.ndarray) -> np.ndarray:
    """One draw per row; parameters may be tiny, and those of zero give zero.

    Gamma(a) = Gamma(a + 1) U^(1/a) in logarithms, because Gamma(0.01) itself underflows often enough to matter.
    """
    a = np.asarray(a, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        log_gamma = np.log(rng.standard_gamma(a + 1)) + np.log1p(-rng.random(a.shape)) / a
    log_gamma = np.where(a > 0, log_gamma, -np.inf)  # U = 1 would make it 0 / 0
    weights = np.exp(log_gamma - log_gamma.max(axis=-1, keepdims=True))
    return weights / weights.sum(axis=-1, keepdims=True)


def _draw(
    rng: np.random.Generator, lengths: np.ndarray, theta: np.ndarray, phi: np.ndarray
) -> tuple[sparse.csr_array, np.ndarray]:
    """Counts D x V of documents of the given lengths, and the topics of their tokens in the order of the counts."""
    (D, K), V = theta.shape, phi.shape[1]
    n_dk = rng.multinomial(lengths, theta)
    d = np.concatenate([np.repeat(np.arange(D), n_dk[:, k]) for k in range(K)])
    w = np.concatenate([rng.choice(V, int(n_dk[:, k].sum()), p=phi[k]) for k in range(K)])
    z = np.repeat(np.arange(K, dtype=np.int32), n_dk.sum(axis=0))
    counts = sparse.csr_array((np.ones(d.size, np.int32), (d, w)), shape=(D, V))
    # Which of a document's equal words holds which topic is arbitrary: tokens are exchangeable.
    return counts, z[np.lexsort((w, d))]


def _reuters() -> Corpus:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import lda.datasets
        import lda.utils

        # The package's own function leaves its file open, and other threads may hear the warning of it.
        with Path(lda.datasets.__file__).with_name("tests").joinpath("reuters.ldac").open(encoding="utf-8") as file:
            counts = lda.utils.ldac2dtm(file, offset=0)
        vocab, titles = lda.datasets.load_reuters_vocab(), lda.datasets.load_reuters_titles()
    return Corpus.from_counts(counts, vocab, titles=titles)


def _from_npz(path: Path) -> Corpus:
    with np.load(path, allow_pickle=False) as stored:
        arrays = stored["X_data"], stored["X_indices"], stored["X_indptr"]
        counts = sparse.csr_array(arrays, shape=tuple(stored["shape"].tolist()))
        labels = label_names = None
        if "Y_indptr" in stored:
            label_names, indices = stored["labels"], stored["Y_indices"]
            arrays = np.ones(indices.size, dtype=bool), indices, stored["Y_indptr"]
            labels = sparse.csr_array(arrays, shape=tuple(stored["Y_shape"].tolist()))
        titles = stored["newid"].astype(str) if "newid" in stored else None
        return Corpus.from_counts(counts, stored["vocab"], labels=labels, label_names=label_names, titles=titles)
