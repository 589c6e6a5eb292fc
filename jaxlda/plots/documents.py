"""Documents seen through their topics: tokens with their topics, proportions, neighbours, and finding a document."""

import html
from typing import Any

import numpy as np
from jaxtyping import Float, Float64, Num

from jaxlda.corpora.corpus import Corpus
from jaxlda.estimators import transitions
from jaxlda.plots.figures import COLORS
from jaxlda.types import Data, Sample

__all__ = [
    "find_documents",
    "nearest_documents",
    "token_probabilities",
    "token_table",
    "tokens_as_html",
    "topic_colors",
]

_OTHER = "#bbbbbb"  # topics without a colour of their own


def token_probabilities(sample: Sample, data: Data, document: int) -> Float64[np.ndarray, "n K"]:
    r"""The topic of each token of a document, as a distribution.

    The one that a Gibbs update would draw it from (Eqs. 1, 4 and 31, ``jaxlda.estimators.transitions``). Samples
    without assignments (CVB0) have no token to leave out: :math:`p_{ik} \propto \hat\phi_{kv} \hat\theta_{dk}`.

    Parameters
    ----------
    sample, data
        Of one chain, such as ``run.chain(0)`` and ``run.chain_data(0)``.
    document
        Its number.

    Returns
    -------
    array
        A row for each token, in the order of the data.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=2)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5)
    >>> p = token_probabilities(run.chain(0), data, 1)
    >>> p.shape, p.sum(1).round(6).tolist()
    ((3, 2), [1.0, 1.0, 1.0])
    """
    own = _tokens_of(data, document)
    if sample.z is not None:
        return transitions(sample, data, own)
    w = np.asarray(data.tokens.w)[own]
    alpha, beta = (np.asarray(prior, np.float64) for prior in data.priors)
    n_dk, n_vk, n_k = (np.asarray(table) for table in sample.counts)
    p = np.tile(n_dk[document] + (alpha[document] if alpha.ndim == 2 else alpha), (w.size, 1))
    if data.phi is None:
        p *= (n_vk[w] + (beta[w, None] if beta.ndim == 1 else beta[:, w].T)) / (n_k + beta.sum(-1))
    else:
        p *= np.asarray(data.phi)[:, w].T
    return p / p.sum(axis=1, keepdims=True)


def token_table(sample: Sample, data: Data, vocab: np.ndarray, document: int, *, soft: bool = False) -> Any:
    """The tokens of a document, each with a topic.

    Parameters
    ----------
    sample, data, document
        As in :func:`token_probabilities`.
    vocab
        The words ``(V,)``.
    soft
        The most probable topic and its transition probability, instead of the topic that was drawn, which is certain.
        Samples without assignments (CVB0) are always shown so.

    Returns
    -------
    pandas.DataFrame
        Columns ``word``, ``topic`` and ``probability``; a bag of words has no order, so rows are in the order of the
        data: by word, as the vocabulary has them.

    Examples
    --------
    >>> import jax, jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat dog", "dog dog ant"])
    >>> data = corpus.data(num_topics=1)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=2)
    >>> token_table(run.chain(0), data, corpus.vocab, 1).values.tolist()
    [['ant', 0, 1.0], ['dog', 0, 1.0], ['dog', 0, 1.0]]
    """
    import pandas as pd

    own = _tokens_of(data, document)
    words = vocab[np.asarray(data.tokens.w)[own]]
    if soft or sample.z is None:
        p = token_probabilities(sample, data, document)
        topic = p.argmax(axis=1)
        probability = p[np.arange(len(p)), topic]
    else:
        topic = np.asarray(sample.z)[own]
        probability = np.ones(topic.size)
    return pd.DataFrame({"word": words.tolist(), "topic": topic.astype(np.int64), "probability": probability})


def tokens_as_html(table: Any, *, names: Any = None, chosen: int | None = None, most: int = 2000) -> str:
    """Tokens as a paragraph of HTML, coloured by topic: the stronger, the more probable.

    The document's largest topics have colours of their own; the others are grey. Each token has the number of its topic
    beside it, so that nobody needs the colours.

    Parameters
    ----------
    table
        Columns ``word``, ``topic`` and ``probability``, as :func:`token_table` has them.
    names
        What topics are about, shown where the pointer rests: a text for each topic.
    chosen
        A topic whose tokens are underlined.
    most
        Tokens that are shown of a longer document.

    Returns
    -------
    str
        In which words are nothing but text, whatever they are.

    Examples
    --------
    >>> print(tokens_as_html({"word": ["<b>"], "topic": [3], "probability": [0.5]}))
    <p class="tokens"><span title="topic 3: 0.50" style="background:#4477aa40">&lt;b&gt;<sub>3</sub></span></p>
    """
    words, topics, probabilities = (np.asarray(table[name]) for name in ("word", "topic", "probability"))
    colors = topic_colors(topics)
    spans = []
    for word, topic, p in zip(
        words[:most].tolist(), topics[:most].tolist(), probabilities[:most].tolist(), strict=True
    ):
        about = f"topic {topic}: {p:.2f}" + ("" if names is None else f" · {names[topic]}")
        line = ";text-decoration:underline" if topic == chosen else ""
        style = f"background:{colors.get(topic, _OTHER)}{round(128 * p):02x}{line}"
        word_, about_ = html.escape(str(word)), html.escape(about)
        spans.append(f'<span title="{about_}" style="{style}">{word_}<sub>{topic}</sub></span>')
    rest = f" … and {len(words) - most:,} more" if len(words) > most else ""
    return f'<p class="tokens">{" ".join(spans)}{rest}</p>'


