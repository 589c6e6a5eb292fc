"""The map from the paper's equations to functions cannot rot: both sides are held to each other."""

import ast
from pathlib import Path

import pytest

from docs.equations import EQUATIONS, as_markdown, cited, docstring_of, resolve

PACKAGE = Path(__file__).resolve().parents[2] / "jaxlda"
PLACES = [(equation.number, place) for equation in EQUATIONS for place in equation.places]


@pytest.mark.parametrize(("number", "place"), PLACES, ids=[f"{number}-{place}" for number, place in PLACES])
def test_the_function_exists_and_cites_the_equation(number, place):
    assert callable(resolve(place))
    assert number in set(cited(docstring_of(place)))


def test_equations_are_in_order_and_none_is_there_twice():
    numbers = [equation.number for equation in EQUATIONS]
    assert numbers == sorted(set(numbers))


def docstrings(path):
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            yield ast.get_docstring(node) or ""


def test_every_equation_that_the_package_cites_is_in_the_map():
    found = {number for path in PACKAGE.rglob("*.py") for text in docstrings(path) for number in cited(text)}
    assert found == {equation.number for equation in EQUATIONS}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("(Eq. 4)", {4}),
        ("Eqs. 1, 4 and 31 of 2 topics", {1, 4, 31}),
        ("Eqs. 55-57", {55, 56, 57}),
        ("Eq. 60, normalised", {60}),
        ("Eqs. 2\nand 3; Eq. 5", {2, 3, 5}),
        ("Equation 7, eq. 8, 9", set()),
    ],
)
def test_citations_are_read(text, numbers):
    assert set(cited(text)) == numbers


def test_a_name_that_does_not_exist_is_noticed():
    with pytest.raises((AttributeError, ModuleNotFoundError)):
        resolve("jaxlda.estimators.phi_q")
    with pytest.raises(ModuleNotFoundError):
        resolve("no_such_package.phi")


def test_the_page_has_every_equation_with_its_functions():
    page = as_markdown()
    for number, title, tex, places in EQUATIONS:
        assert f"### Eq. {number}: {title}" in page and f"$${tex}$$" in page
        assert all(f"<{place}>`" in page for place in places)
