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

# Which kernel on which device

| you have | take | or, faster but approximate |
| --- | --- | --- |
| a CPU with few cores | `cgs`, from 400 topics on `sparse` | `warp` from 500 topics on |
| a CPU with many cores | the same, a chain for each core | `blocks`: one chain on all cores |
| a GPU | `pcgs(theta='drawn')`: {gpu_exact} M tokens/s on an A100 | `warp`: {gpu_fast} M |
| a TPU | `pcgs(theta='drawn')`: {tpu_exact} M tokens/s on a v5e | `warp`: {tpu_fast} M |
| several of them, or machines | the same: {{doc}}`devices` deals out chains, {{doc}}`machines` documents | the same |

On a CPU a token costs what it computes, about 0.1 µs with `cgs` and 100 topics; {{doc}}`benchmarks` has figures. On an
accelerator every step of a loop costs some microseconds, and a step may be as wide as the corpus. So `cgs`, `sparse`,
`light` and `blocks`, whose loops visit one token after another, belong to CPUs. `kernel="auto"` chooses so, among the
exact ones. What follows is why: what the real compilers of TPUs (libtpu) and NVIDIA GPUs make of every kernel and
estimator, without the devices. **No speed on this page was measured on a device.**

## How the figures are made

Compiled are one sweep, or one call of an estimator, for 100 topics, documents of {length} tokens on average and
{longest:,} at most, and {words:,} different words.

- *Launches*: the kernels that a sweep starts, those in loops as often as the loops turn; *longest loop* is the loop
  with the most of them, turns × launches per turn. How often a loop turns whose end depends on the data is assumed
  (`TURNS` in `benchmarks/accelerators.py`).
- *Peak GB* is the compiler's plan, for each device. *Bytes* are those that the launched kernels read and write. A table
  up to a quarter of the device's cache is read once, of a larger one every row that is looked up, 32 bytes at least.
- *ms per sweep* follows: every launch takes 3 µs, and all bytes move at the bandwidth of the data sheet, one after
  another. Arithmetic costs nothing, which is generous; nothing overlaps, which is not. A TPU starts no kernels from
  outside: there the 3 µs are an upper bound, and single look-ups cost more than their bytes.
- *Compiled in*: seconds of CPU time, on one and on four devices. To compile again what is older than its kernel,
  `python -m benchmarks.accelerators --check`, then the same without `--check` (`benchmarks/targets.py` says what must
  be installed).

