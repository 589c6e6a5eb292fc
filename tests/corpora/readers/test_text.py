"""Texts in files, a document per line: line ends, encodings, packed files, file objects and limits."""

import bz2
import gzip
import io
import lzma
import os
import threading

import pytest

from jaxlda.corpora.readers import read_text
from tests.corpora.readers.files import write

LINES = "the cat sat\n\nthe naïve dog\n"


@pytest.fixture
def file(tmp_path):
    return lambda content, name="file": write(tmp_path / name, content)


@pytest.mark.parametrize(
    "change",
    [
        str.encode,
        str.rstrip,
        lambda s: s.replace("\n", "\r\n"),
        lambda s: s.replace("\n", "\r"),
        lambda s: gzip.compress(s.encode()),
    ],
)
def test_lines(file, change):
    corpus = read_text(file(change(LINES)), stop_words=["the"])
    assert corpus.vocab.tolist() == ["cat", "dog", "naïve", "sat"]
    assert corpus.counts.toarray().tolist() == [[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 1, 0]]


def test_lines_end_at_line_ends_only(file):
    assert read_text(file("one\u2028two\x0bthree\x85four\n")).num_docs == 1


def test_wrong_lines(file):
    with pytest.raises(ValueError, match=r"file, line 3: is not utf-8 .* give encoding="):
        read_text(file(LINES.encode("latin-1")), encoding="utf-8")
    assert "naïve" in read_text(file(LINES.encode("latin-1")), encoding="latin-1").vocab
    with pytest.raises(ValueError, match="file: no words are left"):
        read_text(file(""))
    with pytest.raises(ValueError, match="file: holds more than 5 bytes"):
        read_text(file(LINES), max_bytes=5)


# --------------------------------------------------------------------------------------------- encodings, file objects


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_needs_no_telling(file, encoding):
    assert "naïve" in read_text(file(LINES.encode(encoding))).vocab


def test_other_encodings_are_guessed_with_a_warning(file):
    with pytest.warns(UserWarning, match=r"file: is not UTF-8; read as windows-1252\. Give encoding="):
        assert "naïve" in read_text(file(LINES.encode("cp1252"))).vocab
    greek = "καλημέρα κόσμε\nκαι πάλι\n".encode()
    with pytest.raises(ValueError, match="file, line 2: is not utf-8"):  # it is UTF-8, but for a byte
        read_text(file(greek.replace("π".encode(), b"\xcf")))
    with pytest.raises(ValueError, match="there is no encoding 'klingon'"):
        read_text(file(LINES), encoding="klingon")


@pytest.mark.parametrize("pack", [bytes, gzip.compress, bz2.compress, lzma.compress])
def test_packed_files_and_file_objects(file, pack):
    packed = pack(LINES.encode())
    for path in (file(packed), str(file(packed)), io.BytesIO(packed), file(packed).open("rb")):
        assert read_text(path).num_docs == 3
        if hasattr(path, "close"):
            path.close()
    if pack is not bytes:
        assert read_text(file(packed + packed)).num_docs == 6  # one stream may follow another
        with pytest.raises(ValueError, match="file: the packed file is truncated or damaged after line"):
            read_text(file(packed[:-4]))


def test_text_files_and_pipes(file):
    with file(LINES).open(encoding="utf-8") as text:
        assert read_text(text).num_docs == 3
    read_end, write_end = os.pipe()  # not seekable
    writer = threading.Thread(target=lambda: (os.write(write_end, gzip.compress(LINES.encode())), os.close(write_end)))
    writer.start()
    with open(read_end, "rb") as pipe:
        assert read_text(pipe).num_docs == 3
    writer.join()


# --------------------------------------------------------------------------------------------------------------- limits


@pytest.mark.slow
def test_a_small_file_does_not_cost_much(file):
    bomb = gzip.compress(b"ab " * 8_000_000, 1)  # one line: gigabytes of words
    with pytest.raises(ValueError, match="holds more than 16777216 bytes unpacked; give a larger max_bytes"):
        read_text(file(bomb))
    with pytest.raises(ValueError, match="has more tokens than the 1000000 allowed; give a larger max_tokens"):
        read_text(file("ab " * 1_500_000), max_tokens=1_000_000)
    with pytest.raises(ValueError, match="has 2000000 documents, more than the 524288 allowed; give a larger max_size"):
        read_text(file(gzip.compress(b"\n" * 2_000_000)))
    many = file(gzip.compress(b"\n" * 600_000 + b"a cat\n"))
    assert read_text(many, max_size=1_000_000).num_docs == 600_001


def test_limits_are_checked():
    with pytest.raises(ValueError, match="max_tokens must be at least 1"):
        read_text(io.BytesIO(b"a cat"), max_tokens=0)
