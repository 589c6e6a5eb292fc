"""Which kind of file holds a corpus: by how it begins, by its name, and by what its lines look like."""

import json
import re

from jaxlda.corpora.readers._cells import is_table
from jaxlda.corpora.readers._encodings import as_utf8, is_binary
from jaxlda.corpora.readers._source import NUMBER, PICKLES, Source
from jaxlda.corpora.readers.archives import member_names
from jaxlda.corpora.readers.kinds import KINDS
from jaxlda.corpora.readers.tables import COMMON_NAMES

__all__ = ["kind_of"]

# Files of other programs that are no corpus, by how they begin.
_FOREIGN = (
    (b"%PDF", "a PDF; save it as text"),
    (b"\xd0\xcf\x11\xe0", "an old Excel or Word file; save it as CSV or text"),
    (b"\x93NUMPY", "an array of NumPy; give it to jaxlda.Corpus.from_counts"),
    *((magic, "a pickle, which is not read: it could run code") for magic in PICKLES),
    (b"\xac\xed\x00\x05", "a binary file of MALLET; export it as text"),
    (b"\x89HDF", "an HDF5 file; save its texts as CSV"),
    (b"SQLite format 3", "a database of SQLite; export its texts as CSV"),
    (b"7z\xbc\xaf", "a 7z archive; unpack it"),
    (b"Rar!", "a rar archive; unpack it"),
    (b"\x28\xb5\x2f\xfd", "packed by zstd; unpack it"),
    (b"#doc source pos typeindex", "a sample of MALLET; read it with jaxlda.io.read_mallet_state or jaxlda estimate"),
    (b"<?xml", "an XML file; save its texts as CSV, or one to a line"),
    (b"<!doctype", "a web page; save it as text"),
    (b"<html", "a web page; save it as text"),
    (b"{\\rtf", "an RTF file; save it as text"),
)
_IN_ARCHIVES = (
    ("[Content_Types].xml", "an Excel or Word file; save it as CSV or text"),
    ("mimetype", "an OpenDocument or EPUB file; save it as CSV or text"),
    ("META-INF/MANIFEST.MF", "a Java archive"),
)
_MANY = 1 << 16
_LINES = 50
_ARFF = re.compile(rb"(?:\s|%.*+\n)*+@(?:relation|attribute)\s", re.IGNORECASE)
_NUMBER_LINE = rb"[ \t]*+\d{1,9}+[ \t\r]*+\n"
_UCI = re.compile(rb"(?:" + _NUMBER_LINE + rb"){3}(?:\s*+\Z|[ \t]*+\d++[ \t]++\d++[ \t]++\d++\s)")
_THREE = re.compile(rb"\d{1,9}+ \d{1,9}+ \d{1,9}+\s*+")
_FEATURE = rb"\d{1,9}+:" + NUMBER
_EXTREME = re.compile(rb"\s*+(?:\d{1,9}+(?:,\d{1,9}+)*+(?=\s|$))?+\s*+(?:" + _FEATURE + rb"\s*+)*+")
_SVM = re.compile(
    rb"\s*+" + NUMBER + rb"(?:," + NUMBER + rb")*+(?:\s++qid:\d++)?+(?P<features>(?:\s++" + _FEATURE + rb")*+)\s*+"
)
_LDAC = re.compile(rb"\s*+(?P<size>\d{1,9}+)(?P<features>(?:\s++\d{1,9}+:\d++(?:\.0*+)?+)*+)\s*+")
_DIGITS = re.compile(rb"[\d\s.,:;eE+-]*+")
_INSTANCE = re.compile(r"([^\s]++)\t([^\s]++)\t[^\t]*[^\W\d][^\t]*")


