"""The cheap generator is JAX's own, bit for bit."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from jaxlda.kernels.bricks.random import uniform


@pytest.mark.parametrize("n", [0, 1, 2, 1001])
@pytest.mark.parametrize("seed", [0, 1, 2**31 - 1])
def test_equals_jax_random_uniform(seed, n):
    key = jax.random.fold_in(jax.random.key(seed), 7)
    np.testing.assert_array_equal(uniform(key, n), jax.random.uniform(key, n))


def test_other_generators_work_too():
    key = jax.random.key(0, impl="rbg")
    np.testing.assert_array_equal(uniform(key, 9), jax.random.uniform(key, (9,), jnp.float32))


def test_batches_over_keys():
    keys = jax.random.split(jax.random.key(0), 3)
    np.testing.assert_array_equal(
        jax.vmap(lambda key: uniform(key, 5))(keys), [jax.random.uniform(key, 5) for key in keys]
    )
