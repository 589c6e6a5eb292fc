"""One way to read a corpus, whatever kind of file it is in."""

import inspect
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.readers import archives, bags, extreme, instances, matrices, mulan, objects, parquet, tables, text
from jaxlda.corpora.readers._source import Source, open_source
from jaxlda.corpora.readers.kinds import KINDS
from jaxlda.corpora.readers.recognition import kind_of

__all__ = ["opened", "read_corpus", "recognise"]

_READERS: dict[str, Callable[..., Corpus]] = {
    "text": text.read_text,
    "csv": tables.read_csv,
    "jsonl": objects.read_jsonl,
    "parquet": parquet.read_parquet,
    "zip": archives.read_zip,
    "folder": archives.read_folder,
    "mallet": instances.read_mallet_instances,
    "ldac": bags.read_ldac,
    "uci": bags.read_uci,
    "svmlight": matrices.read_svmlight,
    "mm": matrices.read_matrix_market,
    "mulan": mulan.read_mulan,
    "extreme": extreme.read_extreme,
}
_BESIDE: dict[str, tuple[tuple[str, tuple[str, ...]], ...]] = {
    "mulan": (("labels_path", (".xml",)),),
    "uci": (("vocab", (".txt", "")),),
}
_BESIDE |= dict.fromkeys(("ldac", "mm"), (("vocab", (".vocab",)),))
_BESIDE["svmlight"] = (*_BESIDE["ldac"], ("label_names", (".labels",)))


def recognise(path: Any, *, max_bytes: int | None = None) -> str:
    r"""The kind of a file that holds a corpus: ``"text"``, ``"csv"``, ``"ldac"`` and so on.

    A file whose kind cannot be told, or that holds no corpus, is refused.

    Examples
    --------
    >>> import io
    >>> recognise(io.BytesIO(b"2 0:1 2:3\n1 1:2\n"))
    'ldac'
    """
    if _is_folder(path):
        return "folder"
    return kind_of(open_source(path, max_bytes))


def read_corpus(
    path: Any,
    kind: str | None = None,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    report: Callable[[str], Any] | None = None,
    **options: Any,
) -> Corpus:
    r"""Read a corpus from a file of any kind that is known, and say which kind it was.

    The kinds: text (a document per line), CSV and TSV, JSON (lines or an array), Parquet, zip archives and folders of
    texts, instance lines of MALLET, LDA-C, UCI bags of words, SVMlight, Matrix Market (also gensim's), ARFF of Mulan
    and MEKA, and the format of the Extreme Classification Repository. All but folders may be packed by gzip, bzip2 or
    xz. Files beside it are found by their names: ``vocab.nips.txt`` for ``docword.nips.txt``, ``ap.dat.vocab`` for
    ``ap.dat``, ``pets.svm.labels`` for ``pets.svm``, and ``bibtex.xml`` for ``bibtex.arff`` or ``bibtex-train.arff``.

    Parameters
    ----------
    path
        A file, a folder, or a file object, which need not be seekable.
    kind
        One of ``"text"``, ``"csv"``, ``"jsonl"``, ``"parquet"``, ``"zip"``, ``"folder"``, ``"mallet"``, ``"ldac"``,
        ``"uci"``, ``"svmlight"``, ``"mm"``, ``"mulan"``, ``"extreme"``; found out if not given. A file whose kind
        cannot be told is refused.
    max_bytes, max_tokens, max_size
        Larger files are refused, as by :func:`read_text`.
    report
        A function that is told, in a sentence each, which kind of file it is and what else was found out: delimiters,
        the column with the texts. If not given: the logger ``jaxlda.io``, at level INFO.
    **options
        Those of the kind's own reader, such as :func:`read_csv`. ``None`` stands for its default. An option that the
        reader does not know is refused.

    Examples
    --------
    >>> import io
    >>> read_corpus(io.BytesIO(b"title;body\none;a cat sat\ntwo;a shark swam\n"), "csv", report=print)
    cells are separated by ';'
    the first row has the names of the columns
    texts are in column 'body', the one with most letters
    Corpus(2 documents, 4 words, 4 tokens)
    """
    kind, source = opened(path, kind, max_bytes=max_bytes, max_tokens=max_tokens, max_size=max_size, report=report)
    options = {name: value for name, value in options.items() if value is not None}
    limits = {"max_bytes": max_bytes, "max_tokens": max_tokens, "max_size": max_size}
    beside = _beside(kind, source, options)
    return _READERS[kind](source, **(_known(kind, options) | beside | (limits if kind == "folder" else {})))


