"""Files of models and runs that are damaged, or forged with valid checksums: made with a fixed seed."""

import copy
import random
import zipfile
from typing import Any

import numpy as np

from jaxlda.running import archive

NUMBERS = [-1, 0, 1, 2, 3, 7, 2**31, 2**32, 2**40, 10**30, 0.5, -0.5, 1e300, float("nan"), float("inf")]
VALUES = [
    None,
    True,
    False,
    "",
    "x",
    "cgs",
    "cvb0",
    "toy",
    "vb",
    "cgs_p",
    "auto",
    "\ud800",
    [],
    {},
    [[]],
    [None],
    {"x": 1},
]
VALUES += [{"array": "key"}, {"array": "nothing"}, {"tuple": [1, 2]}, {"list": []}, {"dict": [[1, 2]]}, {"dict": [1]}]
VALUES += [
    {"texts": ["a"], "dtype": "str"},
    {"algorithm": "cgs"},
    {"algorithm": 3},
    ["phi"],
    ["phi", "phi"],
    "z" * 5000,
]


def repacked(content: bytes, rng: random.Random, path: Any) -> None:
    """Write the members of an archive in another order, or under each other's names; the seal stays what it was."""
    path.write_bytes(content)
    with zipfile.ZipFile(path) as old:
        members, comment = [(info.filename, old.read(info)) for info in old.infolist()], old.comment
    names = [name for name, _ in members]
    i, j = rng.randrange(1, len(names)), rng.randrange(1, len(names))
    if rng.random() < 0.5:
        names[i], names[j] = names[j], names[i]
    else:
        members[i], members[j] = members[j], members[i]
        names = [name for name, _ in members]
    if rng.random() < 0.3:
        del names[i], members[i]
    with zipfile.ZipFile(path, "w") as new:
        for name, (_, member) in zip(names, members, strict=True):
            new.writestr(name, member)
        new.comment = comment


def forged(content: archive.Archive, rng: random.Random, path: Any) -> str:
    """Write a file whose checksums are right and whose content is not; give what was changed, for the record."""
    header, arrays = copy.deepcopy(content.header), dict(content.arrays)
    changes = []
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        changes.append(_in_arrays(arrays, rng) if rng.random() < 0.6 else _in_header(header, rng))
    archive.write(path, header, arrays)
    return "; ".join(changes)


def _in_header(header: dict[str, Any], rng: random.Random) -> str:
    """Replace, remove or add something at any depth."""
    place: Any = header
    trail = []
    while True:
        keys = list(place) if isinstance(place, dict) else list(range(len(place)))
        if not keys:
            return "nothing"
        key = rng.choice(keys)
        trail.append(key)
        if not isinstance(place[key], dict | list) or not place[key] or rng.random() < 0.15:
            break
        place = place[key]
    what = rng.random()
    if what < 0.1:
        del place[key]
    elif what < 0.2 and isinstance(place, dict):
        place[rng.choice(["x", "phi_", "fit", "run_", "algorithm"])] = copy.deepcopy(place[key])
    elif what < 0.5 and isinstance(place[key], int | float):
        place[key] = rng.choice([place[key] + 1, place[key] - 1, -place[key], str(place[key]), *NUMBERS])
    else:
        place[key] = copy.deepcopy(rng.choice([*NUMBERS, *VALUES]))  # each its own, for it may be changed in turn
    return f"header {trail}"


def _in_arrays(arrays: dict[str, np.ndarray], rng: random.Random) -> str:
    if not arrays:
        return "nothing"
    name, other = rng.choice(list(arrays)), rng.choice(list(arrays))
    array = np.asarray(arrays[name])
    what = rng.choice(["value", "value", "value", "value", "dtype", "shape", "swap", "remove", "rename", "other"])
    if what == "value" and array.size and array.dtype != bool:
        array = array.copy()
        at = np.unravel_index(rng.randrange(array.size), array.shape)
        one = array.dtype.type(1)
        special = [np.nan, np.inf, -np.inf, -1.0, 1e30, 0.0, 1e-40] if array.dtype.kind == "f" else []
        with np.errstate(over="ignore"):
            array[at] = rng.choice([*special, array[at] + one, array[at] - one, one])
        if rng.random() < 0.2:
            array[...] = array[at]
        arrays[name] = array
    elif what == "dtype":
        with np.errstate(invalid="ignore", over="ignore"):
            arrays[name] = array.astype(rng.choice([np.float64, np.int64, np.int8, np.uint32, np.float16, bool]))
    elif what == "shape":
        arrays[name] = rng.choice(
            [
                array.reshape(-1),
                array[:0],
                array[:-1],
                array[None],
                array.T,
                np.concatenate([array, array]),
                np.float32(1),
            ]
            if array.ndim
            else [array[None], np.zeros((3, 4))]
        )
    elif what == "swap":
        arrays[name], arrays[other] = arrays[other], array
    elif what == "remove":
        del arrays[name]
    elif what == "rename":
        arrays[rng.choice(["data.phi", "kept.z", "chain2.state.n_dk", "found.phi_", "x"])] = array
    else:
        arrays[name] = arrays[other]
    return f"{what} of {name}"
