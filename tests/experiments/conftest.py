"""An experiment takes seconds even at its smallest scale: the short tests run one of them, the gate three more."""

from pathlib import Path

import pytest

RUNS = {"of_convergence", "of_samples", "of_topics", "report"}  # fixtures that run an experiment
SHORT = "test_counts.py"
GATE = {"test_completion.py", "test_phi_bound.py"}


def pytest_collection_modifyitems(items):
    here = [item for item in items if item.path.parent == Path(__file__).parent and item.path.name != SHORT]
    for item in here:
        if RUNS & set(getattr(item, "fixturenames", ())):
            item.add_marker(pytest.mark.slow if item.path.name in GATE else pytest.mark.hours)
