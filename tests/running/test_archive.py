"""Files of arrays: what is read is what was written, or it is an error that says what is wrong."""

import errno
import io
import json
import os
import pickle
import threading
import zipfile
from pathlib import Path

import hypothesis.extra.numpy as hnp
import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

from jaxlda.running import archive

HEADER = {"words": ["Käse", "ˈtʃiːz", "奶酪", "\ud800", "", "\x00"], "n": 3, "pi": 3.141592653589793, "none": None}
ARRAYS = {
    "z": np.arange(7, dtype=np.uint32),
    "chain0.n_dk": np.arange(6, dtype=np.int32).reshape(2, 3),
    "empty": np.empty((0, 3), np.float32),
    "one": np.float64(0.1),
    "nan": np.array([np.nan, -0.0, np.inf], np.float32),
    "flags": np.array([True, False]),
}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "a.jaxlda"
    archive.write(path, HEADER, ARRAYS)
    return path


def assert_same(found, expected):
    assert list(found) == list(expected)
    for name, array in expected.items():
        array = np.asarray(array)
        assert found[name].dtype == array.dtype.newbyteorder("=") and found[name].shape == array.shape, name
        assert found[name].tobytes() == np.ascontiguousarray(array, array.dtype.newbyteorder("=")).tobytes(), name


def npy(array):
    file = io.BytesIO()
    np.save(file, array, allow_pickle=True)
    return file.getvalue()


class TestRoundTrip:
    def test_header_and_arrays(self, path):
        header, arrays, _ = archive.read(path)
        assert header == HEADER
        assert_same(arrays, ARRAYS)
        arrays["z"][0] = 5  # one's own

    @settings(max_examples=40)
    @given(
        st.dictionaries(
            st.text(st.characters(codec="ascii", categories=["L", "N"], include_characters="._"), min_size=1),
            hnp.arrays(
                st.one_of(
                    hnp.boolean_dtypes(), hnp.integer_dtypes(), hnp.unsigned_integer_dtypes(), hnp.floating_dtypes()
                ),
                hnp.array_shapes(min_dims=0, min_side=0, max_side=4),
            ),
            max_size=4,
        ),
        st.recursive(
            st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
            lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
        ),
    )
    def test_anything(self, tmp_path_factory, arrays, header):
        path = tmp_path_factory.mktemp("any") / "a.jaxlda"
        archive.write(path, {"any": header}, arrays)
        found = archive.read(path)
        assert found.header == {"any": header}
        assert_same(found.arrays, arrays)

    def test_arrays_in_any_order_of_axes_and_bytes(self, path):
        x = np.arange(24).reshape(2, 3, 4)
        for array in (x.T, x[:, ::2], x.astype(">i4"), np.asfortranarray(x)):
            archive.write(path, {}, {"x": array})
            assert_same(archive.read(path).arrays, {"x": array})

    def test_rows_become_one_array(self, path):
        rows = tuple(np.arange(12).reshape(3, 2, 2)[:, :, ::-1])
        archive.write(path, {}, {"x": rows})
        assert_same(archive.read(path).arrays, {"x": np.stack(rows)})
        for wrong in ((), (np.arange(3), np.arange(2)), (np.arange(3), np.arange(3.0))):
            with pytest.raises(ValueError, match="the arrays in 'x' must be some, and have one shape and dtype"):
                archive.write(path, {}, {"x": wrong})

    def test_the_same_content_gives_the_same_bytes(self, path, tmp_path):
        archive.write(tmp_path / "b.jaxlda", HEADER, ARRAYS)
        assert path.read_bytes() == (tmp_path / "b.jaxlda").read_bytes()

    def test_numpy_opens_it_too(self, path):
        with np.load(path) as arrays:
            np.testing.assert_array_equal(arrays["chain0.n_dk"], ARRAYS["chain0.n_dk"])


