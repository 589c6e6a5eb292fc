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
TIERS = {"short": "not slow and not ui and not notebooks and not data", "slow": "slow and not ui"}
PASSED, NOTICED, NOTHING = 0, 1, 5  # exit codes of pytest (5: no test of this tier there); others are mistakes of ours


class Mutation(NamedTuple):
    """A defect: what stands in a file, and what stands there instead."""

    name: str
    file: str
    old: str
    new: str
    rooms: str
    """Where a tier is likely to notice it, which is tried first; all of the tier is, if it does not."""


MUTATIONS = []


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
    pytest = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "2", "--dist", "worksteal", "-m", TIERS[tier]]
    for rooms in (mutation.rooms.split(), []):
        done = subprocess.run([*pytest, *rooms], cwd=folder, env=environment, capture_output=True, text=True)
        failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
        if done.returncode not in (PASSED, NOTICED, NOTHING) or (done.returncode == NOTICED and not failed):
            raise RuntimeError(f"{mutation.name}: pytest ended with {done.returncode}\n{done.stdout}{done.stderr}")
        if failed:
            return failed[0].split(" ")[1]
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
