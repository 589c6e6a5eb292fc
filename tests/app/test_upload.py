"""Files from browsers that do not keep to the limits."""

from types import SimpleNamespace

import pytest

from jaxlda_app import sources
from jaxlda_app.jobs import Jobs
from jaxlda_app.reading import Readings
from jaxlda_app.store import Session
from jaxlda_app.views._upload import MOST, Dropper, Upload


@pytest.fixture
def dropper():
    dropper = Dropper(multiple=True)
    dropper.limit = 10
    return dropper


def send(dropper, name, *pieces):
    for i, piece in enumerate(pieces, 1):
        data = {"name": name, "data": piece, "chunk": i, "total_chunks": len(pieces), "type": "application/zip"}
        dropper._process_event(SimpleNamespace(event_name="upload_event", data=data))


def test_pieces_become_a_file(dropper):
    send(dropper, "a", b"12345", b"67890")
    assert dropper.value == {"a": b"1234567890"}


@pytest.mark.parametrize("pieces", [(b"12345678901",), (b"12345", b"678901"), (b"12345", b"678901", b"x")])
def test_what_is_too_large_is_forgotten(dropper, pieces):
    send(dropper, "a", *pieces)
    assert not dropper.value and not dropper._file_buffer


def test_files_share_a_limit(dropper):
    told = []
    dropper.tell = told.append
    send(dropper, "a", b"123456")
    send(dropper, "b", b"12345", b"rest")
    assert set(dropper.value) == {"a"} and len(told) == 1 and "MB of files" in told[0]


def test_sessions_share_the_room_for_files(dropper):
    readings, told = Readings(uploads=12), []
    dropper.hold, dropper.tell = (lambda size: readings.hold("me", size)), told.append
    assert readings.hold("other", 6)
    send(dropper, "a", b"1234567")
    assert not dropper.value and "Other people's files" in told[0]
    readings.forget("other")
    send(dropper, "a", b"1234567")
    assert set(dropper.value) == {"a"}


def test_more_files_than_any_format_has(dropper):
    for i in range(MOST + 5):
        send(dropper, str(i), b"x")
    assert len(dropper.value) == MOST


def test_words_are_counted_also_where_reading_did_not_wait_for_it():
    """A session reads one thing at a time: "Counting words" stayed for good."""
    session, asked = Session(Jobs()), []
    session.read = lambda request, then, otherwise=None: asked.append((request, then))
    upload = Upload(session, lambda found: None, 50)
    upload.kept = {"pets.txt": b"cat purr\ndog bark\n"}
    upload.look()
    request, then = asked.pop()
    then(getattr(sources, request.task)(request.files, **request.options))
    assert upload.count.value == "Counting words…" and len(asked) == 1
    upload.begin()
    assert upload.count.value == ""
    request, then = asked.pop()
    then(getattr(sources, request.task)(request.files, **request.options))
    session.close()
    assert "Keeps 4 words" in upload.count.value
