"""What a compiled program does on an accelerator, read from its optimised HLO: launches, trips of loops, bytes moved.

The compilers' own ``cost_analysis`` counts the body of a loop once. Here it counts as often as the loop turns: as the
compiler says (``known_trip_count``), or else as ``trips`` says of the Python function that the loop comes from.
"""

import math
import re
from collections.abc import Callable
from typing import NamedTuple

__all__ = ["Cost", "Module", "Op", "cost_of", "parse"]

_TYPE = re.compile(r"(pred|[a-z]+\d+[a-z0-9]*)\[([\d,]*)\](\{[^}]*\})?")
_WIDTH = {"pred": 1, "s8": 1, "u8": 1, "s16": 2, "u16": 2, "f16": 2, "bf16": 2, "s64": 8, "u64": 8, "f64": 8}
# These are no work of their own: names for parts of memory, or what the device's own control does.
_FREE = frozenset(
    "parameter constant tuple get-tuple-element bitcast after-all partition-id replica-id opt-barrier domain while "
    "call conditional copy-done slice-done async-done all-reduce-done all-gather-done collective-permute-done".split()
)
_BESIDE = frozenset(("copy-start", "slice-start"))  # a TPU fetches ahead while it computes: bytes, but no launch
_SECTOR = 32  # the fewest bytes that memory gives


class Op(NamedTuple):
    """One instruction."""

    name: str
    type: str
    opcode: str
    operands: tuple[str, ...]
    attributes: str

    @property
    def sizes(self) -> list[tuple[int, int]]:
        """(number of elements, bytes of each) of every array it gives."""
        return [
            (math.prod(int(n) for n in dims.split(",") if n), _WIDTH.get(kind, 4))
            for kind, dims, _ in _TYPE.findall(self.type)
        ]

    @property
    def elements(self) -> int:
        """How many numbers it gives."""
        return sum(n for n, _ in self.sizes)

    @property
    def bytes(self) -> int:
        """How many bytes it gives."""
        return sum(n * width for n, width in self.sizes)

    @property
    def near(self) -> bool:
        """Whether a TPU keeps it in the memory of its core (memory space 1), where reading costs next to nothing."""
        return "S(1)" in self.type

    def attribute(self, name: str) -> str | None:
        """The computation that an attribute names."""
        found = re.search(rf"\b{name}=%?([\w.\-]+)", self.attributes)
        return found[1] if found else None


class Module(NamedTuple):
    """Computations by name, and the Python functions that instructions come from."""

    computations: dict[str, list[Op]]
    entry: str
    functions: dict[int, list[str]]
    """Of every stack frame, the innermost first."""


class Cost(NamedTuple):
    """What one run of a program, or of a part of it, does."""

    launches: float
    bytes: float
    loops: dict[str, tuple[float, float]]
    """By the function that a loop comes from, how often it turns in all, and its launches in all, inner loops aside."""

    def __add__(self, other: "Cost") -> "Cost":  # type: ignore[override]
        """One after the other."""
        both = {name: (0.0, 0.0) for name in self.loops | other.loops}
        for name, (turns, launches) in (*self.loops.items(), *other.loops.items()):
            both[name] = both[name][0] + turns, both[name][1] + launches
        return Cost(self.launches + other.launches, self.bytes + other.bytes, both)

    def repeated(self, turns: float, name: str) -> "Cost":
        """As the body of a loop of this name."""
        inner = {label: (n * turns, launches * turns) for label, (n, launches) in self.loops.items()}
        own = (self.launches - sum(launches for _, launches in self.loops.values())) * turns
        return Cost(0.0, 0.0, {name: (turns, own)}) + Cost(self.launches * turns, self.bytes * turns, inner)


def parse(text: str) -> Module:
    """Read the text that ``compiled.as_text()`` gives."""
    computations: dict[str, list[Op]] = {}
    entry, ops = "", None
    for line in text.splitlines():
        header = re.match(r"(ENTRY )?%?([\w.\-]+) \(.*\{$", line)
        if header:
            ops = computations.setdefault(header[2], [])
            entry = header[2] if header[1] else entry
        elif line.startswith("}"):
            ops = None
        elif ops is not None and " = " in line:
            ops.append(_instruction(line.strip()))
    return Module(computations, entry, _functions(text))


