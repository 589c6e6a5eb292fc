"""Whether the parts of a model that was loaded belong together, so that it can be used and go on."""

from typing import Any

import numpy as np

from jaxlda.corpora.inputs import as_names
from jaxlda.corpora.metadata import restored
from jaxlda.corpora.numbers import checked_seed, natural, one_of
from jaxlda.corpora.written import unpacked
from jaxlda.models._checkpoint import checked_checkpoint
from jaxlda.models.covariates import Design
from jaxlda.models.names import checked_names
from jaxlda.running.placement import CHAIN_METHODS
from jaxlda.running.results import KEEP, RENAMED, Run
from jaxlda.running.schedule import checked_sweeps

__all__ = ["check_found", "check_parameters"]


def check_parameters(model: Any) -> None:
    """Refuse parameters that no fit would have taken: before they are saved, and after they were loaded."""
    model._check()
    checked_sweeps(model.num_warmup, model.num_samples, model.thinning, model.num_chains)
    for name in ("trace_every", "gap_every"):
        natural(getattr(model, name), name)
    if model.checkpoint is not None:
        checked_checkpoint(model.checkpoint, model.checkpoint_every)
    one_of(model.chain_method, "chain_method", (*CHAIN_METHODS, None))
    keep = (model.keep,) if isinstance(model.keep, str) else model.keep
    known = isinstance(keep, list | tuple) and all(isinstance(name, str) and name in {*KEEP, *RENAMED} for name in keep)
    if not (known or model.keep == "auto"):
        raise ValueError(f"keep must be 'auto' or names of {', '.join(KEEP)}; got {model.keep!r}")


def check_found(model: Any, run: Run | None) -> None:
    """Refuse what a fit cannot have found in these documents; without a run, in documents of these topics."""
    if run is None:
        (K, V), D = model.phi_.shape, None
    else:
        K, V, D = run.data.priors.alpha.shape[-1], run.data.priors.beta.shape[-1], len(run.data.tokens.n_d)
    model.vocab_ = as_names(model.vocab_, "vocab_", V)
    if model.n_features_in_ != V:
        raise ValueError(f"n_features_in_ is {model.n_features_in_!r:.40}; there are {V} words")
    if hasattr(model, "feature_names_in_"):
        as_names(model.feature_names_in_, "feature_names_in_", V)
    titles = model.doc_titles_
    if titles is not None and (D is None or not _are_texts(titles) or len(titles) != D):
        raise ValueError("doc_titles_ are not the titles of its documents")
    model.doc_columns_ = restored(getattr(model, "doc_columns_", None), D)
    n_d = np.zeros(0) if run is None else np.asarray(run.data.tokens.n_d)
    model.written_ = unpacked(getattr(model, "written_", None), n_d, V)
    checked_seed(model.seed_)
    if not _are_texts(getattr(model, "edits_", ())):
        raise ValueError("edits_ are no texts")
    if hasattr(model, "topic_names_"):
        model.topic_names_ = checked_names(model.topic_names_, K)
    if model.covariates_ is not None:
        design = Design.restored(model.covariates_)
        known = None if run is None else run.data.covariates
        if known is None or known.x.shape[1] != len(design.names):
            raise ValueError("covariates_ are not those that its chains learn from")
    options = getattr(model, "text_options_", None)
    if options is not None and not (isinstance(options, dict) and _are_texts(tuple(options))):
        raise ValueError("text_options_ does not hold options for reading texts")
    if not _are_texts(getattr(model, "lost_text_options_", ())):
        raise ValueError("lost_text_options_ does not hold names")
    if hasattr(model, "label_of_topic_") or hasattr(type(model), "label_of_topic_"):
        _check_labels(model, K)


def _check_labels(model: Any, K: int) -> None:
    classes, frequency = model.classes_, model.label_frequency_
    if not isinstance(classes, np.ndarray) or classes.ndim != 1:
        raise ValueError("classes_ does not hold labels")
    if len(np.unique(classes)) != len(classes) or len(model._prior().label_of_topic(len(classes))) != K:
        raise ValueError(f"classes_ are {len(classes)} labels, which do not have {K} topics")
    numbers = isinstance(frequency, np.ndarray) and frequency.dtype.kind in "iuf" and frequency.shape == classes.shape
    if not numbers or not (np.isfinite(frequency) & (frequency >= 0)).all():
        raise ValueError("label_frequency_ is not how often labels occur")
    if not isinstance(model.single_label_, bool):
        raise ValueError("single_label_ is neither true nor false")
    learned = getattr(model, "label_phi_", None)
    if learned is not None and (np.shape(learned)[1:] != classes.shape or not np.isfinite(learned).all()):
        raise ValueError("label_phi_ does not hold topics of the labels")


def _are_texts(values: Any) -> bool:
    return isinstance(values, tuple | list | np.ndarray) and all(isinstance(value, str) for value in values)
