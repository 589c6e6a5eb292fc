"""What all tests share: compiled programs, shapes checked on demand, repeatable examples, and the way to the data."""

import gc
import os
import re
import signal
import sys
import typing
from collections.abc import Callable, Iterator
from pathlib import Path

import hypothesis
import jax
import jaxtyping
import pytest
from _pytest.doctest import DoctestItem

ROOT = Path(__file__).resolve().parents[1]

# Before jaxlda is imported, here or in a process that a test starts. What one compiles the others need not.
os.environ.setdefault("JAXLDA_CACHE", str(ROOT / ".pytest_cache" / "jaxlda"))
if os.environ.get("JAXLDA_SHAPES") == "1":  # which costs a quarter more; the gate does it once
    # Too late is the same as never: modules imported before the hook keep their unchecked functions.
    assert "jaxlda" not in sys.modules, "tests/conftest.py must be loaded before jaxlda is imported"
    typing.Self = typing.Any  # beartype is shown methods without the class that Self would be
    jaxtyping.install_import_hook("jaxlda", "beartype.beartype")


def pytest_configure(config: pytest.Config) -> None:
    """Settings of the tier that runs, before jaxlda is imported."""
    if config.option.markexpr.startswith(("not slow", "ui")):
        # LLVM's optimisations take a third of the time of compiling. The long laws test what users run.
        flags = os.environ.get("XLA_FLAGS", "")
        os.environ["XLA_FLAGS"] = f"--xla_backend_optimization_level=0 {flags}".strip()
    _share_programs()


def _share_programs() -> None:
    """Keep compiled programs where the other process that tests finds them."""
    from jaxlda import startup

    startup.keep_programs()
    if (folder := startup.cache_folder()) is not None:
        # In a folder of a bounded size JAX looks at all programs before it adds one: thousands are compiled here.
        jax.config.update("jax_compilation_cache_dir", str(folder / "tests"))
        jax.config.update("jax_compilation_cache_max_size", -1)
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.05)  # two processes test at once


# Tracing makes thousands of objects that live on. To look through them after every 700 new ones, as Python does, takes
# a fifth of its time.
gc.set_threshold(50_000, 20, 20)

# A command that a script runs in the background ignores Ctrl-C, which tests press.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Compilation makes the first example slow (no deadline); the gate must not depend on luck (derandomize).
hypothesis.settings.register_profile("jaxlda", deadline=None, derandomize=True)
hypothesis.settings.load_profile("jaxlda")


SAMPLES = re.compile(
    r"(\b(choose_k|fit|infer_theta|run|run_blocks|sample_curve|step|update|lda)|_completion|Predictive|completion_table)\("
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Examples in docstrings that sample are slow: each compiles programs for shapes of its own."""
    for item in items:
        text = (item.dtest.docstring or "") if isinstance(item, DoctestItem) else ""
        if SAMPLES.search(text):
            item.add_marker(pytest.mark.slow)


MANY_MAPS = 35_000  # every program maps memory, and Linux allows a process 65,530 maps: then the compiler crashes


@pytest.fixture(scope="module", autouse=True)
def room_for_programs() -> Iterator[None]:
    """Forget compiled programs before there are too many; those that are needed again are in the cache."""
    yield
    maps = Path("/proc/self/maps")
    if maps.exists() and maps.read_bytes().count(b"\n") > MANY_MAPS:
        jax.clear_caches()


@pytest.fixture(scope="session")
def root() -> Path:
    """The root of the project."""
    return ROOT


@pytest.fixture(scope="session")
def data_file() -> Callable[[str], Path]:
    """Path of a file of JAXLDA_DATA; skips the test where it is missing."""
    folder = Path(os.environ.get("JAXLDA_DATA") or ROOT.parent / "shared" / "data")

    def find(name: str) -> Path:
        path = folder / name
        if not path.is_file():
            pytest.skip(f"{name} not found: set JAXLDA_DATA to the folder that holds it")
        return path

    return find
