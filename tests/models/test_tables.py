"""Models as tables: topics, documents, words, names, and pages; of every kind of model."""

import dataclasses

import numpy as np
import pytest

import jaxlda
from jaxlda import LDA, PLDA, Corpus, LabeledLDA
from jaxlda.types import Counts, Sample
from tests.models.supervised import MODELS, TOY, TRAIN
from tests.models.toy import toy

CORPUS = Corpus.from_texts(
    ["cat purr cat", "dog bark", "cat purr pet", "dog bark pet", "cat dog", "?"],
    titles=["a", "b", "c", "d", "e", "f"],
)
SOME = {"num_warmup": 1, "num_samples": 2, "num_chains": 2, "trace_every": 0, "progress": False}
NAMED = ["dogs", "<b>cats</b>"]


@pytest.fixture(scope="module")
def fitted():
    """Words bark, dog, purr are topic 0; cat and pet topic 1."""
    return LDA(2, kernel=toy(), **SOME).fit(CORPUS)


@pytest.fixture
def model(fitted):
    yield fitted
    fitted.topic_names = None


def imported():
    """The sample of another program."""
    run = jaxlda.run(0, toy(), CORPUS.data(num_topics=2), num_warmup=1)
    return LDA.from_sample(CORPUS, run.data.priors, [run.chain(0), run.chain(0)])


def of_labels(kind):
    return kind(**MODELS[kind], **TOY).fit(TRAIN)


@pytest.mark.parametrize("make", [imported, *(lambda kind=kind: of_labels(kind) for kind in MODELS)])
def test_all_models_have_all_tables(make, tmp_path):
    model = make()
    K, D = len(model.phi_), len(model.theta_)
    topics, documents = model.topics(words=3), model.documents(theta=True)
    assert len(topics) == K and topics.share.sum() == pytest.approx(1, abs=1e-5)
    assert len(documents) == D and documents.columns[-K:].tolist() == model.topic_names == topics["name"].tolist()
    assert len(model.words(2)) == 2 * K
    word = str(model.vocab_[0])
    assert model.find_topics(word).share.sum() <= 1 + 1e-9
    assert (model.top_documents(0, 3).share.diff().dropna() <= 0).all()
    assert len(model.propose_names()) == len(set(model.propose_names("llr"))) == K
    model.report(tmp_path / "topics.html")
    page = (tmp_path / "topics.html").read_text(encoding="utf-8")
    assert word in page and "<script" in page and "<script src=" not in page


def test_given_topics_have_what_they_can():
    model = LDA.from_topics([[0.7, 0.2, 0.1], [0.1, 0.2, 0.7]], ["cat", "pet", "dog"])
    assert model.topics(2).columns.tolist() == ["topic", "name", "words", "exclusivity"]
    assert "coherence" in model.topics(2, reference=Corpus.from_texts(["cat pet", "dog pet"]))
    assert model.find_topics("dog").topic.tolist() == [1, 0]
    with pytest.raises(ValueError, match="topics only"):
        model.documents()
    with pytest.raises(ValueError, match="counts, and this model has topics only"):
        model.propose_names("llr")


def test_a_row_for_each_topic(model):
    table = model.topics(words=2)
    n_k = np.asarray(model.run_.counts(chain=model.best_chain_).n_k)
    assert table.share.tolist() == pytest.approx((n_k / CORPUS.num_tokens).tolist())
    assert (table.share_low <= table.share + 1e-6).all() and (table.share_high >= table.share - 1e-6).all()
    assert table.words.tolist() == [", ".join(words) for words in model.top_words(2)]
    assert table.stability.tolist() == pytest.approx([1, 1]) and table.coherence.notna().all()
    assert "coherence" not in model.topics(coherence=None)


def test_shares_are_over_draws_in_the_order_of_the_model():
    """The second chain numbers its topics otherwise, and has a word more in one."""
    model = two_chains()
    table, other = model.topics(), 1 - model.best_chain_
    sizes = [np.asarray(model.run_.counts(chain=chain).n_k) for chain in range(2)]
    assert sizes[0].tolist() != sizes[1][::-1].tolist()
    own, partner = sizes[model.best_chain_], sizes[other][::-1]
    low, high = np.quantile(np.stack([own, partner]) / CORPUS.num_tokens, [0.05, 0.95], axis=0)
    np.testing.assert_allclose(table.share_low, low, rtol=1e-6)
    np.testing.assert_allclose(table.share_high, high, rtol=1e-6)


def two_chains():
    data = CORPUS.data(num_topics=2)
    w, d = np.asarray(data.tokens.w), np.asarray(data.tokens.d)
    first = (w == 0) | (w == 2)  # bark, dog
    second = ~first
    second[np.flatnonzero(w == 3)[:1]] = False  # pet, once
    samples = []
    for z in (first.astype(np.int32), second.astype(np.int32)):
        n_dk, n_vk = (np.zeros((size, 2), np.int32) for size in (6, 5))
        np.add.at(n_dk, (d, z), 1)
        np.add.at(n_vk, (w, z), 1)
        samples.append(Sample(Counts(n_dk, n_vk, n_vk.sum(axis=0, dtype=np.int32)), z))
    return LDA.from_sample(CORPUS, data.priors, samples)


