"""Figures of the topics of a model or a run: their places, words and documents."""

from typing import Any

import numpy as np
import pandas as pd

from jaxlda.evaluation.association import association_probabilities
from jaxlda.plots import bars, maps, rankings
from jaxlda.plots.canvas import HARD, SOFT
from jaxlda.plots.notebook import drawn_from
from jaxlda.topics import (
    Fitted,
    best_words,
    condensed,
    fitted,
    image_side,
    named,
    rank_changes,
    ranking_table,
    relevance,
    top_documents,
    topic_map,
    word_table,
)

__all__ = ["associations", "documents", "images", "topics", "word_ranks", "words"]

_LOGARITHMS = 200_000_000  # a second of them, to compare each topic with each
_IN_A_NAME = 6  # words


def topics(
    model: Any, *, weight: float | int = 1.0, chain: int | None = None, estimator: str | None = None, vocab: Any = None
) -> Any:
    r"""The map of the topics: circles as large as their share of the tokens, far apart where their words differ.

    Distances are Jensen-Shannon's, flattened onto the plane as well as they can be. The pointer shows the words.

    Parameters
    ----------
    model
        A fitted model, or a ``Run``.
    weight
        :math:`\lambda` of ``jaxlda.topics.relevance``, by which the words of a topic are chosen.
    chain
        The best one if not given.
    estimator
        ``"cgs_p"`` or ``"cgs"``: of phi. The model's own if not given.
    vocab
        The words of a run, which does not know them.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.topic_map``, with a column ``words``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(topics(run)).share.sum().round(6).item()
    1.0
    """
    about = fitted(model, chain, vocab=vocab)
    phi = about.phi(estimator)
    sizes = np.asarray(about.run.counts(chain=about.chain).n_k)
    table = topic_map(condensed(phi, about.frequency, _LOGARITHMS), sizes, names=about.names)
    best = best_words(relevance(phi, about.frequency, weight), about.vocab, _IN_A_NAME)
    table = table.assign(words=[", ".join(row) for row in best])
    return drawn_from(maps.intertopic_map(table, table.words.tolist()), table)


def images(model: Any, *, chain: int | None = None, estimator: str | None = None, vocab: Any = None) -> Any:
    """The topics as images, where words are pixels: those of ``jaxlda.datasets.bars``, or named like them (``r0c0``).

    Parameters
    ----------
    model, chain, estimator, vocab
        As in :func:`topics`.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from phi as a table, a row for each topic and a column for each pixel.

    Examples
    --------
    >>> import jax, jaxlda
    >>> corpus = jaxlda.datasets.load("bars").subset(range(20))
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), corpus.data(num_topics=3), num_warmup=5, num_chains=2)
    >>> len(images(run, vocab=corpus.vocab).select_one({"name": "images"}).data_source.data["image"])
    3
    """
    about = fitted(model, chain, vocab=vocab)
    side = image_side(about.vocab)
    if side is None:
        raise ValueError(f"the words are not pixels of a square: expected r0c0, r0c1, ..., got {about.vocab[0]}, ...")
    phi = about.phi(estimator)
    table = pd.DataFrame(phi, columns=about.vocab).rename_axis("topic")
    return drawn_from(maps.topic_images(phi, side), table)


def words(
    model: Any,
    topic: int,
    *,
    n: int = 15,
    weight: float | int = 1.0,
    chain: int | None = None,
    estimator: str | None = None,
    vocab: Any = None,
) -> Any:
    r"""The words of a topic as bars, the most relevant on top.

    Parameters
    ----------
    model, chain, estimator, vocab
        As in :func:`topics`.
    topic
        Its number.
    n
        How many words.
    weight
        :math:`\lambda` of ``jaxlda.topics.relevance``: 1 ranks words by their probability in the topic, 0 by how many
        times as probable they are as in the corpus.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.word_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> len(words(run, 2, n=5).y_range.factors)
    5
    """
    about = fitted(model, chain, vocab=vocab)
    phi = about.phi(estimator)
    table = word_table(phi[_checked(topic, phi)], about.vocab, about.frequency, weight, n)
    soft = (about.estimator if estimator is None else estimator) == "cgs_p"
    plot = bars.word_bars(table, color=SOFT if soft else HARD)
    return drawn_from(_titled(plot, about, topic), table)


