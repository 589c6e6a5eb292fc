"""Algorithms in words."""

import json

import pytest

from jaxlda.kernels import KERNELS, cgs, cvb0, learn_alpha, learn_beta
from jaxlda.kernels.hyper import unwrapped
from jaxlda.kernels.names import described, from_description
from tests.models.light import light

ALGORITHMS = [
    *(make() for make in KERNELS.values()),
    learn_alpha(cgs()),
    learn_alpha(cvb0(), symmetric=True, every=3, start=7, num_iterations=2),
    learn_beta(learn_alpha(cgs(), every=4), start=9),
    learn_alpha(learn_beta(cgs(), num_iterations=1)),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_is_found_again(algorithm):
    description = json.loads(json.dumps(described(algorithm)))
    assert from_description(description) == algorithm
    assert [other == algorithm for other in ALGORITHMS].count(True) == 1


def test_options_are_those_given():
    inner, name, options = unwrapped(ALGORITHMS[-3])
    assert (inner, name) == (cvb0(), "learn_alpha")
    assert options == {"symmetric": True, "every": 3, "start": 7, "num_iterations": 2}
    assert unwrapped(cgs()) is None


def test_nameless_algorithms_are_told(monkeypatch):
    for algorithm in (light(), learn_alpha(light())):
        with pytest.raises(ValueError, match=r"no name to be saved under.*KERNELS\['mine'\].*'cgs', 'cvb0'"):
            described(algorithm)
    monkeypatch.setitem(KERNELS, "light", light)
    assert from_description(described(learn_alpha(light()))) == learn_alpha(light())


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match=r"there is no kernel 'gibbs' in .*, which has 'cgs'"):
        from_description({"name": "gibbs"})
