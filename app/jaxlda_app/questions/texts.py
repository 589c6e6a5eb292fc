"""Documents as they were written, every token in the colour of its topic."""

import html
import re
from collections import defaultdict, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from jaxlda.plots.canvas import GREY
from jaxlda.plots.texts import token_style, topic_colors

__all__ = ["LONGEST", "in_order", "marked", "placed"]

LONGEST = 20_000  # signs of a text that are shown


def placed(text: str, words: Sequence[str]) -> list[tuple[int, int]] | None:
    """Where the words of a text stand in it, in order, each as (begin, end); ``None`` if they are not all found.

    >>> placed("The cat, the CAT-dog", ["cat", "cat", "dog"])
    [(4, 7), (13, 16), (17, 20)]
    """
    folded = text.lower()
    if len(folded) != len(text):  # a few letters become two
        return None
    places, at = [], 0
    for word in words:
        parts = [re.escape(part) for part in word.lower().split("_") if part]
        match = re.compile(r"(?<!\w)" + r"\W+".join(parts) + r"(?!\w)").search(folded, at) if parts else None
        if match is None:
            return None
        places.append(match.span())
        at = match.end()
    return places


def in_order(words: Sequence[str], tokens: Any) -> np.ndarray:
    """The rows of a table of tokens in the order in which words were written.

    A bag of words does not tell which of two equal words has which topic: the first gets the first, and so on, which
    is as probable as any other way.

    >>> import pandas as pd
    >>> in_order(["dog", "cat", "dog"], pd.DataFrame({"word": ["cat", "dog", "dog"]})).tolist()
    [1, 0, 2]
    """
    rows: dict[str, deque[int]] = defaultdict(deque)
    for row, word in enumerate(tokens["word"]):
        rows[word].append(row)
    return np.array([rows[word].popleft() for word in words if rows[word]], int)


def marked(
    text: str,
    places: Sequence[tuple[int, int]],
    tokens: Any,
    tips: Sequence[str],
    chosen: int | None = None,
    found: Sequence[str] = (),
) -> str:
    """The text as HTML in which it is nothing but text, with coloured tokens.

    Parameters
    ----------
    text, places
        The text, and where its tokens stand.
    tokens, tips
        Their topics and probabilities in the same order, and what is said where the pointer rests.
    chosen
        A topic whose tokens are underlined.
    found
        Beginnings of words that somebody searches for.
    """
    colors = topic_colors(np.asarray(tokens["topic"]))
    parts, at = [], 0
    rows = zip(places, tokens["topic"].tolist(), tokens["probability"].tolist(), tips, strict=True)
    for (begin, end), topic, p, tip in rows:
        if begin > LONGEST:
            break
        word = text[begin:end]
        hit = ' class="hit"' if any(word.lower().startswith(term) for term in found) else ""
        style = token_style(colors.get(topic, GREY), p, topic == chosen)
        parts.append(html.escape(text[at:begin]))
        parts.append(f'<span{hit} title="{html.escape(tip)}" style="{style}">{html.escape(word)}</span>')
        at = end
    rest = html.escape(text[at : max(LONGEST, at)]) + (" …" if len(text) > LONGEST else "")
    return f'<p class="tokens text">{"".join(parts)}{rest}</p>'
