"""Parquet, where pyarrow is installed."""

import io
import sys

import pytest

from jaxlda.corpora.readers import read_corpus, read_parquet

TABLE = {
    "nr": [1, 2, 3],
    "body": ["a cat sat", None, "a dog"],
    "kind": [["pet", "small"], [], None],
    "tag": ["x;y", None, "y"],
}


def parquet(table=TABLE):
    """A small file."""
    pyarrow, module = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    module.write_table(pyarrow.table(table), file)
    return file.getvalue()


def test_tables():
    with pytest.warns(UserWarning, match=r"1 text\(s\) are missing: empty documents"):
        corpus = read_parquet(io.BytesIO(parquet()), labels="kind", title="nr")
    assert corpus.vocab.tolist() == ["cat", "dog", "sat"] and corpus.titles == ("1", "2", "3")
    assert corpus.labels.toarray().astype(int).tolist() == [[1, 1], [0, 0], [0, 0]]
    with pytest.warns(UserWarning, match="missing"):
        corpus = read_corpus(io.BytesIO(parquet()), labels="tag", label_separator=";")
    assert corpus.label_names.tolist() == ["x", "y"] and corpus.titles is None


def test_wrong_files(monkeypatch):
    content = parquet()
    with pytest.raises(ValueError, match="BytesIO>: is not a Parquet file that can be read"):
        read_parquet(io.BytesIO(content[:-9]))
    with pytest.raises(ValueError, match="there is no column 'text'; there are 'nr', 'body', 'kind', 'tag'"):
        read_parquet(io.BytesIO(content), "text")
    bomb = parquet({"text": ["ab " * 1_000_000]})
    with pytest.raises(ValueError, match=r"column 'text' holds 30.* bytes, more than the 300000 of max_bytes"):
        read_parquet(io.BytesIO(bomb), max_bytes=300_000)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(ValueError, match="is a Parquet file, which needs pyarrow: pip install pyarrow"):
        read_parquet(io.BytesIO(content))
