"""Loops over tokens change their tables in place: a table that is copied for every token costs more than sampling."""

import re

import jax
import jax.numpy as jnp
import pytest

from jaxlda import estimators, kernels
from tests.laws.corpora import MIXED

COPY = re.compile(r"= \w+\[([\d,]+)\]\S* copy\(")


def copied(function, *arguments, donate=()) -> dict[str, list[int]]:
    """Arrays of 8 numbers or more that the compiled loops without a loop in them copy in every round, by loop."""
    text = jax.jit(function, donate_argnums=donate).lower(*arguments).compile().as_text()
    found: dict[str, list[int]] = {}
    for name in set(re.findall(r"body=%([\w.-]+)", text)):
        body = re.search(rf"^%{re.escape(name)} .*?^}}", text, re.M | re.S)
        assert body, name
        if not re.search(r" (while|call)\(", body[0]):
            sizes = [[int(n) for n in shape.split(",")] for shape in COPY.findall(body[0])]
            found[name] = [max(size) for size in sizes if max(size) >= 8]
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kernel", ["cgs", "cvb0", "sparse"])
def test_a_sweep_copies_no_table_per_token(kernel):
    alg = kernels.find(kernel)
    layout = alg.prepare(MIXED)
    state = alg.init(jax.random.key(0), layout)
    loops = copied(alg.step, jax.random.key(0), state, layout, donate=1)
    assert loops and not any(loops.values()), loops


def test_softening_copies_no_table_per_token():
    run = kernels.find("cgs")
    layout = run.prepare(MIXED)
    sample = run.readout(run.init(jax.random.key(0), layout), layout)
    loops = copied(estimators.soften, sample, MIXED)
    assert loops and not any(loops.values()), loops


def test_a_loop_that_reads_between_two_changes_copies():
    """What this looks for is there to be found."""

    def sweep(table, rows):
        def body(i, carry):
            table, seen = carry
            table = table.at[rows[i]].add(1)
            seen = seen.at[rows[i]].set(table[rows[i]])
            return table.at[rows[i] // 2].add(-1), seen

        return jax.lax.fori_loop(0, len(rows), body, (table, table * 0))

    loops = copied(sweep, jnp.zeros(64), jnp.arange(100, dtype=jnp.uint32) % 60)
    assert any(loops.values()), loops


def test_a_layout_of_rows_has_the_tokens_of_the_data_and_no_copies():
    data = MIXED
    layout = kernels.cgs().prepare(data)
    (rows,) = layout.blocks
    assert layout.data is data
    assert all(own is given for own, given in zip(rows[:3], data.tokens[:3], strict=True))
    assert all(own is given for own, given in zip(layout.with_data(data).blocks[0][:3], data.tokens[:3], strict=True))
