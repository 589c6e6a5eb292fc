"""Values in words: what comes back is what went in, through JSON."""

import json
from pathlib import Path

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given, settings

from jaxlda.running.values import decoded, encoded

NUMBERS = hnp.arrays(st.sampled_from([np.float32, np.int64, np.bool_]), hnp.array_shapes(min_dims=0, min_side=0))
PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[]))
VALUES = st.recursive(
    PLAIN | NUMBERS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text() | st.integers() | st.tuples(st.integers(), st.text()), inner, max_size=3)
    ),
    max_leaves=6,
)


def there_and_back(value):
    arrays = {}
    words = json.loads(json.dumps(encoded(value, "x", arrays)))
    return decoded(words, arrays)


def assert_same(found, value):
    assert type(found) is type(value)
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype
        np.testing.assert_array_equal(found, value)
    elif isinstance(value, list | tuple):
        assert len(found) == len(value)
        for one, other in zip(found, value, strict=True):
            assert_same(one, other)
    elif isinstance(value, dict):
        assert list(found) == list(value)
        for key in value:
            assert_same(found[key], value[key])
    else:
        assert found == value or value != value


@settings(max_examples=200)
@given(VALUES)
def test_anything(value):
    assert_same(there_and_back(value), value)


def test_what_looks_like_our_own_words():
    for value in ({"array": "x"}, {"tuple": [1]}, {"dict": []}, {"texts": ["a"], "dtype": "str"}, [{"list": 1}]):
        assert_same(there_and_back(value), value)


@pytest.mark.parametrize("dtype", [str, object])
def test_texts(dtype):
    words = np.array(["Käse", "奶酪", "", "a" * 1000, "🧀", "\ud800"], dtype=dtype)
    assert_same(there_and_back(words), words)
    assert_same(there_and_back(np.array([], dtype)), np.array([], dtype))


def test_numbers_of_numpy_and_jax_and_paths():
    assert_same(there_and_back(np.float32(0.1)), float(np.float32(0.1)))
    assert_same(there_and_back(np.int64(2**40)), 2**40)
    assert_same(there_and_back(jnp.arange(3)), np.arange(3, dtype=np.int32))
    assert_same(there_and_back(Path("a/b")), str(Path("a/b")))


@pytest.mark.parametrize("value", [object(), {1, 2}, b"bytes", [[print]], np.array([None]), np.array([["a"]])])
def test_other_things_are_refused_by_name(value):
    with pytest.raises(TypeError, match=r"alpha[.0]* cannot be saved: it is an? "):
        encoded(value, "alpha", {})


def test_unknown_words_are_told():
    with pytest.raises(ValueError, match="nothing is known by the name of future"):
        decoded({"future": 1}, {})
