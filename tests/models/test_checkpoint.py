"""Checkpoints: written in time, continued to the bit whatever ends the process, and never mistaken for another's."""

import dataclasses
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, Corpus
from jaxlda.kernels import KERNELS
from jaxlda.models import _checkpoint, _fitting
from jaxlda.models._checkpoint import Checkpoint
from jaxlda.running import archive, driver, store
from tests.models import killed
from tests.models.storing import CORPUS, LEARNER, assert_same, lda, quick
from tests.models.toy import toy

pytestmark = pytest.mark.usefixtures("named")


class TestCheckpoint:
    @pytest.mark.parametrize(
        ("kernel", "chain_method"),
        [("cgs", "vectorized"), pytest.param(LEARNER, "sequential", marks=pytest.mark.hours)],
        ids=["cgs", "learned"],
    )
    def test_ctrl_c_and_another_start(self, path, interrupted, kernel, chain_method):
        whole = lda(kernel=kernel, num_samples=3).fit(CORPUS)
        for sweep in (3, 7):
            interrupted(sweep)
            with pytest.warns(RuntimeWarning, match=f"Stopped at sweep {sweep} of 10"):
                lda(kernel=kernel, num_samples=3, checkpoint=path).fit(CORPUS)
            assert jaxlda.load(path).run_.sweep == sweep
        last = lda(kernel=kernel, num_samples=3, checkpoint=path, chain_method=chain_method).fit(CORPUS)
        assert_same(last, whole, rtol=1e-5 if chain_method == "vectorized" else 0.0)
        assert_same(jaxlda.load(path), last)

    def test_num_samples_may_grow(self, path, monkeypatch):
        lda(num_samples=1, checkpoint=path).fit(CORPUS)
        assert_same(lda(num_samples=3, checkpoint=path).fit(CORPUS), lda(num_samples=3).fit(CORPUS))
        with pytest.raises(
            ValueError, match=r"is at sweep 10 already, but num_samples=2 asks for 8.*larger num_samples"
        ):
            lda(num_samples=2, checkpoint=path).fit(CORPUS)
        swept = []
        monkeypatch.setattr(driver.Worker, "advance", lambda *args: swept.append(args))
        assert lda(num_samples=3, checkpoint=path).fit(CORPUS).run_.finished and not swept

    def test_a_model_that_is_behind_its_file_does_not_overwrite_it(self, path):
        behind = lda(checkpoint=path).fit(CORPUS)
        jaxlda.load(path).resume(4)
        for more in (0, 2):
            with pytest.raises(ValueError, match=r"is at sweep 10 already, this model at 6: .*jaxlda\.load"):
                behind.resume(more)
        assert jaxlda.load(path).run_.sweep == 10

    def test_resume_writes_too_and_can_be_interrupted(self, path, interrupted):
        model = lda(checkpoint=path).fit(CORPUS)
        interrupted(8)
        with pytest.warns(RuntimeWarning, match="Stopped at sweep 8 of 12"):
            model.resume(6)
        copy = jaxlda.load(path)
        assert copy.checkpoint == str(path) and copy.run_.sweep == 8
        assert_same(copy.resume(), lda(num_samples=4).fit(CORPUS))
        assert jaxlda.load(path).run_.sweep == 12

    @pytest.mark.parametrize(
        ("options", "corpus", "message"),
        [
            ({"num_topics": 4}, CORPUS, "num_topics was 3 and is 4"),
            ({"seed": 7, "num_chains": 1}, CORPUS, "seed was 0 and is 7|num_chains was 2 and is 1"),
            ({"kernel": "cgs"}, CORPUS, "kernel was 'toy' and is 'cgs'"),
            ({"alpha": np.full(3, 0.2)}, CORPUS, "alpha was 0.1 and is array"),
            ({"num_warmup": 3}, CORPUS, "num_warmup was 2 and is 3"),
            ({}, CORPUS.subset(range(19)), "the documents are not the same"),
            ({}, CORPUS.subset([1, 0, *range(2, 20)]), "the documents are not the same"),
            ({}, Corpus.from_counts(CORPUS.counts), "the words or labels are not the same"),
        ],
    )
    def test_of_something_else_is_refused(self, path, options, corpus, message):
        quick(checkpoint=path).fit(CORPUS)
        before = path.read_bytes()
        with pytest.raises(ValueError, match=rf"is a checkpoint of something else: ({message}).*another path"):
            quick(checkpoint=path, **options).fit(corpus)
        other = quick(**options).fit(corpus).set_params(checkpoint=path)
        with pytest.raises(ValueError, match=f"is a checkpoint of something else: ({message})"):
            other.resume(5)
        assert path.read_bytes() == before

    def test_what_does_not_change_the_result_may_differ(self, path):
        quick(checkpoint=path).fit(CORPUS)
        other = {"estimator": "cgs", "chain_method": "sequential", "trace_every": 3, "checkpoint_every": 1}
        assert quick(checkpoint=path, **other).fit(CORPUS).run_.finished

    def test_other_files_are_refused(self, path):
        store.save(quick().fit(CORPUS).run_, path)
        with pytest.raises(ValueError, match="it is a run, not a model"):
            quick(checkpoint=path).fit(CORPUS)
        path.write_bytes(path.read_bytes()[:-100])
        with pytest.raises(ValueError, match="is damaged"):
            quick(checkpoint=path).fit(CORPUS)
        path.write_text("my thesis")
        with pytest.raises(ValueError, match="is not a file saved by jaxlda"):
            quick(checkpoint=path).fit(CORPUS)
        assert path.read_text() == "my thesis"

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"checkpoint": 3}, TypeError, "checkpoint must be the path of a file, or None; got 3"),
            ({"checkpoint": "no folder/a"}, FileNotFoundError, "there is no folder 'no folder'"),
            ({"checkpoint": "."}, IsADirectoryError, "is a folder"),
            ({"checkpoint": "a", "checkpoint_every": -1}, ValueError, "checkpoint_every must be .* not negative"),
            ({"checkpoint": "a", "checkpoint_every": np.nan}, ValueError, "checkpoint_every must be .* got nan"),
            ({"checkpoint": "a", "checkpoint_every": "1"}, TypeError, "checkpoint_every must be a number of seconds"),
        ],
    )
    def test_wrong_parameters_are_told_before_the_first_sweep(self, tmp_path, monkeypatch, options, error, message):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setattr(_fitting, "run", None)
        with pytest.raises(error, match=message):
            quick(**options).fit(CORPUS)

    def test_an_algorithm_without_a_name_too(self, path, monkeypatch):
        monkeypatch.delitem(KERNELS, "toy")
        monkeypatch.setattr(_fitting, "run", None)
        with pytest.raises(ValueError, match="is one of your own and cannot be saved by name"):
            quick(kernel=toy(), checkpoint=path).fit(CORPUS)

    def test_a_parameter_that_cannot_be_written_too(self, path, monkeypatch):
        monkeypatch.setattr(_fitting, "run", None)
        with pytest.raises(TypeError, match=r"params\.progress cannot be saved: it is a object"):
            quick(progress=object(), checkpoint=path).fit(CORPUS)
        assert not path.exists()

    def test_less_may_be_kept_when_it_goes_on_but_not_more(self, path):
        quick(checkpoint=path, keep=("n_k", "phi")).fit(CORPUS)
        with pytest.warns(UserWarning, match=r"theta cannot be kept: the 1 draw\(s\) of each chain so far do not"):
            model = quick(checkpoint=path, keep=("n_k", "theta"), num_samples=2).fit(CORPUS)
        assert set(model.run_.kept) == {"n_k"} and model.run_.n_k.shape[1] == 2
        assert set(jaxlda.load(path).run_.kept) == {"n_k"}

    def test_before_the_first_draw_anything_may_be_kept(self, path, interrupted):
        interrupted(2)
        with pytest.warns(RuntimeWarning, match="Stopped at sweep 2 of 7"):
            quick(checkpoint=path, keep=("phi",)).fit(CORPUS)
        assert set(quick(checkpoint=path, keep=["theta"]).fit(CORPUS).run_.kept) == {"theta"}

    def test_a_full_disk_does_not_stop_the_chains(self, path, monkeypatch):
        def full(*args):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(archive, "write", full)
        with pytest.warns(
            RuntimeWarning, match=r"checkpoint '.*a\.jaxlda' could not be written at sweep \d+: No space"
        ):
            model = quick(checkpoint=path, checkpoint_every=0).fit(CORPUS)
        assert model.run_.finished

    def test_choose_k_has_its_own_way(self, path):
        with pytest.raises(TypeError, match="a checkpoint belongs to one fit, and choose_k makes many; give path="):
            jaxlda.choose_k(CORPUS, [2, 3], checkpoint=path)


