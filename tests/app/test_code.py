"""The code is executed, and what it gives compared with what was shown, to the bit."""

import pytest

import jaxlda
from jaxlda_app import sources
from jaxlda_app.code import reproducing
from tests.app.snapshots import partial, same_chains, snapshot_of
from tests.app.test_sources import GOOD

LOADING = "corpus, truth = jaxlda.datasets.simulate(40, 3, 20, 12, labels_per_doc=1.5, seed=1)"


@pytest.fixture(scope="module")
def halves():
    return jaxlda.datasets.simulate(40, 3, 20, 12, labels_per_doc=1.5, seed=1)[0].split(0.25, seed=5)


@pytest.fixture(scope="module")
def finished(halves):
    return snapshot_of(halves[0], num_topics=3, held=halves[1])


def executed(code):
    names = {"print": lambda *values: None}
    exec(compile(code, "reproducing", "exec"), names)
    return names


def check(snapshot):
    names = executed(reproducing(snapshot, LOADING))
    assert same_chains(names["model"].run_, snapshot.run)
    return names


def test_finished(finished):
    names = check(finished)
    assert names["held"].num_docs == finished.held.num_docs
    assert (names["held"].counts != finished.held.counts).nnz == 0


@pytest.mark.parametrize("sweep", [1, 3, 4, 5, 6])  # in the burn-in, at its end, before a draw, at it, after it
def test_stopped_at_any_sweep(finished, sweep):
    check(partial(finished, sweep))


def test_more_sweeps_than_were_planned(finished, halves):
    model = jaxlda.LDA(**finished.model.params).fit(halves[0]).resume(3)
    assert model.run_.num_draws == 4
    check(finished._replace(run=model.run_))


@pytest.mark.hours
def test_other_kernels_and_models(halves):
    check(snapshot_of(halves[0], num_topics=3, kernel="cvb0", held=halves[1]))
    check(snapshot_of(halves[0], "PriorLDA", unlabeled="skip", held=halves[1]))


@pytest.mark.hours
def test_without_held_documents():
    corpus = jaxlda.datasets.simulate(40, 3, 20, 12, labels_per_doc=1.5, seed=1)[0]
    snapshot = snapshot_of(corpus, num_topics=2, alpha=[0.25, 0.5], num_chains=1)
    assert "split" not in reproducing(snapshot, LOADING)
    check(snapshot)


def test_says_what_it_needs_and_no_more(finished):
    code = reproducing(finished, LOADING)
    assert f"# jaxlda {jaxlda.__version__}, JAX" in code
    assert "num_topics=3," in code and "seed=5," in code and "kernel='cgs'," in code
    assert "progress" not in code and "trace_every" not in code and "alpha" not in code


def test_what_cannot_be_reproduced(finished):
    start = next(jaxlda.run_blocks(finished.run.key, finished.run.algorithm, finished.run.data))
    with pytest.raises(ValueError, match="Nothing is sampled yet"):
        reproducing(finished._replace(run=start), LOADING)
    params = finished.model.params | {"beta": [0.1] * 300}
    with pytest.raises(ValueError, match=r"would not show beta.*export the run file"):
        reproducing(finished._replace(model=finished.model._replace(params=params)), LOADING)
    params = finished.model.params | {"kernel": jaxlda.kernels.cvb0(chunk=7)}
    assert "kernel='cvb0(chunk=7)'" in reproducing(
        finished._replace(model=finished.model._replace(params=params)), LOADING
    )
    with pytest.raises(ValueError, match="not known how"):
        reproducing(finished, None)


@pytest.mark.parametrize("format", GOOD)
def test_files_are_read_again_by_the_code(format, tmp_path, monkeypatch):
    chosen = {"labels": "label", "title": "title"} if format == "csv" else {}
    source = sources.read(GOOD[format], **chosen)
    for name, content in GOOD[format].items():
        (tmp_path / name).write_bytes(content)
    monkeypatch.chdir(tmp_path)
    same_corpus(executed(f"import jaxlda\n{source.code}")["corpus"], source.corpus)


@pytest.mark.parametrize("name", sources.BUNDLED)
def test_bundled_corpora_are_made_again_by_the_code(name):
    source = sources.bundled_source(name)
    same_corpus(executed(f"import jaxlda\n{source.code}")["corpus"], source.corpus)


def same_corpus(one, other):
    assert (one.counts != other.counts).nnz == 0 and one.vocab.tolist() == other.vocab.tolist()
    assert one.titles == other.titles and (one.labels is None) == (other.labels is None)
    if one.labels is not None:
        assert (one.labels != other.labels).nnz == 0 and one.label_names.tolist() == other.label_names.tolist()
