"""Texts as a corpus, in a pipeline of scikit-learn."""

import inspect
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer

from jaxlda.corpora.corpus import Corpus
from jaxlda.models.parameters import Parameter, constructor

__all__ = ["CorpusVectorizer"]

_THEIRS = inspect.signature(CountVectorizer).parameters.values()
_PARAMETERS = [*(Parameter(one.name, one.default, "") for one in _THEIRS), Parameter("phrases", False, "")]


class CorpusVectorizer(CountVectorizer):
    """scikit-learn's ``CountVectorizer`` that tells the next model its words and how it reads texts.

    The parameters are those of ``CountVectorizer``, which may be all that ``Corpus.from_texts`` takes, and ``phrases``.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> import jaxlda
    >>> model = jaxlda.LDA(2, num_warmup=20, num_chains=1, progress=False)
    >>> pipeline = make_pipeline(CorpusVectorizer(stop_words="english"), model).fit(["the cat purrs", "a dog barks"])
    >>> pipeline[-1].vocab_.tolist()
    ['barks', 'cat', 'dog', 'purrs']
    """

    __init__ = constructor(_PARAMETERS)  # type: ignore[assignment]

    def fit(self, raw_documents: Any, y: Any = None) -> "CorpusVectorizer":
        """Learn the words of texts."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Corpus:
        """Learn the words of texts, and count them."""
        corpus = Corpus.from_texts(raw_documents, **self._options())
        self.vocabulary_ = {word: v for v, word in enumerate(corpus.vocab.tolist())}
        self.fixed_vocabulary_ = self.vocabulary is not None
        self.text_options_ = corpus.text_options
        return corpus

    def transform(self, raw_documents: Any) -> Corpus:
        """Count the words of other texts; those that are not known are left out."""
        self._check_vocabulary()
        words: dict[str, Any] = {"vocabulary": self.get_feature_names_out()}
        if self.input != "content":
            words["input"] = self.input
        return Corpus.from_texts(raw_documents, allow_empty=True, **(self.text_options_ or {}), **words)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The words."""
        return super().get_feature_names_out().astype(str).astype(object)

    def _options(self) -> dict[str, Any]:
        """Parameters that are not those of ``CountVectorizer`` by default."""
        plain = CountVectorizer().get_params() | {"phrases": False}
        return {name: value for name, value in self.get_params().items() if not _same(value, plain[name])}


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and isinstance(one, str | int | float | tuple) and one == other)