def opened(
    path: Any,
    kind: str | None = None,
    *,
    max_bytes: int | None = None,
    max_tokens: int | None = None,
    max_size: int | None = None,
    report: Callable[[str], Any] | None = None,
) -> tuple[str, Any]:
    """The kind of a file, and the file as its reader takes it; of an archive with a single file, that file."""
    if kind is not None and kind not in KINDS:
        raise ValueError(f"there is no kind {kind!r}; known are {', '.join(map(repr, KINDS))}")
    if isinstance(path, str) and not path:
        raise ValueError("the path is empty; give that of a file or folder ('.' is the current one)")
    if kind == "folder" or (kind is None and _is_folder(path)):
        if kind is None and report is not None:
            report(f"recognised: folder ({KINDS['folder'].about})")
        return "folder", path
    source = open_source(path, max_bytes, max_tokens, max_size)
    if report is not None:
        source = replace(source, report=report)
    if kind is None:
        kind = kind_of(source)
        if kind == "zip":
            kind, source = _in_archive(source)
        source.report(f"recognised: {kind} ({KINDS[kind].about})")
    return kind, source


def takes_texts(kind: str) -> bool:
    """Whether files of a kind hold texts, which options of ``Corpus.from_texts`` say how to read."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(_READERS[kind]).parameters.values())


def _known(kind: str, options: dict[str, Any]) -> dict[str, Any]:
    """The options, if the reader of this kind takes them."""
    own = inspect.signature(_READERS[kind]).parameters
    others = {name for reader in _READERS.values() for name in inspect.signature(reader).parameters}
    for name in options:
        if name not in own and (name in others or not takes_texts(kind)):
            raise ValueError(f"{name!r} is no option for files of kind {kind!r}")
    return options


def _is_folder(path: Any) -> bool:
    return isinstance(path, str | os.PathLike) and Path(os.fsdecode(path)).is_dir()


def _in_archive(source: Source) -> tuple[str, Source]:
    """An archive of texts, or the only file in it if that is of another kind."""
    names = archives.member_names(source)
    if len(names) != 1 or names[0].lower().endswith(".txt"):
        return "zip", source
    try:
        member = archives.only_member(source)
        kind = kind_of(member)
    except ValueError:
        kind = "text"
    return ("zip", source) if kind == "text" else (kind, member)


def _beside(kind: str, source: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The words of counts, and labels, that lie beside it."""
    if kind not in _BESIDE:
        return {}
    file = Path(source.name)
    name = re.sub(r"\.(gz|bz2|xz)$", "", file.name)
    stem = name.removesuffix(".txt").removesuffix(".arff")
    if kind == "uci":
        stems = [stem.replace("docword", "vocab", 1)] if stem.startswith("docword") else [f"{file.name}.vocab"]
    elif kind != "mulan":
        stems = [name]
    else:
        stems = [stem, *(stem.removesuffix(part) for part in ("-train", "-test") if stem.endswith(part))]
    found: dict[str, Any] = {}
    for option, endings in _BESIDE[kind]:
        others = (file.with_name(f"{name}{ending}") for name in stems for ending in endings if name)
        if option not in options and (other := next((one for one in others if one.is_file()), None)):
            source.report(f"{'words' if option == 'vocab' else 'labels'} are in {other.name}, beside it")
            found[option] = other
    return found