class TestDamage:
    def test_truncation_is_noticed(self, path):
        content = path.read_bytes()
        for size in range(0, len(content), 3):
            path.write_bytes(content[:size])
            with pytest.raises(ValueError, match=r"a\.jaxlda' is (damaged|not a file saved by jaxlda)"):
                archive.read(path)

    def test_a_changed_bit_is_noticed(self, path):
        content = path.read_bytes()
        for place in range(0, len(content), 3):
            changed = bytearray(content)
            changed[place] ^= 1 << place % 8
            path.write_bytes(changed)
            with pytest.raises(ValueError, match=r"a\.jaxlda' is (damaged|not a file saved by jaxlda)"):
                archive.read(path)

    @pytest.mark.parametrize("where", ["before", "after"])
    def test_more_bytes_are_noticed(self, path, where):
        content = path.read_bytes()
        path.write_bytes(content[:50] + content if where == "before" else content + b"more")
        with pytest.raises(ValueError, match="damaged"):
            archive.read(path)

    def test_names_the_array(self, path):
        content = path.read_bytes()
        at = content.index(ARRAYS["z"].tobytes())
        path.write_bytes(content[:at] + b"\xff" + content[at + 1 :])
        with pytest.raises(ValueError, match=r"damaged: .*'z.npy'.*use another copy"):
            archive.read(path)

    def test_a_checksum_of_zip_is_not_enough(self, path, monkeypatch):
        real = archive._digest
        monkeypatch.setattr(archive, "_digest", lambda *pieces: real(*pieces, b"!"))
        archive.write(path, {}, {"x": np.arange(3)})
        monkeypatch.undo()
        with pytest.raises(ValueError, match="damaged: the array 'x' was changed"):
            archive.read(path)

    def test_exchanged_arrays_are_noticed(self, tmp_path, monkeypatch):
        path, one = tmp_path / "a.jaxlda", {"x": np.arange(3), "y": np.arange(3) + 1}
        add = archive._add

        def mixed_up(zipped, name, *pieces):
            add(zipped, {"x.npy": "y.npy", "y.npy": "x.npy"}.get(name, name), *pieces)

        monkeypatch.setattr(archive, "_add", mixed_up)
        archive.write(path, {}, one)
        with pytest.raises(ValueError, match="does not hold the arrays its header tells of"):
            archive.read(path)


class TestForgery:
    """Files that were made with valid checksums, by somebody who means ill or by another version."""

    @pytest.fixture
    def forged(self, path, monkeypatch):
        def forge(content):
            with monkeypatch.context() as patch:
                patch.setattr(archive, "_npy", lambda name, array: [content])
                archive.write(path, {}, {"x": 0})
            return path

        return forge

    def test_pickles_are_refused(self, forged, tmp_path):
        class Evil:
            def __reduce__(self):
                return Path.touch, (tmp_path / "executed",)

        evil = npy(np.array([Evil()], dtype=object))
        assert pickle.loads(evil[evil.index(b"\x80") :]) is not None  # it would be executed
        (tmp_path / "executed").unlink()
        with pytest.raises(ValueError, match="damaged: the array 'x' is of dtype object"):
            archive.read(forged(evil))
        assert not (tmp_path / "executed").exists()

    @pytest.mark.parametrize("shape", ["(1000000000000,)", "(2,)", "(4,)", "(-1, -3)", "(3.0,)"])
    def test_shapes_that_lie_are_refused(self, forged, shape):
        honest = npy(np.arange(3, dtype=np.int32))
        lie = honest.replace(b"(3,), }".ljust(60), f"{shape}, }}".encode().ljust(60))
        assert lie != honest
        with pytest.raises(ValueError, match="damaged"):
            archive.read(forged(lie))

    @pytest.mark.parametrize(
        "content",
        [
            b"",
            b"\x93NUMPY\x01\x00",
            b"\x93NUMPY\x09\x00" + bytes(80),
            npy(np.asfortranarray(np.eye(2))),
            npy(["a"]),
            npy(1j),
            npy(np.zeros((10**9, 0))),
            npy(np.zeros((0, 3, 10**9))),
        ],
    )
    def test_other_forms_are_refused(self, forged, content):
        with pytest.raises(ValueError, match="damaged"):
            archive.read(forged(content))

    def test_what_grows_when_it_is_read_is_refused(self, path):
        with zipfile.ZipFile(path) as old:
            members = {info.filename: old.read(info) for info in old.infolist()}
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
            for name, content in members.items():
                new.writestr(name, content, zipfile.ZIP_STORED if name == archive.HEADER else None)
            new.writestr("bomb.npy", bytes(10_000_000))
        with pytest.raises(ValueError, match="claims to hold more than it does"):
            archive.read(path)

    @pytest.mark.parametrize("header", [b"[]", b"{}", b"\xff", b"{", b"[" * 100_000, b'{"format": 1, "version": "2"}'])
    def test_headers_of_another_form_are_refused(self, path, header):
        with zipfile.ZipFile(path, "w") as new:
            new.writestr(archive.HEADER, header)
        with pytest.raises(ValueError, match="damaged"):
            archive.read(path)

    def test_another_format_is_refused(self, path):
        with zipfile.ZipFile(path, "w") as new:
            new.writestr(archive.HEADER, json.dumps({"format": "other", "version": 1}))
        with pytest.raises(ValueError, match="not a file saved by jaxlda"):
            archive.read(path)


