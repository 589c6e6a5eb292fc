"""Two models side by side, whatever program made them: which topics they share, and which words tell them apart."""

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float64

from jaxlda.alignment.distances import as_phi, divergence_by_word
from jaxlda.alignment.matching import Alignment, Mixture, align
from jaxlda.corpora.inputs import as_names, generated_names

__all__ = ["Comparison", "Pair", "compare"]


class Pair(NamedTuple):
    """A topic of model a and its partner in model b."""

    a: int
    b: int
    distance: float
    words: tuple[str, ...]
    """The most probable words of the two together."""
    more_in_a: tuple[str, ...]
    """Words that tell them apart and are more probable in a; those that contribute most to the divergence first."""
    more_in_b: tuple[str, ...]


class Comparison(NamedTuple):
    """Two models, topic by topic. Printed, it is a table."""

    pairs: tuple[Pair, ...]
    """In the order of model a."""
    alignment: Alignment
    """With model a as reference: splits are topics of a that are several in b."""
    outside_a: Float64[np.ndarray, " K1"]
    """The share of each topic's mass on words that model b does not know."""
    outside_b: Float64[np.ndarray, " K2"]
    top_words_a: tuple[tuple[str, ...], ...]
    """The most probable words of each topic, known to the other model or not."""
    top_words_b: tuple[tuple[str, ...], ...]
    num_shared: int
    """Words that both models know."""

    def summary(self) -> str:
        """The comparison as text."""
        found, (K1, K2) = self.alignment, (len(self.outside_a), len(self.outside_b))
        lines = [
            f"{len(self.pairs)} of the {K1} topics of a and {K2} of b are matched "
            f"({found.metric} distance up to {found.threshold:.2f}).",
            f"{self.num_shared} words are shared; outside of them is {_percent(self.outside_a)} of the mass of a and "
            f"{_percent(self.outside_b)} of b.",
        ]
        lines += ["", "   a     b  distance  words | more in a | more in b"] if self.pairs else []
        for pair in self.pairs:
            words = " | ".join(" ".join(group) for group in (pair.words, pair.more_in_a, pair.more_in_b))
            lines.append(f"{pair.a:4d}  {pair.b:4d}  {pair.distance:8.3f}  {words}")
        lines += [""] if found.splits or found.merges else []
        lines += [_sentence("a", "split into", "b", mixture) for mixture in found.splits]
        lines += [_sentence("b", "merged from", "a", mixture) for mixture in found.merges]
        for name, left, top in (
            ("a", found.unmatched_reference, self.top_words_a),
            ("b", found.unmatched, self.top_words_b),
        ):
            lines += ["", f"Only in {name}:"] if len(left) else []
            lines += [f"{k:4d}  {' '.join(top[k])}" for k in left.tolist()]
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.summary()

    def to_pandas(self) -> Any:
        """A row for each pair and for each topic without a partner (NaN where there is no partner)."""
        import pandas as pd

        rows = [pair._asdict() for pair in self.pairs]
        rows += [{"a": k, "words": self.top_words_a[k]} for k in self.alignment.unmatched_reference.tolist()]
        rows += [{"b": k, "words": self.top_words_b[k]} for k in self.alignment.unmatched.tolist()]
        table = pd.DataFrame([{k: " ".join(v) if isinstance(v, tuple) else v for k, v in row.items()} for row in rows])
        return table.reindex(columns=Pair._fields).astype({"a": "Int64", "b": "Int64", "distance": float})


