"""What of an experiment is finished, kept in a file so that it need not be computed again."""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import Any

from jaxlda.corpora.kept_json import differences, fields_of
from jaxlda.corpora.replacing import replace_file
from jaxlda.experiments._report import plain
from jaxlda.running.owning import owned

__all__ = ["Parts"]

HEAD = {"format": "jaxlda.experiment", "version": 1}


class Parts:
    """The finished parts of an experiment: one fit each, say.

    With a folder, they are kept in its file ``NAME.parts.json``, which is replaced as a whole after every part:
    whatever happens, Ctrl-C included, it holds all that was finished, and the next call computes only the rest. It has
    one owner at a time: a second process would lose the parts of the first.

    Parameters
    ----------
    folder
        Where to keep them; ``None``: nowhere.
    name
        Of the experiment.
    settings
        What the parts depend on, beside what their names say; parts of other settings are not mixed with them.
    total
        How many parts there will be.
    progress
        Show a bar.

    Examples
    --------
    >>> with Parts(None, "demo", {}, total=2, progress=False) as parts:
    ...     [parts.get(f"K {K}", lambda K=K: {"square": K**2}) for K in (2, 3)]
    [{'square': 4}, {'square': 9}]
    """

    def __init__(
        self, folder: str | Path | None, name: str, settings: Mapping[str, Any], *, total: int, progress: bool = True
    ):
        self.path = None if folder is None else Path(folder) / f"{name}.parts.json"
        self.content: dict[str, Any] = {**HEAD, "experiment": name, "parts": {}}
        # As JSON gives it back, to be compared with what it gave back.
        self.content["settings"] = json.loads(json.dumps(plain(settings)))
        self._lock = ExitStack()
        self._total, self._progress = total, progress
        self._bar: Any = None

    def get(self, part: str, compute: Callable[[], Any]) -> Any:
        """What a part gave, as JSON holds it: from the file, or computed now and kept."""
        parts = self.content["parts"]
        if self._bar is not None:
            self._bar.set_postfix_str(part)
        if part not in parts:
            # Through JSON, so that a report does not depend on what was computed when.
            parts[part] = json.loads(json.dumps(plain(compute())))
            if self.path is not None:
                replace_file(self.path, json.dumps(self.content).encode())
        if self._bar is not None:
            self._bar.update()
        return parts[part]

    def __enter__(self) -> "Parts":
        if self.path is not None:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            with ExitStack() as stack:  # which lets go of the file if it is not ours
                stack.enter_context(owned(self.path, "give another folder"))
                if self.path.exists():
                    self._load(self.path)
                self._lock = stack.pop_all()
        if self._progress:
            from tqdm.auto import tqdm

            self._bar = tqdm(total=self._total, unit="part", desc=self.content["experiment"])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.close()
        if self._bar is not None:
            self._bar.close()

    def _load(self, path: Path) -> None:
        name = self.content["experiment"]
        otherwise = f"has no parts of {name}, or is damaged; remove it to begin anew"
        head, kinds = {**HEAD, "experiment": name}, {"settings": dict, "parts": dict}
        settings, parts = fields_of(path, head, kinds, otherwise)
        if different := differences(settings, self.content["settings"]):
            raise ValueError(
                f"{path} has parts of other settings: {different}. Give the same settings, another folder, or remove "
                "the file to begin anew"
            )
        self.content["parts"] = parts
