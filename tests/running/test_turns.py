"""One thread makes a program, the others wait for it."""

import time

import jax

import jaxlda
from jaxlda.running import observing, results
from tests.models.toy import toy


def test_no_program_is_made_by_two_threads(monkeypatch):
    """The others would begin to before the first has ended: a cache of functions does not keep them from it."""
    made, jit = [], jax.jit

    def slowly(function, **options):
        made.append(function)
        time.sleep(0.1)
        return jit(function, **options)

    data = jaxlda.datasets.load("bars").subset(range(12)).data(num_topics=4)
    observing._program.cache_clear()
    results.jitted_readout.cache_clear()
    monkeypatch.setattr("jaxlda.running.driver.num_workers", lambda *_: 4)
    monkeypatch.setattr(jax, "jit", slowly)
    settings = {"num_warmup": 3, "num_samples": 2, "thinning": 1, "num_chains": 4, "trace_every": 1, "block": 5}
    assert jaxlda.run(0, toy(), data, **settings).finished
    programs = [getattr(one, "args", one) for one in made]
    assert len(programs) >= 3 and len(programs) == len(set(programs)), programs
