"""One fit for all tests of alignment: compiling it is what takes time."""

import pytest

import jaxlda


@pytest.fixture(scope="session")
def bars():
    """Four chains on the bars corpus: all find the same ten bars."""
    options = {"alpha": 1.0, "num_warmup": 200, "num_samples": 20, "thinning": 2, "num_chains": 4, "progress": False}
    return jaxlda.LDA(10, **options).fit(jaxlda.datasets.load("bars").subset(range(400)))