@pytest.mark.parametrize(
    ("other", "message"),
    [(3, "pip install --upgrade jaxlda"), (1, "Fit anew, or read it with the version that wrote it")],
)
def test_another_version_says_what_to_do(path, monkeypatch, other, message):
    with monkeypatch.context() as patch:
        patch.setattr(archive, "VERSION", other)
        archive.write(path, HEADER, ARRAYS)
    with pytest.raises(ValueError, match=rf"version {other} of the format.*reads version 2\..*{message}"):
        archive.read(path)


class TestWhatIsNoFile:
    @pytest.mark.parametrize("content", [b"", b"PK", b"hello, world" * 20, npy(np.arange(3))])
    def test_strangers(self, tmp_path, content):
        (tmp_path / "x").write_bytes(content)
        with pytest.raises(ValueError, match="x' is not a file saved by jaxlda"):
            archive.read(tmp_path / "x")

    def test_arrays_saved_by_numpy(self, tmp_path):
        np.savez(tmp_path / "x.npz", x=np.arange(3))
        with pytest.raises(ValueError, match="not a file saved by jaxlda"):
            archive.read(tmp_path / "x.npz")

    def test_missing(self, tmp_path):
        with pytest.raises(FileNotFoundError, match=r"there is no file '.*x'"):
            archive.read(tmp_path / "x")
        with pytest.raises(FileNotFoundError, match=r"there is no folder '.*no' to write 'x' to; make it first"):
            archive.write(tmp_path / "no" / "x", {}, {})

    def test_folders(self, tmp_path):
        with pytest.raises(IsADirectoryError, match="is a folder, not a file"):
            archive.read(tmp_path)
        with pytest.raises(IsADirectoryError, match="is a folder; give the path of a file in it"):
            archive.write(tmp_path, {}, {})

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs pipes that have a name")
    def test_pipes(self, tmp_path):
        os.mkfifo(tmp_path / "x")
        with pytest.raises(ValueError, match="not a file saved by jaxlda"):
            archive.read(tmp_path / "x")
        with pytest.raises(ValueError, match="is not a file but a device or the like"):
            archive.write(tmp_path / "x", {}, {})

    def test_no_permission(self, path, monkeypatch):
        """Simulated, because the superuser may do everything."""

        def refuse(*args, **options):
            raise PermissionError(errno.EACCES, "Permission denied")

        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", refuse)
            with pytest.raises(PermissionError, match=r"no permission to read '.*a\.jaxlda'"):
                archive.read(path)
        monkeypatch.setattr(os, "access", lambda *args: False)
        with pytest.raises(PermissionError, match=r"no permission to write 'a\.jaxlda' to the folder"):
            archive.write(path, {}, {})

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere")
    def test_a_folder_that_cannot_be_written(self, path):
        path.parent.chmod(0o500)
        try:
            with pytest.raises(PermissionError, match="no permission to write"):
                archive.write(path, {}, {})
        finally:
            path.parent.chmod(0o700)

    def test_texts_and_objects_are_no_numbers(self, path):
        before = path.read_bytes()
        for array in (["a"], [None], [1j], np.array(["2020-01-01"], "datetime64[D]")):
            with pytest.raises(TypeError, match="only numbers can be saved; the array 'x' has dtype"):
                archive.write(path, {}, {"x": np.asarray(array)})
        with pytest.raises(TypeError, match="not JSON serializable"):
            archive.write(path, {"x": object()}, {})
        assert path.read_bytes() == before


