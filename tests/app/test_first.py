"""The run that everybody sees first: made once, kept, read again, and nobody's but one's own."""

import pytest

import jaxlda
from jaxlda_app import first, sources
from jaxlda_app.first import FirstRun
from jaxlda_app.jobs import Jobs
from jaxlda_app.store import Session

BARS = jaxlda.datasets.bars(num_docs=40, size=3, doc_length=20)[0]
SMALL = {"num_topics": 3, "num_chains": 2, "num_warmup": 3, "num_samples": 2, "thinning": 1}


@pytest.fixture
def jobs(monkeypatch):
    monkeypatch.setattr(first, "SETTINGS", first.SETTINGS | SMALL)
    monkeypatch.setattr(sources, "bundled_source", lambda name: sources.Input(name, BARS, code="corpus = None"))
    jobs = Jobs()
    yield jobs
    jobs.close()


def prepared(jobs, folder):
    run = FirstRun(jobs, folder)
    run._prepare()
    return run


def test_is_made_once_and_read_then(jobs, tmp_path, monkeypatch):
    (tmp_path / "reuters-old.jaxlda").write_bytes(b"of another version")
    made = prepared(jobs, tmp_path).finished()
    assert [path.name for path in tmp_path.iterdir()] == [FirstRun(jobs, tmp_path).path.name]
    monkeypatch.setattr(jobs, "submit", lambda job: pytest.fail("it is there already"))
    read = prepared(jobs, tmp_path).finished()
    one, other = made.job.model.phi_, read.job.model.phi_
    assert (one == other).all() and read.job.status == "finished" and read.held.num_docs == 4


@pytest.mark.parametrize("content", [b"", b"damaged", b"PK\x03\x04 damaged too"])
def test_a_damaged_file_is_made_anew(jobs, tmp_path, content):
    path = FirstRun(jobs, tmp_path).path
    path.write_bytes(content)
    assert prepared(jobs, tmp_path).finished() is not None
    assert path.stat().st_size > 1000


def test_a_folder_that_cannot_be_written_is_no_harm(jobs, tmp_path, caplog):
    (tmp_path / "file").write_text("no folder")
    assert prepared(jobs, tmp_path / "file").finished() is not None
    assert "could not be kept" in caplog.text


def test_other_settings_or_versions_have_other_files(jobs, tmp_path, monkeypatch):
    path = FirstRun(jobs, tmp_path).path
    monkeypatch.setattr(jaxlda, "__version__", "0.0")
    assert FirstRun(jobs, tmp_path).path != path


def test_sessions_sample_their_own_further(jobs, tmp_path, until):
    run = prepared(jobs, tmp_path)
    one, two = (Session(jobs) for _ in range(2))
    for session in (one, two):
        session.show_finished(run.finished())
        assert session.status == "finished" and session.snapshot.run.sweep == 5 and session.corpus is BARS
        assert session.snapshot.held is not None and session.changed_settings != ["model_name"]
    assert one.snapshot.run is two.snapshot.run and jobs.reserved == 0
    one.more(4)
    until(lambda: one.status == "finished" and one.snapshot.run.sweep == 9)
    assert two.snapshot.run.sweep == 5 and run.finished().job.run.sweep == 5 and jobs.reserved > 0
    one.close()
    two.close()
    assert jobs.reserved == 0