def _closing(text: str, start: int) -> int:
    depth = 0
    for i in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[i], 0)
        if depth == 0:
            return i
    raise ValueError(f"no closing parenthesis in {text[:200]!r}")


def _instruction(line: str) -> Op:
    name, rest = line.removeprefix("ROOT ").split(" = ", 1)
    end = _closing(rest, 0) + 1 if rest.startswith("(") else rest.index(" ")
    type_, rest = rest[:end], rest[end:].strip()
    opening = rest.index("(")
    closing = _closing(rest, opening)
    inside = rest[opening + 1 : closing]
    literal = rest.startswith(("parameter", "constant"))
    operands = (inside,) if literal else tuple(re.findall(r"%([\w.\-]+)", inside))
    return Op(name.lstrip("%"), type_, rest[:opening], operands, rest[closing + 1 :])


def _functions(text: str) -> dict[int, list[str]]:
    def table(title: str) -> dict[int, str]:
        found = re.search(rf"^{title}\n((?:\d+ .*\n)*)", text, re.MULTILINE)
        rows = (row.split(" ", 1) for row in (found[1].splitlines() if found else []))
        return {int(number): value for number, value in rows}

    def numbers(title: str, *fields: str) -> dict[int, list[int]]:
        pattern = [re.compile(rf"{field}=(\d+)") for field in fields]
        rows = table(title).items()
        return {i: [int(found[1]) if (found := p.search(row)) else 0 for p in pattern] for i, row in rows}

    names = {i: name.strip('"') for i, name in table("FunctionNames").items()}
    place = {i: function for i, (function,) in numbers("FileLocations", "function_name_id").items()}
    frames = numbers("StackFrames", "file_location_id", "parent_frame_id")
    functions: dict[int, list[str]] = {}
    for i in frames:
        chain, at = [], i
        while at in frames and len(chain) < 100:
            location, parent = frames[at]
            chain.append(names.get(place.get(location, 0), "?"))
            at = parent - 1  # printed one higher than it is
        functions[i] = chain
    return functions


def cost_of(module: Module, trips: Callable[[list[str], int], float], cache: int) -> Cost:
    """Count launches, trips and bytes.

    Parameters
    ----------
    trips
        How often a loop turns whose functions are these, the innermost first, and whose largest array has so many
        numbers, if the program does not say.
    cache
        Bytes of the device's cache: a table that fits is read once, of a larger one every row that is looked up.
    """

    def of(name: str) -> Cost:
        cost = Cost(0.0, 0.0, {})
        ops = {op.name: op for op in module.computations[name]}
        for op in ops.values():
            if op.opcode == "while":
                turns, functions = _known(module, op), _chain(module, op)
                if turns is None:
                    turns = trips(functions, max(n for n, _ in op.sizes))
                body = of(op.attribute("body") or "") + of(op.attribute("condition") or "")
                cost += body.repeated(turns, _label(functions))
            elif op.opcode in ("conditional", "call"):
                branches = re.findall(r"%([\w.\-]+)", op.attributes.split("metadata")[0])
                costs = [of(branch) for branch in branches if branch in module.computations]
                cost += max(costs, key=lambda one: one[:2], default=Cost(0.0, 0.0, {}))
            elif op.opcode not in _FREE and not _of_scalars(op):
                cost += Cost(float(op.opcode not in _BESIDE), _bytes(module, op, ops, cache), {})
        return cost

    return of(module.entry)


def _known(module: Module, op: Op) -> float | None:
    """How often a loop turns, as the compiler says, or as its condition does if that compares with a constant."""
    found = re.search(r'known_trip_count"?:\{"n":"?(\d+)', op.attributes)
    if found:
        return float(found[1])
    condition = {part.name: part for part in module.computations[op.attribute("condition") or ""]}
    last = list(condition.values())[-1]
    bounds = [condition[name].operands[0] for name in last.operands if condition[name].opcode == "constant"]
    return float(bounds[0]) if last.opcode == "compare" and bounds and bounds[0].isdigit() else None


def _chain(module: Module, op: Op) -> list[str]:
    found = re.search(r"stack_frame_id=(\d+)", op.attributes)
    return module.functions.get(int(found[1]), []) if found else []


def _label(functions: list[str]) -> str:
    return functions[0].split(".")[-1] if functions else "?"