"""


def write(rows: list[Row]) -> Path:
    """Write the page."""
    PAGE.write_text(page(rows), encoding="utf-8")
    return PAGE


def page(rows: list[Row]) -> str:
    """The page, from the rows of the JSON."""
    from benchmarks.accelerators import LENGTH, LONGEST, PARALLEL, WORDS

    good = [row for row in rows if "error" not in row]
    exact, fast = PARALLEL
    of = {(row["program"], row["target"]): row for row in good if _is_usual(row, 1)}
    speeds = {
        f"{device}_{kind}": _speed(of.get((program, target)))
        for device, target in (("gpu", "a100"), ("tpu", "v5e"))
        for kind, program in (("exact", exact), ("fast", fast))
    }
    text = HEAD.format(length=LENGTH, longest=LONGEST, words=WORDS, **speeds)
    text += "## One device, and four\n\n" + _overview(of)
    for target in TARGETS:
        text += f"\n### {TARGETS[target].name}\n\n" + _programs([row for row in good if row["target"] == target])
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


def _is_usual(row: Row, devices: int) -> bool:
    """Whether it is one chain for each device, of the size that the table of all programs has."""
    from benchmarks.accelerators import usual_tokens

    case = (devices, devices, 100, usual_tokens(row["program"], row["target"]))
    return (row["devices"], row["chains"], row["topics"], row["tokens"]) == case


def _name(row: Row) -> str:
    return f"`{row['program']}`" + (" †" if "earlier" in row else "")


def _overview(of: dict[tuple[str, str], Row]) -> str:
    """Of every program the speed on each device."""
    from benchmarks.accelerators import PROGRAMS

    lines = []
    for program in PROGRAMS:
        rows = [of.get((program, target)) for target in TARGETS]
        gpu = of.get((program, "a100"))
        verdict = _verdict(gpu["tokens_per_second"]) if gpu else "–"
        lines.append([f"`{program}`", *map(_speed, rows), verdict])
    names = [target.name.removeprefix("NVIDIA ") for target in TARGETS.values()]
    note = (
        "\nMillions of tokens per second, one chain on one device; a core of a CPU does about 10 million by `cgs`. On "
        "four devices chains are dealt out, here one to each.\n"
    )
    return _table(["program", *names, "on a GPU"], lines) + note


def _programs(rows: list[Row]) -> str:
    """Of one device all that was found, on one and on four of them."""
    from benchmarks.accelerators import PROGRAMS

    of = {(row["program"], devices): row for devices in (1, 4) for row in rows if _is_usual(row, devices)}
    lines = []
    for program in PROGRAMS:
        one, four = of.get((program, 1)), of.get((program, 4))
        if not one:
            continue
        lines.append(
            [
                _name(one),
                _number(one["tokens"]),
                _longest_loop(one),
                _number(one["launches"]),
                f"{one['bytes_per_token']:,.0f}",
                f"{one['peak_gb']:.2f}",
                _milliseconds(one),
                _speed(one),
                _speed(four) + (" †" if four and "earlier" in four else ""),
                f"{four['peak_gb']:.2f}" if four else "–",
                " / ".join(f"{row['compile_seconds']:.0f}" if row else "–" for row in (one, four)),
            ]
        )
    head = ["program", "tokens", "longest loop", "launches", "bytes per token", "peak GB", "ms per sweep", "M tokens/s"]
    return _table([*head, "of four: M tokens/s", "of four: peak GB", "compiled in s"], lines)


def _longest_loop(row: Row) -> str:
    """Turns × launches per turn of the loop that launches most."""
    turns, launches = max(row["loops"].values(), key=lambda loop: loop[1], default=(0, 0))
    return f"{_number(turns)} × {launches / turns:,.0f}" if turns else "none"


def _sizes(rows: list[Row]) -> str:
    """The parallel kernels on one device, by size."""
    order = list(TARGETS)
    chosen = [row for row in rows if row["devices"] == 1]
    chosen.sort(key=lambda r: (r["program"], order.index(r["target"]), r["tokens"], r["topics"], r["chains"]))
    lines = [
        [
            _name(row),
            TARGETS[row["target"]].name.removeprefix("NVIDIA "),
            _number(row["tokens"]),
            str(row["topics"]),
            str(row["chains"]),
            _number(row["launches"]),
            f"{row['peak_gb']:.1f}" + ("" if row["fits"] else " (does not fit)"),
            _milliseconds(row),
            _speed(row),
        ]
        for row in chosen
    ]
    head = ["program", "device", "tokens", "K", "chains", "launches", "peak GB", "ms per sweep", "M tokens/s"]
    return "On one device, all chains at once:\n\n" + _table(head, lines)


def _verdict(speed: float) -> str:
    if speed >= GOAL:
        return "made for it"
    return "faster than a core" if speed > CORE else "slower than a CPU's core"


def _milliseconds(row: Row) -> str:
    return _rounded(row["seconds"] * 1e3)


def _speed(row: Row | None) -> str:
    return _rounded(row["tokens_per_second"] / 1e6) if row else "–"


def _rounded(x: float) -> str:
    return f"{x:,.0f}" if x >= 10 else f"{x:.2g}"


def _number(n: float) -> str:
    if n < 100_000:
        return f"{n:,.0f}"
    return f"{n / 1e6:,.3g} M"


def _table(head: list[str], lines: list[list[str]]) -> str:
    rows = [head, ["---"] * len(head), *lines]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)
