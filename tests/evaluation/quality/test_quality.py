"""Measures of topics: by their definitions, over draws and chains, and never without a reason."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse

import jaxlda
from jaxlda import LDA, Corpus
from jaxlda.evaluation import MEASURES, TopicScores, coherence, diversity, exclusivity, frex, topic_diagnostics
from jaxlda.evaluation.quality.occurrences import in_documents, in_windows
from jaxlda.types import Counts, Sample
from tests.models.supervised import MODELS, TRAIN
from tests.models.toy import toy
from tests.tiers import mostly_slow

PETS = Corpus.from_texts(["cat purr cat", "dog bark", "cat purr pet", "dog bark pet", "cat dog"])
BARE = Corpus.from_counts(PETS.counts, PETS.vocab)
TOY = {"num_warmup": 1, "num_samples": 2, "num_chains": 2, "trace_every": 0, "progress": False}


@pytest.fixture(scope="module")
def model():
    """Words 0, 2, 4 (bark, dog, purr) are topic 0: bark 2, cat 4, dog 3, pet 2, purr 2."""
    return LDA(2, kernel=toy(), **TOY).fit(BARE)


def direct(texts, a, b, size):
    """Windows that have a, b, and both, counted one by one."""
    windows = [set(text[i : i + size]) for text in texts for i in range(max(1, len(text) - size + 1))]
    each = [sum(x in window for window in windows) for x in (a, b)]
    return [len(windows), *each, sum({a, b} <= window for window in windows)]


@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_windows_are_counted_as_one_by_one(size):
    rng = np.random.default_rng(0)
    texts = [["abcdef"[i] for i in rng.integers(0, 6, rng.integers(0, 30))] for _ in range(40)]
    found = in_windows(texts, {"a": 0, "b": 1, "z": 2}, size)
    both = int(found.together(np.array(0), np.array(1)))
    assert [found.total, *found.single[:2].tolist(), both] == direct(texts, "a", "b", size)
    assert found.single[2] == 0 and found.together(np.array(2), np.array(0)) == 0


def test_many_texts_are_counted_in_pieces(monkeypatch):
    texts = [["a", "b", "a", "c"]] * 50
    whole = in_windows(texts, {"a": 0, "b": 1}, 2)
    monkeypatch.setattr(jaxlda.evaluation.quality.occurrences, "_PIECE", 7)
    for one, other in zip(whole, in_windows(texts, {"a": 0, "b": 1}, 2), strict=True):
        np.testing.assert_array_equal(one, other)


def test_no_window_at_all():
    found = in_windows([], {"a": 0}, 3)
    assert found.total == 0 and found.together(np.array([0]), np.array([0])).tolist() == [0]


def test_documents_are_windows_that_hold_all():
    texts = [["cat", "purr", "cat"], ["dog", "bark"], []]
    words = {"cat": 0, "purr": 1, "dog": 2}
    counts = np.array([[2, 1, 0], [0, 0, 1], [0, 0, 0]])
    import scipy.sparse as sparse

    for one, other in zip(in_windows(texts, words, None), in_documents(sparse.csr_array(counts)), strict=True):
        np.testing.assert_array_equal(one, other)


def test_measures_by_hand():
    """Cat is in three of five documents, purr in two, both in two."""
    u_mass = coherence([["cat", "purr"]], "u_mass", reference=PETS)
    npmi = coherence([["cat", "purr"]], "npmi", reference=PETS)
    assert u_mass.values[0] == pytest.approx(np.log(2 / 3)) and u_mass.draws is None and u_mass.interval() is None
    assert npmi.values[0] == pytest.approx(np.log((2 / 5) / (3 / 5 * 2 / 5)) / -np.log(2 / 5))
    authors = coherence([["cat", "pet"]], "u_mass", reference=PETS, epsilon=1 / 5)
    assert authors.values[0] == pytest.approx(np.log((1 + 1) / 3))


def test_words_that_are_everywhere_go_together():
    assert coherence([["a", "b"]], "npmi", texts=[["a", "b"], ["b", "a"]]).values.tolist() == [1.0]


@pytest.mark.parametrize("measure", MEASURES)
def test_unknown_words_are_left_out_and_told(measure):
    texts = [["cat", "purr", "sat"], ["dog", "bark"]] * 3
    with pytest.warns(UserWarning, match="1 of the 4 top words, such as 'emu', do not occur in the reference"):
        found = coherence([["cat", "emu", "purr"], ["emu", "bark"]], measure, texts=texts)
    alone = coherence([["cat", "purr"]], measure, texts=texts)
    assert found.values[0] == pytest.approx(alone.values[0])
    assert np.isnan(found.values[1]) and found.reasons == {1: "fewer than two of its words occur in the reference"}
    assert "none: fewer than two" in str(found) and found.mean == found.values[0]


def test_the_training_documents_are_the_reference(model):
    found, same = coherence(model, "u_mass", top_n=2), coherence(model, "u_mass", top_n=2, reference=PETS)
    np.testing.assert_array_equal(found.values, same.values)
    other = Corpus.from_texts(["purr pet cat dog bark", "purr", "cat pet", "dog"])
    expected = coherence(model.top_words(2), "u_mass", reference=other)
    np.testing.assert_array_equal(coherence(model, "u_mass", top_n=2, reference=other).values, expected.values)


def test_a_reference_without_words_is_refused():
    empty = Corpus(sparse.csr_array((3, 0), dtype=np.int32), np.array([], str))
    with pytest.raises(ValueError, match="the reference has no words"):
        coherence([["cat", "purr"]], "npmi", reference=empty)


def test_a_corpus_that_keeps_the_order():
    """As those of ``Corpus.from_texts`` do."""

    texts = [["cat", "purr", "cat"], ["dog", "bark"]]

    class Ordered(Corpus):
        def tokens_of(self, document):
            return texts[document]

    corpus = Ordered(BARE[:2].counts, BARE.vocab)
    object.__setattr__(corpus, "written", SimpleNamespace(order=np.zeros(5)))
    found = coherence([["cat", "purr"], ["dog", "cat"]], "c_uci", reference=corpus, window=2)
    lists = coherence([["cat", "purr"], ["dog", "cat"]], "c_uci", texts=texts, window=2)
    np.testing.assert_array_equal(found.values, lists.values)
    known = LDA(2, kernel=toy(), **TOY).fit(BARE[:2])  # and so does a model of such a corpus
    words = {word: v for v, word in enumerate(BARE.vocab.tolist())}
    known.written_ = SimpleNamespace(order=np.array([words[word] for text in texts for word in text]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # of words that two documents do not have
        expected = coherence(known, "c_uci", texts=texts, window=2, top_n=2)
        np.testing.assert_array_equal(coherence(known, "c_uci", window=2, top_n=2).values, expected.values)
    with pytest.raises(TypeError, match=r"reference=Corpus.from_texts\(texts\)"):
        coherence([["cat", "dog"]], "c_v", texts=["cat dog"])


def test_every_draw_of_every_chain(model):
    found = coherence(model, "npmi", top_n=3)
    assert found.draws.shape == (4, 2) and found.over == "draws"
    np.testing.assert_allclose(found.draws, np.tile(found.values, (4, 1)))  # the toy's draws are all the same
    assert found.interval() == pytest.approx((found.mean, found.mean))
    assert found.table.columns.tolist() == ["topic", "name", "score", "mean", "low", "high", "draws", "reason"]
    assert found.table.draws.tolist() == [4, 4] and "in 90 % of the draws" in str(found)
    assert coherence(model, "npmi", draws=False).draws is None


def test_chains_where_draws_kept_nothing():
    bare = LDA(2, kernel=toy(), keep=(), **TOY).fit(PETS)
    assert coherence(bare).over == "chains" and coherence(bare).draws.shape == (2, 2)


@pytest.mark.parametrize("kind", mostly_slow(MODELS, jaxlda.LabeledLDA))
def test_labels_without_documents_have_a_reason(kind):
    known = TRAIN.labels.toarray()
    known[:, 3] = False
    options = {"kernel": toy(), "num_warmup": 1, "num_samples": 1, "num_chains": 2, "trace_every": 0}
    model = kind(**MODELS[kind], **options, progress=False, unlabeled="skip").fit(TRAIN, known)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for found in (coherence(model), diversity(model), exclusivity(model)):
            nothing = {k for k in range(len(found)) if np.isnan(found.values[k])}
            assert nothing == set(found.reasons) and all(found.reasons.values())
        table = topic_diagnostics(model)
    assert (table.reason[table.isna().any(axis=1)] == "no token has it").all()
    assert nothing == set(np.flatnonzero(table.tokens == 0).tolist())


def test_diversity_is_the_share_of_different_words():
    found = diversity([["a", "b"], ["a", "c"], ["d", "e"]], top_n=2)
    assert found.mean == pytest.approx(5 / 6) and found.values.tolist() == [0.75, 0.75, 1.0]


def test_exclusivity_is_a_mean_of_frex():
    phi = np.array([[0.6, 0.1, 0.2, 0.1], [0.1, 0.6, 0.2, 0.1]])
    found = exclusivity((phi, list("abcd")), top_n=2, weight=0.5)
    ranks = {"a": (1, 1), "c": (0.75, 0.75)}  # of exclusivity and of frequency in topic 0
    expected = np.mean([1 / (0.5 / one + 0.5 / other) for one, other in ranks.values()])
    # Words c and d are equally exclusive: they share the ranks 2 and 3.
    expected -= (0.75 - 1 / (0.5 / 0.625 + 0.5 / 0.75)) / 2
    assert found.values == pytest.approx([expected, expected])
    assert frex(phi, 0.0)[0].tolist() == pytest.approx([1.0, 0.375, 0.75, 0.375])


def test_diagnostics_by_hand(model):
    table = topic_diagnostics(model, top_n=2)
    n_dk, n_vk, n_k = (np.asarray(x, float) for x in model.run_.counts(chain=0))
    p = n_vk[:, 0] / n_k[0]
    words = np.asarray(PETS.counts.sum(axis=0)) / PETS.num_tokens
    of_documents = n_dk[:, 0] / n_k[0]
    row = table.iloc[0]
    assert row.tokens == n_k[0] == 7 and row["name"] == "topic 0"
    assert row.eff_num_words == pytest.approx(1 / np.square(p).sum())
    assert row.uniform_dist == pytest.approx(sum(x * np.log(5 * x) for x in p if x > 0))
    assert row.corpus_dist == pytest.approx(sum(x * np.log(x / q) for x, q in zip(p, words, strict=True) if x > 0))
    assert row.document_entropy == pytest.approx(-sum(x * np.log(x) for x in of_documents if x > 0))
    assert row.word_length == np.mean([len(word) for word in model.top_words(2)[0]])
    assert row.rank_1_docs == np.mean([n_dk[d].argmax() == 0 for d in range(5) if n_dk[d, 0] > 0])
    share = (n_dk + 0.1) / (n_dk.sum(axis=1, keepdims=True) + 0.2)
    has = n_dk[:, 0] > 0
    assert row.allocation_count == (share[has, 0] >= 0.3).mean()
    assert row.allocation_ratio == (share[has, 0] >= 0.5).sum() / (share[has, 0] >= 0.02).sum()
    assert table.reason.tolist() == ["", ""]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"measure": "c_w2v"}, ValueError, "measure must be one of 'u_mass'"),
        ({"measure": "c_v"}, ValueError, "a window slides over words in their order.*texts="),
        (
            {"measure": "c_v", "reference": Corpus.from_counts(PETS.counts, PETS.vocab)},
            ValueError,
            "a window slides over words in their order",
        ),
        ({"measure": "npmi", "window": 5}, ValueError, "has no window"),
        ({"reference": PETS.counts}, TypeError, "the reference must be a Corpus"),
        ({"texts": "cat dog"}, TypeError, "lists of words"),
        ({"top_n": 0}, ValueError, "top_n"),
        ({"epsilon": 0}, ValueError, "epsilon"),
        ({"measure": "c_v", "window": 0, "texts": [["a"]]}, ValueError, "window"),
    ],
)
def test_what_is_wrong_is_said(model, options, error, message):
    with pytest.raises(error, match=message):
        coherence(model, **options)


def test_other_things_are_refused():
    with pytest.raises(ValueError, match="no documents to count in: give a corpus"):
        coherence(LDA.from_topics([[0.5, 0.5]], ["a", "b"]))
    with pytest.raises(ValueError, match="is not fitted"):
        coherence(LDA(2))
    with pytest.raises(TypeError, match="from a fitted model, from a pair"):
        coherence("cat dog", reference=PETS)
    with pytest.raises(ValueError, match="topic 0 has a word twice"):
        coherence([["cat", "cat"]], reference=PETS)
    with pytest.raises(TypeError, match="needs the probabilities"):
        exclusivity([["cat", "dog"]])
    with pytest.raises(ValueError, match="from 0 to 1"):
        frex(np.ones((1, 2)), 1.5)
    with pytest.raises(ValueError, match="have no documents"):
        topic_diagnostics(LDA.from_topics([[0.5, 0.5]], ["a", "b"]))


def test_nothing_to_average():
    scores = TopicScores("npmi", np.array([np.nan]), ("a",), {0: "why not"}, np.array([[np.nan]]), "draws")
    assert np.isnan(scores.mean) and scores.interval() is None and scores.table.draws.tolist() == [0]


def test_the_mean_of_a_draw_is_that_of_all_its_topics():
    """A chain that shares one topic with the model is judged by all of its own."""
    data = PETS.data(num_topics=2)
    w, d = np.asarray(data.tokens.w), np.asarray(data.tokens.d)
    samples = []
    for z in ((w == 1).astype(np.int32), (w < 3).astype(np.int32)):  # cat and the rest; bark, cat, dog and the rest
        n_dk, n_vk = (np.zeros((size, 2), np.int32) for size in (5, 5))
        np.add.at(n_dk, (d, z), 1)
        np.add.at(n_vk, (w, z), 1)
        samples.append(Sample(Counts(n_dk, n_vk, n_vk.sum(axis=0, dtype=np.int32)), z))
    found = coherence(LDA.from_sample(PETS, data.priors, samples), "npmi", top_n=2)
    each = [coherence(LDA.from_sample(PETS, data.priors, [sample]), "npmi", top_n=2) for sample in samples]
    assert found.means == pytest.approx([one.draws[0].mean() for one in each])
    assert found.interval()[0] >= min(found.means) and found.interval()[1] <= max(found.means)


def test_a_single_word_has_no_coherence(model):
    with pytest.raises(ValueError, match="top_n must be 2 or more"):
        coherence(model, "npmi", top_n=1)