def word_ranks(
    model: Any, topic: int, *, n: int = 12, within: int = 100, chain: int | None = None, vocab: Any = None
) -> Any:
    """The words of a topic that phi (from counts) and phi_p (from probabilities) rank most differently.

    Parameters
    ----------
    model, chain, vocab
        As in :func:`topics`; the algorithm has drawn topics, so not CVB0.
    topic, n
        As in :func:`words`.
    within
        The rank that a word must have in one of the two.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.rank_changes``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(word_ranks(run, 2, n=3)).columns.tolist()
    ['word', 'rank', 'rank_p']
    """
    about = _both(model, chain, vocab)
    hard, soft = about.phi("cgs"), about.phi("cgs_p")
    k = _checked(topic, hard)
    table = rank_changes(hard[k], soft[k], about.vocab, n, within)
    return drawn_from(_titled(rankings.word_rank_lines(table), about, topic), table)


def associations(model: Any, cue: str, *, n: int = 15, chain: int | None = None, vocab: Any = None) -> Any:
    """The words that a word leads to (Eq. 57), by phi on the left and by phi_p on the right.

    Parameters
    ----------
    model, chain, vocab
        As in :func:`word_ranks`.
    cue
        A word of the vocabulary. Rare ones change most from one estimator to the other.
    n
        How many words.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.ranking_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> associations(run, "w7", n=3).xaxis.major_label_overrides
    {0: 'φ', 1: 'φᵖ'}
    """
    about = _both(model, chain, vocab)
    v = word_number(about, cue)
    hard, soft = (association_probabilities(about.phi(kind), [v])[0] for kind in ("cgs", "cgs_p"))
    table = ranking_table(hard, soft, about.vocab, n, leave_out=[v])
    plot = rankings.rankings(rankings.lines_between(table, n), n=n)
    plot.title.text = f"after “{cue}”"
    return drawn_from(plot, table)


def documents(
    model: Any, topic: int, *, n: int = 10, chain: int | None = None, estimator: str | None = None, titles: Any = None
) -> Any:
    """The documents that are most about a topic, with their shares as bars.

    Parameters
    ----------
    model, chain, estimator
        As in :func:`topics`.
    topic
        Its number.
    n
        How many documents.
    titles
        Of the documents of a run, which does not know them.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.top_documents``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> len(documents(run, 2, n=4).y_range.factors)
    4
    """
    about = fitted(model, chain, titles=titles)
    theta = about.theta(estimator)
    lengths = np.asarray(about.data.tokens.n_d)
    table = top_documents(theta[:, _checked(topic, theta.T)], lengths, about.titles, n)
    return drawn_from(_titled(bars.document_bars(table), about, topic), table)


def word_number(about: Fitted, word: str) -> int:
    """The place of a word in the vocabulary."""
    found = np.flatnonzero(about.vocab == word)
    if not found.size:
        like = [str(other) for other in about.vocab[np.char.startswith(about.vocab, word[:3])][:5]]
        hint = f"; it has {', '.join(like)}" if like else ""
        raise KeyError(f"the vocabulary has no word {word!r}{hint}")
    return int(found[0])


def _both(model: Any, chain: int | None, vocab: Any) -> Fitted:
    about = fitted(model, chain, vocab=vocab)
    if about.soft_already:
        raise ValueError("there is only one estimate: the algorithm has soft counts only, like CVB0")
    return about


def _checked(topic: int, rows: np.ndarray) -> int:
    if not 0 <= topic < len(rows):
        raise IndexError(f"there is no topic {topic}: the model has topics 0 to {len(rows) - 1}")
    return topic


def _titled(plot: Any, about: Fitted, topic: int) -> Any:
    number = f"topic {topic}"
    plot.title.text = number if about.names is None else f"{number}: {named(len(about.names), about.names)[topic]}"
    return plot
