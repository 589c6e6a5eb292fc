"""What the five screens show: the bars, a chain that finds them, and news stories. Computed once for all sessions."""

import re
import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import jax
import numpy as np

import jaxlda
from jaxlda import estimators, topics
from jaxlda.alignment import align
from jaxlda.types import Counts, Data, Sample
from jaxlda_app.learn.walk import Walk

__all__ = [
    "FAVOURITE",
    "FIRST_DRAW",
    "SIDE",
    "Bars",
    "K",
    "Noise",
    "Stories",
    "Story",
    "bars",
    "letter",
    "noise",
    "overlap",
    "phi_of",
    "stories",
    "walk",
]

SIDE = 5
K = 2 * SIDE
ALPHA, BETA = 0.2, 0.1  # of the bars: few bars in an image
DOCUMENTS, LENGTH, SWEEPS = 150, 30, 90
FIRST_DRAW = 61  # the sweep after which the bars have been found
FAVOURITE = 11  # a document of two bars that cross
STORY_SWEEPS = (0, 1, 2, 3, 5, 8, 12, 18, 26, 38, 55, 80)
NUM_STORIES, STORY_TOPICS = 6, 20
_lock = threading.Lock()  # of two sessions that come at once, one computes


class Bars(NamedTuple):
    """The corpus of images, its truth, and the way of a chain from a random start."""

    data: Data
    words: np.ndarray
    """Tokens of each pixel in each document ``(D, V)``."""
    phi: np.ndarray
    """The true topics ``(K, V)``."""
    theta: np.ndarray
    """The true proportions ``(D, K)``."""
    z: np.ndarray
    """The topic of each token after 0, 1, ... sweeps ``(SWEEPS + 1, N)``, numbered like the true ones."""


class Noise(NamedTuple):
    """Estimates from single draws: hard, from counts, and soft, from probabilities. The first axis is the draw."""

    phi: np.ndarray
    phi_p: np.ndarray
    theta: np.ndarray
    theta_p: np.ndarray
    error: np.ndarray
    error_p: np.ndarray
    """Share of the proportions that is in the wrong topics, a mean over documents."""


class Story(NamedTuple):
    """A headline, and the words below it."""

    title: str
    pieces: list[tuple[str, int | None]]
    """The headline in pieces: text, and the token that it is, if it is one."""
    tokens: list[tuple[str, int]]
    """Some words of the story, each with its token."""


class Stories(NamedTuple):
    """News stories, and the topics of their tokens in the course of sampling."""

    stories: list[Story]
    sweeps: tuple[int, ...]
    z: np.ndarray
    """The topic of each token at these sweeps ``(len(sweeps), N)``."""
    words: list[list[str]]
    """The first words of each topic at each of the sweeps."""
    shown: list[int]
    """The topics that have colours: the largest ones in these stories."""


def letter(topic: int) -> str:
    """What a topic is called: numbers would look like counts.

    >>> letter(0), letter(9)
    ('A', 'J')
    """
    return chr(ord("A") + topic)


@lru_cache(maxsize=1)
def _bars() -> Bars:
    corpus, truth = jaxlda.datasets.bars(DOCUMENTS, SIDE, LENGTH, ALPHA, seed=3)
    data = corpus.data(K, alpha=ALPHA, beta=BETA)
    z = np.stack([z for _, z in _sweeps(data, range(SWEEPS + 1), seed=1)])
    order = align(truth.phi, _phi(data, z[-1]), threshold=1.0).permutation
    place = np.empty(K, int)
    place[order] = np.arange(K)
    return Bars(data, corpus.counts.toarray(), truth.phi, truth.theta, place[z])


def bars() -> Bars:
    """The corpus of images, and a chain on it."""
    with _lock:
        return _bars()


def walk(document: int = FAVOURITE, seed: int = 4) -> Walk:
    """A document whose tokens have random topics, among others that have been sampled for long."""
    found = bars()
    w, d = (np.asarray(x) for x in found.data.tokens[:2])
    own = d == document
    others = np.zeros((SIDE**2, K), int)
    np.add.at(others, (w[~own], found.z[-1][~own]), 1)
    # In an order without meaning, as a text has one: else all tokens of a pixel would come one after the other.
    rng = np.random.default_rng(seed)
    words = rng.permutation(w[own]).tolist()
    return Walk(words, rng.integers(K, size=len(words)).tolist(), others.tolist(), ALPHA, BETA, seed)


def phi_of(found: Bars, sweep: int) -> np.ndarray:
    """The topics after some sweeps, from the counts ``(K, V)``."""
    return _phi(found.data, found.z[sweep])


