"""The compilers of TPUs and GPUs, where they are installed, and how their programs are read."""

import json
import re
import subprocess
import sys

import jax
import pytest

from benchmarks import accelerators, accelerators_page, hlo
from benchmarks.accelerators import (
    ESTIMATORS,
    KERNELS,
    PARALLEL,
    PROGRAMS,
    RESULTS,
    Case,
    _checked,
    _laid_out,
    _pending,
    _turns,
    usual_tokens,
)
from benchmarks.targets import TARGETS
from jaxlda.kernels import KERNELS as REGISTERED
from jaxlda.kernels import find

PROGRAM = """HloModule m

FileNames
1 "a.py"

FunctionNames
1 "main"
2 "fold_tokens"

FileLocations
1 {file_name_id=1 function_name_id=1 line=1}
2 {file_name_id=1 function_name_id=2 line=2}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

%looked_up (p0: f32[1000,100], p1: s32[50]) -> f32[50,100] {
  %p0 = f32[1000,100]{1,0} parameter(0)
  %p1 = s32[50]{0} parameter(1)
  ROOT %g = f32[50,100]{1,0} gather(%p0, %p1), offset_dims={1}, slice_sizes={1,100}
}

%body (t: (s32[], f32[50,100])) -> (s32[], f32[50,100]) {
  %t = (s32[], f32[50,100]{1,0}) parameter(0)
  %x = f32[50,100]{1,0} get-tuple-element(%t), index=1
  %copied = f32[50,100]{1,0} copy(%x)
  %i = s32[] get-tuple-element(%t), index=0
  ROOT %out = (s32[], f32[50,100]{1,0}) tuple(%i, %copied)
}

%condition (t: (s32[], f32[50,100])) -> pred[] {
  %t = (s32[], f32[50,100]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%t), index=0
  %end = s32[] CONSTANT
  ROOT %less = pred[] compare(%i, %end), direction=LT
}

ENTRY %main (table: f32[1000,100], index: s32[50]) -> f32[50,100] {
  %table = f32[1000,100]{1,0} parameter(0)
  %index = s32[50]{0} parameter(1)
  %rows = f32[50,100]{1,0} fusion(%table, %index), kind=kLoop, calls=%looked_up
  %zero = s32[] constant(0)
  %start = (s32[], f32[50,100]{1,0}) tuple(%zero, %rows)
  %loop = (s32[], f32[50,100]{1,0}) while(%start), condition=%condition, body=%body, metadata={stack_frame_id=2}TRIPS
  ROOT %done = f32[50,100]{1,0} get-tuple-element(%loop), index=1
}
"""
ROWS, TABLE, INDEX = 4 * 50 * 100, 4 * 1000 * 100, 4 * 50


def cost(constant="parameter(1)", trips="", cache=0):
    text = PROGRAM.replace("CONSTANT", constant).replace("TRIPS", trips)
    return hlo.cost_of(hlo.parse(text), lambda functions, size: 7 if functions[0] == "fold_tokens" else 0, cache)


def test_loops_turn_as_often_as_is_known():
    known = ', backend_config={"known_trip_count":{"n":"5"}}'
    for found, turns in ((cost(trips=known), 5), (cost("constant(3)"), 3), (cost(), 7)):
        # The look-up once; in every turn the copy, and the comparison of the condition.
        assert found.loops == {"fold_tokens": (turns, 2 * turns)}
        assert found.launches == 1 + 2 * turns


def test_only_rows_that_are_looked_up_are_read():
    loop = 5 * (2 * ROWS + 4 + 4 + 1)
    known = ', backend_config={"known_trip_count":{"n":"5"}}'
    assert cost(trips=known).bytes == ROWS + INDEX + ROWS + loop
    assert cost(trips=known, cache=TABLE).bytes == ROWS + INDEX + min(ROWS, TABLE) + loop


