"""Tables: as programs and as people write them."""

import bz2
import contextlib
import csv
import gc
import gzip
import time
import warnings
from concurrent.futures import ThreadPoolExecutor
from io import StringIO

import pytest

from jaxlda.corpora.readers import read_csv
from jaxlda.corpora.readers.preview import preview
from tests.corpora.readers.files import write

CSV = 'id,text,kind\r\n1,"a cat, ""sat""\nand left",pet;small\r\n\r\n2,a shark,\r\n3,a dog,pet\r\n'
ESCAPED = 'id;body\n1;"he said \\"a cat\\"; then left"\n2;"a \\\\ dog"\n'


@pytest.fixture
def file(tmp_path):
    return lambda content, name="file": write(tmp_path / name, content)


def test_table(file):
    corpus = read_csv(file(CSV), labels="kind", label_separator=";", title="id")
    assert corpus.vocab.tolist() == ["and", "cat", "dog", "left", "sat", "shark"] and corpus.titles == ("1", "2", "3")
    assert corpus.label_names.tolist() == ["pet", "small"]
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [1, 0]]
    assert read_csv(file(CSV), labels=2).label_names.tolist() == ["pet", "pet;small"]
    plain = read_csv(file(CSV), 1, header=False)
    assert plain.num_docs == 4 and "text" in plain.vocab and plain.labels is None and plain.titles is None


def test_delimiters(file):
    table = "text\tkind\nsome cats, dogs\tpet\n"
    assert read_csv(file(table, "x.tsv"), labels="kind").vocab.tolist() == ["cats", "dogs", "some"]
    assert read_csv(file(gzip.compress(table.encode()), "x.TSV.gz"), labels="kind").num_docs == 1
    assert read_csv(file(table.replace("\t", ";")), delimiter=";").num_docs == 1


def test_long_cells_are_read_whatever_the_process_limit(file):
    before = csv.field_size_limit()
    corpus = read_csv(file("text\n" + "word " * 100_000 + "\n"))
    assert corpus.num_tokens == 100_000 and csv.field_size_limit() == before


def test_threads_do_not_disturb_each_other(tmp_path):
    """The limit of csv is one for the process: readers that changed it and put it back made others fail."""
    paths = [write(tmp_path / f"{i}.csv", "text\n" + "word " * size + "\n") for i, size in enumerate([10, 60_000] * 10)]
    with ThreadPoolExecutor(8) as threads:
        assert [corpus.num_tokens for corpus in threads.map(read_csv, paths)] == [10, 60_000] * 10


@pytest.mark.parametrize(
    "content, options, message",
    [
        ("", {}, "file: is empty"),
        ("\n\n", {}, "file: is empty"),
        (CSV, {"text": "body"}, "line 1: there is no column 'body'; there are 'id', 'text', 'kind'"),
        (CSV, {"text": 3}, "line 1: there is no column 3; there are 'id', 'text', 'kind'"),
        (CSV, {"text": -1}, "line 1: there is no column -1"),
        (CSV, {"text": "text", "header": False}, "line 1: there is no column 'text'; there are 0 to 2"),
        (CSV.replace("id", "text"), {}, "line 1: there are 2 columns 'text'; give the number of one"),
        (CSV.replace("shark,", "shark,x,y"), {}, r"line 5: has 4 cell\(s\), but the first row has 3"),
        (CSV.replace("2,a shark,", "2"), {}, r"line 5: has 1 cell\(s\)"),
        (CSV.replace('left"', 'left"x'), {}, r"line 3: has 2 cell\(s\), but the first row has 3"),
        (CSV, {"delimiter": ",,"}, "delimiter must be a single character"),
        ("a" + "," * 20_000, {}, "line 1: has more than 16384 cells"),
        ("text,kind\na cat,\n", {"labels": "kind"}, "file: there are no labels at all"),
        ("text\n", {}, "file: the corpus has no documents"),
    ],
)
def test_wrong_tables(file, content, options, message):
    with pytest.raises(ValueError, match=message):
        read_csv(file(content), **options)


# ------------------------------------------------------------------------------------------------- as people write them

WORDS = ["cat", "dog"]


@pytest.mark.parametrize(
    "content",
    [
        "text;kind\ncat;x,y\ndog;z\n",
        "sep=;\ntext;kind\ncat;x\ndog;y\n",
        "SEP=|\r\ntext|kind\r\ncat|x\r\ndog|y\r\n",
        "text\tkind\ncat\tx,y\ndog\tz\n",
        'kind, "text"\nx, "cat"\ny,\t"dog"\n',
        "text,kind,\ncat,x,\ndog,y,\n",
        "text,kind\ncat,x,\ndog,y,,\n",
        "text,kind,,\ncat,x\ndog,y\n",
        " Text ,kind\ncat,x\ndog,y\n",
        "text,kind\rcat,x\rdog,y\r",
        "\ufefftext,kind\ncat,x\ndog,y\n",
        'text,kind\n\ncat,x\n\n"dog",y\n\n',
    ],
)
def test_dialects(file, content):
    assert read_csv(file(content)).vocab.tolist() == WORDS and read_csv(file(content)).num_docs == 2


