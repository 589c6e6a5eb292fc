"""Algorithms in words, and their makers by name."""

import copy
import pickle
from functools import partial

import pytest

from jaxlda.kernels import KERNELS, cgs, cvb0, described, find, kernel, learn_alpha, learn_beta, online_vb, vb
from tests.models.toy import toy

ALGORITHMS = [
    *(make() for make in KERNELS.values()),
    cvb0(chunk=64),
    vb(iterations=3),
    learn_alpha(cgs()),
    learn_alpha(cvb0(chunk=7), symmetric=True, every=3, start=7, num_iterations=2),
    learn_beta(learn_alpha(cgs(), every=4), start=9),
    learn_alpha(learn_beta(cgs(), num_iterations=1)),
]


@pytest.mark.parametrize("algorithm", ALGORITHMS, ids=described)
def test_is_found_again(algorithm):
    for copied in (find(described(algorithm)), pickle.loads(pickle.dumps(algorithm)), copy.deepcopy(algorithm)):
        assert copied == algorithm and copied.step is algorithm.step
    assert [other == algorithm for other in ALGORITHMS].count(True) == 1


def test_options_may_be_left_out_or_given_in_any_way():
    assert cvb0() is cvb0(None) is cvb0(chunk=None) is find("cvb0") is find(" cvb0( chunk = None ) ")
    assert find("learn_alpha(cvb0(chunk=7), every=3)") == learn_alpha(cvb0(7), every=3)
    assert dict(vb(iterations=3).options) == {"iterations": 3}


def test_algorithms_of_ones_own_are_told(monkeypatch):
    for algorithm in (toy(), learn_alpha(toy())):
        with pytest.raises(ValueError, match=r"'toy' is one of your own.*jaxlda\.kernels\.kernel.*'cgs'.*'cvb0'"):
            described(algorithm)
    monkeypatch.setitem(KERNELS, "toy", toy)
    assert find(described(learn_alpha(toy()))) == learn_alpha(toy())


def test_a_kernel_defined_again_is_another_one(monkeypatch):
    """As in a notebook: nothing compiled for the first is used for the second."""
    monkeypatch.setitem(KERNELS, "mine", None)

    def defined():
        @kernel
        def mine():
            return cgs()._replace(name="mine", step=lambda key, state, layout: (state, None))

        return mine()

    first, second = defined(), defined()
    assert first != second and find("mine") == second
    with pytest.raises(ValueError, match="one of your own"):
        described(first)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("gibbs", "there is no kernel 'gibbs'; known are 'cgs'"),
        ("cvb0(chunks=3)", "cvb0 has no option 'chunks'; it has chunk"),
        ("cvb0(chunk=0)", "chunk must be at least 1; got 0"),
        ("cvb0(chunk=open)", "there is no kernel 'open'"),
        ("__import__('os').system('true')", "is not the name of a kernel"),
        ("cgs()()", "is not the name of a kernel"),
        ("(" * 500, "is not the name of a kernel"),
        ("", "is not the name of a kernel"),
    ],
)
def test_what_cannot_be_meant_is_told(text, message):
    with pytest.raises(ValueError, match=message):
        find(text)


def test_algorithms_in_ever_more_algorithms_are_refused():
    with pytest.raises(ValueError, match="has at most 1000 characters; got 'learn_alpha"):
        find("learn_alpha(" * 200 + "cgs" + ")" * 200)


def test_other_types_are_told():
    with pytest.raises(TypeError, match="kernel must be a name or an Algorithm"):
        find(3)


def test_an_online_algorithm_is_told_how_to_learn():
    with pytest.raises(TypeError, match="online_vb learns from mini-batches: call its update"):
        find(online_vb(9))


def test_an_objective_without_a_name_is_refused():
    """It is traced by its name, which a partial function has not."""
    nameless = cgs()._replace(objective=partial(cgs().objective))
    with pytest.raises(TypeError, match="the objective of the algorithm 'cgs' is a partial without a name"):
        find(nameless)
