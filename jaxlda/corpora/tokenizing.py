"""Ways to cut a text into words that have a name, so that files can say which one it was."""

import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["PRESETS", "cjk", "resolved"]

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


PRESETS: dict[str, str | Callable[[str], list[str]]] = {
    "default": r"(?u)\b\w\w+\b",
    "words": r"(?u)\b\w+\b",
    "letters": r"(?u)(?<![^\W_])[^\W\d_]{2,}(?![^\W_])",
    "hyphens": r"(?u)\w+(?:['’-]\w+)+|\w\w+",
    "cjk": cjk,
}
"""By name: two or more letters or digits (scikit-learn's rule); one or more; letters only; words with an apostrophe or
a hyphen in one piece; and pairs of characters where text has no spaces."""


def resolved(options: Mapping[str, Any]) -> dict[str, Any]:
    r"""Options of ``CountVectorizer`` in which the name of a preset is what it stands for.

    >>> resolved({"token_pattern": "words"})
    {'token_pattern': '(?u)\\b\\w+\\b'}
    """
    pattern = options.get("token_pattern")
    preset = PRESETS.get(pattern) if isinstance(pattern, str) else None
    if preset is None:
        return dict(options)
    if callable(preset):
        return {**options, "token_pattern": None, "tokenizer": preset}
    return {**options, "token_pattern": preset}
