"""The page of the documentation that says which kernel to use on which device, from the compilers' figures."""

from pathlib import Path
from typing import Any

from benchmarks.targets import TARGETS

__all__ = ["PAGE", "page", "write"]

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "accelerators.md"
CORE = 1e7  # tokens per second of `cgs` on one core of a CPU, K 100 (0.1 µs per token)
GOAL = 5e8

Row = dict[str, Any]

HEAD = """% Written by `python -m benchmarks.accelerators`; do not edit.

# Which kernel on which accelerator

What the real compilers of TPUs (libtpu) and NVIDIA GPUs make of every kernel and estimator, without the devices
(`python -m benchmarks.accelerators`). **No figure on this page was measured on a device.** Compiled are one sweep, or
one call of an estimator, for documents of {length} tokens on average and {longest:,} at most, and {words:,} different
words. *Launches* are the kernels that a sweep starts, those in loops as often as the loops turn; *peak memory* is the
compiler's plan; *bytes* are those that the launched kernels read and write. From these follows an estimate: every
launch takes 3 µs, and all bytes move at the bandwidth of the data sheet, one after another. A table up to a quarter
of the device's cache is read once, of a larger one every row that is looked up, 32 bytes at least. Arithmetic costs
nothing, which is generous; nothing overlaps, which is not. A TPU starts no kernels from outside: there the 3 µs are
an upper bound, and single look-ups cost more than their bytes.

"""


def write(rows: list[Row]) -> Path:
    """Write the page."""
    PAGE.write_text(page(rows), encoding="utf-8")
    return PAGE


def page(rows: list[Row]) -> str:
    """The page, from the rows of the JSON."""
    from benchmarks.accelerators import LENGTH, LONGEST, PARALLEL, WORDS

    good = [row for row in rows if "error" not in row]
    text = HEAD.format(length=LENGTH, longest=LONGEST, words=WORDS)
    text += "## One chain on one device, K 100\n\n" + _one_chain(good)
    text += "\n## Four devices\n\nChains are dealt out to the devices, here one to each.\n\n" + _four(good)
    text += "\n## Sizes\n\n" + _sizes([row for row in good if row["program"] in PARALLEL])
    if failed := [row for row in rows if "error" in row]:
        text += "\n## Not compiled\n\n" + "".join(
            f"- `{row['program']}`, {TARGETS[row['target']].name}, {row['devices']} device(s), "
            f"{_number(row['tokens'])} tokens, K {row['topics']}, {row['chains']} chain(s): {row['error']}\n"
            for row in failed
        )
    if any("earlier" in row for row in rows):
        text += "\n† compiled from the kernels as they were before their last change; compile again to renew.\n"
    return text


def _name(row: Row) -> str:
    return f"`{row['program']}`" + (" †" if "earlier" in row else "")


def _one_chain(rows: list[Row]) -> str:
    alone = [row for row in rows if (row["devices"], row["chains"], row["topics"]) == (1, 1, 100)]
    base = {}  # of each program and target the size that all have
    for row in alone:
        usual = 10**5 if row["program"].startswith("blocks") else 10**6 if row["target"] == "v5e" else 10**7
        before = base.get((row["program"], row["target"]))
        if row["tokens"] <= usual and (before is None or before["tokens"] < row["tokens"]):
            base[row["program"], row["target"]] = row
    lines = []
    for program in dict.fromkeys(program for program, _ in base):
        of = {target: base[program, target] for target in TARGETS if (program, target) in base}
        gpu = of.get("a100") or of.get("h100")
        first = gpu or next(iter(of.values()))
        speeds = [_speed(of[target]) if target in of else "–" for target in TARGETS]
        cells = [_name(first), _number(first["tokens"]), _number(first["launches"])]
        cells += [f"{first['bytes_per_token']:,.0f}", f"{first['peak_gb']:.2f}", *speeds]
        lines.append([*cells, _verdict(gpu["tokens_per_second"]) if gpu else "–"])
    names = [TARGETS[target].name.removeprefix("NVIDIA ") for target in TARGETS]
    head = [
        "program",
        "tokens",
        "launches",
        "bytes per token",
        "peak GB",
        *(f"{n}: M tokens/s" for n in names),
        "on a GPU",
    ]
    note = (
        "\nLaunches, bytes and memory are those of the A100, or else of the first device that has a figure. "
        f"{TARGETS['v5e'].name}: a million tokens at most, as its compiler takes minutes for more; "
        "– was not compiled, or not in time (see below). A core of a CPU does about 10 million tokens per second by "
        "`cgs`.\n"
    )
    return _table(head, lines) + note


def _four(rows: list[Row]) -> str:
    lines = [
        [
            _name(row),
            TARGETS[row["target"]].name,
            _number(row["tokens"]),
            str(row["chains"]),
            _number(row["launches"]),
            f"{row['peak_gb']:.2f}",
            _speed(row),
            f"{row['compile_seconds']:.0f}",
        ]
        for row in rows
        if row["devices"] == 4
    ]
    head = [
        "program",
        "device",
        "tokens",
        "chains",
        "launches",
        "peak GB of each",
        "M tokens/s in all",
        "compiled in s",
    ]
    return _table(head, lines)


def _sizes(rows: list[Row]) -> str:
    chosen = [row for row in rows if row["devices"] == 1 and row["target"] == "a100"]
    chosen.sort(key=lambda row: (row["program"], row["tokens"], row["topics"], row["chains"]))
    lines = [
        [
            _name(row),
            _number(row["tokens"]),
            str(row["topics"]),
            str(row["chains"]),
            _number(row["launches"]),
            f"{row['peak_gb']:.1f}" + ("" if row["fits"] else " (does not fit)"),
            f"{row['seconds'] * 1e3:,.1f}",
            _speed(row),
        ]
        for row in chosen
    ]
    head = ["program", "tokens", "K", "chains", "launches", "peak GB", "ms per sweep", "M tokens/s"]
    return f"On one {TARGETS['a100'].name}, all chains at once:\n\n" + _table(head, lines)


def _verdict(speed: float) -> str:
    if speed >= GOAL:
        return "made for it"
    return "faster than a core" if speed > CORE else "slower than a CPU's core"


def _speed(row: Row) -> str:
    millions = row["tokens_per_second"] / 1e6
    return f"{millions:,.0f}" if millions >= 10 else f"{millions:.2g}"


def _number(n: float) -> str:
    if n < 100_000:
        return f"{n:,.0f}"
    return f"{n / 1e6:,.3g} M"


def _table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
