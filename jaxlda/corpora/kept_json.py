"""JSON files that keep what is finished, so that it need not be computed again."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["differences", "fields_of"]


def fields_of(path: Path, head: Mapping[str, Any], kinds: Mapping[str, type], otherwise: str) -> list[Any]:
    """Fields of these kinds of a file that has this head: format, version, ...; of others, ``otherwise`` is said."""
    try:
        stored = json.loads(path.read_text(encoding="utf-8"))
        known = all(stored[name] == value for name, value in head.items() if name != "version")
        version, *fields = [stored[name] for name in ("version", *kinds)]
    except (ValueError, KeyError, TypeError):
        known = False
    if known and version != head["version"]:
        raise ValueError(f"{path} has version {version} of the format; this jaxlda reads version {head['version']}")
    if not known or not all(map(isinstance, fields, kinds.values())):
        raise ValueError(f"{path} {otherwise}")
    return fields


def differences(stored: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Settings that are not the same, in words; empty if all are.

    >>> differences({"seed": 1, "folds": 5}, {"seed": 2, "folds": 5})
    'seed = 1 there and 2 now'
    """
    names = [name for name in sorted({*stored, *now}) if stored.get(name) != now.get(name)]
    return ", ".join(f"{name} = {stored.get(name)!r} there and {now.get(name)!r} now" for name in names)
