"""The queue: turns, pauses, ends. The models are made of nothing but sweeps."""

import threading
from types import SimpleNamespace

import pytest

from jaxlda import Corpus
from jaxlda_app import jobs as jobs_module
from jaxlda_app.jobs import Full, Job, Jobs, memory_needed


class Sweeps:
    """A model that counts; each block takes a permit, if there are any."""

    def __init__(self, total, name="", log=None, permits=None):
        self.total, self.name, self.sweep = total, name, 0
        self.log, self.permits = [] if log is None else log, permits

    def fit(self, corpus, on_block):
        return self.resume(0, on_block)

    def resume(self, more, on_block):
        self.total += more
        while self.sweep < self.total:
            if self.permits is not None and not self.permits.acquire(timeout=60):
                raise TimeoutError
            self.sweep += 1
            self.log.append(self.name)
            schedule = SimpleNamespace(total=self.total)
            finished = self.sweep >= self.total
            self.run_ = SimpleNamespace(sweep=self.sweep, schedule=schedule, num_chains=2, finished=finished)
            if on_block(self.run_) is True:
                break
        return self


CORPUS = SimpleNamespace(num_tokens=1000)


@pytest.fixture
def jobs():
    jobs = Jobs(workers=1, turn=0.0)
    yield jobs
    jobs.close()


def test_a_job_from_queue_to_end(jobs, until):
    told = []
    job = Job("a", Sweeps(3), CORPUS, lambda job: told.append(job.status))
    assert not jobs.busy
    jobs.submit(job)
    until(lambda: job.status == "finished" and told[-1] == "finished")
    assert not jobs.busy
    assert list(dict.fromkeys(told)) == ["queued", "running", "finished"]
    assert job.run.sweep == 3 and job.seconds > 0 and job.tokens_per_second > 0 and job.seconds_left == 0


def test_sessions_take_turns_however_many_jobs_they_have(jobs, until):
    log, gate = [], threading.Semaphore(0)
    first = Job("z", Sweeps(1, permits=gate), CORPUS)
    jobs.submit(first)
    until(lambda: first.status == "running")
    work = [("a", "a1"), ("a", "a2"), ("a", "a3"), ("b", "b"), ("c", "c")]
    all_jobs = [Job(owner, Sweeps(3, name, log), CORPUS) for owner, name in work]
    for job in all_jobs:
        jobs.submit(job)
    assert [jobs.before(job) for job in (all_jobs[0], all_jobs[3], all_jobs[4])] == [1, 2, 3]
    gate.release()
    until(lambda: all(job.status == "finished" for job in all_jobs))
    assert log[:9] == ["a1", "b", "c", "a2", "b", "c", "a3", "b", "c"]
    assert sorted(log) == sorted(["a1", "a2", "a3", "b", "c"] * 3)


def test_a_turn_is_long_but_the_first_one(jobs, until):
    log, gate = [], threading.Semaphore(0)
    one = Job("a", Sweeps(5, "a", log, gate), CORPUS)
    jobs.turn = 1000.0
    other = Job("b", Sweeps(1, "b", log), CORPUS)
    jobs.submit(one)
    jobs.submit(other)
    gate.release(5)
    until(lambda: other.status == "finished")
    until(lambda: one.status == "finished")
    assert log == ["a", "b"] + ["a"] * 4


def test_a_paused_job_gives_up_its_worker_and_goes_on(jobs, until):
    gate = threading.Semaphore(0)
    job, other = Job("a", Sweeps(4, permits=gate), CORPUS), Job("b", Sweeps(2), CORPUS)
    jobs.submit(job)
    gate.release()
    until(lambda: job.run is not None)
    jobs.pause(job)
    gate.release()
    until(lambda: job.status == "paused")
    assert job.run.sweep == 2
    jobs.submit(other)
    until(lambda: other.status == "finished")
    assert job.status == "paused"
    gate.release(2)
    jobs.resume(job)
    until(lambda: job.status == "finished")
    assert job.run.sweep == 4


