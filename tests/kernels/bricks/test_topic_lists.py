"""Lists of topics keep what a plain count keeps, through any moves."""

import jax
import jax.numpy as jnp
import numpy as np

from jaxlda.kernels.bricks.topic_lists import LANES, ListPlace, edit, edited, find, list_topics, unedited

K, V, N = 45, 3, 200


@jax.jit
def moved(lists, first, v, old, new):
    place = ListPlace(first[v], lists.length[v])
    return edited(lists, edit(lists, v, place, find(lists, place, old), find(lists, place, new), new))


def counted(lists, first) -> np.ndarray:
    n_vk = np.zeros((V, K), int)
    for v, (start, length) in enumerate(zip(np.asarray(first), np.asarray(lists.length), strict=True)):
        topics, counts = (np.asarray(x)[start : start + length] for x in lists[:2])
        assert len(set(topics.tolist())) == length and (counts > 0).all()
        n_vk[v, topics] = counts
    return n_vk


def test_moves_of_tokens_are_counted():
    """Words with more topics than are read at once, with one, and with none."""
    rng = np.random.default_rng(0)
    w = np.sort(np.where(rng.random(N) < 0.99, 0, 1))
    z = rng.integers(0, K, N)
    room = np.minimum(np.bincount(w, minlength=V), K)
    first = jnp.array(np.cumsum(room) - room, jnp.uint32)
    lists = list_topics(first, jnp.uint32(w), jnp.uint32(z), jnp.uint32(N), K)
    n_vk = np.zeros((V, K), int)
    np.add.at(n_vk, (w, z), 1)
    np.testing.assert_array_equal(counted(lists, first), n_vk)
    assert lists.length[0] > 2 * LANES and 0 < lists.length[1] < LANES and lists.length[2] == 0
    few = rng.choice(K, 4)  # topics come, go, and come again; and a token may stay
    for step in range(300):
        i = rng.integers(N)
        new = z[i] if step % 7 == 0 else rng.choice(few) if step > 100 else rng.integers(K)
        lists = moved(lists, first, *(jnp.uint32(x) for x in (w[i], z[i], new)))
        n_vk[w[i], z[i]] -= 1
        n_vk[w[i], new] += 1
        z[i] = new
        np.testing.assert_array_equal(counted(lists, first), n_vk)


def test_an_edit_of_nothing():
    first, n = jnp.zeros(1, jnp.uint32), jnp.zeros(4, jnp.uint32)
    lists = list_topics(first, n, n, jnp.uint32(4), 1)
    jax.tree.map(np.testing.assert_array_equal, edited(lists, unedited(lists, jnp.uint32(0))), lists)
