"""People who find intruders: questions, answers, the score, and answers of others."""

import io

import numpy as np
import pandas as pd
import pytest

import jaxlda
from jaxlda.evaluation.intrusion import score_intrusion
from jaxlda_app.jobs import Jobs
from jaxlda_app.questions import intrusion as questions
from jaxlda_app.store import Session
from jaxlda_app.views.intrusion import Intrusion
from tests.app.snapshots import HOSTILE, snapshot_of


@pytest.fixture(scope="module")
def snapshot():
    counts = np.kron(np.eye(3, dtype=int), np.full((6, 8), 2))
    vocab = [HOSTILE, *(f"{letter}{i}" for letter in "abc" for i in range(8))][:24]
    corpus = jaxlda.Corpus.from_counts(counts, vocab, titles=[HOSTILE, *(f"t{d}" for d in range(17))])
    return snapshot_of(corpus, num_topics=3, num_warmup=20)


@pytest.fixture
def view(snapshot):
    jobs = Jobs()
    session = Session(jobs, corpus=snapshot.corpus, corpus_name="toy")
    session.snapshot = snapshot
    yield Intrusion(session)
    session.close()
    jobs.close()


def begun(view, until, kind="word"):
    view.kind.value = kind
    view.begin.clicks += 1
    until(lambda: not view.session.thinking and view.asked is not None)
    return view.asked


def test_the_same_seed_asks_the_same(snapshot):
    first, same, other = (questions.asked(snapshot, "word", seed) for seed in (1, 1, 2))
    assert first.tasks.equals(same.tasks) and not first.tasks.equals(other.tasks)
    assert first.name == "word_intrusion_seed1" and len(first.options(0)) == 6
    assert questions.asked(snapshot, "topic", 0).text(0)


@pytest.mark.slow
def test_texts_are_read_as_they_were_written():
    corpus = jaxlda.Corpus.from_texts(["The  cat\npurrs, " * 100, "Dogs bark!"] * 5)
    asked = questions.asked(snapshot_of(corpus, num_topics=2), "topic", 0)
    assert {asked.text(i)[:9] for i in range(len(asked.tasks))} == {"The cat p", "Dogs bark"}
    assert max(len(asked.text(i)) for i in range(len(asked.tasks))) <= questions.TEXT + 2


@pytest.mark.parametrize("kind", ["word", "topic"])
def test_answers_are_scored_and_taken_away(view, until, kind):
    asked = begun(view, until, kind)
    assert (
        view.asking in view.__panel__()
        and view.asking.visible
        and view.back.disabled
        and "Question 1 of" in view.hint.value
    )
    for question, right in enumerate(asked.tasks.answer.tolist()):
        assert list(view.options.options) == asked.options(question)
        view.options.value = right if question else right % len(asked.options(0)) + 1  # the first is wrong
        view.next.clicks += 1
    assert "All questions are answered" in view.hint.value and view.next.disabled
    view.show_score.clicks += 1
    until(lambda: not view.session.thinking and view.scores.visible)
    n = len(asked.tasks)
    assert view.tables()["intrusion"].precision.sum() == n - 1
    assert f"1 rater: {n} questions, precision {(n - 1) / n:.3f}" in view.note.value
    files = {name: file.file.getvalue() for name, file in view.downloads.items()}
    assert view.downloads["answers"].filename == f"{kind}_intrusion_seed0_answers.csv"
    answers, tasks = (pd.read_csv(io.BytesIO(files[name])) for name in ("answers", "questions"))
    assert score_intrusion(tasks, answers).precision == pytest.approx((n - 1) / n)


def test_an_answer_can_be_changed_and_raters_take_turns(view, until):
    begun(view, until)
    view.options.value = 2
    view.options.value = 3
    assert view.answers == {"rater 1": {0: 3}}
    view.next.clicks += 1
    assert view.options.value is None and view.answers == {"rater 1": {0: 3}}
    view.back.clicks += 1
    assert view.options.value == 3
    view.rater.value = "second"
    assert view.options.value is None and "0 answered by second" in view.hint.value
    view.options.value = 3
    assert view.answers["second"] == {0: 3}


def test_answers_of_others_are_added_and_agree(view, until):
    asked = begun(view, until)
    lines = [f"{q},{a},{a}" for q, a in enumerate(asked.tasks.answer)]
    view.files.value = ("\ufeffquestion,ann,bob\n" + "\n".join(lines)).encode()
    until(lambda: not view.session.thinking and view.scores.visible)
    assert set(view.answers) == {"ann", "bob"} and "2 raters" in view.note.value
    assert view.tables()["intrusion"].precision.tolist() == [1.0] * 3


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\xff\xfe", "no csv file"),
        (b"a,b\n1,2\n", "a column question"),
        (b"", "a column question"),
        (b"question,ann\n99,1\n", "question '99', which is not asked"),
        (b"question,ann\n-1,1\n", "question '-1', which is not asked"),
        (b"question,ann\n0,7\n", "'7' is no option of question 0"),
        (b"question,ann\n0,=cmd\n", "'=cmd' is no option"),
        (b"x" * (questions.LARGEST + 1), "less than a megabyte"),
    ],
)
def test_files_that_are_no_answers(snapshot, content, message):
    with pytest.raises(ValueError, match=message):
        questions.others(snapshot, questions.asked(snapshot, "word", 0), content)


def test_nothing_to_ask_yet(until):
    jobs = Jobs()
    session = Session(jobs)
    view = Intrusion(session)
    view.refresh()
    view.begin.clicks += 1
    view.show_score.clicks += 1
    assert view.asked is None and not view.asking.visible and "nothing to see yet" in view.hint.value
    session.close()
    jobs.close()


def test_too_few_topics_are_told(view, until, snapshot):
    view.session.snapshot = snapshot_of(snapshot.corpus, num_topics=1, num_chains=1)
    view.begin.clicks += 1
    until(lambda: not view.session.thinking and view.session.message)
    assert "too few" in view.session.message and view.asked is None and not view.asking.visible