def test_a_loop_that_nobody_knows_is_told():
    case = Case("warp", "a100", 1, 1000, 100, 1)
    assert _turns(case)(["fold_tokens"], 10) == 1000
    assert _turns(case)(["_accepted", "log_gamma"], 10**6) == 6
    with pytest.raises(LookupError, match="nobody says how often"):
        _turns(case)(["strange"], 10)


def test_a_run_goes_on_where_it_stopped():
    one, two, four, size = (
        Case("warp", "a100", *x) for x in ((1, 9, 100, 1), (1, 8, 100, 1), (4, 9, 100, 4), (1, 9, 100, 64))
    )
    cases = [size, four, two, one]
    rows = [two._asdict() | {"earlier": True}, one._asdict() | {"error": "too slow"}]
    assert _pending(cases, rows, again=False) == [two, four, size]
    assert _pending(cases, rows, again=True) == [two, one, four, size]
    assert _pending(cases, [size._asdict()], again=False) == [two, one, four]


def test_what_was_compiled_from_other_kernels_is_marked(monkeypatch):
    monkeypatch.setattr(accelerators, "source", lambda case: f"of {case.program}")
    cases = [Case(program, "a100", 1, 9, 100, 1)._asdict() for program in ("warp", "cgs", "vb")]
    known, failed = cases[0] | {"source": "of warp"}, cases[2] | {"error": "too slow"}
    rows = [known | {"earlier": True}, cases[1] | {"source": "of another"}, failed]
    assert _checked(rows) == [known, rows[1] | {"earlier": True}, failed]


def test_the_compilers_are_given_the_same_after_no_change():
    case = Case("theta", "a100", 1, 1000, 100, 1)
    assert accelerators.source(case) == accelerators.source(case)
    assert accelerators.source(case) != accelerators.source(case._replace(topics=99))


@pytest.mark.parametrize("kernel", ["cgs", "cvb0", "light", "sparse", "vb"])
def test_all_entries_of_a_layout_have_the_size_asked_for(kernel):
    layout = _laid_out(Case(kernel, "a100", 1, 12_345, 100, 1), find(kernel))
    sizes = {n for leaf in jax.tree.leaves(layout) for n in leaf.shape}
    assert 12_345 in sizes
    assert not sizes & {*accelerators.TINY, accelerators.PAIRS}


def test_every_kernel_is_compiled():
    assert {name.split("(")[0] for name in KERNELS} >= set(REGISTERED)


@pytest.mark.parametrize("devices", [1, 4])
@pytest.mark.parametrize("target", TARGETS)
def test_every_program_has_figures(target, devices):
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    known = {accelerators._case(row) for row in rows if "error" not in row}
    usual = {Case(name, target, devices, usual_tokens(name, target), 100, devices) for name in PROGRAMS}
    assert not usual - known


def test_the_page_is_that_of_the_figures():
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    assert accelerators_page.PAGE.read_text(encoding="utf-8") == accelerators_page.page(rows)


def test_the_parallel_kernels_keep_their_promise():
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    known = [row for row in rows if row["program"] in PARALLEL and row["target"] == "a100" and "error" not in row]
    of_a_hundred = [row for row in known if row["topics"] == 100 and row["devices"] == 1 and row["fits"]]
    assert {row["chains"] for row in of_a_hundred} >= {1, 64}
    for row in of_a_hundred:
        assert row["launches"] <= 200, row
        assert row["tokens_per_second"] >= 5e8, row


@pytest.mark.hours
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("devices", [1, 4])
def test_compiles(program, target, devices):
    if missing := TARGETS[target].missing:
        pytest.skip(missing)
    case = Case(program, target, devices, 10_000 if program.startswith("blocks") else 100_000, 100, devices)
    command = [sys.executable, "-m", "benchmarks.accelerators", "--one", json.dumps(case)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=550, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    found = json.loads(re.findall(r"^\{.*\}$", done.stdout, re.MULTILINE)[-1])
    assert found["fits"]
    if program in PARALLEL and target != "v5e":
        assert found["launches"] <= 200
    if program in ESTIMATORS[:2]:
        assert found["loops"] == {}