def test_a_job_is_paused_and_stopped_while_it_waits(jobs, until):
    gate = threading.Semaphore(0)
    busy = Job("a", Sweeps(1, permits=gate), CORPUS)
    jobs.submit(busy)
    until(lambda: busy.status == "running")
    paused, stopped = Job("b", Sweeps(1), CORPUS), Job("c", Sweeps(1), CORPUS)
    for job in (paused, stopped):
        jobs.submit(job)
    jobs.pause(paused)
    jobs.stop(stopped)
    gate.release()
    until(lambda: busy.status == "finished")
    assert (paused.status, stopped.status) == ("paused", "stopped") and paused.run is None
    jobs.resume(paused)
    until(lambda: paused.status == "finished")


def test_stop_keeps_what_there_is_and_more_goes_on(jobs, until):
    gate = threading.Semaphore(0)
    job = Job("a", Sweeps(10, permits=gate), CORPUS)
    jobs.submit(job)
    gate.release(2)
    until(lambda: job.run is not None and job.run.sweep == 2)
    jobs.stop(job)
    gate.release()
    until(lambda: job.status == "stopped")
    assert job.run.sweep == 3
    gate.release(100)
    jobs.resume(job, 5)
    until(lambda: job.status == "finished")
    assert job.run.sweep == 15
    jobs.resume(job, 5)
    until(lambda: job.status == "finished" and job.run.sweep == 20)
    jobs.stop(job)
    assert job.status == "finished"


def test_more_sweeps_while_it_runs(jobs, until):
    gate = threading.Semaphore(0)
    job = Job("a", Sweeps(2, permits=gate), CORPUS)
    jobs.submit(job)
    gate.release()
    until(lambda: job.run is not None)
    jobs.resume(job, 3)
    gate.release(10)
    until(lambda: job.status == "finished")
    assert job.run.sweep == 5


def test_a_pause_that_was_taken_back(jobs, until):
    gate = threading.Semaphore(0)
    job = Job("a", Sweeps(2, permits=gate), CORPUS)
    jobs.submit(job)
    until(lambda: job.status == "running")
    jobs.pause(job)
    jobs.resume(job)
    gate.release(2)
    until(lambda: job.status == "finished")


def test_forgotten_jobs_end_and_say_nothing(jobs, until):
    gate, told = threading.Semaphore(0), []
    running = Job("a", Sweeps(9, permits=gate), CORPUS, told.append)
    waiting = Job("a", Sweeps(9), CORPUS, told.append)
    other = Job("b", Sweeps(1), CORPUS)
    jobs.submit(running)
    until(lambda: running.status == "running")
    jobs.submit(waiting)
    jobs.submit(other)
    jobs.forget("a")
    number = len(told)
    gate.release()
    until(lambda: other.status == "finished")
    assert running.status == waiting.status == "stopped" and running.run.sweep == 1 and len(told) == number


def test_a_failure_is_kept_and_the_worker_lives_on(jobs, until):
    class Broken:
        def fit(self, corpus, on_block):
            raise ValueError("alpha must be positive")

    job, other = Job("a", Broken(), CORPUS), Job("b", Sweeps(1), CORPUS)
    jobs.submit(job)
    jobs.submit(other)
    until(lambda: other.status == "finished")
    assert job.status == "failed" and "alpha" in str(job.error)


def test_two_workers_sample_side_by_side(until):
    jobs, gate = Jobs(workers=2), threading.Semaphore(0)
    try:
        both = [Job(name, Sweeps(1, permits=gate), CORPUS) for name in "ab"]
        for job in both:
            jobs.submit(job)
        until(lambda: all(job.status == "running" for job in both))
        gate.release(2)
        until(lambda: all(job.status == "finished" for job in both))
    finally:
        jobs.close()
    with pytest.raises(RuntimeError, match="shutting down"):
        jobs.submit(both[0])


def test_no_workers_are_refused():
    with pytest.raises(ValueError, match="workers must be at least 1"):
        Jobs(0)


