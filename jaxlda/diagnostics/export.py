"""A run as ArviZ holds it: named axes, one group for each purpose."""

from collections import Counter
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from jaxlda import estimators
from jaxlda.alignment import relabel
from jaxlda.alignment.labels import Labels, label
from jaxlda.diagnostics.arviz import inference_data
from jaxlda.diagnostics.quantities import draw_sweeps
from jaxlda.running.results import Run

__all__ = ["to_arviz"]

TOPICS = {"phi": ("topic", "word"), "theta": ("doc", "topic"), "n_k": ("topic",)}
"""Kept arrays that have an axis of topics, and their axes after chain and draw."""

Variables = dict[str, tuple[tuple[str, ...], Any]]


def to_arviz(
    run: Run,
    *,
    reference: int | str = "medoid",
    topics: Sequence[Any] | np.ndarray | None = None,
    words: Sequence[str] | np.ndarray | None = None,
    docs: Sequence[Any] | np.ndarray | None = None,
    var_names: str | Sequence[str] | None = None,
) -> Any:
    """Give the draws of a run to ArviZ, as ``InferenceData`` (ArviZ 0.23) or ``xarray.DataTree`` (1.x).

    Groups and variables:

    posterior
        ``phi`` (chain, draw, topic, word), ``theta`` (chain, draw, doc, topic) and ``n_k`` (chain, draw, topic), the
        size of each topic; ``likeness`` (chain, draw, pair) of pairs of documents.
    sample_stats
        ``log_joint`` (``bound`` of variational Bayes), ``log_likelihood_per_token``, ``moved`` and ``gap`` (chain,
        sweep), NaN where they were not traced; ``lp`` (chain, draw) is the first of them at the draws.
    log_likelihood
        ``w_d`` (chain, draw, doc): the log-likelihood of every document that has tokens (Eq. 55), for ``az.loo`` and
        ``az.compare``.
    observed_data
        ``w`` (token): the word of each token, as its number.
    constant_data
        ``d`` (token), ``n_d`` (doc), ``alpha`` and ``beta`` (with a chain in front if they were learned), ``phi`` if it
        was given; ``topic_in_draw`` (chain, draw, topic), the number of each topic before alignment; ``matched``
        (chain, topic) and ``stability`` (topic) of the alignment; ``first`` and ``second`` (pair), the documents.

    Topics are numbered as in the reference chain, so that means over chains are means of the same topic. ``matched`` is
    false where a chain does not have a topic and some other one stands in its place:
    ``posterior.phi.where(constant_data.matched).mean(("chain", "draw"))`` leaves that out.

    What the run did not keep is not there; ``left_out`` of the attributes says what. Phi and theta of a draw are their
    means given z: averages over draws are those of the posterior, spreads are smaller.

    Parameters
    ----------
    run
        A run, with ``keep`` of ``"phi"``, ``"theta"``, ``"n_k"``, ``"likeness"`` and ``"log_likelihood"`` as wanted.
    reference
        The chain whose numbers topics have, or ``"medoid"``: the one that is nearest to all others.
    topics, words, docs
        Names for the coordinates; numbers if not given. Names that occur again are numbered: "report", "report (2)".
    var_names
        Of the posterior, which variables to take; all if not given. ``az.loo`` looks at the ESS of each of their
        entries, which takes long if there are many: ``var_names=["n_k"]`` spares it phi and theta.

    Examples
    --------
    >>> import jax, jaxlda
    >>> data = jaxlda.datasets.load("bars").subset(range(20)).data(num_topics=3)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, num_warmup=5, num_samples=2, keep=("n_k",))
    >>> to_arviz(run).posterior.n_k.sum("topic").values.tolist()
    [[2000, 2000]]
    """
    import xarray as xr

    known = (*TOPICS, "likeness")
    var_names = [var_names] if isinstance(var_names, str) else var_names
    unknown = sorted(set(var_names or ()) - set(known))
    if unknown:
        raise ValueError(f"var_names knows {', '.join(known)}; not {', '.join(unknown)}")
    if not run.num_draws:
        raise ValueError("there are no draws for ArviZ: the run was stopped before the first, or has num_samples=0")
    labels = label(run, reference)
    D, (K, V) = len(run.data.tokens.n_d), labels.phi.shape[1:]
    names = {
        "topic": _names(topics, K, "topics"),
        "word": _names(words, V, "words"),
        "doc": _names(docs, D, "docs"),
        "chain": np.arange(run.num_chains),
        "draw": np.arange(run.num_draws),
        "sweep": np.arange(1, run.sweep + 1),
        "pair": np.array([f"{a} and {b}" for a, b in np.asarray(estimators.document_pairs(run.data.tokens.n_d))]),
    }

    def dataset(variables: Variables, **more: Any) -> xr.Dataset:
        used = {axis for axes, _ in variables.values() for axis in axes}
        return xr.Dataset(variables, {axis: name for axis, name in names.items() if axis in used} | more)

    wanted = [name for name in known if name in run.kept and (var_names is None or name in var_names)]
    groups = {
        "posterior": _posterior(run, labels, wanted, dataset),
        "sample_stats": dataset(_sample_stats(run)),
        "observed_data": dataset({"w": (("token",), np.asarray(run.data.tokens.w))}),
        "constant_data": dataset(_constants(run, labels)),
    }
    if "log_likelihood" in run.kept:
        scored = np.asarray(run.data.tokens.n_d) > 0  # an empty document is predicted by anything
        variables: Variables = {"w_d": (("chain", "draw", "doc"), run.log_likelihood[..., scored].astype(np.float64))}
        groups["log_likelihood"] = dataset(variables, doc=names["doc"][scored])
    left = [name for name in (*known, "log_likelihood") if name not in run.kept]
    attrs = {
        "inference_library": "jaxlda",
        "inference_library_version": version("jaxlda"),
        "num_warmup": run.schedule.num_warmup,
        "thinning": run.schedule.thinning,
        "topics": f"numbered as in chain {labels.reference}",
        "left_out": ", ".join(left) + " (not kept of every draw)" if left else "",
    }
    return inference_data({name: group for name, group in groups.items() if group}, attrs)


