"""Intruders: chosen by a seed, found or not, and raters who agree or not."""

import numpy as np
import pandas as pd
import pytest

from jaxlda import LDA, Corpus
from jaxlda.evaluation.intrusion import (
    fleiss_kappa,
    krippendorff_alpha,
    score_intrusion,
    topic_intrusion,
    word_intrusion,
)
from tests.models.toy import toy

VOCAB = [f"{letter}{i}" for letter in "abcd" for i in range(8)]
PHI = np.kron(np.eye(4), np.linspace(2, 1, 8)) + 0.01
PHI /= PHI.sum(axis=1, keepdims=True)


@pytest.fixture(scope="module")
def model():
    counts = np.random.default_rng(0).poisson(1.0, (12, 32))
    counts[5] = 0
    corpus = Corpus.from_counts(counts, VOCAB, titles=[f"t{d}" for d in range(12)])
    options = {"num_warmup": 1, "num_samples": 1, "num_chains": 1, "trace_every": 0, "progress": False}
    return LDA(4, kernel=toy(), **options).fit(corpus)


def options_of(row):
    return [value for name, value in row.items() if str(name).startswith("option ")]


def test_one_word_of_each_question_is_of_another_topic():
    tasks = word_intrusion((PHI, VOCAB), words=4, seed=3)
    assert sorted(tasks.topic) == [0, 1, 2, 3] and tasks.question.tolist() == [0, 1, 2, 3]
    for _, row in tasks.iterrows():
        words, letter = options_of(row), "abcd"[row.topic]
        assert len(set(words)) == 5
        assert [word[0] == letter for word in words].count(False) == 1 and words[row.answer - 1][0] != letter


def test_the_seed_decides():
    first, same, other = (word_intrusion((PHI, VOCAB), seed=seed) for seed in (1, 1, 2))
    assert first.equals(same) and not first.equals(other)


def test_intruders_are_anywhere_with_the_same_probability():
    """By chance the counts are further from even once in 1000 seeds; the seeds are fixed."""
    answers = np.concatenate([word_intrusion((PHI, VOCAB), words=4, seed=seed).answer for seed in range(150)])
    counts = np.bincount(answers - 1, minlength=5)
    assert np.square(counts - 120).sum() / 120 < 18.47  # chi-square with 4 degrees of freedom


def test_one_topic_of_each_document_is_not_its_own(model):
    tasks = topic_intrusion(model, documents=8, topics=2, words=3, seed=0)
    assert len(tasks) == 8 and 5 not in tasks.document.tolist()
    top = [" ".join(words) for words in model.top_words(3)]
    for _, row in tasks.iterrows():
        shown = [row[f"topic {i}"] for i in (1, 2, 3)]
        assert options_of(row) == [top[k] for k in shown] and row.text.startswith(f"t{row.document}: ")
        order = np.argsort(-model.theta_[row.document], kind="stable")
        intruder = shown[row.answer - 1]
        assert intruder in order[2:] and {*shown} - {intruder} == {*order[:2].tolist()}
    texts = [f"text {d}" for d in range(12)]
    assert topic_intrusion(model, topics=2, texts=texts).text[0] == "text 0"
    assert topic_intrusion(model, topics=2, documents=5, seed=1).equals(
        topic_intrusion(model, topics=2, documents=5, seed=1)
    )


def test_tasks_survive_a_file(tmp_path):
    tasks = word_intrusion((PHI, VOCAB), seed=0)
    tasks.to_csv(tmp_path / "tasks.csv", index=False)
    again = pd.read_csv(tmp_path / "tasks.csv")
    assert score_intrusion(again, again.answer.tolist()).precision == 1


