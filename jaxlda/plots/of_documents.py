"""Figures of documents by their topics: proportions, tokens, hard and soft counts, and predicted labels."""

from typing import Any

import numpy as np
import pandas as pd

from jaxlda.evaluation.by_label import label_table
from jaxlda.plots import bars, scores, texts
from jaxlda.plots.notebook import drawn_from
from jaxlda.plots.of_topics import word_number
from jaxlda.topics import Fitted, best_words, fitted, hard_soft_table, soft_row, token_table, tokens_of

__all__ = ["counts", "document", "precision_recall", "tokens"]

_IN_A_NAME = 5  # words


def document(model: Any, document: int, *, chain: int | None = None, vocab: Any = None) -> Any:
    """The topic proportions of a document: by theta, from counts (Eq. 3), and by theta_p, from probabilities (Eq. 40).

    Parameters
    ----------
    model
        A fitted model, or a ``Run``.
    document
        Its number.
    chain
        The best one if not given.
    vocab
        The words of a run, which does not know them.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from a table with columns ``topic``, ``theta``, ``theta_p`` (the same where counts are soft already, as
        CVB0's) and ``words``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> jaxlda.plots.table_of(document(run, 0)).theta_p.sum().round(5).item()
    1.0
    """
    about = fitted(model, chain, vocab=vocab)
    tokens_of(about.data, document)  # which says where there is no such document
    theta, theta_p = (about.theta(estimator)[document] for estimator in ("cgs", "cgs_p"))
    columns = {"topic": np.arange(len(theta)), "theta": theta, "theta_p": theta_p, "words": _about_topics(about)}
    table = pd.DataFrame(columns)
    return drawn_from(_titled(bars.proportions(table), about, document), table)


def tokens(
    model: Any, document: int, *, soft: bool = True, most: int = 2000, chain: int | None = None, vocab: Any = None
) -> texts.Html:
    """The tokens of a document in the colours of their topics, as HTML: the stronger, the more probable.

    Parameters
    ----------
    model, document, chain, vocab
        As in :func:`document`.
    soft
        Show the most probable topic of each token; otherwise the one that was drawn.
    most
        Tokens that are shown of a longer document.

    Returns
    -------
    Html
        A text that shows itself in notebooks, made of ``topics.token_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> tokens(run, 0, most=10).count("<span")
    10
    """
    about = fitted(model, chain, vocab=vocab)
    table = token_table(about.sample, about.data, about.vocab, document, soft=soft)
    return texts.tokens_as_html(table, names=_about_topics(about), most=most)


def counts(
    model: Any, *, document: int | None = None, word: str | None = None, chain: int | None = None, vocab: Any = None
) -> Any:
    """Hard and soft counts of a document or a word, topic by topic: tokens counted, and probabilities summed (Eq. 31).

    Parameters
    ----------
    model
        A fitted model, or a ``Run``; its algorithm has drawn topics, so not CVB0.
    document, word
        One of them: the number of a document, or a word.
    chain, vocab
        As in :func:`document`. Counts are those of its present sample.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``topics.hard_soft_table``.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_chains=2)
    >>> table = jaxlda.plots.table_of(counts(run, document=0))
    >>> table.hard.sum() == table.soft.sum().round(4)
    np.True_
    """
    if (document is None) == (word is None):
        raise ValueError("give either document= or word=")
    about = fitted(model, chain, vocab=vocab)
    if about.soft_already:
        raise ValueError("there is nothing to compare: the algorithm has soft counts only, like CVB0")
    where: Any
    if document is not None:
        where, row = tokens_of(about.data, document), about.sample.counts.n_dk[document]
    else:
        v = word_number(about, str(word))
        real = np.asarray(about.data.tokens.m) > 0
        where, row = np.flatnonzero((np.asarray(about.data.tokens.w) == v) & real), about.sample.counts.n_vk[v]
    table = hard_soft_table(np.asarray(row), soft_row(about.sample, about.data, where), about.names)
    plot = bars.hard_and_soft(table)
    if document is not None:
        return drawn_from(_titled(plot, about, document), table)
    plot.title.text = f"“{word}”"
    return drawn_from(plot, table)


def precision_recall(model: Any, test: Any, **options: Any) -> Any:
    """The labels a supervised model predicts, against the true ones: a point for each, of its precision and recall.

    Parameters
    ----------
    model
        A fitted ``LabeledLDA``, ``PriorLDA``, ``DependencyLDA`` or ``PLDA``.
    test
        A ``Corpus`` with labels.
    **options
        Of ``model.predict``.

    Returns
    -------
    bokeh.plotting.figure
        Drawn from ``evaluation.by_label.label_table``.
    """
    if not hasattr(model, "predict"):
        raise TypeError(f"expected a supervised model, which predicts labels; got a {type(model).__name__}")
    if getattr(test, "labels", None) is None:
        raise ValueError("the documents have no labels to compare predictions with")
    predicted, names = np.asarray(model.predict(test, **options), bool), [str(name) for name in model.classes_]
    column = {str(name): place for place, name in enumerate(test.label_names)}
    has = test.labels.toarray().astype(bool)
    truth = np.stack([has[:, column[one]] if one in column else np.zeros(len(has), bool) for one in names], axis=1)
    table = label_table(truth, predicted, names)
    return drawn_from(scores.label_points(table), table)


def _about_topics(about: Fitted) -> list[str]:
    """What each topic is about: its label, if it has one, and its most probable words."""
    words = [", ".join(row) for row in best_words(about.phi(), about.vocab, _IN_A_NAME)]
    return words if about.names is None else [f"{name}: {row}" for name, row in zip(about.names, words, strict=True)]


def _titled(plot: Any, about: Fitted, number: int) -> Any:
    plot.title.text = f"document {number}" + ("" if about.titles is None else f": {about.titles[number]}")
    return plot
