"""Whether what a file says of a run can be one: a checksum proves that it is whole, not that it makes sense.

Everything is looked at before anything is computed with it. Loops over tokens look up words, documents and topics
without asking, and a run that was loaded must be able to go on.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import jax
import numpy as np

from jaxlda.corpora import priors
from jaxlda.corpora.numbers import distributions
from jaxlda.running.schedule import Schedule
from jaxlda.running.sizes import AXES, shape_of, sizes_of
from jaxlda.types import Counts, Data, Sample

__all__ = [
    "check_counts",
    "check_data",
    "check_header",
    "check_kept",
    "check_samples",
    "check_trace",
    "check_whole",
    "other_data",
    "same_arrays",
]

SWEEPS = 2**32 - 1  # every sweep has a random key of its own, by a number of 32 bits
SIGNED = ("z", "likeness", "log_likelihood", "effects")  # of draws; nothing else is ever below 0
CLOSE = 5e-3  # relative: how far sums of many float32 may be from what they add up to
_TYPES: dict[str, type | tuple[type, ...]] = {
    "algorithm": (str, type(None)),
    "schedule": dict,
    "sweep": int,
    "draws": int,
    "num_chains": int,
    "soft": bool,
    "soft_counts": bool,
    "kept": list,
    "trace": list,
    "key": (str, type(None)),
}


def check_header(header: Mapping[str, Any]) -> Schedule:
    """The schedule of a run, if all that the header says can be true."""
    for name, kind in _TYPES.items():
        value = header[name]
        if not isinstance(value, kind) or (kind is int and isinstance(value, bool)):
            raise ValueError(f"its {name} is {value!r:.40}")
    numbers = header["schedule"]
    if set(numbers) != set(Schedule._fields) or not all(type(number) is int for number in numbers.values()):
        raise ValueError(f"its schedule is {numbers!r:.80}")
    schedule = Schedule(**numbers)
    if min(schedule) < 0 or schedule.thinning < 1 or schedule.total > SWEEPS:
        raise ValueError(f"there is no such schedule as {numbers!r:.80}")
    if header["num_chains"] < 1 or not 0 <= header["sweep"] <= schedule.total:
        raise ValueError(f"it has {header['num_chains']} chains at sweep {header['sweep']} of {schedule.total}")
    expected = max(0, (header["sweep"] - schedule.num_warmup) // schedule.thinning)
    if header["draws"] != expected:
        raise ValueError(f"it has {header['draws']} draws, but {expected} sweeps to draw at")
    for group in ("kept", "trace"):
        if not all(isinstance(name, str) for name in header[group]) or len(set(header[group])) < len(header[group]):
            raise ValueError(f"its names of {group} are {header[group]!r:.80}")
    if unknown := [name for name in header["kept"] if name not in AXES]:
        raise ValueError(f"it keeps {unknown[0]!r:.40}, which is not known here")
    return schedule


def check_data(data: Data) -> None:
    """Refuse documents and priors that no corpus has."""
    (w, d, m, n_d), (alpha, beta) = (np.asarray(x) for x in data.tokens), (np.asarray(x) for x in data.priors)
    if not (w.ndim == d.ndim == m.ndim == n_d.ndim == 1 and len(w) == len(d) == len(m)):
        raise ValueError("its tokens do not have a word and a document each")
    if not (1 <= alpha.ndim <= 2 and 1 <= beta.ndim <= 2 and alpha.dtype == beta.dtype == np.float32):
        raise ValueError("its priors are not rows of numbers")
    K, V, D = alpha.shape[-1], beta.shape[-1], len(n_d)
    for name, numbers in data.tokens._asdict().items():
        if numbers.dtype != np.int32:
            raise ValueError(f"its tokens have {name} in {numbers.dtype}; they are written in int32")
    for name, numbers, size in (("words", w, V), ("documents", d, D)):
        if numbers.size and not 0 <= numbers.min() <= numbers.max() < size:
            raise ValueError(f"its tokens name unknown {name}: it has {size} of them")
    if (m < 0).any() or (n_d < 0).any():
        raise ValueError("its tokens count less than nothing")
    if (np.diff(d[m > 0]) < 0).any() or (np.bincount(d, m, D) != n_d).any():
        raise ValueError("its documents are not as long as it says, or not in order")
    priors.make(K, D, V, alpha, beta, n_d=n_d)
    if data.phi is not None:
        phi = np.asarray(data.phi)
        if phi.shape != (K, V) or phi.dtype != np.float32:
            raise ValueError("its given topics are not numbers of its words")
        distributions(phi, "phi", "words")
    if data.covariates is not None:
        x, scale, effects = (np.asarray(one) for one in data.covariates)
        fit = x.shape == (D, *scale.shape) and effects.shape == (*scale.shape, K) and scale.ndim == 1
        finite = all(one.dtype == np.float32 and np.isfinite(one).all() for one in (x, scale, effects))
        if not (fit and finite and (scale > 0).all()):
            raise ValueError("its covariates are not numbers of its documents")


def check_trace(trace: Mapping[str, np.ndarray], needed: Iterable[str], shape: tuple[int, int]) -> None:
    """Refuse series that do not have a number for every chain and sweep, or lack what every run has."""
    for name in {*needed} - {*trace}:
        raise ValueError(f"it has no trace of {name}")
    for name, series in trace.items():
        if series.shape != shape or series.dtype != np.float64:
            raise ValueError(f"its trace of {name:.40} is {series.dtype} of shape {series.shape}, not {shape}")


def check_kept(
    kept: Mapping[str, Sequence[np.ndarray]], draws: int, num_chains: int, data: Data, sample: Sample
) -> None:
    """Refuse what was not kept of every draw, or is of another size or type than it is in draws like ``sample``."""
    sizes = sizes_of(data)
    types = {name: np.dtype(x.dtype) for name, x in {**sample.counts._asdict(), "z": sample.z}.items() if x is not None}
    for name, arrays in kept.items():
        if len(arrays) != draws:
            raise ValueError(f"it keeps {name} of {len(arrays)} draws; there are {draws}")
        for array in arrays:
            if array.shape != (expected := (num_chains, *shape_of(name, sizes))):
                raise ValueError(f"its {name} of a draw has shape {array.shape}, not {expected}")
            if array.dtype != (of_name := types.get(name, np.dtype(np.float32))):
                raise ValueError(f"its {name} of a draw is {array.dtype}, not {of_name}")
            if np.isnan(array).any() or (name not in SIGNED and (array < 0).any()):
                raise ValueError(f"its {name} of a draw has NaN or negative numbers")
            if name == "z" and not _in_range(array, sizes.K):
                raise ValueError(f"its z of a draw names unknown topics: it has {sizes.K} of them")


def _in_range(z: np.ndarray, K: int) -> bool:
    return not z.size or bool(0 <= z.min() and z.max() < K)


def check_whole(data: Data) -> None:
    """Refuse tokens that are no whole numbers, in whatever type they are given.

    >>> import jaxlda
    >>> tokens = jaxlda.Corpus.from_counts([[2, 1]]).tokens()
    >>> check_whole(Data(tokens._replace(m=np.full(3, 0.5)), None))
    Traceback (most recent call last):
    ValueError: the tokens' m must be whole numbers, less than 2**31
    """
    for name, given in data.tokens._asdict().items():
        if given.dtype != np.int32:
            numbers = np.asarray(given, np.float64)
            if not (np.abs(numbers) < 2**31).all() or (numbers % 1).any():
                raise ValueError(f"the tokens' {name} must be whole numbers, less than 2**31")


def check_samples(samples: Sequence[Any], data: Data) -> None:
    """Refuse samples that are not of these documents."""
    if not samples:
        raise ValueError("there is no sample in the list")
    for chain, one in enumerate(samples):
        _check_sample(one, data, f"sample {chain}" if len(samples) > 1 else "the sample")


def _check_sample(sample: Any, data: Data, what: str) -> None:
    """Refuse a sample that is not one of these documents."""
    if not isinstance(sample, Sample):
        raise TypeError(f"{what} must be a Sample (of counts, and z if it is known); got {sample!r:.60}")
    (w, d, m, n_d), (alpha, beta) = (np.asarray(x) for x in data.tokens), data.priors
    K, V, D = alpha.shape[-1], beta.shape[-1], len(n_d)
    found = tuple(np.asarray(x) for x in sample.counts)
    if (shapes := tuple(x.shape for x in found)) != ((D, K), (V, K), (K,)):
        raise ValueError(f"{what} has counts of shapes {shapes}; expected (D, K), (V, K), (K,) with {D=}, {V=}, {K=}")
    if not all(np.isfinite(x).all() and (x >= 0).all() for x in found):
        raise ValueError(f"{what} has counts that are negative or not finite")
    if sample.z is None:
        return
    z = np.asarray(sample.z)
    if z.shape != w.shape or z.dtype.kind not in "iu" or not _in_range(z, K):
        raise ValueError(f"z of {what} must have a topic from 0 to {K - 1} for each of the {len(w)} tokens")
    for index, table in ((d, found[0]), (w, found[1])):
        counted = np.zeros(table.shape, np.int64)
        np.add.at(counted, (index, z), m.astype(np.int64))
        if not np.array_equal(counted, table):
            raise ValueError(f"the counts of {what} are not those of its z: is z in the order of corpus.tokens()?")


def check_counts(counts: Counts, data: Data, times: int, what: str) -> None:
    """Refuse counts that are not so many times those of the tokens: of every document and every word."""
    w, _, m, n_d = (np.asarray(x) for x in data.tokens)
    n_dk, n_vk, n_k = (np.asarray(x) for x in counts)
    if not all(np.isfinite(x).all() and (x >= 0).all() for x in (n_dk, n_vk, n_k)):
        raise ValueError(f"{what} has counts that are negative or not finite")
    frequency = np.bincount(w, m, len(n_vk))
    sums = [n_dk.sum(axis=1, dtype=np.float64), n_vk.sum(axis=1, dtype=np.float64), n_k.astype(np.float64)]
    expected = [n_d * float(times), frequency * float(times), n_vk.sum(axis=0, dtype=np.float64)]
    for one, other in zip(sums, expected, strict=True):
        if not np.allclose(one, other, rtol=CLOSE, atol=CLOSE * times):
            raise ValueError(f"{what} has counts that do not add up to the tokens")


def same_arrays(one: Any, other: Any) -> bool:
    """Whether two trees hold the same numbers.

    >>> same_arrays((np.ones(2), None), (np.ones(2), np.ones(1)))
    False
    """
    leaves = [jax.tree.leaves(of) for of in (one, other)]
    return len(leaves[0]) == len(leaves[1]) and all(map(np.array_equal, *leaves))


def other_data(before: Data, after: Data) -> str:
    """The difference between the data of two runs, in words; empty if there is none."""
    for what, one, other in zip(("documents", "priors", "given topics", "covariates"), before, after, strict=True):
        if not same_arrays(one, other):
            return f"the {what} are not the same"
    return ""