def test_scores_by_hand():
    tasks = word_intrusion((PHI, VOCAB), words=4, seed=0)
    right, wrong = tasks.answer.tolist(), (tasks.answer % 5 + 1).tolist()
    words = [row[f"option {row.answer}"] for _, row in tasks.iterrows()]
    answers = [[right[0], words[0]], [right[1], wrong[1]], [wrong[2], None], [float("nan"), None]]
    result = score_intrusion(tasks, answers)
    assert result.table.precision.tolist()[:3] == [1.0, 0.5, 0.0] and np.isnan(result.table.precision[3])
    assert result.precision == 0.5 and result.chance == 0.2 and result.table.raters.tolist() == [2, 2, 1, 0]
    assert (result.table.low <= result.table.precision)[:3].all() and result.table.high[0] == pytest.approx(1)
    assert result.kappa is None and result.alpha is not None and "Fleiss' kappa cannot be told" in str(result)
    table = pd.DataFrame({"question": [2, 0, 1, 3], "ann": [wrong[2], right[0], right[1], None]})
    assert score_intrusion(tasks, table).table.precision.tolist()[:3] == [1.0, 1.0, 0.0]
    assert score_intrusion(tasks, right).alpha is None  # one rater


def test_kappa_and_alpha_by_hand():
    """Kappa: the example of Fleiss (1971) as it is told everywhere; alpha: that of Krippendorff (2011), nominal."""
    counts = [
        [0, 0, 0, 0, 14],
        [0, 2, 6, 4, 2],
        [0, 0, 3, 5, 6],
        [0, 3, 9, 2, 0],
        [2, 2, 8, 1, 1],
        [7, 7, 0, 0, 0],
        [3, 2, 6, 3, 0],
        [2, 5, 3, 2, 2],
        [6, 5, 2, 1, 0],
        [0, 2, 2, 3, 7],
    ]
    answers = [np.repeat(range(5), row).tolist() for row in counts]
    assert fleiss_kappa(answers) == pytest.approx(0.20993, abs=1e-5)
    n = None
    raters = [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, n, n, n],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, n, 3],
        [n, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, n],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, n],
    ]
    assert krippendorff_alpha(list(zip(*raters, strict=True))) == pytest.approx(0.743, abs=5e-4)


def test_raters_who_guess_do_not_agree():
    """|kappa| of 400 questions is above 0.1 by chance less than once in 1000 seeds; the seed is fixed."""
    guesses = np.random.default_rng(0).integers(1, 6, (400, 3))
    assert abs(fleiss_kappa(guesses)) < 0.1 and abs(krippendorff_alpha(guesses) - fleiss_kappa(guesses)) < 0.01


def test_all_the_same_says_nothing():
    assert np.isnan(fleiss_kappa([[1, 1], [1, 1]])) and np.isnan(krippendorff_alpha([[1, 1], [1, 1]]))
    assert np.isnan(krippendorff_alpha([[1, None], [None, 2]]))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda model: word_intrusion((PHI[:1], VOCAB)), "are too few"),
        (lambda model: word_intrusion((PHI, VOCAB), words=31), "are too few"),
        (lambda model: topic_intrusion(model, topics=4), "too few to show 4"),
        (lambda model: topic_intrusion((PHI, VOCAB)), "no documents to ask about"),
        (lambda model: topic_intrusion(model, topics=2, texts=["a"]), "1 texts for 12 documents"),
        (lambda model: fleiss_kappa([[1, None], [1, 2]]), "the same number of answers"),
        (lambda model: krippendorff_alpha([[1], [1, 2]]), "a place for every rater"),
        (lambda model: score_intrusion(word_intrusion((PHI, VOCAB)), [1]), r"answers to 1 question\(s\)"),
        (lambda model: score_intrusion(word_intrusion((PHI, VOCAB)), ["x"] * 4), "'x' is no option of question 0"),
        (lambda model: score_intrusion(word_intrusion((PHI, VOCAB)), [9] * 4), "number from 1 to 6"),
        (lambda model: score_intrusion(word_intrusion((PHI, VOCAB)).drop(columns="answer"), [1] * 4), "no column"),
    ],
)
def test_what_is_wrong_is_said(model, ask, message):
    with pytest.raises(ValueError, match=message):
        ask(model)


def test_lists_of_words_have_no_probabilities():
    with pytest.raises(TypeError, match="by the probabilities of words"):
        word_intrusion([["a", "b"]])