def kind_of(source: Source) -> str:
    r"""The kind of a file, a key of ``KINDS``; one that is no corpus, or could be anything, is refused.

    >>> kind_of(Source("m", b"%%MatrixMarket matrix coordinate integer general\n"))
    'mm'
    """
    name = source.plain_name
    begin = re.search(rb"\S", source.raw)
    if not begin:
        raise source.error(None, "is empty")
    head = as_utf8(source.raw[begin.start() : begin.start() + _MANY])
    if (kind := _by_beginning(source, head)) is not None:
        return kind
    ending = re.search(r"\.[a-z0-9_]+$", name)
    named = next((kind for kind, about in KINDS.items() if ending and ending[0] in about.endings), None)
    if named not in (None, "text", "parquet", "zip"):
        return str(named)
    if is_binary(head):
        raise source.error(None, f"is not text, nor any other kind that is read; those are {_listed()}")
    found = _by_lines(head, len(source.raw) <= _MANY)
    if found is None and _DIGITS.fullmatch(head):
        raise source.error(None, f"holds numbers, but the first lines do not tell which kind; say it: {_listed()}")
    if found is None and ending is not None and named != "text" and not source.name.startswith("<"):
        raise source.error(
            None, f"the ending {ending[0]!r} and the first lines do not tell what kind it is; say which: {_listed()}"
        )
    return "uci" if name.startswith("docword.") and found is None else found or "text"


def _listed() -> str:
    return ", ".join(f"{kind} ({about.about})" for kind, about in KINDS.items())


def _by_beginning(source: Source, head: bytes) -> str | None:
    """Kinds that say what they are."""
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if head.startswith(b"PAR1"):
        return "parquet"
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        names = member_names(source)
        for sign, what in _IN_ARCHIVES:
            if sign in names:
                raise source.error(None, f"is {what}")
        arrays = sum(name.endswith(".npy") for name in names)
        if arrays and "header.json" in names:
            raise source.error(None, "is a model or run saved by jaxlda, not a corpus; read it with jaxlda.load")
        if names and arrays == len(names):
            raise source.error(None, "is a file of NumPy arrays; give its counts to jaxlda.Corpus.from_counts")
        return "zip"
    for magic, what in _FOREIGN:
        if start.startswith(magic.lower()) or head.startswith(magic):
            raise source.error(None, f"is {what}")
    if head[257:262] == b"ustar":
        raise source.error(None, "is a tar archive; unpack it and give the folder")
    if start.startswith(b"%%matrixmarket"):
        return "mm"
    return "mulan" if _ARFF.match(head.removeprefix(b"\xef\xbb\xbf")) else None


def _by_lines(head: bytes, whole: bool) -> str | None:
    """Kinds whose lines look like nothing else."""
    end = len(head) if whole else head.rfind(b"\n") + 1 or len(head)
    rows = [row for row in head[:end].splitlines() if row.strip()][:_LINES]
    if not rows:
        return None
    if _UCI.match(head[:end]):
        return "uci"
    if len(rows) > 1 and _THREE.fullmatch(rows[0]) and all(_EXTREME.fullmatch(row) for row in rows[1:]):
        return "extreme"
    ldac = [_LDAC.fullmatch(row) for row in rows]
    if all(m and int(m["size"]) == len(m["features"].split()) for m in ldac):
        return "ldac"
    svm = [_SVM.fullmatch(row.partition(b"#")[0]) for row in rows]
    if all(svm) and any(m and m["features"] for m in svm):
        return "svmlight"
    return _by_text([row.decode("utf-8", "replace") for row in rows])


def _by_text(rows: list[str]) -> str | None:
    """Kinds made of text."""
    if _is_object(rows[0]) or rows[0].strip() in ("[", "[{") or rows[0].lstrip().startswith(("[{", '["')):
        return "jsonl"
    instances = [_INSTANCE.fullmatch(row.rstrip()) for row in rows]
    if len(rows) > 1 and all(instances) and len({m[1] for m in instances if m}) == len(rows):
        return "mallet"
    names = {cell.strip(' "').casefold() for cell in re.split(r"[,;\t|]", rows[0])}
    if len(names) > 1 and len(rows) > 1 and names & COMMON_NAMES and is_table("\n".join(rows)):
        return "csv"
    return None


def _is_object(row: str) -> bool:
    try:
        return row.lstrip().startswith("{") and isinstance(json.loads(row), dict)
    except (ValueError, RecursionError):
        return False
