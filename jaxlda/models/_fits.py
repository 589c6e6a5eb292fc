"""Scores of finished fits, in memory and in a file that is complete at every moment."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from jaxlda.corpora.kept_json import differences, fields_of
from jaxlda.corpora.replacing import replace_file
from jaxlda.evaluation import Score

__all__ = ["Fits"]

HEAD = {"format": "jaxlda.choose_k", "version": 1}


class Fits:
    """The scores of each K, part by part (one for every fold), kept in a JSON file if there is a path.

    The file is replaced as a whole after every fit, so that whatever happens, it holds all that was finished.
    """

    def __init__(
        self,
        path: str | Path | None,
        corpus: str,
        settings: Mapping[str, Any],
        settings_of: Mapping[int, Mapping[str, Any]],
        num_parts: int,
    ):
        self.path = None if path is None else Path(path)
        self.settings_of, self.num_parts = settings_of, num_parts
        self.content: dict[str, Any] = {**HEAD, "corpus": corpus, "fits": {}}
        # As JSON gives it back, to be compared with what it gave back.
        self.content["settings"] = {} if path is None else json.loads(json.dumps(dict(settings), default=_plain))
        if self.path is not None and self.path.exists():
            self._load(self.path)

    def get(self, K: int, part: int) -> Score | None:
        """The score of a finished fit."""
        stored = self.content["fits"].get(str(K), {}).get("scores", {}).get(str(part))
        return None if stored is None else Score(np.array(stored[0], np.float64), np.array(stored[1], np.int64))

    def score(self, K: int) -> Score | None:
        """The score of all documents, if all parts are finished."""
        parts = [score for part in range(self.num_parts) if (score := self.get(K, part)) is not None]
        if len(parts) < self.num_parts:
            return None
        return Score(*(np.concatenate(field) for field in zip(*parts, strict=True)))

    def quality(self, K: int) -> dict[str, float]:
        """The means over parts of what is known of the topics of all parts."""
        stored = self.content["fits"].get(str(K), {}).get("quality", {})
        parts = [stored.get(str(part), {}) for part in range(self.num_parts)]
        names = [name for name in parts[0] if all(isinstance(one.get(name), int | float) for one in parts)]
        return {name: float(np.mean([one[name] for one in parts])) for name in names}

    def add(self, K: int, part: int, score: Score, quality: Mapping[str, float] | None = None) -> None:
        """Keep the score of a fit, and what is known of its topics, in the file too."""
        fit = self.content["fits"].setdefault(str(K), {"settings": self.settings_of[K], "scores": {}})
        fit["scores"][str(part)] = [score.log_likelihood.tolist(), score.num_tokens.tolist()]
        fit.setdefault("quality", {})[str(part)] = dict(quality or {})
        if self.path is not None:
            replace_file(self.path, json.dumps(self.content).encode())

    def _load(self, path: Path) -> None:
        otherwise = "is not a file of choose_k, or it is damaged; give another path"
        fits, corpus, settings = fields_of(path, HEAD, {"fits": dict, "corpus": str, "settings": dict}, otherwise)
        if corpus != self.content["corpus"]:
            raise ValueError(f"{path} is about another corpus; give another path")
        _compare(path, "", settings, self.content["settings"])
        for K in self.settings_of:
            if str(K) in fits:
                _compare(path, f" for K = {K}", fits[str(K)]["settings"], self.settings_of[K])
        self.content["fits"] = fits


def _compare(path: Path, where: str, stored: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if different := differences(stored, now):
        raise ValueError(
            f"{path} was made with other settings{where}: {different}. Scores of different settings cannot be "
            "compared; give the same settings, or another path"
        )


def _plain(value: Any) -> Any:
    """What JSON cannot hold by itself: numbers and arrays of NumPy."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    raise TypeError(f"settings to be stored must be numbers, names or arrays; got {value!r}")
