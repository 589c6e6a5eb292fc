"""Questions about documents, associations and labels, and the files of a run."""

import csv
import io
import zipfile

import numpy as np
import pandas as pd
import pytest

import jaxlda
from jaxlda.plots.scores import curve_columns
from jaxlda_app import files
from jaxlda_app.questions import _chain, documents, estimators, labels
from tests.app.snapshots import HOSTILE, partial, same_chains, snapshot_of


def corpus_with(words, titles=True):
    """A corpus of labelled documents, the third of which is empty."""
    made = jaxlda.datasets.simulate(40, 3, 20, 15, beta=0.5, labels_per_doc=1.5, seed=3)[0]
    counts = made.counts.toarray()
    counts[2] = 0
    names = [HOSTILE if d == 0 else f"Story {d}" for d in range(40)]
    return jaxlda.Corpus.from_counts(
        counts,
        words,
        titles=names if titles else None,
        labels=made.labels,
        label_names=["=1+1", HOSTILE, "plain"],
    )


@pytest.fixture(scope="module")
def corpus():
    return corpus_with([HOSTILE, "=cmd", "-2", "@x", "+1", *(f"Word{v}" for v in range(15))])


@pytest.fixture(scope="module")
def snapshot(corpus):
    train, held = corpus.split(10, seed=0)
    return snapshot_of(train, num_topics=3, held=held)


@pytest.fixture(scope="module")
def supervised(corpus):
    train, held = corpus.split(10, seed=0)
    return snapshot_of(train, "PriorLDA", held=held, unlabeled="skip", num_samples=10)


@pytest.fixture(scope="module")
def cvb0(corpus):
    train, held = corpus.split(10, seed=0)
    return snapshot_of(train, num_topics=3, kernel="cvb0", num_chains=1, held=held)


class TestDocuments:
    def test_is_about_the_document(self, snapshot):
        page = documents.document_page(snapshot, 4, chain=1, soft=False)
        corpus, run = snapshot.corpus, snapshot.run
        assert (page.title, page.length) == (corpus.titles[4], corpus.n_d[4])
        for kind in ("theta", "theta_p"):
            theta = jaxlda.estimators.theta(run.counts(soft=kind == "theta_p", chain=1), run.data)
            np.testing.assert_array_equal(page.proportions[kind], np.asarray(theta)[4][page.proportions.topic])
        assert sum(number for *_, number in page.legend) == page.length
        assert page.document not in page.nearest.document.values and page.nearest.distance.is_monotonic_increasing

    def test_hostile_words_are_text(self, snapshot):
        number = int(np.argmax(snapshot.corpus.counts.toarray()[:, 0] > 0))
        page = documents.document_page(snapshot, number, 0, soft=True)
        assert "<script" not in page.text and "&lt;script&gt;" in page.text

    def test_sorted_by_topic(self, snapshot):
        page = documents.document_page(snapshot, 4, 0, soft=False, by_topic=True)
        topics = [int(part.split("</sub>")[0]) for part in page.text.split("<sub>")[1:]]
        assert topics == sorted(topics) and len(topics) == page.length

    def test_soft_and_hard_differ(self, snapshot):
        hard, soft = (documents.document_page(snapshot, 4, 0, soft=soft) for soft in (False, True))
        assert hard.text != soft.text and (hard.soft, soft.soft) == (False, True)

    def test_empty_document(self, snapshot):
        number = int(np.argmin(snapshot.corpus.n_d))
        page = documents.document_page(snapshot, number, 0, soft=True)
        assert page.length == 0 and page.legend == [] and len(page.nearest) == 0
        assert page.proportions.theta.tolist() == pytest.approx([1 / 3] * 3)

    def test_number_beyond_the_last(self, snapshot):
        assert documents.document_page(snapshot, 10**6, 0, soft=False).document == snapshot.corpus.num_docs - 1

    @pytest.mark.hours
    def test_before_the_first_draw_and_cvb0(self, snapshot, cvb0):
        early = documents.document_page(partial(snapshot, 1), 4, 1, soft=True)
        assert early.length == snapshot.corpus.n_d[4]
        page = documents.document_page(cvb0, 4, 0, soft=False)
        assert page.soft and page.soft_already
        assert page.proportions.theta.tolist() == page.proportions.theta_p.tolist()

    @pytest.mark.hours
    def test_labels_and_their_names(self, supervised):
        page = documents.document_page(supervised, 4, 0, soft=True)
        assert page.labels and set(page.labels) <= {"=1+1", HOSTILE, "plain"}
        assert any(words.startswith("plain: ") for words in page.proportions.words)

    def test_map(self, snapshot, monkeypatch):
        corpus = snapshot.corpus
        found = documents.document_map(snapshot, 1)
        assert found.table.document.tolist() == np.flatnonzero(corpus.n_d).tolist() and len(found.topics) == 3
        theta = _chain.estimate(snapshot, "theta_p", 1)
        assert found.table.topic.tolist() == theta[found.table.document].argmax(axis=1).tolist()
        assert found.points.title.tolist() == [corpus.titles[d] for d in found.points.document]
        assert "are drawn" not in found.note
        monkeypatch.setattr(documents, "POINTS", 5)
        few = documents.document_map(snapshot, 1, start=found.topics[["x", "y"]].to_numpy())
        assert len(few.points) == 5 and few.points.document.is_unique and len(few.table) == len(found.table)
        assert f"5 of {len(found.table)} documents are drawn" in few.note
        assert np.abs(few.topics[["x", "y"]].to_numpy() - found.topics[["x", "y"]].to_numpy()).max() < 0.05
        named = snapshot._replace(names={(1, 0): HOSTILE})
        assert documents.document_map(named, 1).topics.name[0] == HOSTILE

    def test_search(self, snapshot):
        found, total = documents.search(snapshot, "alert")
        assert total == len(found)
        titles = [snapshot.corpus.titles[d] for d in found.document]
        assert found.title.tolist() == titles and set(titles) <= {HOSTILE}
        bare = snapshot._replace(corpus=jaxlda.Corpus(snapshot.corpus.counts, snapshot.corpus.vocab))
        assert documents.search(bare, "word1").table.title.str.match(r"^Document \d+$").all()


