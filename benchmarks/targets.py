"""Accelerators as their compilers see them, without the devices.

libtpu compiles for a described TPU, the CUDA plugin of JAX for a described GPU. Install them in an environment of their
own (7 GB), at the version of JAX::

    pip install -e . "jax[tpu]" "jax-cuda12-plugin[with-cuda]"
"""

import importlib.util
import os
from typing import NamedTuple

__all__ = ["TARGETS", "Target", "prepare_environment"]

_GPU = """
gpu_device_info {{
  threads_per_block_limit: 1024  threads_per_warp: 32  threads_per_core_limit: 2048
  shared_memory_per_block: 49152  shared_memory_per_block_optin: {optin}  shared_memory_per_core: {shared}
  core_count: {cores}  fpus_per_core: {fpus}  clock_rate_ghz: {clock}
  block_dim_limit_x: 2147483647  block_dim_limit_y: 65535  block_dim_limit_z: 65535
  memory_bandwidth: {bandwidth}  l2_cache_size: {l2}  device_memory_size: {memory}
  registers_per_core_limit: 65536  registers_per_block_limit: 65536
  cuda_compute_capability {{ major: {major} minor: 0 }}
}}
platform_name: "CUDA"
dnn_version_info {{ major: 9 minor: 8 patch: 0 }}
runtime_version {{ major: 12 minor: 8 patch: 0 }}
device_description_str: "{name}"
"""


class Target(NamedTuple):
    """A device, with the figures of its data sheet."""

    name: str
    platform: str
    bandwidth: float
    """Bytes per second."""
    memory: float
    """Bytes."""
    cache: int
    """Bytes of the cache that all cores share; 0 where there is none that serves look-ups."""
    config: dict[str, object]

    @property
    def missing(self) -> str | None:
        """What is not installed that compiling for it needs."""
        package = {"tpu": "libtpu", "cuda": "jax_plugins.xla_cuda12"}[self.platform]
        try:
            found = importlib.util.find_spec(package)
        except ModuleNotFoundError:
            found = None
        return None if found else f"the compiler of {self.name} is not installed (no module {package})"

    def devices(self, count: int) -> list:
        """So many of them, as ``jax.jit`` compiles for."""
        from jax.experimental import topologies

        if self.platform == "tpu":
            return list(topologies.get_topology_desc(platform="tpu", topology_name="v5e:2x2").devices[:count])
        text = _GPU.format(
            name=self.name,
            bandwidth=int(self.bandwidth),
            l2=self.cache,
            memory=int(self.memory),
            **self.config,
        )
        described = topologies.get_topology_desc(platform="cuda", topology=f"1x1x{count}", target_config=text)
        return list(described.devices)


_A100 = {"optin": 166912, "shared": 167936, "cores": 108, "fpus": 64, "clock": 1.41, "major": 8}
_H100 = {"optin": 232448, "shared": 233472, "cores": 132, "fpus": 128, "clock": 1.98, "major": 9}

TARGETS = {
    "v5e": Target("TPU v5e", "tpu", 819e9, 16e9, 0, {}),
    "a100": Target("NVIDIA A100-SXM4-80GB", "cuda", 2039e9, 80e9, 40 * 2**20, _A100),
    "h100": Target("NVIDIA H100-SXM5-80GB", "cuda", 3352e9, 80e9, 50 * 2**20, _H100),
}


def prepare_environment() -> None:
    """Let the compilers start without their devices; before JAX is imported."""
    os.environ.update(
        JAX_PLATFORMS="cpu",
        JAX_SKIP_CUDA_CONSTRAINTS_CHECK="1",
        TPU_SKIP_MDS_QUERY="1",
        TPU_ACCELERATOR_TYPE="v5litepod-4",
        TPU_WORKER_HOSTNAMES="localhost",
        ALLOW_MULTIPLE_LIBTPU_LOAD="1",  # there is no device that two processes could both want
        JAX_ENABLE_COMPILATION_CACHE="false",  # what these compilers make cannot be read back without a device
    )