def _names(names: Sequence[Any] | np.ndarray | None, size: int, what: str) -> np.ndarray:
    if names is None:
        return np.arange(size)
    if len(names) != size:
        raise ValueError(f"there are {size} {what}, but {len(names)} names of them")
    return _unique(np.asarray(names))


def _unique(names: np.ndarray) -> np.ndarray:
    """Number the names that occur again: ArviZ looks entries up by name, and must find one."""
    if len(set(names.tolist())) == len(names):
        return names
    taken, unique = set(names.tolist()), []
    times: Counter[Any] = Counter()
    for name in names.tolist():
        times[name] += 1
        new = str(name)
        while times[name] > 1 and (new := f"{name} ({times[name]})") in taken:
            times[name] += 1
        taken.add(new)
        unique.append(new)
    return np.asarray(unique)


def _posterior(run: Run, labels: Labels, wanted: Sequence[str], dataset: Any) -> Any:
    variables: Variables = {}
    for name in wanted:
        if name == "likeness":
            variables[name] = (("chain", "draw", "pair"), run.likeness)
        else:
            axis = TOPICS[name].index("topic") + 2
            values = relabel(getattr(run, name), labels.permutations, axis=axis)
            variables[name] = (("chain", "draw", *TOPICS[name]), values)
    return dataset(variables)


def _sample_stats(run: Run) -> Variables:
    columns = dict(run.trace)
    # Under its own name, ArviZ would take it for the likelihood of observations.
    columns["log_likelihood_per_token"] = columns.pop("log_likelihood")
    variables: Variables = {name: (("chain", "sweep"), column) for name, column in columns.items()}
    return variables | {"lp": (("chain", "draw"), run.objective[:, draw_sweeps(run) - 1])}


def _constants(run: Run, labels: Labels) -> Variables:
    tokens = run.data.tokens
    variables: Variables = {
        "d": (("token",), np.asarray(tokens.d)),
        "n_d": (("doc",), np.asarray(tokens.n_d)),
        "topic_in_draw": (("chain", "draw", "topic"), labels.permutations),
        # Not as coordinates of the posterior: ArviZ puts variables with and without topics side by side.
        "matched": (("chain", "topic"), labels.matched),
        "stability": (("topic",), labels.stability),
    }
    if "likeness" in run.kept:
        first, second = np.asarray(estimators.document_pairs(tokens.n_d)).T
        variables |= {"first": (("pair",), first), "second": (("pair",), second)}
    for name, both in (("alpha", ("doc", "topic")), ("beta", ("topic", "word"))):
        each = [np.asarray(getattr(run.chain_data(chain).priors, name)) for chain in range(run.num_chains)]
        axes = both[-each[0].ndim :]  # shared by all documents, or topics, if there is one axis
        if "topic" in axes:
            axis = axes.index("topic")
            each = [relabel(one, labels.permutations[c, -1], axis=axis) for c, one in enumerate(each)]
        differ = any((one != each[0]).any() for one in each)
        variables[name] = (("chain", *axes), np.stack(each)) if differ else (axes, each[0])
    return variables if run.data.phi is None else variables | {"phi": (("topic", "word"), np.asarray(run.data.phi))}