class TestEstimators:
    def test_curve_grows_sample_by_sample(self, snapshot):
        progress = None
        for samples in (1, 2):
            progress = estimators.further(snapshot, 0, progress)
            table = curve_columns(progress.curve)
            assert table["samples"] == list(range(1, samples + 1))
        assert set(table) == {"samples", "φ + θ", "φ + θᵖ", "φᵖ + θ", "φᵖ + θᵖ"}
        assert all(1 < value < 40 for name, values in table.items() if name != "samples" for value in values)
        assert (progress.sweep, progress.documents) == (snapshot.run.sweep, 10)

    @pytest.mark.hours
    def test_cvb0_has_one_phi(self, cvb0):
        table = curve_columns(estimators.further(cvb0, 0).curve)
        assert np.isfinite(table["φ + θᵖ"]).all() and np.isnan(table["φᵖ + θ"]).all()

    @pytest.mark.hours
    def test_supervised_runs_use_the_prior_of_new_documents(self, supervised):
        run = next(iter(estimators.further(supervised, 0).curve.runs.values()))
        alpha = np.asarray(run.data.priors.alpha)
        assert alpha.shape == (3,) and alpha.sum() == pytest.approx(80)

    def test_nothing_held_out(self, snapshot):
        with pytest.raises(ValueError, match="No documents were held out"):
            estimators.further(snapshot._replace(held=None), 0)

    def test_associations_are_those_of_equation_57(self, snapshot):
        found = estimators.associations(snapshot, " word3 ", 1, n=4)
        assert found.known and found.cue == "Word3"
        for kind, rank in (("phi", "first_rank"), ("phi_p", "second_rank")):
            phi = _chain.estimate(snapshot, kind, 1).astype(np.float64)
            v = snapshot.corpus.vocab.tolist().index("Word3")
            p = [sum(phi[k, u] * phi[k, v] for k in range(3)) / phi[:, v].sum() for u in range(20)]
            best = max((u for u in range(20) if u != v), key=lambda u: p[u])
            assert found.table.set_index("word")[rank].idxmin() == snapshot.corpus.vocab[best]
        assert "Word3" not in found.table.word.values

    def test_unknown_and_missing_cues(self, snapshot):
        unknown = estimators.associations(snapshot, "wordy", 0)
        assert not unknown.known and len(unknown.table) == 0 and unknown.lines["word"] == []
        assert estimators.associations(snapshot, "word3x", 0).suggestions == ["Word3"]
        assert len(unknown.suggestions) == estimators.SUGGESTIONS
        assert estimators.associations(snapshot, "", 0).known
        assert estimators.associations(snapshot, "ß", 0).suggestions == []

    def test_long_held_out_documents_are_capped(self, corpus):
        few = _chain.capped(corpus, 50)
        assert few.num_tokens <= 50 < corpus.n_d[: few.num_docs + 1].sum()
        assert _chain.capped(corpus, 1).num_docs == 1 and _chain.capped(corpus) is corpus


