"""A sampler to look at: one document, one token at a time, forwards and backwards. Plain Python, no arrays.

The real ones are in ``jaxlda.kernels``; this one is slow, says why it draws what it draws, and can be undone.
"""

import random
from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Step", "Walk"]


class Step(NamedTuple):
    """One token that was drawn anew."""

    token: int
    """Its place in the document."""
    word: int
    old: int
    """The topic that it had."""
    document: list[float]
    """How much the document likes each topic: its other tokens there, and alpha."""
    likes: list[float]
    """How much each topic likes the word: its share of the topic's other tokens, with beta."""
    probabilities: list[float]
    """Both multiplied, as shares of their sum (Eq. 1)."""
    u: float
    """The number from 0 to 1 that decides."""
    new: int
    """The topic that it has now."""


class Walk:
    """Draws the tokens of a document in turn; those of the other documents stay as they are.

    Parameters
    ----------
    w
        The word of each token.
    z
        The topic of each token, to begin with.
    others
        How often each word has each topic in the other documents, V rows of K numbers.
    alpha, beta
        The priors, the same for all topics and words.
    seed
        Of the draws.

    Examples
    --------
    >>> walk = Walk([0, 1, 0], [0, 0, 1], [[9, 0], [0, 9]], alpha=0.5, beta=0.1, seed=2)
    >>> [round(p, 2) for p in walk.step().probabilities]
    [0.98, 0.02]
    >>> walk.back()
    >>> walk.z, walk.n_dk
    ([0, 0, 1], [2, 1])
    """

    def __init__(
        self, w: Sequence[int], z: Sequence[int], others: Sequence[Sequence[int]], alpha: float, beta: float, seed: int
    ) -> None:
        self.w, self.z, self.alpha, self.beta = list(w), list(z), alpha, beta
        self.n_vk = [list(row) for row in others]
        self.n_k = [sum(column) for column in zip(*self.n_vk, strict=True)]
        self.n_dk = [0] * len(self.n_k)
        for word, topic in zip(self.w, self.z, strict=True):
            self._count(word, topic, 1)
        self.steps: list[Step] = []
        self._random = random.Random(seed)
        self._numbers: list[float] = []  # that decided, or will decide again after going back

    @property
    def last(self) -> Step | None:
        """The step that was done last."""
        return self.steps[-1] if self.steps else None

    def step(self) -> Step:
        """Draw the topic of the next token; after the last token comes the first."""
        t = len(self.steps)
        if t == len(self._numbers):
            self._numbers.append(self._random.random())
        token, u = t % len(self.w), self._numbers[t]
        word, old = self.w[token], self.z[token]
        self._count(word, old, -1)
        document = [n + self.alpha for n in self.n_dk]
        total = len(self.n_vk) * self.beta
        likes = [(n + self.beta) / (n_k + total) for n, n_k in zip(self.n_vk[word], self.n_k, strict=True)]
        weights = [a * b for a, b in zip(document, likes, strict=True)]
        probabilities = [weight / sum(weights) for weight in weights]
        new = _drawn(probabilities, u)
        self._count(word, new, 1)
        self.z[token] = new
        step = Step(token, word, old, document, likes, probabilities, u, new)
        self.steps.append(step)
        return step

    def back(self) -> None:
        """Undo the last step; the next one draws the same again. Nothing happens at the beginning."""
        if self.steps:
            step = self.steps.pop()
            self._count(step.word, step.new, -1)
            self._count(step.word, step.old, 1)
            self.z[step.token] = step.old

    def go(self, step: int) -> None:
        """Do steps, or undo some, until this many are done."""
        while len(self.steps) < step:
            self.step()
        while len(self.steps) > max(step, 0):
            self.back()

    def _count(self, word: int, topic: int, change: int) -> None:
        self.n_dk[topic] += change
        self.n_vk[word][topic] += change
        self.n_k[topic] += change


def _drawn(probabilities: Sequence[float], u: float) -> int:
    """The first topic whose probability, with those before it, exceeds u."""
    total = 0.0
    for topic, p in enumerate(probabilities):
        total += p
        if u < total:
            return topic
    return len(probabilities) - 1  # rounding
