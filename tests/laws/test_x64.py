"""The laws once more where JAX computes with 64 bits: nothing of that may leak into the loops."""

import os
import subprocess
import sys

import jax
import pytest

pytestmark = pytest.mark.slow

SHORT = "not slow and not fuzz and not hours and not ui and not notebooks and not data"


@pytest.mark.hours
@pytest.mark.skipif(jax.config.jax_enable_x64, reason="is what this test starts")
def test_the_short_laws_hold_with_64_bits(root):
    pytest_ = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", SHORT, "tests/laws"]
    done = subprocess.run(
        pytest_, cwd=root, env=os.environ | {"JAX_ENABLE_X64": "1"}, capture_output=True, text=True, timeout=550
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