def compare(
    model_a: Any, model_b: Any, metric: str = "jensen_shannon", threshold: float | int | None = None, num_words: int = 5
) -> Comparison:
    """Match the topics of two models, which may differ in K, in their words, or in the program that made them.

    The models are compared on the words that both know, each topic scaled to sum to 1 there; what share of its mass is
    outside is reported. A topic that lies wholly outside has no partner.

    Parameters
    ----------
    model_a, model_b
        Anything with ``phi_`` and ``vocab_``, such as a fitted ``LDA``; or a pair ``(phi, vocab)`` of topics ``(K, V)``
        (counts are as good) and words ``(V,)``. If neither has a vocabulary (``None``), column v of one is column v of
        the other.
    metric, threshold
        As in :func:`align`.
    num_words
        How many words to give for each topic and difference.

    Examples
    --------
    >>> a = np.array([[5, 4, 1, 0, 0], [0, 0, 1, 5, 4]]), ["cat", "purr", "pet", "dog", "bark"]
    >>> b = np.array([[1, 6, 0, 3], [0, 0, 1, 0], [1, 0, 9, 0]]), ["pet", "dog", "cat", "wolf"]
    >>> print(compare(a, b, num_words=2))
    2 of the 2 topics of a and 3 of b are matched (jensen_shannon distance up to 0.60).
    3 words are shared; outside of them is 40 % of the mass of a and 10 % of b.
    <BLANKLINE>
       a     b  distance  words | more in a | more in b
       0     2     0.084  cat pet | pet | cat
       1     0     0.028  dog pet | pet | dog
    <BLANKLINE>
    a 0 is split into b 2 (50 %), 1 (50 %): distance 0.163, 0.084 to the nearest alone
    <BLANKLINE>
    Only in b:
       1  cat
    """
    (phi_a, vocab_a), (phi_b, vocab_b) = _topics(model_a, "model_a"), _topics(model_b, "model_b")
    if (vocab_a is None) != (vocab_b is None):
        raise ValueError("one model has a vocabulary and the other has none; give it as a pair (phi, vocab)")
    if vocab_a is None or vocab_b is None:
        if phi_a.shape[1] != phi_b.shape[1]:
            raise ValueError(
                f"model_a has {phi_a.shape[1]} words, model_b {phi_b.shape[1]}: to match them, both need a vocabulary"
            )
        vocab_a = vocab_b = generated_names("w", phi_a.shape[1])
    shared, in_a, in_b = np.intersect1d(vocab_a, vocab_b, assume_unique=True, return_indices=True)
    if not shared.size:
        raise ValueError(
            f"the models have no word in common: model_a has words such as {', '.join(vocab_a[:3])}, model_b "
            f"{', '.join(vocab_b[:3])}"
        )
    order = np.argsort(in_a)
    shared, in_a, in_b = shared[order], in_a[order], in_b[order]
    inside_a, inside_b = phi_a[:, in_a], phi_b[:, in_b]
    outside_a, outside_b = 1 - inside_a.sum(axis=1), 1 - inside_b.sum(axis=1)
    p, q = _closed(inside_a, 0), _closed(inside_b, 1)
    found = align(p, q, metric, threshold)
    pairs = [
        _pair(a, b, float(found.distances[a]), p[a], q[b], shared, num_words)
        for a, b in enumerate(found.permutation.tolist())
        if b >= 0
    ]
    return Comparison(
        pairs=tuple(pairs),
        alignment=found,
        outside_a=np.clip(outside_a, 0, 1),
        outside_b=np.clip(outside_b, 0, 1),
        top_words_a=_top_words(phi_a, vocab_a, num_words),
        top_words_b=_top_words(phi_b, vocab_b, num_words),
        num_shared=int(shared.size),
    )


def _topics(model: Any, name: str) -> tuple[Float64[np.ndarray, "K V"], np.ndarray | None]:
    """The topics of a model, scaled to sum to 1, and its vocabulary."""
    if isinstance(model, tuple | list) and len(model) == 2:
        phi, vocab = model
    elif hasattr(model, "phi_") and hasattr(model, "vocab_"):
        phi, vocab = model.phi_, model.vocab_
    else:
        raise TypeError(
            f"{name} must be fitted, with phi_ and vocab_, or a pair (phi, vocab); got a {type(model).__name__}"
        )
    phi = as_phi(phi, f"phi of {name}")
    vocab = None if vocab is None else as_names(vocab, f"the vocabulary of {name}", phi.shape[1])
    return phi / phi.sum(axis=1, dtype=np.float64, keepdims=True), vocab


def _closed(phi: np.ndarray, side: int) -> np.ndarray:
    """Topics that sum to 1, with two more columns: the mass of topics that have none on the shared words goes there.

    Each side has its own column, so that such topics are as far from the other side's as can be.
    """
    mass = phi.sum(axis=1, keepdims=True)
    beyond = np.zeros((len(phi), 2))
    beyond[:, side] = mass[:, 0] == 0
    return np.hstack([phi / np.where(mass > 0, mass, 1), beyond])


def _pair(a: int, b: int, d: float, p: np.ndarray, q: np.ndarray, vocab: np.ndarray, n: int) -> Pair:
    p, q = p[: len(vocab)], q[: len(vocab)]
    apart = divergence_by_word(p, q)

    def words(score: np.ndarray) -> tuple[str, ...]:
        order = np.argsort(-score, kind="stable")[:n]
        return tuple(vocab[order[score[order] > 0]].tolist())

    return Pair(a, b, d, words(p + q), words(np.where(p > q, apart, 0)), words(np.where(q > p, apart, 0)))


def _top_words(phi: np.ndarray, vocab: np.ndarray, n: int) -> tuple[tuple[str, ...], ...]:
    order = np.argsort(-phi, axis=1, kind="stable")[:, :n]
    return tuple(tuple(vocab[row[topic[row] > 0]].tolist()) for row, topic in zip(order, phi, strict=True))


def _percent(outside: np.ndarray) -> str:
    return f"{100 * outside.mean():.3g} %"


def _sentence(whole: str, verb: str, other: str, mixture: Mixture) -> str:
    shares = ", ".join(f"{k} ({100 * share:.0f} %)" for k, share in zip(mixture.parts, mixture.shares, strict=True))
    return (
        f"{whole} {mixture.topic} is {verb} {other} {shares}: distance {mixture.distance:.3f}, "
        f"{mixture.nearest:.3f} to the nearest alone"
    )