def test_sessions_share_the_memory():
    jobs = Jobs(memory=100)
    jobs.reserve("a", 60)
    with pytest.raises(Full, match="other people's runs leave"):
        jobs.reserve("b", 60)
    with pytest.raises(Full, match="choose fewer topics, fewer chains or fewer documents"):
        jobs.reserve("b", 101)
    jobs.reserve("a", 100)  # instead of what it had
    assert jobs.reserved == 100
    jobs.forget("a")
    jobs.reserve("b", 60)


def test_the_queue_has_an_end(until):
    jobs, gate = Jobs(workers=1, queue=2), threading.Semaphore(0)
    try:
        busy = Job("z", Sweeps(1, permits=gate), CORPUS)
        jobs.submit(busy)
        until(lambda: busy.status == "running")
        for owner in "ab":
            jobs.submit(Job(owner, Sweeps(1), CORPUS))
        assert jobs.numbers == (1, 2)
        with pytest.raises(Full, match="2 runs wait already"):
            jobs.submit(Job("c", Sweeps(1), CORPUS))
        gate.release()
    finally:
        jobs.close()


def test_tokens_take_memory():
    """Fourteen bytes of LDA-C announce sixteen million tokens, whose run took 9 GB."""
    small = Corpus.from_counts([[16_000_000]])
    assert memory_needed(small, 20, 4) > 5e9
    many = Corpus.from_counts([[1] * 1000])
    assert memory_needed(many, 100, 4, "cvb0") > memory_needed(many, 100, 4) + 4 * 100 * 1000 * 4


def test_some_more_sweeps_of_a_stopped_job(jobs, until):
    gate = threading.Semaphore(0)
    job = Job("a", Sweeps(50, permits=gate), CORPUS)
    jobs.submit(job)
    gate.release(3)
    until(lambda: job.run is not None and job.run.sweep == 3)
    jobs.stop(job)
    gate.release()
    until(lambda: job.status == "stopped")
    gate.release(100)
    jobs.resume(job, limit=14)
    until(lambda: job.status == "stopped")
    assert job.run.sweep == 14
    jobs.resume(job)
    until(lambda: job.status == "finished")
    assert job.run.sweep == 50


def test_a_job_lets_pages_pass_but_not_for_ever(jobs, until, monkeypatch):
    gate = threading.Semaphore(0)
    job = Job("a", Sweeps(4, permits=gate), CORPUS)
    jobs.submit(job)
    gate.release()
    until(lambda: job.run is not None)
    jobs.give_way("a")
    assert jobs.gives_way
    gate.release(2)  # it may sample as soon as it has let them pass
    until(lambda: job.run.sweep == 3)
    assert not jobs.gives_way
    assert job.seconds < jobs_module.MOMENT  # waiting is not sampling

    monkeypatch.setattr(jobs_module, "MOMENT", 1000.0)
    monkeypatch.setattr(jobs_module, "LONGEST", 0.05)
    jobs.give_way("a")
    gate.release()
    until(lambda: job.status == "finished")
    assert jobs.gives_way  # still


@pytest.fixture
def clicks(monkeypatch):
    """People do something all the time."""
    monkeypatch.setattr(jobs_module, "MOMENT", 1000.0)
    monkeypatch.setattr(jobs_module, "LONGEST", 1000.0)


def test_a_job_that_lets_pages_pass_can_be_stopped(jobs, until, clicks):
    jobs.give_way("a")
    job = Job("a", Sweeps(100), CORPUS)
    jobs.submit(job)
    until(lambda: job.run is not None)
    jobs.stop(job)
    until(lambda: job.status == "stopped")
    assert job.run.sweep == 1


@pytest.mark.parametrize(("owner", "sweeps"), [("b", 5), ("a", 1)])
def test_a_job_waits_for_others_no_longer_than_a_block_took_and_for_nobody_at_its_end(
    jobs, until, clicks, owner, sweeps
):
    jobs.give_way(owner)
    job = Job("a", Sweeps(sweeps), CORPUS)
    jobs.submit(job)
    until(lambda: job.status == "finished")
    assert job.run.finished and jobs.gives_way