def test_a_row_for_each_document(model):
    table = model.documents()
    assert table.columns.tolist() == ["document", "title", "tokens", "topic", "name", "share"]
    assert table.title.tolist() == ["a", "b", "c", "d", "e", "f"] and table.tokens.tolist() == [3, 2, 3, 3, 2, 0]
    assert table.topic.tolist()[:2] == [1, 0] and table.iloc[5][["topic", "name", "share"]].tolist() == [-1, "", 0.0]
    known = dataclasses.replace(CORPUS.with_metadata({"year": range(6)}))
    labelled = Corpus.from_counts(CORPUS.counts, CORPUS.vocab, labels=[["x", "y"], [], [], [], [], []])
    assert model.documents(corpus=known).year.tolist() == list(range(6))
    assert model.documents(corpus=labelled).labels.tolist() == ["x, y", "", "", "", "", ""]
    with pytest.raises(ValueError, match="the corpus has 2 documents, the model was fitted to 6"):
        model.documents(corpus=CORPUS[:2])


def test_topics_without_a_score_have_a_reason():
    known = TRAIN.labels.toarray()
    known[:, 3] = False
    table = LabeledLDA(**TOY, unlabeled="skip").fit(TRAIN, known).topics()
    without = table.index[table.coherence.isna()].tolist()  # not number 3: the toy fills the first topics
    assert len(without) == 1 and without == table.index[table.reason != ""].tolist()
    assert "no token has it" in table.reason[without[0]]


def test_labels_are_in_the_table_of_documents():
    table = of_labels(LabeledLDA).documents()
    names = TRAIN.label_names[TRAIN.labels[[0]].indices]
    assert set(table.labels[0].split(", ")) == set(names.tolist())


def test_topics_are_found_by_words(model):
    assert model.find_topics("CAT").iloc[0].tolist() == [1, "topic 1", pytest.approx(1, abs=0.02), "cat"]
    assert model.find_topics("bar do").words[0] == "bark dog"  # which begin so
    with pytest.raises(ValueError, match=r"none of these words: 'barc'; it has bark"):
        model.find_topics("barc")
    with pytest.raises(ValueError, match="none of these words"):
        model.find_topics(" ")


def test_names_are_set_and_used(model, tmp_path, monkeypatch):
    monkeypatch.setitem(jaxlda.kernels.KERNELS, "toy", toy)
    assert model.topic_names == ["topic 0", "topic 1"]
    model.topic_names = NAMED
    for table in (model.topics(), model.words(1)):
        assert table["name"].tolist() == NAMED
    assert model.documents(theta=True).columns[-2:].tolist() == NAMED
    assert model.top_documents("dogs").equals(model.top_documents(0)) and model.documents().name[1] == "dogs"
    assert model.find_topics("dog").name[0] == "dogs"
    assert jaxlda.evaluation.coherence(model).names == tuple(NAMED)
    assert jaxlda.plots.table_of(jaxlda.plots.topics(model))["name"].tolist() == NAMED
    assert jaxlda.plots.words(model, 0).title.text == "topic 0: dogs"
    assert model.to_arviz(["n_k"]).posterior.topic.values.tolist() == NAMED
    for only in (None, "topics"):
        model.save(tmp_path / "a.jaxlda", only=only)
        assert jaxlda.load(tmp_path / "a.jaxlda").topic_names == NAMED
    model.report(tmp_path / "topics.html", title="<i>")
    page = (tmp_path / "topics.html").read_text(encoding="utf-8")
    assert "<title>&lt;i&gt;</title>" in page and "hounds" not in page
    model.topic_names = {"dogs": "hounds", 1: "felines"}
    assert model.topic_names == ["hounds", "felines"]
    model.topic_names = None
    assert model.topic_names == ["topic 0", "topic 1"]


def test_a_new_fit_forgets_names():
    model = LDA(2, kernel=toy(), **SOME).fit(CORPUS)
    model.topic_names = NAMED
    assert model.resume(5).topic_names == NAMED
    assert model.fit(CORPUS).topic_names == ["topic 0", "topic 1"]


def test_names_go_where_the_best_chain_goes(monkeypatch):
    model = LDA(2, kernel=toy(), **SOME).fit(CORPUS)
    model.topic_names = NAMED
    model.best_chain_ = 1 - model.best_chain_  # as if the other had been the best
    with pytest.warns(UserWarning, match="their names are taken back"):
        model.resume(5)
    assert model.topic_names == ["topic 0", "topic 1"]


@pytest.mark.parametrize(
    ("names", "error", "message"),
    [
        (["a"], ValueError, r"1 name\(s\), but there are 2 topics"),
        (["a", "a"], ValueError, "has 'a' twice, for topics 0 and 1"),
        (["a", " "], ValueError, "the name of topic 1"),
        (["a", 3], ValueError, "the name of topic 1"),
        ("ab", TypeError, "must be a list of 2 names"),
        ({5: "a"}, IndexError, "there is no topic 5"),
        ({"dragons": "a"}, KeyError, "there is no topic 'dragons'"),
        ({True: "a"}, TypeError, "by its number or its name"),
    ],
)
def test_names_are_checked(model, names, error, message):
    with pytest.raises(error, match=message):
        model.topic_names = names
    assert model.topic_names == ["topic 0", "topic 1"]


