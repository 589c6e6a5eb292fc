"""Runs that are kept from one start of the server to the next."""

import re

import pytest

import jaxlda
from jaxlda_app import shelf as shelves
from jaxlda_app.jobs import Jobs
from jaxlda_app.shelf import Shelf
from jaxlda_app.store import Session
from jaxlda_app.views.kept import KeptView

BARS = jaxlda.datasets.bars(num_docs=20, size=3, doc_length=20)[0]
SETTINGS = {"num_topics": 3, "num_warmup": 2, "num_samples": 2, "thinning": 1, "num_chains": 1, "seed": 5}


class Saved:
    """What can be saved, of a size."""

    def __init__(self, size=10):
        self.size = size

    def save(self, path):
        path.write_bytes(b"x" * self.size)


@pytest.fixture
def clock(monkeypatch):
    """Every run is kept a second after the last."""
    seconds = iter(range(60))
    monkeypatch.setattr(shelves.time, "strftime", lambda form: f"20300101-1200{next(seconds):02d}")


def names(shelf):
    return [entry.name for entry in shelf.entries()]


def test_the_oldest_go_when_there_are_too_many(tmp_path, clock):
    shelf = Shelf(tmp_path / "new" / "folder", most=3)
    for name in "abcde":
        shelf.put(name, Saved())
    assert names(shelf) == ["e", "d", "c"]
    assert shelf.entries()[0].when == "2030-01-01 12:00:04"


def test_the_oldest_go_when_they_are_too_large(tmp_path, clock):
    shelf = Shelf(tmp_path, room=25)
    for name in "abc":
        shelf.put(name, Saved(10))
    assert names(shelf) == ["c", "b"]
    shelf.put("large", Saved(100))
    assert names(shelf) == ["large"]  # what was just kept stays


def test_a_run_that_went_on_replaces_itself(tmp_path, clock):
    shelf = Shelf(tmp_path)
    first = shelf.put("a", Saved())
    shelf.put("b", Saved())
    shelf.put("a", Saved(20), before=first)
    assert [(entry.name, entry.size) for entry in shelf.entries()] == [("a", 20), ("b", 10)]


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b\\c", "", "…", "x" * 500, ".hidden", "new\nline"])
def test_names_of_documents_cannot_lead_elsewhere(tmp_path, name):
    folder = tmp_path / "runs"
    shelf = Shelf(folder)
    file = shelf.put(name, Saved())
    assert [path.name for path in folder.iterdir()] == [file] and re.fullmatch(r"[\w.-]+", file)
    assert len(shelf.entries()) == 1 and list(tmp_path.iterdir()) == [folder]


def test_files_of_others_are_left_alone(tmp_path, clock):
    (tmp_path / "mine.jaxlda").write_bytes(b"mine")
    (tmp_path / "secret").write_bytes(b"secret")
    link = tmp_path / "20290101-120000-00000000-link.jaxlda"
    link.symlink_to(tmp_path / "secret")
    shelf = Shelf(tmp_path, most=1)
    shelf.put("a", Saved())
    shelf.put("b", Saved())
    assert names(shelf) == ["b"] and (tmp_path / "mine.jaxlda").exists() and link.is_symlink()
    for file in ("mine.jaxlda", "../secret", link.name):
        with pytest.raises(ValueError, match="no longer kept"):
            shelf.content(file)
        shelf.remove(file)
    assert (tmp_path / "mine.jaxlda").exists() and (tmp_path / "secret").exists()


def test_from_one_start_to_the_next(tmp_path, until):
    jobs = Jobs()
    jobs.shelf = Shelf(tmp_path)
    session = Session(jobs, corpus=BARS, corpus_name="bars", held_share=0, **SETTINGS)
    session.start()
    until(lambda: session.job.kept is not None and session.status == "finished")
    first = session.job.kept
    session.more(3)
    until(lambda: session.job.kept != first)
    assert [entry.file for entry in jobs.shelf.entries()] == [session.job.kept] and names(jobs.shelf) == ["bars"]
    assert jaxlda.load(tmp_path / session.job.kept).run_.sweep == session.snapshot.run.sweep == 7
    kept = session.snapshot.run.chain(0)
    session.close()
    jobs.close()

    jobs = Jobs()
    jobs.shelf = Shelf(tmp_path)
    session = Session(jobs)
    view = KeptView(session)
    view.refresh()
    assert "1 of at most 50 runs" in view.words.value
    (view.list.value,) = view.list.options.values()
    view.open()
    until(lambda: session.snapshot is not None)
    assert (session.snapshot.run.chain(0).z == kept.z).all() and session.active == "Topics"
    view.delete()
    assert list(tmp_path.iterdir()) == [] and view.look.disabled
    session.close()
    jobs.close()


def test_a_full_disk_does_not_end_the_run(tmp_path, until, caplog):
    class Full(Shelf):
        def put(self, *arguments):
            raise OSError(28, "No space left on device")

    jobs = Jobs()
    jobs.shelf = Full(tmp_path)
    session = Session(jobs, corpus=BARS, corpus_name="bars", held_share=0, **SETTINGS)
    session.start()
    until(lambda: "could not be kept" in caplog.text)
    assert session.status == "finished"
    session.close()
    jobs.close()


def test_without_a_folder_it_says_how(tmp_path):
    jobs = Jobs()
    session = Session(jobs)
    view = KeptView(session)
    view.refresh()
    assert "--store DIR" in view.words.value
    session.close()
    jobs.close()
