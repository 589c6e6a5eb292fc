"""Ways to cut a text into words that have a name, so that files can say which one it was."""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

__all__ = ["PRESETS", "cjk", "not_cut", "resolved"]

# Han, Hiragana and Katakana, with the mark of repetition and that of long vowels: written without spaces.
_IDEOGRAPHS = (
    "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003134f"
)
_RUN = re.compile(rf"[{_IDEOGRAPHS}]+|[^\W{_IDEOGRAPHS}]{{2,}}")
_FIRST = re.compile(rf"[{_IDEOGRAPHS}]")


def cjk(text: str) -> list[str]:
    """Pairs of neighbouring characters where text is written without spaces (Chinese, Japanese), and words elsewhere.

    >>> cjk("我爱北京 with GPUs")
    ['我爱', '爱北', '北京', 'with', 'GPUs']
    """
    words = []
    for run in _RUN.findall(text):
        if _FIRST.match(run) and len(run) > 2:
            words += [run[i : i + 2] for i in range(len(run) - 1)]
        else:
            words.append(run)
    return words


def _marks() -> str:
    r"""Signs that belong to the letter before them, such as vowels of Hindi and Thai: ``\w`` has none of them."""
    places = (*range(0x300, 0x1E00), *range(0xA66F, 0xAC00), *range(0x11000, 0x11B00))
    return "".join(chr(place) for place in places if unicodedata.category(chr(place)) in ("Mn", "Mc"))


_MARKS = _marks()
_ANY, _LETTER = rf"[\w{_MARKS}]", r"[^\W\d_]"


def _cutter(plain: str, marked: str) -> Callable[[str], list[str]]:
    """All that a pattern finds; the second one knows signs, and takes longer. Compiled when a text needs it."""

    @cache
    def pattern(is_ascii: bool) -> re.Pattern[str]:
        return re.compile(plain, re.ASCII) if is_ascii else re.compile(marked)

    return lambda text: pattern(text.isascii()).findall(text)


PRESETS: dict[str, Callable[[str], list[str]]] = {
    "default": _cutter(r"\w\w+", rf"\w{_ANY}+"),
    "words": _cutter(r"\w+", rf"\w{_ANY}*"),
    "letters": _cutter(
        rf"(?<![^\W_]){_LETTER}{{2,}}(?![^\W_])",
        rf"(?<![^\W_])(?<![{_MARKS}]){_LETTER}(?:{_LETTER}|[{_MARKS}])+(?![^\W_]|[{_MARKS}])",
    ),
    "hyphens": _cutter(r"\w+(?:['-]\w+)+|\w\w+", rf"\w{_ANY}*(?:['’-]\w{_ANY}*)+|\w{_ANY}+"),
    "cjk": cjk,
}
"""By name: two or more letters or digits; one or more; letters only; words with an apostrophe or a hyphen in one piece;
and pairs of characters where text has no spaces. The first is scikit-learn's rule, which would tear words of Hindi
apart at their vowel signs, and does not here."""

# Thai, Lao, Myanmar and Khmer, which have no spaces between words either.
_UNSPACED = re.compile(rf"[{_IDEOGRAPHS}]{{5}}|[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]{{12}}")


def not_cut(words: Sequence[str]) -> str | None:
    """What to say if many words look like sentences, because their script has no spaces; ``None`` if they do not.

    >>> not_cut(["cat", "dog"])
    >>> print(not_cut(["我喜欢机器学习", "dog"]))
    1 of 2 words are whole phrases, such as '我喜欢机器学习': ...
    """
    whole = [word for word in words if _UNSPACED.search(word)]
    if 10 * len(whole) <= len(words) or not whole:
        return None
    return (
        f"{len(whole)} of {len(words)} words are whole phrases, such as {whole[0]!r:.40}: their script has no spaces. "
        "token_pattern='cjk' cuts Chinese and Japanese into pairs of characters; tokenizer= takes a function of yours"
    )


def resolved(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options of ``CountVectorizer`` in which the name of a preset is what it stands for.

    >>> resolved({"token_pattern": "cjk"})["tokenizer"]("我爱北京")
    ['我爱', '爱北', '北京']
    """
    if options.get("analyzer", "word") != "word":
        return dict(options)
    if "token_pattern" not in options and options.get("tokenizer") is not None:
        return {**options, "token_pattern": None}
    pattern = options.get("token_pattern", "default")
    preset = PRESETS.get(pattern) if isinstance(pattern, str) else None
    return dict(options) if preset is None else {**options, "token_pattern": None, "tokenizer": preset}