def topic_colors(topics: Num[np.ndarray, " n"]) -> dict[int, str]:
    """Colours of the most frequent topics, the most frequent first; of equal ones the lower number.

    >>> topic_colors(np.array([4, 2, 4]))
    {4: '#4477aa', 2: '#ee6677'}
    """
    topic, count = np.unique(topics, return_counts=True)
    order = np.argsort(-count, kind="stable")
    return dict(zip(topic[order].tolist(), COLORS[:-1], strict=False))


def nearest_documents(
    theta: Float[np.ndarray, "D K"], document: int, n: int = 10, n_d: Num[np.ndarray, " D"] | None = None
) -> Any:
    r"""The documents with the most similar topic proportions, by Hellinger distance.

    .. math:: H(a, b) = \sqrt{1 - \sum_k \sqrt{\theta_{ak} \theta_{bk}}}

    from 0 (the same) to 1 (no topic in common). Takes time and memory of the order of theta, not of pairs of documents.

    Parameters
    ----------
    theta
        The proportions of all documents; dense ones, theta_p, tell more.
    document
        Whose neighbours are looked for.
    n
        How many.
    n_d
        The lengths of documents. Empty ones have the proportions of the prior, which mean nothing: they are no
        neighbours, and have none.

    Returns
    -------
    pandas.DataFrame
        Columns ``document`` and ``distance``, the nearest first.

    Examples
    --------
    >>> nearest_documents(np.array([[1.0, 0.0], [0.0, 1.0], [0.64, 0.36]]), 0).round(3).values.tolist()
    [[2.0, 0.447], [1.0, 1.0]]
    """
    import pandas as pd

    root = np.sqrt(np.asarray(theta))
    affinity = np.clip(root @ root[document], 0, 1).astype(np.float64)
    candidate = np.ones(len(affinity), bool) if n_d is None else np.asarray(n_d) > 0
    neighbours = np.flatnonzero(candidate) if candidate[document] else np.empty(0, np.int64)
    neighbours = neighbours[neighbours != document]
    distance = np.sqrt(1 - affinity[neighbours])
    order = np.argsort(distance, kind="stable")[:n]
    return pd.DataFrame({"document": neighbours[order], "distance": distance[order]})


def find_documents(corpus: Corpus, text: str, n: int = 20) -> Any:
    """The documents that have all words of a text, in their title or among their words.

    Parameters
    ----------
    corpus
        Where to look.
    text
        Words or beginnings of words; case does not matter. Titles are searched for any part.
    n
        How many documents, those first that have the words most often; a word in the title counts more than any number
        in the text.

    Returns
    -------
    pandas.DataFrame
        Columns ``document``, ``title`` (empty where there are none) and ``tokens``, how many of them match.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["oil oil rises", "gold falls", "oil prices"], titles=["a", "b", "Gold and oil"])
    >>> find_documents(corpus, "OIL").values.tolist()
    [[2, 'Gold and oil', 1], [0, 'a', 2]]
    """
    import pandas as pd

    terms = text.casefold().split()
    titles = [""] * corpus.num_docs if corpus.titles is None else list(corpus.titles)
    folded = [title.casefold() for title in titles]
    vocab = np.char.lower(corpus.vocab)
    matches, tokens, in_titles = (np.zeros(corpus.num_docs, np.int64) for _ in range(3))
    for term in terms:
        columns = np.char.startswith(vocab, term)
        found = np.asarray(corpus.counts @ columns.astype(np.int64))
        titled = np.fromiter((term in title for title in folded), bool, corpus.num_docs)
        matches += (found > 0) | titled
        tokens += found
        in_titles += titled
    hits = np.flatnonzero(matches == len(terms)) if terms else np.empty(0, np.int64)
    hits = hits[np.lexsort((hits, -tokens[hits], -in_titles[hits]))][:n]
    return pd.DataFrame({"document": hits, "title": [titles[d] for d in hits], "tokens": tokens[hits]})


def _tokens_of(data: Data, document: int) -> slice:
    D = data.tokens.n_d.shape[0]
    if not 0 <= document < D:
        raise IndexError(f"document {document} does not exist: the corpus has {D} documents")
    d, m = np.asarray(data.tokens.d), np.asarray(data.tokens.m)
    begin, end = np.searchsorted(d, [document, document + 1])
    return slice(int(begin), int(begin + np.count_nonzero(m[begin:end])))  # without the padding at the end
