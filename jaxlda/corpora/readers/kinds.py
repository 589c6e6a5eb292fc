"""The kinds of files that hold a corpus, and how much a file may ask for.

Imports nothing: the command line lists them before it does anything.
"""

from typing import NamedTuple

__all__ = ["KINDS", "SIZE", "TOKENS", "UNPACKED", "WRITABLE", "Kind"]

# A small file must not cost much: what it may unpack to, and announce, grows with the bytes it has on disk.
UNPACKED = 1 << 24, 100
TOKENS = 1 << 24, 4
SIZE = 1 << 19, 1


class Kind(NamedTuple):
    """What a kind of file is called, and how its files are named."""

    about: str
    endings: tuple[str, ...] = ()
    writable: bool = True
    """Whether ``jaxlda.corpora.writers`` writes such files."""


KINDS = {
    "text": Kind("a document per line", (".txt", ".text", ".md")),
    "csv": Kind("a table with a document per row", (".csv", ".tsv", ".tab")),
    "jsonl": Kind("a JSON object per line, or an array of objects", (".jsonl", ".ndjson", ".json")),
    "parquet": Kind("a Parquet table with a document per row (needs pyarrow)", (".parquet", ".pq")),
    "zip": Kind("text files in a zip archive", (".zip",), writable=False),
    "folder": Kind("text files in a folder", writable=False),
    "mallet": Kind("lines of name, label and text, as mallet import-file takes them", (".instances",)),
    "ldac": Kind("LDA-C: counts of numbered words", (".ldac",)),
    "uci": Kind("a bag of words of the UCI repository, docword.*"),
    "svmlight": Kind("SVMlight or LIBSVM: labels, then word:count", (".svm", ".svmlight", ".libsvm")),
    "mm": Kind("a sparse matrix in Matrix Market format, as of gensim or scipy", (".mtx", ".mm")),
    "mulan": Kind("ARFF of Mulan or MEKA", (".arff",), writable=False),
    "extreme": Kind("the Extreme Classification Repository's", writable=False),
}
WRITABLE = tuple(name for name, kind in KINDS.items() if kind.writable)
"""Kinds of files that corpora are written as."""