def overlap(found: Bars, sweep: int) -> float:
    """How much the topics after some sweeps have in common with the true ones, from 0 to 1."""
    return float(np.minimum(phi_of(found, sweep), found.phi).sum(axis=1).mean())


@lru_cache(maxsize=1)
def _noise() -> Noise:
    found = _bars()
    draws = found.z[FIRST_DRAW:]
    hard = [_counts(found.data, z) for z in draws]
    soft = [estimators.soften(Sample(n, z), found.data) for n, z in zip(hard, draws, strict=True)]

    def each(estimator: Any, counts: list[Counts]) -> np.ndarray:
        return np.stack([np.asarray(estimator(one, found.data)) for one in counts])

    theta, theta_p = each(estimators.theta, hard), each(estimators.theta, soft)
    wrong, wrong_p = (np.abs(one - found.theta).sum(-1).mean(-1) / 2 for one in (theta, theta_p))
    return Noise(each(estimators.phi, hard), each(estimators.phi, soft), theta, theta_p, wrong, wrong_p)


def noise() -> Noise:
    """What single draws of the chain say, by counts and by probabilities."""
    with _lock:
        return _noise()


@lru_cache(maxsize=1)
def _stories() -> Stories:
    corpus = jaxlda.datasets.load("reuters")
    data = corpus.data(STORY_TOPICS, alpha=0.1, beta=0.01)
    z = np.stack([z for _, z in _sweeps(data, STORY_SWEEPS, seed=0)])
    chosen = _different(np.asarray(_counts(data, z[-1]).n_dk))
    found = [_story(corpus, d) for d in chosen]
    seen = [token for story in found for _, token in (*story.pieces, *story.tokens) if token is not None]
    topic, number = np.unique(z[-1][seen], return_counts=True)
    shown = topic[np.argsort(-number, kind="stable")][:9].tolist()
    words = [[", ".join(row) for row in topics.best_words(_phi(data, one), corpus.vocab, 4)] for one in z]
    return Stories(found, STORY_SWEEPS, z, words, shown)


def stories() -> Stories:
    """Some stories of the bundled corpus, and a chain on all of them."""
    with _lock:
        return _stories()


def _sweeps(data: Data, wanted: Any, seed: int) -> Iterator[tuple[int, np.ndarray]]:
    """The topics of a chain's tokens after these numbers of sweeps."""
    blocks = jaxlda.run_blocks(
        jax.random.key(seed), "cgs", data, num_warmup=max(wanted), num_samples=0, block=1, trace_every=0, soft=False
    )
    for run in blocks:
        if run.sweep in wanted:
            yield run.sweep, np.asarray(run.chain(0).z)


def _counts(data: Data, z: np.ndarray) -> Counts:
    w, d, _, n_d = (np.asarray(x) for x in data.tokens)
    topics_, (words,) = data.priors.alpha.shape[-1], data.priors.beta.shape
    n_dk, n_vk = np.zeros((len(n_d), topics_), np.int32), np.zeros((words, topics_), np.int32)
    np.add.at(n_dk, (d, z), 1)
    np.add.at(n_vk, (w, z), 1)
    counts: Any = (n_dk, n_vk, n_vk.sum(0, dtype=np.int32))
    return Counts(*counts)


def _phi(data: Data, z: np.ndarray) -> np.ndarray:
    return np.asarray(estimators.phi(_counts(data, z), data))


def _different(n_dk: np.ndarray) -> list[int]:
    """Stories that are about different topics, each about little else."""
    shares = n_dk / np.maximum(n_dk.sum(1, keepdims=True), 1)
    clearest = np.argsort(-shares.max(axis=0), kind="stable")[:NUM_STORIES]
    return list(dict.fromkeys(shares[:, clearest].argmax(axis=0).tolist()))


def _story(corpus: jaxlda.Corpus, document: int, most: int = 24) -> Story:
    """A headline whose words are found among the story's tokens, and the story's most frequent other words."""
    assert corpus.titles is not None
    begin = int(corpus.n_d[:document].sum())
    row = corpus.counts[[document]]
    first = dict(
        zip(corpus.vocab[row.indices].tolist(), (begin + np.cumsum(row.data) - row.data).tolist(), strict=True)
    )
    title = re.sub(r"^\d+ |\s+[A-Z][A-Z, a-z]*\d{4}-\d\d-\d\d$", "", corpus.titles[document])
    pieces = [(piece, first.get(piece.lower())) for piece in re.split(r"(\w+)", title) if piece]
    headline = {piece.lower() for piece, token in pieces if token is not None}
    often = np.argsort(-row.data, kind="stable").tolist()
    words = corpus.vocab[row.indices[often]].tolist()
    return Story(title, pieces, [(word, first[word]) for word in words if word not in headline][:most])
