"""Text files in zip archives and in folders."""

import gzip
import io
import os
import struct
import zipfile

import pytest

from jaxlda.corpora.readers import read_folder, read_zip
from tests.corpora.readers.files import write
from tests.corpora.readers.fuzzing import forget_peak, memory

FILES = {"land/one.txt": "a cat", "sea/deep/two.txt": "a naïve shark", "top.txt": "a dog", "sea/notes.md": "nothing"}
FILES |= {"__MACOSX/land/one.txt": "junk", ".hidden/three.txt": "junk", "land/.one.txt": "junk"}


def zipped(files=FILES, method=zipfile.ZIP_DEFLATED):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive:
        archive.mkdir("empty.txt")
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


@pytest.fixture
def file(tmp_path):
    return lambda content, name="file": write(tmp_path / name, content)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_zip(file, method):
    corpus = read_zip(file(zipped(method=method)), labels="folder")
    assert corpus.titles == ("land/one.txt", "sea/deep/two.txt", "top.txt")
    assert corpus.vocab.tolist() == ["cat", "dog", "naïve", "shark"] and corpus.label_names.tolist() == ["deep", "land"]
    assert corpus.labels.toarray().astype(int).tolist() == [[0, 1], [1, 0], [0, 0]]
    assert read_zip(file(zipped()), "*.md").titles == ("sea/notes.md",)


def encrypted():
    content = bytearray(zipped({"one.txt": "a cat"}))
    for sign, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.rindex(sign) + offset] |= 1
    return bytes(content)


def damaged():
    content = bytearray(zipped({"one.txt": "a cat"}, zipfile.ZIP_STORED))
    content[content.index(b"a cat")] ^= 1
    return bytes(content)


@pytest.mark.parametrize(
    "content, options, message",
    [
        (b"", {}, "file: cannot be read from the archive: File is not a zip file"),
        (zipped()[:-30], {}, "file: cannot be read from the archive"),
        (zipped(), {"pattern": "*.csv"}, r"file: has no files '\*.csv'; it has "),
        (encrypted(), {}, "file: one.txt: cannot be read from the archive: .*encrypted"),
        (damaged(), {}, "file: one.txt: cannot be read from the archive: Bad CRC-32"),
        (
            zipped({"one.txt": "a\nna\xefve".encode("latin-1")}),
            {"encoding": "utf-8"},
            "file: one.txt, line 2: is not utf-8",
        ),
        (zipped({"one.txt": " " * 10_000_000}), {"max_bytes": 100_000}, "file: holds more than 100000 bytes unpacked"),
        (zipped({"one.txt": "?"}), {}, "file: no words are left"),
        (zipped(), {"labels": "name"}, "labels must be 'folder' or None; got 'name'"),
    ],
)
def test_wrong_zips(file, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_zip(file(content), **options)


def test_two_files_of_a_name(file):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive, pytest.warns(UserWarning, match="Duplicate"):
        archive.writestr("one.txt", "a cat")
        archive.writestr("one.txt", "a dog")
    with pytest.raises(ValueError, match=r"has two files 'one\.txt'"):
        read_zip(file(content.getvalue()))


def test_names_in_capitals_and_other_encodings(file):
    content = zipped({"1.txt": "a cat", "2.TXT": "a dog", "3.Txt": "na\xefve".encode("latin-1")})
    with pytest.warns(
        UserWarning, match=r"file: 1 file\(s\) are not UTF-8, the first being 3\.Txt; read as windows-1252"
    ):
        corpus = read_zip(file(content))
    assert corpus.titles == ("1.txt", "2.TXT", "3.Txt") and "naïve" in corpus.vocab
    assert read_zip(io.BytesIO(zipped())).num_docs == 3


def huge_dictionary():
    content = bytearray(zipped({"one.txt": "a cat"}, zipfile.ZIP_LZMA))
    start = content.rindex(b"PK\x03\x04") + 30 + len("one.txt")
    content[start + 5 : start + 9] = struct.pack("<I", 0xFFFFFFFF)
    return bytes(content)


def directory_at(offset):
    content = bytearray(zipped())
    struct.pack_into("<I", content, content.rindex(b"PK\x05\x06") + 16, offset)
    return bytes(content)


@pytest.mark.parametrize(
    "content, message",
    [
        (directory_at(10**9), "file: .*cannot be read from the archive"),
        (zipped({"one.txt": "a cat"}).replace(b"one.txt", b"\0ne.txt"), "file: "),
        (huge_dictionary(), "file: one.txt: cannot be read from the archive: .*4294967295 bytes of memory"),
    ],
)
def test_hostile_archives(file, content, message):
    with pytest.raises(ValueError, match=message):
        read_zip(file(content))


def test_a_small_archive_does_not_cost_much(file):
    with pytest.raises(ValueError, match="holds more than 16777216 bytes unpacked; give a larger max_bytes"):
        read_zip(file(zipped({"one.txt": " " * 20_000_000})))


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_archives_are_unpacked_a_piece_at_a_time(file, method):
    """Or else a few bytes of bzip2 or LZMA become a gigabyte before anybody can say no."""
    path = file(zipped({"one.txt": " " * 40_000_000}, method))
    forget_peak()
    before = memory("VmRSS")
    with pytest.raises(ValueError, match="holds more than 1000000 bytes unpacked"):
        read_zip(path, max_bytes=1_000_000)
    assert memory("VmHWM") - before < 60_000  # 4096 bytes of bzip2 may hold 40 MB


# -------------------------------------------------------------------------------------------------------------- folders


@pytest.fixture
def folder(tmp_path):
    for name, text in FILES.items():
        path = tmp_path / "texts" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, text)
    return tmp_path / "texts"


def test_folders_are_as_archives(folder, file):
    write(folder / "land" / "z.TXT", gzip.compress(b"a lion"))
    corpus = read_folder(folder, labels="folder")
    assert corpus.titles == ("land/one.txt", "land/z.TXT", "sea/deep/two.txt", "top.txt") and "lion" in corpus.vocab
    assert corpus.label_names.tolist() == ["deep", "land"]
    assert read_folder(str(folder), "*.md").titles == ("sea/notes.md",)


def test_links_are_not_followed(folder, tmp_path):
    write(tmp_path / "secret.txt", "a secret")
    os.symlink(tmp_path / "secret.txt", folder / "link.txt")
    os.symlink(tmp_path, folder / "more")
    assert "secret" not in read_folder(folder).vocab


def test_wrong_folders(folder, tmp_path):
    with pytest.raises(ValueError, match=r"texts: has no files '\*\.csv'; it has 'land/one\.txt'.*Give pattern="):
        read_folder(folder, "*.csv")
    with pytest.raises(ValueError, match="holds more than 10 bytes"):
        read_folder(folder, max_bytes=10)
    with pytest.raises(FileNotFoundError):
        read_folder(tmp_path / "nowhere")


def test_the_root_of_all_folders_is_no_corpus():
    """It would take minutes to look through, and has no end in /proc."""
    with pytest.raises(
        ValueError, match="is the root of all folders, not a folder of texts: give the one that has them"
    ):
        read_folder(os.path.abspath(os.sep))


def test_a_folder_with_too_many_files_is_left_before_its_end(tmp_path):
    for number in range(3):
        (tmp_path / str(number)).mkdir()
        (tmp_path / str(number) / "one.dat").write_bytes(b"")
    with pytest.raises(ValueError, match="has 3 files, more than the 2 allowed; give a larger max_size"):
        read_folder(tmp_path, max_size=2)
