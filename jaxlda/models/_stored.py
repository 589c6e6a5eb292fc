"""Models in files: save, load, and checkpoints while they are fitted."""

import copy
import dataclasses
import os
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import jax
import numpy as np
from jaxtyping import PRNGKeyArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from jaxlda.kernels.names import described, find
from jaxlda.models._checkpoint import Checkpoint, changes, checked_checkpoint, other_data
from jaxlda.models._diagnosed import Diagnosed
from jaxlda.models._support import placed
from jaxlda.running import archive, store
from jaxlda.running.driver import run
from jaxlda.running.results import Run
from jaxlda.running.values import decoded, encoded
from jaxlda.types import Algorithm, Data

__all__ = ["Stored", "load"]

MODELS: dict[str, type["Stored"]] = {}
"""Every model by the name it has in files: that of its class."""


class Stored(Diagnosed, BaseEstimator):
    """What models have in common that can be saved and go on.

    A subclass needs nothing but, in ``_found_names``, the names of what its ``fit`` finds besides the run, given
    to ``_sampled``; and in ``_harmless``, which of its parameters the chains do not depend on.
    """

    _found_names: ClassVar[tuple[str, ...]] = ("vocab_", "doc_titles_", "n_features_in_", "feature_names_in_")
    _harmless: ClassVar[tuple[str, ...]] = (
        "estimator",
        "chain_method",
        "trace_every",
        "gap_every",
        "keep",
        "progress",
        "checkpoint",
        "checkpoint_every",
    )
    checkpoint: Any
    checkpoint_every: Any
    run_: Run
    _settings_: dict[str, Any]
    """The parameters the chains were started with."""
    _conclude: Callable[[Run], None]
    """Takes a run, and finds what users ask for."""
    _options: Callable[[], dict[str, Any]]
    """What a run depends on in everything but its result."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        known = MODELS.get(cls.__name__)
        # A class that is defined again replaces itself; one that happens to have the same name does not.
        if known is None or (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__):
            MODELS[cls.__name__] = cls

    def save(self, path: str | os.PathLike) -> None:
        """Save the fitted model in one file, which ``jaxlda.load`` reads. It can :meth:`resume` then as if never saved.

        Numbers and texts only, no pickle; checksummed, and written such that an older file at ``path`` stays whole
        until the new one is.

        Parameters
        ----------
        path
            Such as ``"news.jaxlda"``; the folder must exist.
        """
        check_is_fitted(self, "run_")
        self._write(path, self.run_, self._found(), self._settings_)

    def _settings(self) -> dict[str, Any]:
        """Parameters that the chains depend on, safe from being changed in place."""
        params = self.get_params(deep=False)
        return {
            name: value if isinstance(value, Algorithm) else copy.deepcopy(value)
            for name, value in params.items()
            if name not in self._harmless
        }

    def _found(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._found_names if hasattr(self, name)}

    def _check_settings(self) -> None:
        """Refuse to go on with chains that were started with other parameters than there are now."""
        if changed := changes(self._settings_, self._settings()):
            raise ValueError(
                f"the parameters have changed since the chains were started: {changed}. Chains go on as they began: "
                "set them back (to sample more, give more_sweeps), or fit anew"
            )

    def _sampled(
        self,
        found: dict[str, Any],
        key: PRNGKeyArray,
        algorithm: Algorithm,
        data: Data,
        *,
        start: Run | None = None,
        on_block: Callable[[Run], object] | None = None,
        **sweeps: Any,
    ) -> Run:
        """Run the chains, with checkpoints if they are asked for; ``found`` is what a checkpoint needs to be loaded."""
        settings = self._settings() if start is None else self._settings_
        options = {**sweeps, **self._options()}
        if self.checkpoint is None:
            result = run(key, algorithm, data, **options, **self._keeping(data, sweeps, start), on_block=on_block)
        else:
            path, every = checked_checkpoint(self.checkpoint, self.checkpoint_every)
            archive.check_writable(path)
            described(algorithm)  # or raise now, not in the middle
            found = self._found() | found
            self._described(path, found, settings, {})
            if os.path.exists(path):
                stored = self._own(path, settings, found, data)
                start = _continued(path, stored, sweeps) if start is None else start
            checkpoint = Checkpoint(path, every, lambda now: self._write(path, now, found, settings))

            def after(now: Run) -> object:
                checkpoint(now)
                return None if on_block is None else on_block(now)

            result = run(key, algorithm, data, **options, **self._keeping(data, sweeps, start), on_block=after)
            try:
                checkpoint.now(result)
            except KeyboardInterrupt:
                warnings.warn(f"'{path}' was not written to the end: an older file stays", RuntimeWarning, stacklevel=3)
        self._settings_ = settings
        return result

    def _keeping(self, data: Data, sweeps: dict[str, Any], start: Run | None) -> dict[str, Any]:
        keep = self._kept(data, sweeps, start)
        if start is not None:
            start = dataclasses.replace(start, kept={name: start.kept.get(name, ()) for name in keep})
        return {"keep": keep, "start": start}

    def _own(self, path: str | os.PathLike, settings: dict[str, Any], found: dict[str, Any], data: Data) -> Run:
        """The run of a file, if it is one of this model and these data."""
        content = _content(path)
        if content.model is None:
            difference = "it is a run, not a model"
        elif content.model is not type(self):
            difference = f"it is a {content.model.__name__}, not a {type(self).__name__}"
        else:
            free = {"num_samples"}
            difference = changes(content.settings, {k: v for k, v in settings.items() if k not in free})
            difference = difference or other_data(content.run.data, data)
            if not difference and changes(content.found, found):
                difference = "the words or labels are not the same"
        if difference:
            raise ValueError(
                f"'{Path(path)}' is a checkpoint of something else: {difference}. Give another path as checkpoint, or "
                "remove the file"
            )
        return content.run

    def _write(self, path: str | os.PathLike, now: Run, found: dict[str, Any], settings: dict[str, Any]) -> None:
        header, arrays = store.pack(now)
        archive.write(path, self._described(path, found, settings, arrays) | {"run": header}, arrays)

    def _described(
        self, path: str | os.PathLike, found: dict[str, Any], settings: dict[str, Any], arrays: dict[str, Any]
    ) -> dict[str, Any]:
        """The header of a file, but for the run; arrays go to ``arrays``."""
        name = type(self).__name__
        if MODELS[name] is not type(self):
            raise ValueError(f"there is another model class of the name {name}, which a file could not tell from this")
        params = self.get_params(deep=False)
        here = self.checkpoint is not None and os.path.realpath(self.checkpoint) == os.path.realpath(path)
        params["checkpoint"] = True if here else None  # the path may be another one by the time it is loaded
        changed = {name: value for name, value in settings.items() if changes({name: value}, {name: params[name]})}
        return {
            "model": name,
            "params": {k: _encoded(v, f"params.{k}", arrays) for k, v in params.items()},
            "changed": {k: _encoded(v, f"changed.{k}", arrays) for k, v in changed.items()},
            "found": {k: _encoded(v, f"found.{k}", arrays) for k, v in found.items()},
        }

    def __getstate__(self) -> dict[str, Any]:
        """Everything but the devices, which belong to this process."""
        state = super().__getstate__()
        return {**state, "run_": placed(state["run_"], None)} if "run_" in state else state

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        if "run_" in state:
            self.run_ = placed(self.run_, jax.devices()[0])


class _Content(NamedTuple):
    """What a file tells of a model; of a plain run, the last field only."""

    model: type[Stored] | None
    params: dict[str, Any]
    settings: dict[str, Any]
    found: dict[str, Any]
    run: Run


def load(path: str | os.PathLike) -> Any:
    """Load a model that was saved, or its last checkpoint, or a run saved with ``jaxlda.running.store.save``.

    Models and runs are ready to be used and to be continued, with the same result as if they had never stopped.

    Parameters
    ----------
    path
        The file. Files are safe to load, wherever they come from: nothing in them is executed.

    Examples
    --------
    >>> import jaxlda
    >>> from tempfile import TemporaryDirectory
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"])
    >>> model = jaxlda.LDA(2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
    >>> with TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/pets.jaxlda")
    ...     copy = jaxlda.load(f"{folder}/pets.jaxlda")
    >>> bool((copy.resume(10).phi_ == model.resume(10).phi_).all())
    True
    """
    content = _content(path)
    if content.model is None:
        return content.run
    with _consistent(path):
        model = content.model(**content.params)
        for name, value in content.found.items():
            setattr(model, name, value)
        model._settings_ = content.settings
        model._conclude(content.run)
    return model


def _content(path: str | os.PathLike) -> _Content:
    header, arrays = archive.read(path)
    with _consistent(path):
        result = store.unpack(header["run"], arrays)
        if "model" not in header:
            return _Content(None, {}, {}, {}, result)
        if header["model"] not in MODELS:
            raise ValueError(f"it holds a {header['model']}, which is not known here; import what defines it first")
        params, changed, found = (
            {name: _decoded(words, arrays) for name, words in header[group].items()}
            for group in ("params", "changed", "found")
        )
        if params["checkpoint"] is not None:
            params["checkpoint"] = os.fspath(path)
        model = MODELS[header["model"]]
        settings = {name: value for name, value in (params | changed).items() if name not in model._harmless}
        return _Content(model, params, settings, {k: found[k] for k in found if k in model._found_names}, result)


@contextmanager
def _consistent(path: str | os.PathLike) -> Iterator[None]:
    """A file that is whole may still not be what this version expects, or be forged."""
    try:
        yield
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        reason = f"it has no {error}" if isinstance(error, KeyError) else error
        raise ValueError(f"'{Path(path)}' cannot be loaded: {reason}") from error


def _continued(path: str | os.PathLike, stored: Run, sweeps: dict[str, Any]) -> Run:
    total = stored.schedule._replace(num_samples=sweeps["num_samples"]).total
    if stored.sweep > total:
        raise ValueError(
            f"'{Path(path)}' is at sweep {stored.sweep} already, but num_samples={sweeps['num_samples']} asks for "
            f"{total}: sweeps cannot be undone. Give a larger num_samples, or go on with jaxlda.load(path).resume()"
        )
    return stored


def _encoded(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    return {"algorithm": described(value)} if isinstance(value, Algorithm) else encoded(value, name, arrays)


def _decoded(words: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(words, dict) and "algorithm" in words:
        return find(words["algorithm"])
    return decoded(words, arrays)
