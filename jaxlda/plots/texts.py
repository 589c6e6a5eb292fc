"""Documents as HTML: every token in the colour of its topic."""

import html
from typing import Any

import numpy as np
from jaxtyping import Num

from jaxlda.plots.canvas import COLORS, GREY

__all__ = ["Html", "token_style", "tokens_as_html", "topic_colors"]

STRONGEST = 96  # of 255: the words stay readable on it, on white and in the dark (4.5 to 1)


class Html(str):
    """A piece of HTML, which shows itself in notebooks."""

    def _repr_html_(self) -> str:
        return str(self)


def tokens_as_html(table: Any, *, names: Any = None, chosen: int | None = None, most: int = 2000) -> Html:
    """Tokens as a paragraph of HTML, coloured by topic: the stronger, the more probable.

    The document's largest topics have colours of their own; the others are grey. Each token has the number of its topic
    beside it, so that nobody needs the colours.

    Parameters
    ----------
    table
        Columns ``word``, ``topic`` and ``probability``, as ``jaxlda.topics.token_table`` has them.
    names
        What topics are about, shown where the pointer rests: a text for each topic.
    chosen
        A topic whose tokens are underlined.
    most
        Tokens that are shown of a longer document.

    Returns
    -------
    Html
        In which words are nothing but text, whatever they are.

    Examples
    --------
    >>> print(tokens_as_html({"word": ["<b>"], "topic": [3], "probability": [0.5]}))
    <p class="tokens"><span title="topic 3: 0.50" style="background:#4477aa30">&lt;b&gt;<sub>3</sub></span></p>
    """
    words, topics, probabilities = (np.asarray(table[name]) for name in ("word", "topic", "probability"))
    colors = topic_colors(topics)
    spans = []
    for word, topic, p in zip(
        words[:most].tolist(), topics[:most].tolist(), probabilities[:most].tolist(), strict=True
    ):
        about = f"topic {topic}: {p:.2f}" + ("" if names is None else f" · {names[topic]}")
        style = token_style(colors.get(topic, GREY), p, topic == chosen)
        word_, about_ = html.escape(str(word)), html.escape(about)
        spans.append(f'<span title="{about_}" style="{style}">{word_}<sub>{topic}</sub></span>')
    rest = f" … and {len(words) - most:,} more" if len(words) > most else ""
    return Html(f'<p class="tokens">{" ".join(spans)}{rest}</p>')


def token_style(color: str, probability: float, chosen: bool) -> str:
    """The CSS of a token: the ground in its topic's colour, underlined if its topic is chosen.

    >>> token_style("#4477aa", 0.5, True)
    'background:#4477aa30;text-decoration:underline'
    """
    line = ";text-decoration:underline" if chosen else ""
    return f"background:{color}{round(STRONGEST * probability):02x}{line}"


def topic_colors(topics: Num[np.ndarray, " n"]) -> dict[int, str]:
    """Colours of the most frequent topics, the most frequent first; of equal ones the lower number.

    >>> topic_colors(np.array([4, 2, 4]))
    {4: '#4477aa', 2: '#ee6677'}
    """
    topic, count = np.unique(topics, return_counts=True)
    order = np.argsort(-count, kind="stable")
    return dict(zip(topic[order].tolist(), COLORS[:-1], strict=False))
