"""Models in files: whole, to go on as if never saved; or their topics only."""

import os
from contextlib import suppress
from typing import Any, NamedTuple

import numpy as np

from jaxlda.corpora import priors
from jaxlda.corpora.callers import warn
from jaxlda.corpora.inputs import as_names, generated_names
from jaxlda.corpora.metadata import stored
from jaxlda.corpora.numbers import distributions, one_of
from jaxlda.corpora.written import packed
from jaxlda.kernels.names import described, find
from jaxlda.models import saved_topics
from jaxlda.models._checkpoint import changes
from jaxlda.models._consistency import check_found, check_parameters
from jaxlda.running import archive, store
from jaxlda.running.results import Run
from jaxlda.running.values import decoded, encoded
from jaxlda.types import Algorithm

__all__ = ["MODELS", "checked_topics", "found", "header", "load", "read", "register", "save", "write"]

MODELS: dict[str, type] = {}
"""Every model by the name it has in files: that of its class."""


class Content(NamedTuple):
    """The content of a model's file; for a plain run, only the last field."""

    model: Any
    params: dict[str, Any]
    settings: dict[str, Any]
    found: dict[str, Any]
    run: Run | None
    """``None`` where the file has topics only."""


def register(cls: type) -> None:
    """Know a class by its name. One that is defined again replaces itself; another one of the same name does not."""
    known = MODELS.get(cls.__name__)
    if known is None or (known.__module__, known.__qualname__) == (cls.__module__, cls.__qualname__):
        MODELS[cls.__name__] = cls


def save(model: Any, path: str | os.PathLike, only: str | None) -> None:
    """Write a fitted model, or its topics."""
    one_of(only, "only", ("topics", None))
    attributes = found(model)
    check_parameters(model)
    if lost := attributes.get("lost_text_options_"):
        warn(
            f"the file does not hold the functions that texts were read with ({', '.join(lost)}): loaded from it, the "
            "model takes counts of words, not texts"
        )
    if only is None and hasattr(model, "run_"):
        write(model, path, model.run_, attributes, model._settings_)
    elif only is None:
        raise ValueError("this model has topics only: say so with only='topics'")
    else:
        arrays: dict[str, Any] = {}
        attributes |= {name: getattr(model, name) for name in ("phi_", "_topics_alpha") if hasattr(model, name)}
        attributes |= model._topics_only() | {"_topics_kind": model._kind("phi")}
        attributes |= {"doc_titles_": None, "doc_columns_": None, "written_": None}  # of documents that are not there
        shown = saved_topics.of_labels(model)
        head = header(model, path, attributes, getattr(model, "_settings_", {}), arrays)
        archive.write(path, head | {"shown": shown}, arrays)


def found(model: Any) -> dict[str, Any]:
    """The results of a fit besides the run. Functions cannot be stored; the names of their options are."""
    attributes = {name: getattr(model, name) for name in model._found_names if hasattr(model, name)}
    attributes["doc_columns_"] = stored(attributes.get("doc_columns_"))
    attributes["written_"] = packed(attributes.get("written_"))
    options = attributes.get("text_options_") or {}
    if functions := sorted(name for name, value in options.items() if callable(value)):
        attributes["text_options_"] = {name: value for name, value in options.items() if name not in functions}
        attributes["lost_text_options_"] = tuple(functions)
    return attributes


def write(model: Any, path: str | os.PathLike, run: Run, found: dict[str, Any], settings: dict[str, Any]) -> None:
    """Write a model with these chains."""
    of_run, arrays = store.pack(run)
    shown = saved_topics.remembered(model, run, arrays)
    archive.write(path, header(model, path, found, settings, arrays) | {"run": of_run, "shown": shown}, arrays)


