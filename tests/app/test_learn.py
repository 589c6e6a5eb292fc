"""The guided tab without a browser: its sampler is the real one, slowly; its pictures are texts; its claims hold."""

import jax.numpy as jnp
import numpy as np
import pytest

import jaxlda
from jaxlda.kernels.conditional import weights
from jaxlda_app.jobs import Jobs
from jaxlda_app.learn import lessons, pictures
from jaxlda_app.learn.walk import Walk
from jaxlda_app.store import Session
from jaxlda_app.views.learn import SCREENS, LearnView
from tests import reference

ALPHA, BETA = 0.3, 0.05
W, Z = [0, 2, 1, 2, 0], [1, 0, 2, 2, 1]
OTHERS = [[4, 0, 1], [0, 3, 2], [1, 1, 5], [2, 0, 0]]


def small():
    return Walk(W, Z, OTHERS, ALPHA, BETA, seed=7)


def state(walk):
    return walk.z[:], walk.n_dk[:], [row[:] for row in walk.n_vk], walk.n_k[:]


class TestWalk:
    def test_probabilities_are_those_of_the_kernels(self):
        walk = small()
        for _ in range(12):
            before = [np.array(x, float) for x in (walk.n_dk, walk.n_vk, walk.n_k)]
            step = walk.step()
            n_dk, n_vk, n_k = before[0], before[1][step.word], before[2]
            for counts in (n_dk, n_vk, n_k):
                counts[step.old] -= 1
            inverse = 1 / (n_k + len(OTHERS) * BETA)
            p = weights(*(jnp.asarray(x) for x in (n_dk, np.full(3, ALPHA), n_vk, np.full(3, BETA), inverse)))
            np.testing.assert_allclose(step.probabilities, p / p.sum(), rtol=1e-5)
            np.testing.assert_allclose(np.array(step.document) * step.likes, p, rtol=1e-5)

    def test_probabilities_are_those_of_the_reference(self):
        """All documents as one problem: the others are a second document."""
        rest = [(v, k) for v, row in enumerate(OTHERS) for k, n in enumerate(row) for _ in range(n)]
        counts = np.zeros((2, len(OTHERS)), int)
        np.add.at(counts, (0, W), 1)
        np.add.at(counts, (1, [v for v, _ in rest]), 1)
        p = reference.problem(jaxlda.Corpus.from_counts(counts).data(3, alpha=ALPHA, beta=BETA))
        order = np.argsort(W, kind="stable")  # of the tokens in the corpus
        z = np.array([*np.array(Z)[order], *(k for _, k in rest)])
        for i, token in enumerate(order.tolist()):
            walk = Walk([*W[token:], *W[:token]], [*Z[token:], *Z[:token]], OTHERS, ALPHA, BETA, seed=0)
            expected = reference.conditional(i, z, reference.counts(z, p), p)
            np.testing.assert_allclose(walk.step().probabilities, expected / expected.sum(), rtol=1e-6)

    def test_what_is_done_can_be_undone_and_done_again(self):
        walk = small()
        seen = [state(walk)]
        for _ in range(11):
            walk.step()
            seen.append(state(walk))
        steps = walk.steps[:]
        for expected in seen[-2::-1]:
            walk.back()
            assert state(walk) == expected
        walk.back()
        assert state(walk) == seen[0] and walk.last is None
        walk.go(11)
        assert walk.steps == steps and state(walk) == seen[-1]

    def test_counts_are_those_of_the_topics(self):
        walk = small()
        walk.go(23)
        assert walk.n_dk == np.bincount(walk.z, minlength=3).tolist()
        own = np.zeros((4, 3), int)
        np.add.at(own, (walk.w, walk.z), 1)
        assert (np.array(walk.n_vk) == own + OTHERS).all() and walk.n_k == np.sum(walk.n_vk, axis=0).tolist()

    def test_draws_follow_the_probabilities(self):
        """Of 4,000 first steps; the chi-square statistic of 2 degrees is above 13.8 once in a thousand seeds."""
        steps = [Walk(W, Z, OTHERS, ALPHA, BETA, seed=seed).step() for seed in range(4000)]
        observed = np.bincount([step.new for step in steps], minlength=3)
        expected = 4000 * np.array(steps[0].probabilities)
        assert ((observed - expected) ** 2 / expected).sum() < 13.8


class TestLessons:
    def test_the_bars_come_out(self):
        found = lessons.bars()
        assert lessons.overlap(found, 0) < 0.35 and lessons.overlap(found, len(found.z) - 1) > 0.9

    def test_weighing_is_steadier_and_nearer_to_the_truth(self):
        """What the last screen says."""
        found = lessons.noise()
        assert (found.error_p < found.error).all()
        assert found.theta_p.std(axis=0).mean() < 0.7 * found.theta.std(axis=0).mean()
        assert found.phi_p.std(axis=0).mean() < 0.9 * found.phi.std(axis=0).mean()

    def test_headlines_are_made_of_their_tokens(self):
        corpus, found = jaxlda.datasets.load("reuters"), lessons.stories()
        tokens = corpus.tokens()
        assert len(found.stories) >= 4
        for story in found.stories:
            assert "".join(piece for piece, _ in story.pieces) == story.title
            known = [(word, i) for word, i in (*story.pieces, *story.tokens) if i is not None]
            assert len({int(tokens.d[i]) for _, i in known}) == 1
            assert all(corpus.vocab[int(tokens.w[i])] == word.lower() for word, i in known)


def test_words_are_nothing_but_text():
    hostile = "<script>alert(1)</script>"
    story = lessons.Story(hostile, [(hostile, None), (hostile, 0)], [(hostile, 0)])
    found = lessons.Stories([story], (0,), np.zeros((1, 1), int), [[hostile]], [0])
    text = pictures.story_text(found, 0)
    assert "<script" not in text and text.count("&lt;script&gt;") == 4


@pytest.fixture
def view():
    jobs = Jobs()
    session = Session(jobs)
    session.do = lambda work, then, otherwise=None: then(work())
    yield LearnView(session)
    session.close()
    jobs.close()


def test_from_the_first_screen_to_the_last_and_back(view):
    view.refresh()
    for number in range(len(SCREENS)):
        assert view.progress.value == f"{number + 1} of 5"
        assert number in view.drawn and (view.back.disabled, view.next.disabled) == (number == 0, number == 4)
        view.go(number + 1)
    assert view.number == 4
    view.go(-3)
    assert view.number == 0


def test_steps_of_the_screens(view):
    """Every step of every screen can be shown, the last one too, and going back shows what was there."""
    for number in range(1, len(SCREENS)):
        view.go(number)
        playing = view.drawn[number].playing
        playing.go(1)
        playing.go(playing.end)
        assert playing.step.disabled and not playing.undo.disabled
        playing.go(0)
        assert playing.undo.disabled and not playing.step.disabled


def test_a_lesson_that_fails_can_be_asked_for_again(view):
    view.session.do = lambda work, then, otherwise: otherwise()
    view.refresh()
    assert "could not be computed" in view.stage[0].value
    view.session.do = lambda work, then, otherwise: then(work())
    view.refresh()
    assert 0 in view.drawn