def _of_scalars(op: Op) -> bool:
    """Whether a TPU does it in its scalar unit, beside the rest (memory space 6)."""
    return "S(6)" in op.type and op.elements <= 8


def _bytes(module: Module, op: Op, scope: dict[str, Op], cache: int) -> float:
    """The bytes that an instruction reads and writes."""
    if op.opcode in _BESIDE:
        return scope[op.operands[0]].bytes
    given = [Op(name, scope[name].type, "parameter", (str(i),), "") for i, name in enumerate(op.operands)]
    called = module.computations.get(op.attribute("calls") or "") if op.opcode == "fusion" else None
    if not called:
        return _moved([*given, op], cache)
    # Outside it is said in which memory the operands are.
    return _moved(
        [
            part._replace(type=given[int(part.operands[0])].type) if part.opcode == "parameter" else part
            for part in called
        ],
        cache,
        op.type,
    )


def _moved(ops: list[Op], cache: int, given_type: str = "") -> float:
    """Go back from what a computation gives to what it needs, and add up both."""
    by_name, demand = {op.name: op for op in ops}, dict.fromkeys((op.name for op in ops), 0.0)
    looked_up: dict[str, float] = {}
    total = 0.0
    root = ops[-1]
    for name in root.operands if root.opcode == "tuple" else (root.name,):
        given = by_name[name]
        demand[name] = given.elements
        in_place = given.opcode in ("scatter", "dynamic-update-slice")
        total += 0 if in_place or given.near or "S(1)" in given_type else given.bytes
    for op in reversed(ops):
        wanted = demand[op.name]
        if op.opcode == "parameter":
            if op.near:
                continue
            total += min(wanted, op.elements) * (op.bytes / max(op.elements, 1))
            total += _random(looked_up.get(op.name, 0.0), op, cache)
            continue
        for place, name in enumerate(op.operands):
            if name not in by_name:
                continue
            operand = by_name[name]
            if op.opcode == "gather" and place == 0:
                source = _source(name, by_name)
                looked_up[source] = looked_up.get(source, 0.0) + _read(op, operand, wanted)
            elif op.opcode in ("scatter", "dynamic-update-slice") and place == 0:
                total += _written(op, by_name, cache)
            elif op.opcode == "dynamic-slice" and place == 0:
                demand[name] += wanted
            else:
                demand[name] += min(operand.elements, wanted * max(operand.elements / max(op.elements, 1), 1.0))
    return total


def _source(name: str, by_name: dict[str, Op]) -> str:
    """The parameter that a table which is looked up is made of."""
    while by_name[name].opcode != "parameter":
        larger = [n for n in by_name[name].operands if n in by_name]
        if not larger:
            break
        name = max(larger, key=lambda n: by_name[n].elements)
    return name


def _read(op: Op, table: Op, wanted: float) -> float:
    """Bytes of so many numbers that are looked up: of a row that is not wanted whole, a sector for each number."""
    found = re.search(r"slice_sizes=\{([\d,]*)\}", op.attributes)
    row = math.prod(int(n) for n in found[1].split(",") if n) if found else 1
    rows, width = op.elements / row, table.bytes / max(table.elements, 1)
    return rows * min(max(row * width, _SECTOR), wanted / max(rows, 1) * _SECTOR)


def _random(bytes_: float, table: Op, cache: int) -> float:
    return min(bytes_, table.bytes) if table.bytes <= cache else bytes_


def _written(op: Op, by_name: dict[str, Op], cache: int) -> float:
    """Bytes of an update in place: read and written, a whole sector for each row."""
    table = by_name[op.operands[0]]
    updates = [by_name[n] for n in op.operands[(2 if op.opcode == "scatter" else 1) :] if n in by_name]
    if op.opcode == "dynamic-update-slice":
        return updates[0].bytes
    window = re.search(r"update_window_dims=\{([\d,]*)\}", op.attributes)
    dims = [int(n) for n in _TYPE.search(updates[-1].type)[2].split(",") if n]
    row = math.prod(dims[int(i)] for i in window[1].split(",")) if window and window[1] else 1
    rows = updates[-1].elements / max(row, 1)
    width = table.bytes / max(table.elements, 1)
    return _random(2 * rows * max(row * width, _SECTOR), table._replace(opcode="table"), cache)
