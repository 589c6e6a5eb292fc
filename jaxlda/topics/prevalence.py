r"""How much groups of documents (years, parties, authors) are about each topic, with bands; and how groups differ.

The prevalence of topic k in group g is the mean share of its documents, with weights w_d that sum to 1 in every group:

.. math:: \bar\theta_{gk} = \sum_{d \in g} w_d \theta_{dk}

Its squared standard error has two parts, and bands say which they have:

- *documents*: others might have been written,
  :math:`\frac{D_g}{D_g - 1} \sum_d w_d^2 (\theta_{dk} - \bar\theta_{gk})^2`;
- *draws*: theta is not known. Within a draw it is Dirichlet,
  :math:`\sum_d w_d^2 \theta_{dk} (1 - \theta_{dk}) / (n_d + \alpha_\cdot + 1)`, and between draws there is the variance
  of :math:`\bar\theta_{gk}` over those that were kept.

A band is the share plus and minus the standard error times a quantile of Student's t with :math:`D_g - 1` degrees of
freedom (of the normal distribution, for draws alone), within 0 and 1. It takes documents as independent of each other:
of passages of one text it is too narrow.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from jaxtyping import Float

from jaxlda.corpora.inputs import is_missing
from jaxlda.corpora.numbers import one_of
from jaxlda.topics.fitted import Fitted, fitted

__all__ = ["BANDS", "compare_groups", "prevalence"]

BANDS = ("both", "documents", "draws")
WEIGHTS = ("documents", "tokens")


class _Means(NamedTuple):
    """Means and variances of every group and topic (G, K)."""

    share: np.ndarray
    documents: np.ndarray
    """Variance by documents; NaN for groups of one."""
    within: np.ndarray
    draws: np.ndarray | None
    """(S, G, K)."""
    sizes: np.ndarray
    """(G,) documents of each group."""


def prevalence(
    model: Any,
    by: Any,
    *,
    metadata: Any = None,
    width: float | int | None = None,
    level: float | int = 0.95,
    bands: str = "both",
    weight: str = "documents",
    chain: int | None = None,
) -> pd.DataFrame:
    """The mean share of each topic in groups of documents, with bands.

    Parameters
    ----------
    model
        A fitted model, or a run.
    by
        The name of a column of the metadata, several names, or a value for each document.
    metadata
        A table with a row for each document; that of the corpus which the model was fitted to if not given.
    width
        Values of numeric columns are put together that far: with 10, years to decades.
    level
        Of each band.
    bands
        What they account for: ``"documents"``, ``"draws"`` or ``"both"``; see the module.
    weight
        Whether all ``"documents"`` of a group count the same, or all ``"tokens"``.
    chain
        The best one if not given; where labels make topics the same in all chains, all of them.

    Returns
    -------
    pandas.DataFrame
        A row for each group and topic: the columns of ``by``, ``topic``, ``name`` where topics have names,
        ``documents`` (their number), ``share``, ``se_documents`` and ``se_draws`` (as far as they are asked for),
        ``low`` and ``high``. Where a group has one document, ``se_documents`` is missing, and the band is that of
        draws. ``attrs`` say how many draws there were, and how many documents were left out: those without words or
        without a value.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "cat dog"])
    >>> model = jaxlda.LDA(num_topics=2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
    >>> prevalence(model, ["a", "b", "b"]).groupby("group").share.sum().round(6).tolist()
    [1.0, 1.0]
    """
    one_of(bands, "bands", BANDS)
    about, groups, of_doc = _grouped(model, by, metadata, width, chain)
    means = _means(model, about, of_doc, len(groups), weight, chain)
    G, K = means.share.shape
    error, columns = _error(means, bands), {}
    for name in groups.columns:
        columns[name] = np.repeat(groups[name].to_numpy(), K)
    columns["topic"] = np.tile(np.arange(K), G)
    if about.names is not None:
        columns["name"] = np.tile(np.array(about.names, object), G)
    columns["documents"] = np.repeat(means.sizes, K)
    columns["share"] = means.share.ravel()
    if bands != "draws":
        columns["se_documents"] = np.sqrt(means.documents).ravel()
    if bands != "documents":
        columns["se_draws"] = np.sqrt(_of_draws(means)).ravel()
    t = _quantile(level, 1, None if bands == "draws" else means.sizes - 1)
    reach = t[:, None] * error
    columns["low"] = np.clip(means.share - reach, 0, 1).ravel()
    columns["high"] = np.clip(means.share + reach, 0, 1).ravel()
    table = pd.DataFrame(columns)
    draws = 0 if means.draws is None else len(means.draws)
    table.attrs |= {"bands": bands, "level": level, "draws": draws, "left_out": int((of_doc < 0).sum())}
    return table


def compare_groups(
    model: Any,
    by: Any,
    groups: Sequence[Any] | None = None,
    *,
    metadata: Any = None,
    width: float | int | None = None,
    level: float | int = 0.95,
    bands: str = "both",
    weight: str = "documents",
    chain: int | None = None,
) -> pd.DataFrame:
    """Differences between groups in the share of each topic, with intervals that hold for all of them at once.

    All intervals together contain the true differences with probability ``level``: each has the level
    1 - (1 - ``level``) / M, where M is the number of topics times that of pairs of groups (Bonferroni).

    Parameters
    ----------
    model, by, metadata, width, bands, weight, chain
        As in :func:`prevalence`.
    groups
        Two values of ``by``, or more for all pairs of them; all values if not given.
    level
        Of all intervals together.

    Returns
    -------
    pandas.DataFrame
        A row for each pair of groups and each topic: ``first``, ``second``, ``topic``, ``name`` where topics have
        names, ``difference`` (first minus second), ``low``, ``high`` and ``differs``: whether 0 is outside.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "cat dog", "dog bark"])
    >>> model = jaxlda.LDA(num_topics=2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
    >>> compare_groups(model, ["a", "a", "b", "b"]).columns.tolist()
    ['first', 'second', 'topic', 'difference', 'low', 'high', 'differs']
    """
    one_of(bands, "bands", BANDS)
    about, known, of_doc = _grouped(model, by, metadata, width, chain)
    means = _means(model, about, of_doc, len(known), weight, chain)
    values = [row[0] if len(row) == 1 else tuple(row) for row in known.itertuples(index=False, name=None)]
    chosen = list(range(len(values))) if groups is None else [_position(values, group) for group in groups]
    if len(set(chosen)) < len(chosen):
        raise ValueError(f"a group is there twice in {list(groups or ())!r:.80}: give different ones")
    if len(chosen) < 2:
        raise ValueError(f"there is nothing to compare: give at least two of {len(values)} groups")
    if bands == "documents" and (means.sizes[chosen] < 2).any():
        raise ValueError("a group of one document says nothing of others: compare larger ones, or with bands='draws'")
    return _compared(means, [(a, b) for a, b in combinations(chosen, 2)], values, about.names, bands, level)


def _compared(
    means: _Means,
    pairs: Sequence[tuple[int, int]],
    values: Sequence[Any],
    names: Sequence[str] | None,
    bands: str,
    level: float | int,
) -> pd.DataFrame:
    """The table of these pairs of groups."""
    K, rows = means.share.shape[1], []
    for a, b in pairs:
        difference = means.share[a] - means.share[b]
        variance = np.zeros(K)
        if bands != "draws":
            variance += np.nan_to_num(means.documents[[a, b]]).sum(axis=0)
        if bands != "documents":
            variance += means.within[[a, b]].sum(axis=0)
            if means.draws is not None:
                variance += (means.draws[:, a] - means.draws[:, b]).var(axis=0, ddof=1)
        degrees = None if bands == "draws" else means.sizes[[a, b]].min(keepdims=True) - 1
        reach = _quantile(level, K * len(pairs), degrees) * np.sqrt(variance)
        columns: dict[str, Any] = {"first": [values[a]] * K, "second": [values[b]] * K, "topic": np.arange(K)}
        if names is not None:
            columns["name"] = list(names)
        columns |= {"difference": difference, "low": difference - reach, "high": difference + reach}
        columns["differs"] = (columns["low"] > 0) | (columns["high"] < 0)
        rows.append(pd.DataFrame(columns))
    table = pd.concat(rows, ignore_index=True)
    table.attrs |= {"bands": bands, "level": level, "comparisons": K * len(pairs)}
    return table


def _position(values: list[Any], group: Any) -> int:
    if group not in values:
        raise ValueError(f"there is no group {group!r}; there are {', '.join(map(repr, values[:20]))}")
    return values.index(group)


def _grouped(
    model: Any, by: Any, metadata: Any, width: float | int | None, chain: int | None
) -> tuple[Fitted, pd.DataFrame, np.ndarray]:
    """The view of the model, a row for each group, and the group of each document; -1 where it has none."""
    about = fitted(model, chain)
    D = len(about.run.data.tokens.n_d)
    table = _columns(model, by, metadata, D)
    if width is not None:
        _check_width(table, width)
    keep = np.asarray(about.run.data.tokens.n_d) > 0
    for name in table.columns:
        missing = np.array([is_missing(value) for value in table[name].tolist()])
        keep &= ~missing
        table[name] = _numbers(table[name], missing, width)
    if not keep.any():
        raise ValueError("no document has both words and a group")
    groups = table[keep].drop_duplicates().sort_values(list(table.columns), key=_sortable, ignore_index=True)
    number = {row: g for g, row in enumerate(groups.itertuples(index=False, name=None))}
    rows = list(table.itertuples(index=False, name=None))
    of_doc = np.array([number[row] if there else -1 for row, there in zip(rows, keep, strict=True)])
    return about, groups, of_doc


def _check_width(table: pd.DataFrame, width: float | int) -> None:
    if not 0 < width < np.inf:
        raise ValueError(f"width must be a positive number; got {width!r}")
    if not any(_is_numeric([x for x in table[name].tolist() if not is_missing(x)]) for name in table.columns):
        raise ValueError(
            f"width puts numbers together, and {', '.join(map(repr, table.columns))} has other values: of dates, give "
            "the years"
        )


def _is_numeric(values: Sequence[Any]) -> bool:
    return bool(values) and all(isinstance(x, int | float | np.number) and not isinstance(x, bool) for x in values)


def _numbers(column: pd.Series, missing: np.ndarray, width: float | int | None) -> pd.Series:
    """Numbers put together, as far as they are asked to; whole ones as such. Other columns as they are."""
    if not _is_numeric(column[~missing].tolist()):
        return column
    values = np.where(missing, 0, column.where(~missing, 0).to_numpy(np.float64))
    if width is not None:
        values = np.floor(values / width) * width
    return pd.Series(values.astype(np.int64) if (values % 1 == 0).all() else values)


def _sortable(column: pd.Series) -> pd.Series:
    return column if column.dtype.kind in "iufMmb" else column.astype(str)


def _columns(model: Any, by: Any, metadata: Any, D: int) -> pd.DataFrame:
    names = [by] if isinstance(by, str) else list(by) if isinstance(by, list | tuple) else None
    if names is None or (not all(isinstance(name, str) for name in names) and metadata is None):
        return _given(by, D)
    table = metadata
    if table is None:
        columns = getattr(model, "doc_columns_", None)
        table = None if columns is None else pd.DataFrame(dict(columns))
    if table is None:
        if isinstance(by, list | tuple) and len(names) == D:
            return _given(by, D)
        raise ValueError(
            "the documents of this model have no metadata: give a table with a row for each document as metadata=, or "
            "fit a corpus that has some (corpus.with_metadata)"
        )
    table = pd.DataFrame(table)
    if len(table) != D:
        raise ValueError(f"the metadata have {len(table)} rows; the model has {D} documents")
    if unknown := [name for name in names if name not in table.columns]:
        if isinstance(by, list | tuple) and len(names) == D:
            return _given(by, D)
        raise ValueError(f"there is no column {unknown[0]!r}; the metadata have {', '.join(map(str, table.columns))}")
    return table[names].reset_index(drop=True).copy()


def _given(by: Any, D: int) -> pd.DataFrame:
    """Groups given as a value for each document."""
    values = pd.Series(by).reset_index(drop=True)
    if len(values) != D:
        raise ValueError(f"by has {len(values)} values; the model has {D} documents")
    return pd.DataFrame({str(values.name or "group"): values})


def _means(model: Any, about: Fitted, of_doc: np.ndarray, G: int, weight: str, chain: int | None) -> _Means:
    one_of(weight, "weight", WEIGHTS)
    run = about.run
    pooled = chain is None and getattr(model, "_pooled", False)
    chains = range(run.num_chains) if pooled else (about.chain,)
    theta: np.ndarray = np.stack([about.theta(chain=one) for one in chains]).mean(axis=0, dtype=np.float64)
    n_d = np.asarray(run.data.tokens.n_d, np.float64)
    member = np.flatnonzero(of_doc >= 0)
    g = of_doc[member]
    w = np.ones(len(member)) if weight == "documents" else n_d[member]
    w = w / np.bincount(g, w, minlength=G)[g]
    total = np.asarray(about.data.priors.alpha, np.float64).sum(axis=-1)
    means = _of_theta(theta[member], w, g, G, (n_d + total + 1)[member])
    return means._replace(draws=_draws(about, chains, member, g, w, G))


def _of_theta(theta: Float[np.ndarray, "D K"], w: np.ndarray, g: np.ndarray, G: int, known: np.ndarray) -> _Means:
    """Means and variances of groups ``g`` of documents; ``known`` is how sure theta of each is: n_d + alpha + 1."""
    sizes = np.bincount(g, minlength=G)
    share = _sums(theta * w[:, None], g, G)
    squares = _sums((w[:, None] * (theta - share[g])) ** 2, g, G)
    factor = np.full(G, np.nan)
    np.divide(sizes, sizes - 1.0, out=factor, where=sizes > 1)
    within = _sums(w[:, None] ** 2 * theta * (1 - theta) / known[:, None], g, G)
    return _Means(share, factor[:, None] * squares, within, None, sizes)


def _sums(rows: Float[np.ndarray, "D K"], g: np.ndarray, G: int) -> Float[np.ndarray, "G K"]:
    """The sum of the rows of every group."""
    total = np.zeros((G, rows.shape[1]))
    np.add.at(total, g, rows)
    return total


def _draws(
    about: Fitted, chains: Sequence[int], member: np.ndarray, g: np.ndarray, w: np.ndarray, G: int
) -> np.ndarray | None:
    """The means of every draw, if enough was kept of at least two: theta, or counts, or assignments."""
    kept = about.run.kept
    name = next((name for name in ("theta", "theta_p", "n_dk", "z") if kept.get(name)), None)
    if name is None or len(kept[name]) * len(chains) < 2:
        return None
    shares = []
    for draw in kept[name]:
        for chain in chains:
            theta = np.asarray(draw[chain]) if name.startswith("theta") else _theta(about, chain, name, draw[chain])
            shares.append(_sums(theta[member].astype(np.float64) * w[:, None], g, G))
    return np.stack(shares)


def _theta(about: Fitted, chain: int, name: str, kept: Any) -> np.ndarray:
    """Theta of a draw (Eq. 3) by its counts or assignments."""
    data = about.run.chain_data(chain)
    alpha = np.asarray(data.priors.alpha, np.float64)
    if name == "z":
        d, m = np.asarray(data.tokens.d), np.asarray(data.tokens.m)
        n_dk = np.zeros((len(data.tokens.n_d), alpha.shape[-1]))
        np.add.at(n_dk, (d, np.asarray(kept)[: len(d)]), m)
    else:
        n_dk = np.asarray(kept, np.float64)
    weights = n_dk + alpha
    return weights / np.maximum(weights.sum(axis=1, keepdims=True), 1e-30)


def _of_draws(means: _Means) -> np.ndarray:
    between = 0.0 if means.draws is None else means.draws.var(axis=0, ddof=1)
    return means.within + between


def _error(means: _Means, bands: str) -> np.ndarray:
    """Standard errors; a group of one document has the part of draws only."""
    documents = np.nan_to_num(means.documents) if bands == "both" else means.documents
    parts = {"documents": documents, "draws": _of_draws(means)}
    chosen = parts.values() if bands == "both" else (parts[bands],)
    return np.sqrt(np.sum(list(chosen), axis=0))


def _quantile(level: float | int, comparisons: int, degrees: np.ndarray | None) -> np.ndarray:
    """The two-sided quantile of Student's t; normal where there are no degrees of freedom, or none to speak of."""
    from scipy import stats

    if not 0 < level < 1:
        raise ValueError(f"level must be between 0 and 1; got {level!r}")
    tail = (1 - level) / comparisons / 2
    normal = float(stats.norm.isf(tail))
    if degrees is None:
        return np.array([normal])
    return np.where(degrees > 0, stats.t.isf(tail, np.maximum(degrees, 1)), normal)
