"""Parameters are declared once: signatures, names of scikit-learn, documentation and the command line follow."""

import inspect
import pickle

import numpy as np
import pytest
from sklearn.base import clone

import jaxlda
from jaxlda import PLDA, DependencyLDA, LabeledLDA, PriorLDA
from jaxlda.models import parameters as declared
from jaxlda.models.parameters import Parameter, constructor

MODELS = [jaxlda.LDA, LabeledLDA, PriorLDA, DependencyLDA, PLDA]


@pytest.mark.parametrize("model", MODELS)
def test_signature_documentation_and_attributes_are_the_declaration(model):
    signature = inspect.signature(model)
    assert {name: one.default for name, one in signature.parameters.items()} == {
        one.name: one.default for one in model.parameters
    }
    assert model().get_params() == {one.name: one.default for one in model.parameters}
    for one in model.parameters:
        assert f"\n{one.name} : {one.type}\n" in model.__doc__ and one.line
    assert "{parameters}" not in model.__doc__ and "Attributes\n----------" in model.__doc__


@pytest.mark.parametrize("model", MODELS)
def test_clones_and_pickles(model):
    given = model(beta=0.3, seed=7, num_chains=2)
    for copy in (clone(given), pickle.loads(pickle.dumps(given))):
        assert type(copy) is model and copy.get_params() == given.get_params()


def test_the_first_is_positional_and_the_rest_is_not():
    assert jaxlda.LDA(7).num_topics == 7
    with pytest.raises(TypeError, match="too many positional arguments"):
        jaxlda.LDA(7, "cgs")
    with pytest.raises(TypeError, match="unexpected keyword argument 'topics': did you mean 'num_topics'"):
        jaxlda.LDA(topics=7)
    with pytest.raises(TypeError, match="unexpected keyword argument 'zebra'"):
        jaxlda.LDA(zebra=7)


def test_names_of_scikit_learn():
    model = jaxlda.LDA(n_components=7, random_state=3)
    assert (model.num_topics, model.seed) == (7, 3) and clone(model).num_topics == 7
    assert model.set_params(n_components=5).num_topics == 5
    assert "n_components" not in model.get_params()
    assert PriorLDA(random_state=3).seed == 3
    for wrong, message in [
        ({"n_jobs": 2}, "chains run on all cores by themselves"),
        ({"num_topics": 3, "n_components": 3}, "are the same parameter: give one of them"),
        ({"max_iter": 3}, "give num_warmup"),
    ]:
        with pytest.raises(TypeError, match=message):
            jaxlda.LDA(**wrong)
    with pytest.raises(TypeError, match="a topic for each label"):
        PriorLDA(n_components=3)


def test_what_the_chains_do_not_depend_on():
    computing = {one.name for one in declared.COMPUTING}
    assert jaxlda.LDA._harmless == computing | {"estimator"}
    assert PriorLDA._harmless == computing | {"estimator", "rank_by", "count", "frequency_mass", "uniform_mass"}


def test_a_class_of_ones_own_adds_to_the_declaration():
    class Coloured(jaxlda.LDA):
        """Of a colour.

        {parameters}
        """

        parameters = (*jaxlda.LDA.parameters, Parameter("colour", "red", "Its colour."))

    assert Coloured(3, colour="blue").get_params()["colour"] == "blue" and clone(Coloured()).colour == "red"
    assert "colour : object\n    Its colour." in Coloured.__doc__
    from jaxlda.models.files import MODELS

    del MODELS["Coloured"]


def test_values_are_kept_as_they_are():
    class Thing:
        pass

    Thing.__init__ = constructor([Parameter("a", 1, "A."), Parameter("b", None, "B.")])
    value = [1, 2]
    assert Thing(b=value).b is value and Thing().a == 1


def test_by_default_chains_can_be_judged():
    """With one draw of each chain, as it was once, they could not."""
    corpus = jaxlda.datasets.load("bars", num_docs=40, size=2, doc_length=20)
    model = jaxlda.LDA(2, num_warmup=5, progress=False).fit(corpus)
    found = model.diagnostics()
    assert found.num_draws * model.run_.num_chains >= 100, "the effective draws that are asked for"
    assert np.isfinite(found.table.rhat).any() and np.isfinite(found.table.ess_bulk).any()


@pytest.mark.parametrize("value", [np.array(["cgs", "cgs_p"]), ["cgs"], {"cgs"}, 1, None])
def test_a_choice_is_a_text(value):
    with pytest.raises(ValueError, match="estimator must be 'cgs_p' or 'cgs'; got "):
        declared.checked_choice(declared.ESTIMATOR, value)
