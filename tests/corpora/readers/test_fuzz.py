"""Every reader, on damaged files: a corpus or our own refusal, within a second and 256 MB."""

import bz2
import gzip
import io
import lzma
import os
import subprocess
import sys
import zipfile

import pytest

from jaxlda import io as readers
from tests.corpora.readers.fuzzing import damage
from tests.corpora.readers.test_archives import zipped
from tests.corpora.readers.test_bags import LDAC, UCI, WORDS
from tests.corpora.readers.test_extreme import FILE as EXTREME
from tests.corpora.readers.test_mallet import STATE
from tests.corpora.readers.test_matrices import MARKET, SVM
from tests.corpora.readers.test_mulan import DENSE, MEKA, SPARSE, XML
from tests.corpora.readers.test_objects import ARRAY, JSONL
from tests.corpora.readers.test_parquet import parquet
from tests.corpora.readers.test_tables import CSV, ESCAPED
from tests.corpora.readers.test_text import LINES
from tests.corpora.readers.test_warplda import VOCAB, Z

INSTANCES = "one\tpet\ta cat sat\ntwo\twild\ta shark\n"


def with_labels(file):
    return readers.read_csv(file, labels=2, title=0)


def beside(read, other):
    """Whole files first, the damaged one second."""
    return lambda file: read(io.BytesIO(other.encode()), file)


CASES = {
    "text": (LINES, readers.read_text),
    "text, gzip": (gzip.compress(LINES.encode()), readers.read_text),
    "text, bz2": (bz2.compress(LINES.encode()), readers.read_text),
    "text, xz": (lzma.compress(LINES.encode()), readers.read_text),
    "text, utf-16": (LINES.encode("utf-16"), readers.read_text),
    "csv": (CSV, with_labels),
    "csv, escaped": (ESCAPED, readers.read_csv),
    "jsonl": (JSONL, lambda file: readers.read_jsonl(file, labels="kind", title="id")),
    "json": (ARRAY, readers.read_jsonl),
    "zip": (zipped(), lambda file: readers.read_zip(file, labels="folder")),
    "zip, lzma": (zipped(method=zipfile.ZIP_LZMA), readers.read_zip),
    "zip, bz2": (zipped(method=zipfile.ZIP_BZIP2), readers.read_zip),
    "zip, stored": (zipped(method=zipfile.ZIP_STORED), readers.read_zip),
    "instances": (INSTANCES, readers.read_mallet_instances),
    "ldac": (LDAC, readers.read_ldac),
    "uci": (UCI, readers.read_uci),
    "vocab": ("\n".join(WORDS), beside(readers.read_ldac, LDAC)),
    "gensim": ("2\n0\tant\t1\n1\tbee\t1\n2\tcat\t1\n3\tdog\t1\n", beside(readers.read_ldac, LDAC)),
    "svmlight": (SVM, readers.read_svmlight),
    "mm": (MARKET, readers.read_matrix_market),
    "arff, sparse": (SPARSE, lambda file: readers.read_mulan(file, io.BytesIO(XML.encode()))),
    "arff, dense": (DENSE, lambda file: readers.read_mulan(file, io.BytesIO(XML.encode()))),
    "arff, meka": (MEKA, readers.read_mulan),
    "xml": (XML, beside(readers.read_mulan, SPARSE)),
    "extreme": (EXTREME, readers.read_extreme),
    "mallet state": (STATE, readers.read_mallet_state),
    "warplda": (Z, lambda file: readers.read_warplda(file, io.BytesIO(VOCAB.encode()))),
    "warplda vocab": (VOCAB, beside(readers.read_warplda, Z)),
}
ANY = {
    f"any: {name}": (content, readers.read_corpus)
    for name, (content, _) in CASES.items()
    if name not in ("vocab", "gensim", "xml", "warplda vocab")
}
CASES |= ANY

SHARES = 4  # processes that many damaged files are shared out to
linux = pytest.mark.skipif(sys.platform != "linux", reason="the limit of memory is Linux's")


def damaged(name, times):
    content, read = CASES[name]
    content = content.encode() if isinstance(content, str) else content
    assert damage(name, content, read, times) < times  # not all mutations do no harm


@linux
@pytest.mark.parametrize("name", CASES)
def test_damaged_files(name):
    damaged(name, 200)


@linux
@pytest.mark.slow
@pytest.mark.parametrize("share", range(SHARES))
def test_many_damaged_files(share, root):
    """Ten thousand for each reader, a quarter of that where it is found out which; no types are checked, for time."""
    command = [sys.executable, "-m", "tests.corpora.readers.test_fuzz", str(share), "10000"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, timeout=580)
    assert done.returncode == 0, done.stderr[-3000:]


@linux
@pytest.mark.fuzz
@pytest.mark.parametrize("name", CASES)
def test_very_many_damaged_files(name):
    """A hundred thousand, or as many as JAXLDA_FUZZ says."""
    damaged(name, int(os.environ.get("JAXLDA_FUZZ", "100000")))


def test_damaged_parquet():
    """Read by a library in C++, which maps memory as it likes: no bounds but those of errors."""
    import random
    import warnings

    from tests.corpora.readers.fuzzing import mutated

    rng = random.Random(0)
    content = parquet()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _ in range(100):
            try:
                readers.read_parquet(io.BytesIO(mutated(content, rng)))
            except ValueError as error:
                assert "BytesIO" in str(error)


if __name__ == "__main__":
    share, number = map(int, sys.argv[1:])
    for case in list(CASES)[share::SHARES]:
        damaged(case, number // 4 if case in ANY else number)
