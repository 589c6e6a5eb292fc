"""The pictures of the architecture are those of the code."""

import xml.etree.ElementTree as ET

import pytest

import jaxlda
from docs import architecture


@pytest.mark.parametrize("name", architecture.PICTURES)
def test_pictures_are_up_to_date(name):
    stored = (architecture.FOLDER / name).read_text(encoding="utf-8")
    assert stored == architecture.PICTURES[name](), "run: python -m docs.architecture"
    ET.fromstring(stored)


def test_every_room_says_what_it_holds():
    for layer in architecture.layers():
        for room in layer:
            assert 15 < len(architecture.summary(room)) < 160, room


def test_the_way_names_things_that_exist():
    names = {name for step, _ in architecture.WAY for name in step.split(" | ")}
    assert {"Corpus", "Data", "Layout", "Run", "Sample", "estimators"} <= names
    for name in names & {"Data", "Layout", "Sample"}:
        assert hasattr(jaxlda.types, name)
    for name in names & {"Corpus", "Run", "run", "estimators", "evaluation", "diagnostics"}:
        assert hasattr(jaxlda, name)