def header(
    model: Any, path: str | os.PathLike, found: dict[str, Any], settings: dict[str, Any], arrays: dict[str, Any]
) -> dict[str, Any]:
    """The header of a file, but for the run; arrays go to ``arrays``."""
    cls: Any = type(model)
    name = cls.__name__
    if MODELS[name] is not cls:
        raise ValueError(f"there is another model class of the name {name}, which a file could not tell from this")
    params = model.get_params(deep=False)
    here = model.checkpoint is not None and os.path.realpath(model.checkpoint) == os.path.realpath(path)
    params["checkpoint"] = True if here else None  # the path may be another one by the time it is loaded
    changed = {name: value for name, value in settings.items() if changes({name: value}, {name: params[name]})}
    return {
        "model": name,
        "params": {k: _encoded(v, f"params.{k}", arrays) for k, v in params.items()},
        "changed": {k: _encoded(v, f"changed.{k}", arrays) for k, v in changed.items()},
        "found": {k: _encoded(v, f"found.{k}", arrays) for k, v in found.items()},
    }


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
    >>> model = jaxlda.LDA(2, num_warmup=5, num_samples=1, num_chains=1, progress=False).fit(corpus)
    >>> with TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/pets.jaxlda")
    ...     copy = jaxlda.load(f"{folder}/pets.jaxlda")
    >>> bool((copy.resume(10).phi_ == model.resume(10).phi_).all())
    True
    """
    content = read(path)
    if content.model is None:
        return content.run
    with archive.consistent(path):
        model = content.model(**content.params)
        for name, value in content.found.items():
            setattr(model, name, value)
        model._settings_ = content.settings
        if content.run is None:
            model.phi_, model._topics_alpha, _ = checked_topics(model.phi_, model._topics_alpha, model.vocab_)
            check_found(model, None)
        else:
            check_found(model, content.run)
            model._conclude(content.run)
        check_parameters(model)
    return model


def read(path: str | os.PathLike) -> Content:
    """The content of a file, before a model is made of it."""
    from jaxlda.models import labeled, lda  # noqa: F401  # whose classes are known then

    head, arrays, _ = archive.read(path)
    with archive.consistent(path):
        if "model" not in head:
            return Content(None, {}, {}, {}, store.unpack(head["run"], arrays))
        if not isinstance(head["model"], str) or head["model"] not in MODELS:
            raise ValueError(f"it holds a {head['model']}, which is not known here; import what defines it first")
        params, changed, attributes = (
            {name: _decoded(words, arrays) for name, words in head[group].items()}
            for group in ("params", "changed", "found")
        )
        run = store.unpack(head["run"], arrays) if "run" in head or "phi_" not in attributes else None
        if params["checkpoint"] is not None:
            params["checkpoint"] = os.fspath(path)
        model: Any = MODELS[head["model"]]
        names = model._found_names if run is not None else (*model._found_names, *model._topics_names)
        settings = {name: value for name, value in (params | changed).items() if name not in model._harmless}
        return Content(model, params, settings, {k: v for k, v in attributes.items() if k in names}, run)


def seed(path: str | os.PathLike) -> int | None:
    """The seed of the model in a file; ``None`` where there is none, or another thing in its place."""
    with suppress(ValueError, OSError):
        found = archive.read(path, lambda name: False).header.get("found")
        value = found.get("seed_") if isinstance(found, dict) else None
        return value if isinstance(value, int) else None
    return None


def checked_topics(phi: Any, alpha: Any, vocab: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Topics ``(K, V)``, a prior ``(K,)`` and V words that belong together, or an error that says why they do not."""
    topics = np.asarray(phi, np.float32)
    if topics.ndim != 2 or not topics.size:
        raise ValueError(f"phi has shape {topics.shape}; expected (K, V), a row for each topic")
    words = generated_names("w", topics.shape[1]) if vocab is None else as_names(vocab, "vocab", topics.shape[1])
    if np.ndim(alpha) > 1:
        raise ValueError(f"alpha has shape {np.shape(alpha)}; give a number or (K,) = ({len(topics)},)")
    distributions(topics, "phi", "words")
    made = priors.make(priors.number_of_topics(None, alpha, None, topics), 1, len(words), alpha)
    return topics, np.asarray(made.alpha), words


def _encoded(value: Any, name: str, arrays: dict[str, np.ndarray]) -> Any:
    return {"algorithm": described(value)} if isinstance(value, Algorithm) else encoded(value, name, arrays)


def _decoded(words: Any, arrays: dict[str, np.ndarray]) -> Any:
    if isinstance(words, dict) and "algorithm" in words:
        return find(words["algorithm"])
    return decoded(words, arrays)
