"""Texts as a corpus, in a pipeline of scikit-learn."""

from typing import Any

from scipy import sparse
from sklearn.feature_extraction.text import CountVectorizer

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.inputs import as_text_options

__all__ = ["CorpusVectorizer"]


class CorpusVectorizer(CountVectorizer):
    """scikit-learn's ``CountVectorizer`` that tells the next model its words and how it reads texts.

    The parameters are those of ``CountVectorizer``.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> import jaxlda
    >>> model = jaxlda.LDA(2, num_warmup=20, num_chains=1, progress=False)
    >>> pipeline = make_pipeline(CorpusVectorizer(stop_words="english"), model).fit(["the cat purrs", "a dog barks"])
    >>> pipeline[-1].vocab_.tolist()
    ['barks', 'cat', 'dog', 'purrs']
    """

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Corpus:
        """Learn the words of texts, and count them."""
        return self._corpus(super().fit_transform(raw_documents, y))

    def transform(self, raw_documents: Any) -> Corpus:
        """Count the words of other texts; those that are not known are left out."""
        return self._corpus(super().transform(raw_documents))

    def _corpus(self, counts: Any) -> Corpus:
        usual = CountVectorizer().get_params()
        options = {name: value for name, value in self.get_params().items() if not _same(value, usual[name])}
        matrix = sparse.csr_array(counts, dtype="int32")
        matrix.sort_indices()
        return Corpus(matrix, self.get_feature_names_out().astype(str), text_options=as_text_options(options))


def _same(one: Any, other: Any) -> bool:
    # A vocabulary may be an array, which compares word by word.
    return one is other or (type(one) is type(other) and bool(one == other))