class TestLabels:
    def test_predictions_are_those_of_the_model(self, supervised):
        found = labels.inferred(supervised)
        page = labels.predictions(supervised, found, "φᵖ + θᵖ", "counts", 1)
        model = _chain.model_of(supervised).set_params(count=1)
        expected = model.predict(supervised.held, seed=0, **labels.SWEEPS)
        given = [{name for name in row.split(", ") if name} for row in page.documents.predicted]
        names = supervised.corpus.label_names
        assert given == [{str(names[k]) for k in np.flatnonzero(row)} for row in expected]
        assert len(page.scores) == 4 and page.scores[["micro", "macro", "example"]].stack().between(0, 1).all()
        assert page.labels.predicted.sum() == page.num_docs == 10

    def test_every_pair_and_ranking_is_its_own(self, supervised):
        scores = list(labels.inferred(supervised).scores.values())
        assert len(scores) == 8
        assert all(np.abs(one - two).max() > 1e-4 for i, one in enumerate(scores) for two in scores[:i])

    @pytest.mark.parametrize(("ranking", "count"), [("theta", 0), ("counts", 5)])
    def test_other_choices(self, supervised, ranking, count):
        found = labels.inferred(supervised)
        page = labels.predictions(supervised, found, "φ + θ", ranking, count)
        number = page.documents.correct + page.documents.wrong
        assert number.tolist() == (found.expected.tolist() if count == 0 else [3] * 10)

    def test_unsupervised(self, snapshot):
        assert labels.tested(snapshot) is None
        with pytest.raises(ValueError, match="Predictions need a supervised model"):
            labels.inferred(snapshot)

    @pytest.mark.hours
    @pytest.mark.parametrize("name", ["DependencyLDA", "PLDA"])
    def test_models_that_are_only_loaded(self, supervised, name):
        snapshot = snapshot_of(supervised.corpus, name, unlabeled="skip")
        found = labels.inferred(snapshot)
        assert found.training and found.documents is snapshot.corpus
        page = labels.predictions(snapshot, found, "φᵖ + θᵖ", "theta", 1)
        model = _chain.model_of(snapshot).set_params(rank_by="theta_p", count=1)
        expected = model.predict(snapshot.corpus, **labels.SWEEPS)
        predicted = page.labels.set_index("label").predicted[snapshot.corpus.label_names]
        assert predicted.tolist() == expected.sum(axis=0).tolist()

    @pytest.mark.hours
    def test_topics_within_labels_have_names(self, supervised):
        snapshot = snapshot_of(supervised.corpus, "PLDA", unlabeled="skip")
        names = [f"{label} ({i})" for label in supervised.corpus.label_names for i in (1, 2)]
        assert snapshot.labels.tolist() == [*names, "shared (1)"]
        assert [text.partition(": ")[0] for text in _chain.topic_names(snapshot, 0)] == [*names, "shared (1)"]
        assert list(files.tables(snapshot, 0)["theta"])[-1] == "topic 6: shared (1)"


class TestFiles:
    def test_run_file_opens_and_goes_on(self, snapshot, tmp_path):
        path = tmp_path / "run.jaxlda"
        path.write_bytes(files.run_file(snapshot))
        model = jaxlda.load(path)
        assert same_chains(model.run_, snapshot.run)
        assert model.resume(2).run_.num_draws == 3

    def test_tables_open_and_hold_no_formula(self, snapshot):
        tables = {name: files.as_csv(table) for name, table in files.tables(snapshot, 0).items()}
        assert list(tables) == ["phi", "phi_p", "theta", "theta_p", "top_words", "traces"]
        for name, content in tables.items():
            rows = list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))
            assert len({len(row) for row in rows}) == 1 and len(rows) > 1
            texts = [cell for row in rows for cell in row if not _number(cell)]
            assert not [cell for cell in texts if cell.startswith(("=", "+", "-", "@"))], name
        words = pd.read_csv(io.BytesIO(tables["phi"])).word.tolist()
        assert words[:5] == [HOSTILE, "'=cmd", "'-2", "'@x", "'+1"]
        phi = pd.read_csv(io.BytesIO(tables["phi_p"])).filter(like="topic").values.T
        np.testing.assert_allclose(phi, _chain.estimate(snapshot, "phi_p", 0), rtol=1e-6)

    def test_labels_in_columns(self, supervised):
        content = files.as_csv(files.tables(supervised, 0)["theta"]).decode("utf-8-sig")
        assert content.splitlines()[0] == f"title,topic 0: =1+1,topic 1: {HOSTILE},topic 2: plain"

    def test_soft_already_has_one_of_each(self, cvb0):
        assert list(files.tables(cvb0, 0)) == ["phi", "theta", "top_words", "traces"]

    def test_column_names_are_guarded_too(self):
        content = files.as_csv(pd.DataFrame({"=a": ["b", None], "n": [-1.5, 2]})).decode("utf-8-sig")
        assert content == "'=a,n\nb,-1.5\n,2\n"

    def test_zip(self):
        with zipfile.ZipFile(io.BytesIO(files.as_zip({"a.csv": b"1", "b.csv": b"2"}))) as archive:
            assert archive.testzip() is None and archive.read("b.csv") == b"2"


def _number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True
