"""All benchmarks in one command: ``python -m benchmarks`` (hours; ``--quick``: minutes, to see that it works).

Every part runs in a process of its own, once with AVX-512, where the processor has it, and once with AVX2 alone, as
most laptops have it. The figures go to ``benchmarks/results/benchmarks.json``, the plot to
``docs/guide/benchmarks.png``, and the page to ``docs/guide/benchmarks.md``; with ``--quick`` all three go to a folder
of their own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks import page

ISAS: dict[str, dict[str, str]] = {
    "native": {},
    "AVX2": {"XLA_FLAGS": "--xla_cpu_max_isa=AVX2", "TOMOTOPY_ISA": "avx2"},
}
PEERS = ("tomotopy", "lda", "gensim", "scikit-learn")
PARTS = ("cost", "quality", "cores", "chains", "memory", "new documents", "growth")


def _environment(isa: str) -> dict[str, str]:
    """What a part is started with: flags of the user stay, programs of another instruction set are not found."""
    own = ISAS[isa]
    flags = " ".join(filter(None, (os.environ.get("XLA_FLAGS"), own.get("XLA_FLAGS"))))
    given = {"XLA_FLAGS": flags} if flags else {}
    return dict(os.environ) | {"JAXLDA_CACHE": "0"} | own | given


def _part(name: str, isa: str, quick: bool) -> Any:
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "part.json"
        command = [sys.executable, "-m", "benchmarks.parts", name, "--json", str(target)]
        done = subprocess.run(command + ["--quick"] * quick, env=_environment(isa), check=False)
        if done.returncode:
            return {"error": f"ended with {done.returncode}"}
        return json.loads(target.read_text(encoding="utf-8"))[name]


def _machine() -> dict[str, Any]:
    def version(package: str) -> str:
        try:
            return metadata.version(package)
        except metadata.PackageNotFoundError:
            return "not installed"

    flags = Path("/proc/cpuinfo").read_text() if Path("/proc/cpuinfo").exists() else ""
    best = next((f", {name}" for name in ("AVX-512", "AVX2") if name.lower().replace("-", "") in flags), "")
    return {
        "cores": os.cpu_count(),
        "processor": platform.machine() + best,
        "versions": {package: version(package) for package in ("jaxlda", "jax", *PEERS)},
    }


def main() -> None:
    """Run what is asked for, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", help=f"any of {', '.join(PARTS)}; all if none is named")
    machine = _machine()
    # Where AVX2 is all that the processor has, both are the same.
    known = [isa for isa in ISAS if isa == "AVX2" or not machine["processor"].endswith("AVX2")]
    parser.add_argument("--isa", nargs="+", choices=known, default=known)
    parser.add_argument("--quick", action="store_true", help="small sizes: whether it works, not how fast it is")
    parser.add_argument("--output", type=Path, help="folder; where --quick writes (default: a temporary one)")
    options = parser.parse_args()
    if unknown := set(options.parts) - set(PARTS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}; choose from {', '.join(PARTS)}")
    places = page.PLACES
    if options.quick or options.output:
        places = page.places_in(options.output or Path(tempfile.mkdtemp(prefix="benchmarks-")))
    results = json.loads(places.results.read_text(encoding="utf-8")) if places.results.exists() else {}
    results |= {"machine": machine, "quick": options.quick}
    for isa in options.isa:
        for name in options.parts or PARTS:
            results.setdefault(isa, {})[name] = _part(name, isa, options.quick)
            results.setdefault("processors", {})[f"{isa}, {name}"] = machine["processor"]
            places.results.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    page.write(results, places)
    print(*places, sep="\n")


if __name__ == "__main__":
    main()