class TestInterval:
    @pytest.fixture
    def clock(self, monkeypatch):
        class Clock:
            now = 0.0

            def monotonic(self):
                return self.now

        clock = Clock()
        monkeypatch.setattr(_checkpoint, "time", clock)
        return clock

    @pytest.fixture
    def run(self):
        return quick(num_warmup=1).fit(CORPUS).run_

    @pytest.mark.parametrize(
        ("every", "cost", "expected"),
        [
            (60.0, 1, [60, 121, 182]),
            (0.0, 0, [1, 2, 3, 4]),
            (10.0, 4, [10, 210, 410]),  # 2 % of the time: 196 seconds of sampling for 4 of writing
        ],
    )
    def test_is_kept_and_bounded(self, clock, run, every, cost, expected):
        written = []

        def write(run):
            written.append(clock.now)
            clock.now += cost

        checkpoint = Checkpoint("a", every, write)
        while len(written) < len(expected):
            clock.now += 1
            checkpoint(dataclasses.replace(run))
        assert written == expected

    def test_the_same_run_is_written_once(self, clock, run):
        written = []
        checkpoint = Checkpoint("a", 0.0, written.append)
        checkpoint(run)
        checkpoint.now(run)
        assert written == [run]

    def test_fit_asks_after_every_block(self, path, monkeypatch):
        seen = []
        monkeypatch.setattr(Checkpoint, "__call__", lambda self, run: seen.append(run.sweep))
        quick(checkpoint=path, checkpoint_every=3).fit(CORPUS)
        assert seen and seen[-1] == 7 and jaxlda.load(path).run_.sweep == 7


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_killed_at_twenty_moments(tmp_path, root, monkeypatch):
    """After ``kill -9`` there is a whole checkpoint, and it is what an undisturbed run has at its sweep: 20 of 20."""
    command = [sys.executable, "-m", "tests.models.killed", str(tmp_path), "20", "0"]
    process = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=500)
    assert process.returncode == 0, process.stderr
    lives = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(lives) == 20 and all(life["killed"] for life in lives)
    assert sum(life["halfway"] for life in lives) > 2, "hardly any life ended while writing: this proves little"
    last = lives[-1]["sweep"]
    assert last > 20 and [life["sweep"] for life in lives] == sorted(life["sweep"] for life in lives)

    # The undisturbed run: seen sweep by sweep, to a little beyond the last checkpoint.
    settings = killed.SETTINGS
    num_samples = (last - settings["num_warmup"]) // settings["thinning"] + 5
    settings = settings | {"num_samples": max(num_samples, 1)}
    digests = {}
    real = driver.run_blocks

    def watched(*args, **options):
        for now in real(*args, **(options | {"block": 1})):
            digests[now.sweep] = killed.digest(store.pack(now)[1])
            yield now

    with monkeypatch.context() as patch:
        patch.setattr(driver, "run_blocks", watched)
        whole = LDA(**settings).fit(CORPUS)
    assert [life["digest"] == digests[life["sweep"]] for life in lives] == [True] * 20
    assert_same(LDA(**settings, checkpoint=tmp_path / "run.jaxlda").fit(CORPUS), whole)
    assert sorted(path.name for path in Path(tmp_path).iterdir()) == ["cache", "run.jaxlda"]