def test_escaped_quotes(file):
    corpus = read_csv(file(ESCAPED), token_pattern=r"[^\s]+")
    assert corpus.vocab.tolist() == ['"a', "\\", "a", 'cat";', "dog", "he", "left", "said", "then"]
    windows = 'text,path\na cat,"C:\\"\na dog,"D:\\"\n'  # here a backslash is a backslash
    assert read_csv(file(windows)).vocab.tolist() == WORDS


def test_a_lone_quote_is_text(file):
    with pytest.warns(UserWarning, match=r"file: 1 quote\(s\) are never closed, the first in line 2: kept as text"):
        corpus = read_csv(file('text,kind\n"cat,x\ndog,y\n'))
    assert corpus.vocab.tolist() == WORDS
    assert read_csv(file('text,kind\n5" cat,x\na 3" dog,y\n')).vocab.tolist() == WORDS


def test_rows_that_do_not_fit_are_counted(file):
    rows = ["text,kind"] + ["cat,x"] * 60
    rows[10], rows[20] = "cat,x,y", "cat"
    with pytest.warns(
        UserWarning, match=r"2 row\(s\) are ignored; the first, in line 11, has 3 cell\(s\), but the first"
    ):
        assert read_csv(file("\n".join(rows))).num_docs == 58
    with pytest.warns(UserWarning, match=r"1 row\(s\) end in delimiters, which are ignored; the first is in line 2"):
        assert read_csv(file("text,kind\ncat,x,\ndog,y\n")).num_docs == 2
    with pytest.warns(UserWarning, match=r"2 row\(s\) of nothing but delimiters are ignored; the first is in line 3"):
        assert read_csv(file("text,kind\ncat,x\n,,\ndog,y\n,\n\n")).num_docs == 2


@pytest.mark.parametrize(
    "content, number",
    [
        ("cat in the hat\ndog in the fog\n", 2),
        ("1,cat in the hat\n2,dog in the fog\n", 2),
        ("nr,note\n1,cat in the hat\n2,dog in the fog\n", 2),
        ("note\nthe cat in the hat sat on the mat\nthe dog in the fog did not\n", 2),
        ("title,body\ncat,dog\n", 1),
    ],
)
def test_headers_are_found(file, content, number):
    assert read_csv(file(content)).num_docs == number


def test_the_column_of_texts_is_found(file, caplog):
    caplog.set_level("INFO", "jaxlda.io")
    content = "id,note,kind\n0123456789,a cat in a hat,pet\n9876543210,a dog,pet\n"
    assert read_csv(file(content), stop_words=["in"]).vocab.tolist() == ["cat", "dog", "hat"]
    assert "texts are in column 'note', the one with most letters" in caplog.messages
    assert read_csv(file(content), "kind").vocab.tolist() == ["pet"]
    assert read_csv(file(content), labels="note").vocab.tolist() == ["pet"]


@pytest.fixture
def uncollected():
    """In a process that holds thousands of programs, collecting memory takes longer than reading a table."""
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_long_tables_that_almost_fit_are_read_quickly(file):
    for piece in ('"a\n', '"', '""\n', '"""\n', '"a""\n', ' "', ',"', '\\"', '"\\'):
        start = time.process_time()
        with warnings.catch_warnings(), contextlib.suppress(ValueError):
            warnings.simplefilter("ignore")
            read_csv(file("text,b\n" + piece * 5_000))
        assert time.process_time() - start < 1, piece


def test_a_packed_table_of_tabs_is_shown_as_it_is_read(tmp_path):
    """Both signs would cut it into two columns."""
    path = tmp_path / "pets.tsv.bz2"
    path.write_bytes(bz2.compress(b"body, or text\ttags\none, two\tpet\nthree, four\twild\n"))
    assert preview(path, "csv").rows[0] == ["one, two", "pet"]
    assert read_csv(path).metadata.tags.tolist() == ["pet", "wild"]


def test_columns_of_one_name_are_told_apart():
    table = read_csv(StringIO("text,year,year\ncat,1,2\ndog,3,4\n")).metadata
    assert table.to_dict("list") == {"year": [1, 3], "year (2)": [2, 4]}