def test_labels_are_names():
    model = of_labels(LabeledLDA)
    assert model.topic_names == TRAIN.label_names.tolist()
    parts = of_labels(PLDA)
    assert parts.topic_names[:3] == ["art 1", "art 2", "bio 1"]
    assert parts.topic_names[-2:] == ["background 1", "background 2"]


def test_proposed_names():
    model = LDA.from_topics([[0.5, 0.3, 0.1, 0.1], [0.1, 0.1, 0.3, 0.5]], ["oil", "crude", "wheat", "grain"])
    assert model.propose_names(words=2) == ["oil crude", "grain wheat"]
    texts = [["the", "crude", "oil"]] * 5 + [["wheat", "grain"]] * 4
    assert model.propose_names(words=2, texts=texts) == ["crude oil", "grain wheat"]  # four times are too few
    with pytest.raises(ValueError, match="method must be 'relevance' or 'llr'"):
        model.propose_names("best")


@pytest.mark.slow
def test_names_have_phrases_of_three_words_from_the_documents_of_the_model():
    texts = ["new york city mayor"] * 6 + ["crude oil price barrel"] * 6
    corpus = Corpus.from_texts(texts)
    model = LDA(2, seed_words={"a": ["city"], "b": ["oil"]}, **SOME | {"num_warmup": 20}).fit(corpus)
    assert sorted(model.propose_names()) == ["crude oil price", "new york city"]
    assert sorted(model.propose_names("llr")) == ["crude oil price", "new york city"]
    bags = LDA(2, **SOME).fit(Corpus.from_texts(texts, keep_order=False))
    assert bags.propose_names() == bags.propose_names(texts=())


@pytest.mark.parametrize("only", [None, "topics"])
def test_names_of_seed_words_are_shown_everywhere(only, tmp_path):
    from jaxlda.models import saved_topics

    model = LDA(3, seed_words={"cats": ["cat"], "dogs": ["dog"]}, **SOME).fit(CORPUS)
    names = ["cats", "dogs", "topic 2"]
    assert model.prevalence([1, 2, 1, 2, 1, 2])["name"].tolist() == names * 2
    assert jaxlda.topics.fitted(model, 1).names == jaxlda.topics.fitted(model, 0).names == names
    model.save(tmp_path / "seeded", only=only)
    loaded = jaxlda.load(tmp_path / "seeded")
    told = saved_topics.of_file(tmp_path / "seeded")
    assert saved_topics.of_model(loaded).names == told.names == loaded.topic_names == names
    loaded.export(tmp_path / "topics.csv")
    assert (tmp_path / "topics.csv").read_text(encoding="utf-8").startswith("topic,name,word,")


def test_names_are_those_of_the_best_chain_only(model, tmp_path, monkeypatch):
    from jaxlda.models import saved_topics

    model.topic_names = NAMED
    other = 1 - model.best_chain_
    assert jaxlda.topics.fitted(model).names == NAMED and jaxlda.topics.fitted(model, other).names is None
    assert "name" not in model.prevalence([1, 2, 1, 2, 1, 2], chain=other)
    monkeypatch.setitem(jaxlda.kernels.KERNELS, "toy", toy)
    model.save(tmp_path / "named")
    assert saved_topics.of_file(tmp_path / "named", other).names is None
    for chain in (None, model.best_chain_):
        assert saved_topics.of_file(tmp_path / "named", chain).names == NAMED


def test_topics_within_labels_have_their_names_in_all_tables():
    model = of_labels(PLDA)
    groups = ["first"] * len(model.theta_)
    assert model.prevalence(groups)["name"].tolist() == model.topic_names


def test_names_of_equal_topics_differ():
    model = LDA.from_topics([[0.6, 0.4]] * 3, ["a", "b"])
    assert len(set(model.propose_names(words=1))) == 3


def test_what_pyldavis_takes(model):
    prepared = model.to_pyldavis()
    assert set(prepared) == {"topic_term_dists", "doc_topic_dists", "doc_lengths", "vocab", "term_frequency"}
    assert prepared["doc_lengths"] == [3, 2, 3, 3, 2]  # without the empty one
    for name in ("topic_term_dists", "doc_topic_dists"):
        np.testing.assert_allclose(prepared[name].sum(axis=1), 1, rtol=0, atol=1e-12)
    assert sum(prepared["term_frequency"]) == CORPUS.num_tokens


@pytest.mark.filterwarnings("ignore")
def test_pyldavis_takes_it():
    theirs = pytest.importorskip("pyLDAvis", reason="pyLDAvis is not there")
    corpus = jaxlda.datasets.load("bars").subset(range(20))
    found = theirs.prepare(**LDA(4, kernel=toy(), **SOME).fit(corpus).to_pyldavis(), n_jobs=1)
    assert len(found.topic_coordinates) == 4
