"""The names of a model's topics."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jaxlda.corpora.numbers import positive_int

__all__ = ["Names", "checked_names"]


def checked_names(names: Any, K: int) -> tuple[str, ...]:
    """K different names, or an error that says what is wrong.

    >>> checked_names(["oil", "oil"], 2)
    Traceback (most recent call last):
    ...
    ValueError: topic_names has 'oil' twice, for topics 0 and 1: names must differ
    """
    if isinstance(names, str) or not isinstance(names, Sequence | np.ndarray):
        raise TypeError(f"topic_names must be a list of {K} names, or a dict of numbers and names; got {names!r:.60}")
    given = list(names.tolist() if isinstance(names, np.ndarray) else names)
    if len(given) != K:
        raise ValueError(f"topic_names has {len(given)} name(s), but there are {K} topics")
    for k, name in enumerate(given):
        if not isinstance(name, str) or not name.strip():
            raise ValueError(f"the name of topic {k} must be a text with something in it; got {name!r:.60}")
        if given.index(name) < k:
            raise ValueError(
                f"topic_names has {name!r} twice, for topics {given.index(name)} and {k}: names must differ"
            )
    return tuple(str(name) for name in given)


class Names:
    """Names of topics: given, or those of labels, or numbers."""

    phi_: np.ndarray
    vocab_: np.ndarray
    topic_names_: tuple[str, ...]

    @property
    def topic_names(self) -> list[str]:
        """The names of the topics: as they were set, or else labels, or ``topic 0``, ``topic 1``, ...

        Set a list with a name for each, or a dict of some (by number or present name); ``None`` takes them back. Names
        differ from each other, are saved with the model, and are shown in tables, figures and reports. A new fit
        forgets them.

        Examples
        --------
        >>> import jaxlda
        >>> model = jaxlda.LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"])
        >>> model.topic_names = {1: "dogs"}
        >>> model.topic_names
        ['topic 0', 'dogs']
        """
        check_is_fitted(self, "phi_")
        given = getattr(self, "topic_names_", None)
        return list(given) if given is not None else self._default_names()

    @topic_names.setter
    def topic_names(self, names: Any) -> None:
        check_is_fitted(self, "phi_")
        if names is None:
            vars(self).pop("topic_names_", None)
            return
        if isinstance(names, Mapping):
            known = self.topic_names
            for topic, name in names.items():
                known[self.topic_number(topic)] = name
            names = known
        self.topic_names_ = checked_names(names, len(self.phi_))

    def topic_number(self, topic: Any) -> int:
        """The number of a topic that is given by its number or by its name."""
        names = self.topic_names
        if isinstance(topic, str):
            if topic not in names:
                raise KeyError(f"there is no topic {topic!r}; there are {', '.join(names[:5])}, ...")
            return names.index(topic)
        if isinstance(topic, bool) or not isinstance(topic, int | np.integer):
            raise TypeError(f"a topic is given by its number or its name; got {topic!r:.60}")
        if not 0 <= topic < len(names):
            raise IndexError(f"there is no topic {topic}: the model has topics 0 to {len(names) - 1}")
        return int(topic)

    def propose_names(self, method: str = "relevance", *, words: int = 3, texts: Any = None) -> list[str]:
        """Names made of the words that tell each topic from the others; nothing is set.

        ``model.topic_names = model.propose_names()`` takes them all.

        Parameters
        ----------
        method
            ``"relevance"``: words that are probable in the topic, and more so than in the corpus; ``"llr"``: words that
            are surely more frequent there than elsewhere, by log-likelihood ratio.
        words
            How many words a name has.
        texts
            The documents as lists of words in their order, to take phrases of two or three neighbours from: a topic
            whose best words make a phrase is named by it first. If not given, the training documents, where their order
            is known; ``()``: no phrases.

        Examples
        --------
        >>> import jaxlda
        >>> phi = [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
        >>> jaxlda.LDA.from_topics(phi, ["cat", "pet", "dog"]).propose_names(words=1)
        ['cat', 'dog']
        """
        from jaxlda.topics.names import phrases, proposed_names, scores_for_names

        check_is_fitted(self, "phi_")
        n_vk, frequency = self._word_counts()
        scores = scores_for_names(method, self.phi_, frequency, n_vk)
        length = positive_int(words, "words")
        in_order = self._texts_in_order() if texts is None else texts
        candidates = phrases(in_order, self.vocab_, max_words=min(max(length, 2), 3))
        return proposed_names(scores, self.vocab_, length, candidates)

    def _texts_in_order(self) -> Iterable[Sequence[str]]:
        """The words of the training documents as they were written, where that is known."""
        from jaxlda.evaluation.quality.reading import read

        found = read(self, 1)
        return () if found.run is None or found.order is None else found.texts()

    def _names_of(self, chain: int | None = None) -> list[str] | None:
        """The names of the topics of a chain, the best one if not given; ``None`` where they have numbers only.

        Names that were set are those of the best chain's topics; those of labels and seed words hold in all chains.
        """
        own = chain is None or chain == getattr(self, "best_chain_", chain) or getattr(self, "_pooled", False)
        names = self.topic_names if own else self._default_names()
        return None if names == Names._default_names(self) else names

    def _default_names(self) -> list[str]:
        return [f"topic {k}" for k in range(len(self.phi_))]

    def _word_counts(self) -> tuple[np.ndarray | None, np.ndarray]:
        raise NotImplementedError
