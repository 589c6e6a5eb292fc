"""Long texts cut into passages, which topic models take as documents: of about the same number of words."""

import re

from jaxlda.corpora.numbers import positive_int

__all__ = ["passages"]

_SENTENCE = re.compile(r"[.!?][\"'”’)]*(?=\s)")
_SPACE = re.compile(r"\s+")


def passages(text: str, words: int = 200) -> list[str]:
    """A text in pieces of about so many words, cut at the end of the sentence that is nearest.

    All pieces are about the same length. Where no sentence ends within a quarter of that, a cut is between two words.

    Parameters
    ----------
    text
        Any; paragraphs do not matter.
    words
        Of a piece.

    Examples
    --------
    >>> passages("One two three. Four five six seven. Eight nine.", words=4)
    ['One two three.', 'Four five six seven. Eight nine.']
    """
    size, text = positive_int(words, "words"), text.strip()
    if not text:
        return []
    spaces = list(_SPACE.finditer(text))
    pieces = max(round((len(spaces) + 1) / size), 1)
    ends = {match.end() for match in _SENTENCE.finditer(text)}
    after = [i for i, space in enumerate(spaces) if space.start() in ends]  # spaces between two sentences
    cuts, reach, at = [], size // 4, 0
    for piece in range(1, pieces):
        wanted = round(piece * (len(spaces) + 1) / pieces) - 1
        while at + 1 < len(after) and abs(after[at + 1] - wanted) <= abs(after[at] - wanted):
            at += 1
        near = after[at] if after and abs(after[at] - wanted) <= reach else wanted
        cuts.append(spaces[near].end())
    return [text[a:b].strip() for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True) if a < b]
