"""Columns of metadata as covariates: numbers in units of their standard deviation, and a column for each other value.

The prior of Dirichlet-multinomial regression, :mod:`jaxlda.kernels.effects`, as an object of a model.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float32

from jaxlda.corpora.inputs import is_missing
from jaxlda.kernels.effects import LEAST, MOST
from jaxlda.types import Covariates

__all__ = ["Column", "Design", "alpha_of"]

MOST_VALUES = 100
INTERCEPT_SCALE, SCALE = 10.0, 1.0
"""Standard deviations of the prior of effects: of the intercept, which says how common a topic is, and of others."""


class Column(NamedTuple):
    """How one column becomes covariates."""

    name: str
    values: tuple[str, ...]
    """Of a column that is no number. The first is the most frequent one, with which the others are compared."""
    mean: float = 0.0
    unit: float = 1.0
    """The standard deviation of a column of numbers."""

    @property
    def names(self) -> list[str]:
        """The names of its covariates."""
        return [f"{self.name}: {value}" for value in self.values[1:]] if self.values else [self.name]

    def covariates(self, values: np.ndarray) -> np.ndarray:
        """The covariates of these values, a row each."""
        if not self.values:
            return ((_numbers(self.name, values) - self.mean) / self.unit)[:, None]
        given = _texts(self.name, values)
        if unknown := sorted(set(given) - set(self.values)):
            raise ValueError(
                f"the column {self.name!r} has the value {unknown[0]!r}, which no document that was fitted has: it has "
                "no effect that was learned. Give alpha= for such documents"
            )
        return np.array(given)[:, None] == np.array(self.values[1:])


class Design(NamedTuple):
    """How metadata become covariates, an intercept first.

    >>> columns = {"party": np.array(["a", "b", "a"]), "year": np.array([1, 2, 3])}
    >>> design = Design.of(["party", "year"], columns)
    >>> design.names, design.x(columns).astype(int).tolist()
    (['intercept', 'party: b', 'year'], [[1, 0, -1], [1, 1, 0], [1, 0, 1]])
    """

    columns: tuple[Column, ...]

    @classmethod
    def of(cls, names: Sequence[str], columns: Mapping[str, np.ndarray] | None) -> "Design":
        """The design of these columns, by the values that they have."""
        return cls(tuple(_column(name, _found(name, columns)) for name in names))

    @classmethod
    def restored(cls, stored: Any) -> "Design":
        """Of what :meth:`stored` gave, if it is that."""
        columns = []
        for name, values, mean, unit in stored:
            numbers = (
                isinstance(mean, float) and isinstance(unit, float) and math.isfinite(mean) and 0 < unit < math.inf
            )
            texts = isinstance(values, tuple | list) and all(isinstance(value, str) for value in (name, *values))
            if not (numbers and texts and len(values) != 1 and len(values) <= MOST_VALUES):
                raise ValueError("covariates_ do not say how metadata become covariates")
            columns.append(Column(name, tuple(values), mean, unit))
        return cls(tuple(columns))

    def stored(self) -> tuple[tuple, ...]:
        """As files hold it, for :meth:`restored`."""
        return tuple(map(tuple, self.columns))

    @property
    def names(self) -> list[str]:
        """The names of the covariates, the intercept first."""
        return ["intercept", *(name for column in self.columns for name in column.names)]

    @property
    def baseline(self) -> dict[str, Any]:
        """What a document is compared with: the most frequent values, and means."""
        return {column.name: column.values[0] if column.values else column.mean for column in self.columns}

    def x(self, columns: Mapping[str, np.ndarray] | None) -> Float32[np.ndarray, "D F"]:
        """The covariates of documents."""
        parts = [column.covariates(_found(column.name, columns)) for column in self.columns]
        return np.concatenate([np.ones((len(parts[0]), 1)), *parts], axis=1).astype(np.float32)

    def covariates(self, columns: Mapping[str, np.ndarray] | None, num_topics: int) -> Covariates:
        """Covariates to learn effects of."""
        import jax.numpy as jnp

        x = self.x(columns)
        scale = np.full(x.shape[1], SCALE, np.float32)
        scale[0] = INTERCEPT_SCALE
        return Covariates(jnp.asarray(x), jnp.asarray(scale), jnp.zeros((x.shape[1], num_topics), jnp.float32))


def alpha_of(
    x: Float32[np.ndarray, "D F"], alpha: Float32[np.ndarray, " K"], effects: Float32[np.ndarray, "F K"]
) -> Float32[np.ndarray, "D K"]:
    r"""The prior of documents by their covariates: :math:`\alpha_k \exp(x_d \cdot \lambda_k)`.

    >>> alpha_of(np.float32([[0], [1]]), np.float32([1, 2]), np.log(np.float32([[3, 1]]))).round(3)
    array([[1., 2.],
           [3., 2.]], dtype=float32)
    """
    return np.where(alpha > 0, np.clip(alpha * np.exp(x @ effects), LEAST, MOST), 0).astype(np.float32)


def _found(name: str, columns: Mapping[str, np.ndarray] | None) -> np.ndarray:
    if columns is None or name not in columns:
        known = "there are none" if not columns else f"they have {', '.join(map(repr, columns))}"
        raise ValueError(
            f"alpha depends on the column {name!r} of the metadata of documents, and {known}: give a Corpus whose "
            "metadata have it, as from Corpus.with_metadata"
        )
    return np.asarray(columns[name])


def _column(name: str, values: np.ndarray) -> Column:
    if values.dtype.kind in "iuf":
        numbers = _numbers(name, values)
        if not (unit := float(numbers.std())):
            raise ValueError(f"the column {name!r} has the same value in all documents: it explains nothing")
        return Column(name, (), float(numbers.mean()), unit)
    found, frequency = np.unique(_texts(name, values), return_counts=True)
    if len(found) < 2:
        raise ValueError(f"the column {name!r} has the same value in all documents: it explains nothing")
    if len(found) > MOST_VALUES:
        raise ValueError(
            f"the column {name!r} has {len(found)} different values; at most {MOST_VALUES} can be told apart: put them "
            "into groups, or give numbers"
        )
    return Column(name, tuple(found[np.argsort(-frequency, kind="stable")].tolist()))


def _numbers(name: str, values: np.ndarray) -> np.ndarray:
    try:
        numbers = np.asarray(values, np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"the column {name!r} was one of numbers, and is not now") from None
    return _complete(name, numbers, ~np.isfinite(numbers))


def _texts(name: str, values: np.ndarray) -> list[str]:
    _complete(name, values, np.array([is_missing(value) for value in values.tolist()], bool))
    return [str(value) for value in values.tolist()]


def _complete(name: str, values: np.ndarray, missing: np.ndarray) -> np.ndarray:
    if missing.any():
        raise ValueError(
            f"the column {name!r} has no value for {int(missing.sum())} document(s), the first being document "
            f"{int(missing.argmax())}: fill it, or leave them out with Corpus.subset"
        )
    return values
