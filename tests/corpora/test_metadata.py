"""What is known of documents beside their words."""

import io
import zipfile

import numpy as np
import pandas as pd
import pytest

from jaxlda.corpora.comparing import same
from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.metadata import column_of, restored, stored
from jaxlda.corpora.readers import read_csv, read_jsonl, read_zip

CORPUS = Corpus.from_counts([[1, 0], [0, 2], [3, 1]])
TABLE = pd.DataFrame({"year": [1984, 1990, 2001], "party": ["a", "b", "a"]})


def test_tables_come_back_and_follow_the_documents():
    corpus = CORPUS.with_metadata(TABLE)
    pd.testing.assert_frame_equal(corpus.metadata, TABLE, check_dtype=False)
    assert corpus.subset([2, 0]).metadata.year.tolist() == [2001, 1984]
    assert corpus[1:].metadata.party.tolist() == ["b", "a"]
    train, test = corpus.split(1)
    assert sorted([*train.metadata.year, *test.metadata.year]) == [1984, 1990, 2001]
    assert all(half.metadata.year.tolist() == [1984, 1990, 2001] for half in corpus.halves())
    assert corpus.select_words(["w1", "w0"]).metadata is not None and CORPUS.metadata is None


def test_wrong_metadata():
    with pytest.raises(ValueError, match=r"the column 'year' has shape \(2,\); the corpus has 3 documents"):
        CORPUS.with_metadata({"year": [1, 2]})
    with pytest.raises(TypeError, match="a pandas table or a dict of columns, not list"):
        CORPUS.with_metadata([1, 2, 3])


def test_readers_keep_what_else_there_is():
    table = read_csv(io.StringIO("text,year,party,zip\ncat,1984,a,01234\ndog,,b,99999\n")).metadata
    assert table.columns.tolist() == ["year", "party", "zip"] and table.zip.tolist() == ["01234", "99999"]
    np.testing.assert_array_equal(table.year, [1984, np.nan])
    objects = '{"text": "cat", "year": 1984, "tags": ["x"]}\n{"text": "dog", "year": 1990}\n'
    assert read_jsonl(io.StringIO(objects)).metadata.to_dict("list") == {"year": [1984, 1990]}
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a/1.txt", "cat")
        archive.writestr("2.txt", "dog")
    found = read_zip(io.BytesIO(file.getvalue())).metadata
    assert found.to_dict("list") == {"file": ["2.txt", "a/1.txt"], "folder": ["", "a"]}
    assert read_csv(io.StringIO("cat\ndog\n"), header=False).metadata is None


@pytest.mark.parametrize(
    "values, expected",
    [
        (["1", "-2"], [1, -2]),
        (["1.5", "2e3"], [1.5, 2000.0]),
        (["1", "x"], ["1", "x"]),
        (["", ""], ["", ""]),
        ([".", "1"], [".", "1"]),
        (["e02", ".e5"], ["e02", ".e5"]),
        (["\u0661", "1"], ["\u0661", "1"]),
        ([True, False], [True, False]),
        ([1, None], [1.0, np.nan]),
        ([10**30, 1], [10**30, 1]),
        (["1e400", "1"], [np.inf, 1.0]),
    ],
)
def test_columns(values, expected):
    np.testing.assert_array_equal(column_of(values), np.array(expected, column_of(values).dtype))


def test_short_objects_take_no_room():
    """A thousand keys in the first object, and none in the many others."""
    first = "{" + ", ".join(f'"k{i}": 1' for i in range(1000)) + ', "text": "cat"}\n'
    with pytest.warns(UserWarning, match=r"has too many keys \(1000\) for metadata, which is left out"):
        assert read_jsonl(io.StringIO(first + '{"text": "a"}\n' * 2_000), max_tokens=10**6).metadata is None


def test_short_rows_take_no_room():
    with pytest.raises(ValueError, match=r"line 2: has 1 cell\(s\), but the first row has 1001"):
        read_csv(io.StringIO("text" + "," * 1000 + "\n" + "cat\n" * 10), delimiter=",")


@pytest.mark.parametrize(
    "columns, message",
    [
        ([1, 2], "no metadata of its documents"),
        ({1: np.arange(2)}, "no metadata of its documents"),
        ({"year": np.arange(3)}, "the corpus has 2 documents"),
        ({"day": ("O", np.arange(2))}, "'O' is no unit of dates"),
        ({"day": (7, np.arange(2))}, "7 is no unit of dates"),
    ],
)
def test_stored_metadata_must_be_of_the_documents(columns, message):
    with pytest.raises(ValueError, match=message):
        restored(columns, 2)


def test_metadata_are_stored():
    columns = {
        "day": np.array(["2020-01-02", "NaT"], "M8[ns]"),
        "who": np.array(["a", None], object),
        "n": np.array([1.5, np.nan]),
        "ok": np.array([True, False]),
        "name": np.array(["x", "yy"]),
    }
    again = restored(stored(columns), 2)
    for name, values in columns.items():
        expected = values.astype(object) if values.dtype.kind == "U" else values  # texts come back as objects
        assert same(again[name], expected), name
    assert restored(None, 2) is None and stored(None) is None


def test_signs_that_are_blank_to_some_are_no_numbers():
    """Such as the separator of records, which float does not take."""
    assert column_of(["1", "\x1e2"]).tolist() == ["1", "\x1e2"]


def test_columns_of_one_name_are_refused():
    table = pd.DataFrame([[1, 2], [3, 4]], columns=["year", "year"])
    with pytest.raises(ValueError, match="metadata have the column 'year' twice"):
        Corpus.from_texts(["cat", "dog"]).with_metadata(table)
