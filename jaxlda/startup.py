"""What must be settled before JAX starts: loops as native functions, and compiled programs kept between processes.

XLA's CPU runtime dispatches every small operation of a loop's body by itself, more than a microsecond per token;
compiled as one native function the same loop takes 50 to 100 nanoseconds. JAX 0.12 does that unasked. Before, a backend
option in ``XLA_FLAGS`` asks for it, read once when the backend starts. It concerns all loops of the process, and can be
turned off with ``JAXLDA_NATIVE=0`` in the environment.

LLVM unrolls short loops before it looks for vectors, and finds none in what is left: with less than a hundred topics,
rows were read and written one number at a time. An option of its own asks it to leave loops of more than four rounds
alone (measured, K 20: ``cvb0``, ``soften`` and ``vb`` take half the time). It would concern programs of other devices,
too, and is not given where JAX may have some.

JAX itself is not imported here: whoever prints a saved model need not wait for it.

(JAX 0.10 can also be asked for a single function, by metadata ``xla_cpu_small_call``. Measured: code 1.3 to 1.5 times
slower than with the option, and an abort of the process when these loops are combined with ``platform_dependent``.)
"""

import hashlib
import os
import platform
import sys
import warnings
from importlib import metadata
from importlib.util import find_spec
from pathlib import Path

__all__ = ["cache_folder", "keep_programs", "native_loops"]

OPTION = "xla_cpu_small_while_loop_byte_threshold"
VECTORS = "-unroll-full-max-count=4"
UNASKED = (0, 12)  # the JAX version from which such loops are native without our help
CACHE_BYTES = 2**30  # the least recently used programs go first


def version() -> tuple[int, ...]:
    """The first two numbers of JAX's version."""
    return tuple(int(part) for part in metadata.version("jax").split(".")[:2])


def native_loops() -> None:
    """Ask XLA for native loops, if it has to be asked, and for vectors in them, if it still listens."""
    flags = os.environ.get("XLA_FLAGS", "")
    if OPTION in flags or VECTORS in flags or os.environ.get("JAXLDA_NATIVE") == "0":
        return
    needed, taken = version() < UNASKED, "xla_backend_extra_options" in flags
    options = [f"{OPTION}=1000000000"] * needed + [VECTORS] * (not _other_devices())
    flag = f"--xla_backend_extra_options={','.join(options)}"
    if needed and (taken or _backend_started()):
        warnings.warn(
            "jaxlda was imported after JAX had started its backend (or with other xla_backend_extra_options), too late "
            "to ask for natively compiled loops: sampling on CPU will be about ten times slower. Import jaxlda before "
            f"the first JAX operation, or set XLA_FLAGS={flag} in the environment. JAXLDA_NATIVE=0 silences this.",
            RuntimeWarning,
            stacklevel=3,
        )
    elif options and not taken:
        os.environ["XLA_FLAGS"] = f"{flags} {flag}".strip()


def _other_devices() -> bool:
    """Whether JAX has been installed for accelerators, too."""
    return any(find_spec(package) is not None for package in ("jax_plugins", "libtpu"))


def _backend_started() -> bool:
    if "jax" not in sys.modules:
        return False
    try:
        from jax._src.xla_bridge import backends_are_initialized  # no public function tells
    except ImportError:
        return False
    return backends_are_initialized()


def cache_folder() -> Path | None:
    """Where compiled programs are kept: ``JAXLDA_CACHE``, or the user's cache; ``None`` where that is "0" or "off".

    A folder for each kind of processor: a program compiled for one may not run on another that shares the disk.
    """
    chosen = os.environ.get("JAXLDA_CACHE")
    if chosen in ("0", "off", "false", "no"):
        return None
    if chosen in (None, "", "1", "on", "true", "yes"):
        from platformdirs import user_cache_path

        chosen = str(user_cache_path("jaxlda"))
    return Path(chosen) / "programs" / _processor()


def _processor() -> str:
    description = [platform.machine(), platform.processor(), os.environ.get("XLA_FLAGS", "")]
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            description += sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))})
    except OSError:
        pass
    return hashlib.sha256("\n".join(description).encode()).hexdigest()[:16]


def keep_programs() -> None:
    """Keep compiled programs between processes, unless the user has said where JAX shall keep them, or not to."""
    import jax

    if jax.config.values.get("jax_compilation_cache_dir") or (folder := cache_folder()) is None:
        return
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return  # a home that cannot be written is no reason to complain: programs are compiled anew
    jax.config.update("jax_compilation_cache_max_size", CACHE_BYTES)
    if jax.config.values["jax_persistent_cache_min_compile_time_secs"] == 1.0:  # JAX's own: the user has not chosen
        # Every look-up takes a lock, and every new entry a look at all others: small programs are compiled sooner.
        jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.1)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
    jax.config.update("jax_compilation_cache_dir", str(folder))