class TestAtomic:
    @pytest.mark.parametrize("function", ["fsync", "replace"])
    def test_a_failure_leaves_the_old_file(self, path, monkeypatch, function):
        def fail(*args):
            raise OSError(errno.ENOSPC, "No space left on device")

        with monkeypatch.context() as patch:
            patch.setattr(os, function, fail)
            with pytest.raises(OSError, match="No space left"):
                archive.write(path, {}, {"x": np.arange(3)})
        assert_same(archive.read(path).arrays, ARRAYS)
        assert os.listdir(path.parent) == [path.name]

    def test_what_a_killed_process_left_is_overwritten(self, path):
        (path.parent / f".{path.name}.tmp").write_bytes(bytes(100_000))
        archive.write(path, {}, {"x": np.arange(3)})
        assert_same(archive.read(path).arrays, {"x": np.arange(3)})
        assert os.listdir(path.parent) == [path.name]

    def test_is_on_the_disk_before_it_has_the_name(self, path, monkeypatch):
        done = []
        fsync, replace = os.fsync, os.replace
        monkeypatch.setattr(os, "fsync", lambda handle: (done.append("fsync"), fsync(handle)))
        monkeypatch.setattr(os, "replace", lambda *args: (done.append("replace"), replace(*args)))
        archive.write(path, {}, {})
        assert done == ["fsync", "replace", "fsync"]  # the file, its name, the folder with the name

    def test_several_writers_and_a_reader(self, path):
        """Writers of the same file take turns, and whoever reads meanwhile finds one that is whole."""

        def keep_writing(number):
            for _ in range(30):
                archive.write(path, {"by": number}, {"x": np.full(20_000, number)})

        writers = [threading.Thread(target=keep_writing, args=(number,)) for number in range(3)]
        archive.write(path, {"by": 9}, {"x": np.full(3, 9)})
        for writer in writers:
            writer.start()
        seen = set()
        while any(writer.is_alive() for writer in writers):
            header, arrays, _ = archive.read(path)
            assert (arrays["x"] == header["by"]).all()
            seen.add(header["by"])
        for writer in writers:
            writer.join()
        assert len(seen) > 1 and os.listdir(path.parent) == [path.name]

    @pytest.mark.skipif(os.name != "posix", reason="needs links")
    def test_links(self, path):
        link = path.parent / "link"
        link.symlink_to(path)
        archive.write(link, {}, {"x": np.arange(3)})
        assert link.is_symlink() and list(archive.read(path).arrays) == ["x"]
        (path.parent / f".{path.name}.tmp").symlink_to(path.parent / "victim")
        with pytest.raises(ValueError, match="is a link"):
            archive.write(path, {}, {})
        assert not (path.parent / "victim").exists()

    @pytest.mark.skipif(os.name != "posix", reason="needs permissions")
    def test_who_may_read_it_does_not_change(self, path):
        archive.write(path, {}, {})
        path.chmod(0o600)
        archive.write(path, {}, {"x": np.arange(3)})
        assert path.stat().st_mode & 0o777 == 0o600

    def test_others_may_read_it_as_any_new_file(self, path):
        other = path.parent / "other"
        other.touch()
        assert path.stat().st_mode == other.stat().st_mode
