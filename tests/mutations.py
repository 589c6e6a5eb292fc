"""Plant defects in a copy of the code and see which tests notice: ``python -m tests.mutations`` (``make mutations``).

Each defect is one replaced text. The short tests must notice at least eight of the ten, the gate all of them. A text
that is no longer in its file is an error: the list follows the code.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
COPIED = ["app", "benchmarks", "docs", "jaxlda", "notebooks", "tests", "pyproject.toml", "Makefile"]
TIERS = {
    "short": "not slow and not fuzz and not hours and not ui and not notebooks and not data",
    "slow": "slow and not ui and not hours",
}
# Exit codes of pytest (2: xdist stopped at a failure; 5: no test of this tier there); others are mistakes of ours.
PASSED, NOTICED, STOPPED, NOTHING = 0, 1, 2, 5


class Mutation(NamedTuple):
    """A defect: what stands in a file, and what stands there instead."""

    name: str
    file: str
    old: str
    new: str
    rooms: str
    """Where a tier is likely to notice it, which is tried first; all of the tier is, if it does not."""


MUTATIONS = [
    Mutation(
        "a draw never takes the last topic",
        "jaxlda/kernels/bricks/draw.py",
        "passed = [t >= bound for bound in below]",
        "passed = [t >= bound for bound in [*below[:-1], top]]",
        "tests/kernels/bricks/test_draw.py tests/laws/test_exact.py",
    ),
    Mutation(
        "the last token is not counted again",
        "jaxlda/kernels/bricks/loops.py",
        "    return apply(tables, change)\n",
        "    return tables\n",
        "tests/laws/test_counts.py",
    ),
    Mutation(
        "beta is summed without the first word",
        "jaxlda/kernels/conditional.py",
        "priors.beta.sum(-1, dtype=priors.beta.dtype)",
        "priors.beta[..., 1:].sum(-1, dtype=priors.beta.dtype)",
        "tests/estimators/test_estimators.py tests/laws/test_exact.py",
    ),
    Mutation(
        "soft counts do not leave the token out",
        "jaxlda/estimators/soft.py",
        'in_topic = 1 if leave_out == "token" else 0',
        "in_topic = 0",
        "tests/estimators",
    ),
    Mutation(
        "theta is normalised without alpha",
        "jaxlda/estimators/point.py",
        "total = counts.n_dk.sum(-1, keepdims=True) + priors.alpha.sum(-1, keepdims=True)",
        "total = counts.n_dk.sum(-1, keepdims=True)",
        "tests/estimators",
    ),
    Mutation(
        "all chains have the seed of the first",
        "jaxlda/running/working.py",
        "jax.random.fold_in(jax.random.fold_in(key, chain), t)",
        "jax.random.fold_in(jax.random.fold_in(key, jnp.uint32(0)), t)",
        "tests/alignment/test_relabeling.py tests/kernels/test_hyper.py",
    ),
    Mutation(
        "devices draw by the number of a token among their own",
        "jaxlda/kernels/layouts/tokens.py",
        "return 0 if self.shard is None else self.shard.entry",
        "return 0",
        "tests/running/test_sharded.py",
    ),
    Mutation(
        "the trace is a sweep late within a block",
        "jaxlda/running/collecting.py",
        "[column(name, s) for s in sweeps]",
        "[column(name, s) for s in sweeps[-1:] + sweeps[:-1]]",
        "tests/running",
    ),
    Mutation(
        "saved runs lose their soft counts",
        "jaxlda/running/store.py",
        '_rebuilt(f"chain{chain}.soft", counts, arrays) if header["soft_counts"] else None',
        "None",
        "tests/models/test_store.py tests/models/test_checkpoint.py",
    ),
    Mutation(
        "a reader drops the last document",
        "jaxlda/corpora/readers/bags.py",
        "for line, content in source.lines():",
        "for line, content in list(source.lines())[:-1]:",
        "tests/corpora/readers",
    ),
    Mutation(
        "chains that disagree have converged",
        "jaxlda/diagnostics/verdict.py",
        'return False, f"Not converged:',
        'return True, f"Not converged:',
        "tests/diagnostics",
    ),
]


def planted(mutation: Mutation, folder: Path) -> None:
    """Copy the code to a folder, with the defect in it."""
    for name in COPIED:
        source = ROOT / name
        if source.is_dir():
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_build"))
        else:
            shutil.copy(source, folder)
    for name in ("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md"):
        shutil.copy(ROOT / name, folder)
    path = folder / mutation.file
    text = path.read_text(encoding="utf-8")
    if text.count(mutation.old) != 1:
        raise LookupError(f"{mutation.name}: {text.count(mutation.old)} times in {mutation.file}: {mutation.old!r}")
    path.write_text(text.replace(mutation.old, mutation.new), encoding="utf-8")


def noticed(mutation: Mutation, tier: str, folder: Path) -> str | None:
    """The first test of a tier that fails, if one does."""
    environment = {"JAXLDA_CACHE": str(ROOT / ".pytest_cache" / "jaxlda")} | os.environ
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-m", TIERS[tier]]
    for where in (mutation.rooms.split(), ["-n", "2", "--dist", "worksteal"]):
        done = subprocess.run([*pytest, *where], cwd=folder, env=environment, capture_output=True, text=True)
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        as_expected = failed if done.returncode in (NOTICED, STOPPED) else done.returncode in (PASSED, NOTHING)
        if not as_expected:
            raise RuntimeError(f"{mutation.name}: pytest ended with {done.returncode}\n{done.stdout}{done.stderr}")
        if failed:
            return failed[0].split(" - ")[0].split(" ", 1)[1]
    return None


def main() -> int:
    """Plant all, or those named; 0 if enough were noticed."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutations", description=__doc__)
    parser.add_argument("names", nargs="*", help="of defects; all if none is given")
    parser.add_argument("--list", action="store_true", help="only name them, and check that their texts are there")
    options = parser.parse_args()
    tiers: list[str | None] = []
    for mutation in MUTATIONS:
        if options.names and mutation.name not in options.names:
            continue
        with tempfile.TemporaryDirectory() as folder:
            planted(mutation, Path(folder))
            test = tier = None
            for tier in () if options.list else TIERS:
                if test := noticed(mutation, tier, Path(folder)):
                    break
        said = mutation.file if options.list else f"{tier}: {test}" if test else "NOT NOTICED"
        print(f"{mutation.name:<40} {said}", flush=True)
        tiers.append(tier if test else None)
    if options.list:
        return 0
    short, gate = tiers.count("short"), len(tiers) - tiers.count(None)
    print(f"Of {len(tiers)} the short tests notice {short}, the gate {gate}.")
    return 0 if gate == len(tiers) and short >= len(tiers) - 2 else 1


if __name__ == "__main__":
    sys.exit(main())
