"""A corpus: documents as bags of words, with the names of words, documents and labels."""

import dataclasses
import math
import operator
import warnings
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import sparse

from jaxlda.corpora import bags, comparing, joining
from jaxlda.corpora.given_topics import check_possible, known_topics
from jaxlda.corpora.inputs import (
    LARGEST,
    as_counts,
    as_labels,
    as_names,
    as_text_options,
    as_texts,
    as_titles,
    columns_of,
    generated_names,
)
from jaxlda.corpora.metadata import as_columns, as_table
from jaxlda.corpora.priors import make as make_priors
from jaxlda.corpora.priors import number_of_topics
from jaxlda.types import Data, Priors, Tokens

__all__ = ["Corpus"]

ALPHA, BETA = 0.1, 0.01


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Documents as bags of words. Make one with :meth:`from_texts` or :meth:`from_counts`, and never change it.

    Examples
    --------
    >>> corpus = Corpus.from_texts(["the cat sat", "the dog sat down"], titles=["cat", "dog"])
    >>> corpus
    Corpus(2 documents, 5 words, 7 tokens)
    >>> corpus.vocab.tolist()
    ['cat', 'dog', 'down', 'sat', 'the']
    >>> corpus.counts.toarray().tolist()
    [[1, 0, 0, 1, 1], [0, 1, 1, 1, 1]]
    """

    counts: sparse.csr_array
    """D x V, int32, in canonical form: sorted, no duplicates, no stored zeros."""
    vocab: np.ndarray
    """The V distinct words, unicode."""
    titles: tuple[str, ...] | None = None
    """The D titles, if known."""
    labels: sparse.csr_array | None = None
    """D x L, bool, if known."""
    label_names: np.ndarray | None = None
    """The L distinct names of labels, unicode; present exactly when ``labels`` is."""
    text_options: Mapping[str, Any] | None = None
    """How texts were read (tokenisation, stop words, n-grams), so that others can be read alike; None of counts."""
    doc_columns: Mapping[str, np.ndarray] | None = None
    """What else is known of the documents, by name, D values each; see :attr:`metadata`."""

    @classmethod
    def from_texts(
        cls,
        texts: Any,
        *,
        titles: Any = None,
        labels: Any = None,
        label_names: Any = None,
        allow_empty: bool = False,
        **options: Any,
    ) -> "Corpus":
        """Count the words of texts with scikit-learn's ``CountVectorizer``.

        Parameters
        ----------
        texts
            A string for each document. A text without a counted word becomes an empty document.
        titles, labels, label_names
            As in :meth:`from_counts`.
        allow_empty
            Whether a corpus without a single word is fine, as it is where texts are read for a model.
        **options
            Every option of ``CountVectorizer``: ``min_df``, ``stop_words``, ``token_pattern``, ``ngram_range``, ...
            With ``vocabulary=model_vocab`` new texts are counted for a model fitted earlier; ``analyzer=list`` takes
            texts that are lists of words already.

        Examples
        --------
        >>> Corpus.from_texts(["a cat and a dog", "a dog"], stop_words="english").vocab.tolist()
        ['cat', 'dog']
        """
        from sklearn.feature_extraction.text import CountVectorizer

        texts = as_texts(texts, options)
        vectorizer = CountVectorizer(**(options | {"dtype": np.int64}))  # no dtype in which counts could overflow
        try:
            counts = vectorizer.fit_transform(texts)
        except ValueError as error:
            if not any(sign in str(error) for sign in ("empty vocabulary", "no terms remain", "max_df corresponds")):
                raise
            counts = None
        if (counts is None or counts.nnz == 0) and not allow_empty:
            raise ValueError(
                f"no words are left in the {len(texts)} text(s): every word was dropped. Relax the options (now "
                f"{options or 'the defaults'}): a smaller min_df, a larger max_df, fewer stop_words, a token_pattern "
                "that also takes words of one letter, or a vocabulary that occurs in the texts"
            )
        if counts is None or counts.nnz == 0:
            D, vocab = len(texts), np.array([] if counts is None else vectorizer.get_feature_names_out(), dtype=str)
            empty = sparse.csr_array((D, vocab.size), dtype=np.int32)
            corpus = cls(empty, vocab, as_titles(titles, D), *as_labels(labels, label_names, D))
        else:
            vocab = vectorizer.get_feature_names_out()
            corpus = cls.from_counts(counts, vocab, titles=titles, labels=labels, label_names=label_names)
        return dataclasses.replace(corpus, text_options=as_text_options(options))

    @classmethod
    def from_counts(
        cls, counts: Any, vocab: Any = None, *, labels: Any = None, label_names: Any = None, titles: Any = None
    ) -> "Corpus":
        """Take a matrix of counts, documents x words.

        Parameters
        ----------
        counts
            A scipy sparse matrix of any format, a dense array, or a pandas table (whose columns are then the words).
            Whole numbers of any dtype. Empty documents and words that never occur are kept.
        vocab
            The V words in the order of the columns; ``w0``, ``w1``, ... if not given.
        labels
            A D x L matrix of 0 and 1, or for each document a list or set of label names (or one name).
        label_names
            The L names in the order of the columns. If not given: the sorted names that occur, or ``label0``, ...
        titles
            A title for each document.

        Examples
        --------
        >>> corpus = Corpus.from_counts([[2, 0, 1], [0, 3, 0]], labels=[{"sport"}, {"news", "sport"}])
        >>> corpus, corpus.vocab.tolist()
        (Corpus(2 documents, 3 words, 6 tokens, 2 labels), ['w0', 'w1', 'w2'])
        """
        matrix = as_counts(counts)
        D, V = matrix.shape
        if vocab is None:
            vocab = columns_of(counts)
        words = generated_names("w", V) if vocab is None else as_names(vocab, "vocab", V)
        return cls(matrix, words, as_titles(titles, D), *as_labels(labels, label_names, D))

    @classmethod
    def from_gensim(
        cls, corpus: Iterable[Any], dictionary: Any, *, labels: Any = None, label_names: Any = None, titles: Any = None
    ) -> "Corpus":
        """Take documents of gensim: lists of pairs, the number of a word and its count.

        Parameters
        ----------
        corpus
            Such as ``[dictionary.doc2bow(words) for words in texts]``, or one of gensim's corpora on disk.
        dictionary
            A gensim ``Dictionary``, or a mapping of numbers to words. All of its words become columns, in the order of
            their numbers.
        labels, label_names, titles
            As in :meth:`from_counts`.

        Examples
        --------
        >>> Corpus.from_gensim([[(0, 2), (3, 1)], [(3, 1)]], {0: "ant", 3: "bee"}).counts.toarray()
        array([[2, 1],
               [0, 1]], dtype=int32)
        """
        numbers, words = bags.words_of(dictionary)
        counts = bags.of_pairs(corpus, numbers, "the dictionary")
        return cls.from_counts(counts, words, labels=labels, label_names=label_names, titles=titles)

    @classmethod
    def concatenate(cls, corpora: Iterable["Corpus"]) -> "Corpus":
        """The documents of several corpora, one after another; ``one + other`` does the same with two.

        The vocabulary is that of the first, then the new words of the second, and so on; label names likewise. What a
        corpus does not know of its documents stays unknown: they have an empty title, no labels, and NaN or None in the
        metadata. How texts were read is kept if it is the same in all.

        Examples
        --------
        >>> both = Corpus.from_texts(["cat dog"]) + Corpus.from_texts(["dog emu"])
        >>> both.vocab.tolist(), both.counts.toarray().tolist()
        (['cat', 'dog', 'emu'], [[1, 1, 0], [0, 1, 1]])
        """
        some = [corpora] if isinstance(corpora, Corpus) else list(corpora)
        if not some:
            raise ValueError("there is no corpus to concatenate: give at least one")
        for i, one in enumerate(some):
            if not isinstance(one, Corpus):
                raise TypeError(f"only corpora can be concatenated; number {i} is a {type(one).__name__}")
        if (total := sum(one.num_tokens for one in some)) > LARGEST:
            raise ValueError(f"together they have {total} tokens, more than the {LARGEST} that 32-bit counts can hold")
        return cls(**joining.joined(some))

    def __add__(self, other: Any) -> "Corpus":
        return Corpus.concatenate((self, other)) if isinstance(other, Corpus) else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether all is the same: counts, words, titles, labels, metadata, and how texts were read."""
        if not isinstance(other, Corpus):
            return NotImplemented
        return self is other or all(comparing.same(getattr(self, x), getattr(other, x)) for x in _FIELDS)

    def __hash__(self) -> int:
        return hash(self._fingerprint)

    @cached_property
    def _fingerprint(self) -> str:
        return comparing.fingerprint(self)

    def __getstate__(self) -> dict[str, Any]:
        """The fields in one form for one content: equal corpora have equal ``joblib.hash``."""
        return {name: comparing.plain(getattr(self, name)) for name in _FIELDS}

    def __setstate__(self, state: dict[str, Any]) -> None:
        matrices = {name: state[name] for name in ("counts", "labels") if state[name] is not None}
        for name, (shape, *arrays) in matrices.items():
            matrices[name] = sparse.csr_array(tuple(arrays), shape=shape)
        self.__dict__.update(state | matrices)

    def to_pandas(self) -> Any:
        """A pandas table with a row for each word of each document: document, title if known, word and count.

        Documents are numbered as the rows of :attr:`metadata`, with which it can be joined.

        Examples
        --------
        >>> print(Corpus.from_texts(["cat dog cat", "dog"]).to_pandas())
           document word  count
        0         0  cat      2
        1         0  dog      1
        2         1  dog      1
        """
        import pandas as pd

        document = np.repeat(np.arange(self.num_docs), np.diff(self.counts.indptr))
        columns: dict[str, Any] = {"document": document}
        if self.titles is not None:
            columns["title"] = np.array(self.titles, object)[document]
        columns |= {"word": self.vocab.astype(object)[self.counts.indices], "count": self.counts.data}
        return pd.DataFrame(columns)

    @property
    def num_docs(self) -> int:
        """D, the number of documents."""
        return int(self.counts.shape[0])

    @property
    def num_words(self) -> int:
        """V, the number of words in the vocabulary."""
        return int(self.counts.shape[1])

    @cached_property
    def num_tokens(self) -> int:
        """N, the number of tokens."""
        return int(self.counts.data.sum(dtype=np.int64))

    @property
    def n_d(self) -> np.ndarray:
        """The length of each document ``(D,)``, int32."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.int32)

    @property
    def metadata(self) -> Any:
        """A pandas table with a row for each document: year, author, ...; None if there is none.

        Examples
        --------
        >>> Corpus.from_counts([[1], [2]]).with_metadata({"year": [1984, 1990]}).metadata.year.mean()
        np.float64(1987.0)
        """
        return None if self.doc_columns is None else as_table(self.doc_columns)

    def with_metadata(self, table: Any) -> "Corpus":
        """The corpus with this :attr:`metadata`: a pandas table or a dict of columns, a row for each document."""
        return dataclasses.replace(self, doc_columns=as_columns(table, self.num_docs))

    def __len__(self) -> int:
        return self.num_docs

    @property
    def shape(self) -> tuple[int, int]:
        """(D, V), so that ``cross_val_score`` and similar functions accept a corpus as a matrix."""
        return self.num_docs, self.num_words

    def __getitem__(self, rows: Any) -> "Corpus":
        """The chosen documents, as :meth:`subset` has them: ``corpus[:100]``."""
        return self.subset(rows[0] if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is ... else rows)

    __iter__ = None  # documents are rows of a matrix, and a loop over so many corpora a mistake

    def __repr__(self) -> str:
        sizes = [(self.num_docs, "document"), (self.num_words, "word"), (self.num_tokens, "token")]
        if self.label_names is not None:
            sizes.append((len(self.label_names), "label"))
        return f"Corpus({', '.join(f'{n:,} {noun}' + 's' * (n != 1) for n, noun in sizes)})"

    def tokens(self) -> Tokens:
        """One entry per token: document after document, within a document by increasing word.

        Returns
        -------
        Tokens
            ``w``, ``d`` and ``m`` (all ones) of shape ``(N,)`` and ``n_d`` of shape ``(D,)``, int32.

        Examples
        --------
        >>> tokens = Corpus.from_counts([[2, 0, 1], [0, 3, 0]]).tokens()
        >>> tokens.w.tolist(), tokens.d.tolist()
        ([0, 0, 2, 1, 1, 1], [0, 0, 0, 1, 1, 1])
        """
        n_d = self.n_d
        w = np.repeat(self.counts.indices.astype(np.int32), self.counts.data)
        d = np.repeat(np.arange(self.num_docs, dtype=np.int32), n_d)
        return Tokens(*jax.device_put((w, d, np.ones_like(w), n_d)))

    def data(
        self,
        num_topics: int | None = None,
        alpha: Any = ALPHA,
        beta: Any = BETA,
        priors: Priors | None = None,
        phi: Any = None,
    ) -> Data:
        r"""The corpus with its priors, as every algorithm takes it.

        Parameters
        ----------
        num_topics
            K. Not needed where ``phi``, ``priors`` or an array ``alpha`` says it already.
        alpha
            A number, ``(K,)`` or ``(D, K)``; 0 forbids a topic.
        beta
            A number, ``(V,)`` or ``(K, V)``.
        priors
            Both at once, instead of ``alpha`` and ``beta``.
        phi
            ``(K, V)`` known topics to be held fixed (Eq. 4); each row a distribution over words.

        Examples
        --------
        >>> data = Corpus.from_counts([[2, 0, 1], [0, 3, 0]]).data(num_topics=4)
        >>> data.priors.alpha.shape, data.priors.beta.shape
        ((4,), (3,))
        """
        if priors is not None:
            if not (np.array_equal(alpha, ALPHA) and np.array_equal(beta, BETA)):
                raise ValueError("give either priors, or alpha and beta, not both")
            alpha, beta = priors
        K = number_of_topics(num_topics, alpha, beta, phi)
        made = make_priors(K, self.num_docs, self.num_words, alpha, beta, n_d=self.n_d)
        if phi is None:
            return Data(self.tokens(), made, None)
        topics = known_topics(phi, K, self)
        check_possible(topics, np.asarray(made.alpha), self)
        return Data(self.tokens(), made, jnp.asarray(topics))

    def split(self, test_size: float | int = 0.2, seed: int = 0) -> tuple["Corpus", "Corpus"]:
        """Two corpora of different documents, drawn at random, each in the order of this one.

        Parameters
        ----------
        test_size
            The share of the documents for the second corpus (rounded up), or their number if it is an integer.
        seed
            Of ``numpy.random.default_rng``.

        Returns
        -------
        train, test

        Examples
        --------
        >>> train, test = Corpus.from_counts([[1], [2], [3], [4]]).split(test_size=0.25)
        >>> len(train), len(test)
        (3, 1)
        """
        D = self.num_docs
        try:
            held = operator.index(test_size)  # type: ignore[arg-type]
        except TypeError:
            # Rounding first: a share like 0.1 is not exact, and its error must not become a document.
            held = math.ceil(round(test_size * D, 6)) if 0 < test_size < 1 else 0
        if isinstance(test_size, bool) or not 0 < held < D:
            raise ValueError(
                f"test_size = {test_size!r} leaves one side of the {D} document(s) empty; give a share between 0 and "
                f"1, or a number of documents below {D}"
            )
        order = np.random.default_rng(seed).permutation(D)
        return self.subset(np.sort(order[: D - held])), self.subset(np.sort(order[D - held :]))

    def halves(self, seed: int = 0) -> tuple["Corpus", "Corpus"]:
        """Two corpora of the same documents: half of each document's tokens, and the rest.

        A bag of words has no order, so the tokens of each document are permuted at random (all from one stream of
        ``seed``); the first ⌊n_d/2⌋ are observed and the others held out, for document completion (Eqs. 55-56).
        Vocabulary, titles and labels stay.

        Returns
        -------
        observed, held

        Examples
        --------
        >>> observed, held = Corpus.from_counts([[2, 0, 1], [0, 3, 1]]).halves()
        >>> observed.n_d.tolist(), held.n_d.tolist()
        ([1, 2], [2, 2])
        >>> (observed.counts + held.counts).toarray().tolist()
        [[2, 0, 1], [0, 3, 1]]
        """
        x, n_d = self.counts, self.n_d
        d = np.repeat(np.arange(self.num_docs), n_d)
        entry = np.repeat(np.arange(x.nnz), x.data)
        order = np.lexsort((np.random.default_rng(seed).random(d.size), d))
        rank = np.arange(d.size) - np.repeat(np.cumsum(n_d, dtype=np.int64) - n_d, n_d)
        observed = np.bincount(entry[order[rank < n_d[d] // 2]], minlength=x.nnz).astype(np.int32)
        return self._with_data(observed), self._with_data(x.data - observed)

    def _with_data(self, values: np.ndarray) -> "Corpus":
        x = self.counts
        counts = sparse.csr_array((values, x.indices, x.indptr), shape=x.shape, copy=True)
        counts.eliminate_zeros()
        return dataclasses.replace(self, counts=counts)

    def subset(self, rows: Any) -> "Corpus":
        """The chosen documents with their titles and labels, in the chosen order; the vocabulary stays.

        Parameters
        ----------
        rows
            Indices (repeated ones repeat the document, negative ones count from the end), a slice, or a mask ``(D,)``.

        Examples
        --------
        >>> Corpus.from_counts([[1], [2], [3]], titles=["a", "b", "c"]).subset([2, 0]).titles
        ('c', 'a')
        """
        D = self.num_docs
        index = np.arange(D)[rows] if isinstance(rows, slice) else np.atleast_1d(np.asarray(rows))
        if index.dtype == bool:
            if index.shape != (D,):
                raise ValueError(f"the mask has shape {index.shape}; expected one entry for each of {D} documents")
            index = np.flatnonzero(index)
        if index.size == 0:
            raise ValueError("no documents are selected")
        if index.dtype.kind not in "iu" or index.ndim != 1:
            raise TypeError(f"rows must be integers, a slice or a mask; got an array of {index.dtype} {index.shape}")
        if (outside := (index < -D) | (index >= D)).any():
            raise IndexError(f"document {int(index[np.argmax(outside)])} does not exist: the corpus has {D} documents")
        titles = None if self.titles is None else tuple(self.titles[d] for d in index)
        labels = None if self.labels is None else self.labels[index]
        columns = None if self.doc_columns is None else {name: x[index] for name, x in self.doc_columns.items()}
        return dataclasses.replace(self, counts=self.counts[index], titles=titles, labels=labels, doc_columns=columns)

    def select_words(self, vocab: Any, *, ignore: Collection[str] = ()) -> "Corpus":
        """The corpus in another vocabulary, such as that of the model that will read it.

        Words that ``vocab`` lacks are dropped, with a warning that counts them; words that only ``vocab`` has get a
        column of zeros. A document may become empty.

        Parameters
        ----------
        vocab
            The words in the order of the new columns.
        ignore
            Words that are left out on purpose, such as stop words: nothing is said of them.

        Examples
        --------
        >>> Corpus.from_counts([[2, 1]], vocab=["cat", "dog"]).select_words(["ant", "dog", "cat"]).counts.toarray()
        array([[0, 1, 2]], dtype=int32)
        """
        words = as_names(vocab, "vocab")
        if np.array_equal(words, self.vocab):
            return self
        column = {word: v for v, word in enumerate(words.tolist())}
        target = np.array([column.get(word, -1) for word in self.vocab.tolist()], dtype=np.int32)
        coo = self.counts.tocoo()
        col = target[coo.col]
        kept = col >= 0
        unknown = (target < 0) & ~np.isin(self.vocab, list(ignore))
        if lost := int(coo.data[unknown[coo.col]].sum()):
            missing = np.unique(coo.col[unknown[coo.col]])
            warnings.warn(
                f"dropped {lost} of {self.num_tokens} tokens: {missing.size} word(s), such as "
                f"{str(self.vocab[missing[0]])!r}, are not in the vocabulary",
                stacklevel=2,
            )
        shape = (self.num_docs, words.size)
        counts = sparse.csr_array((coo.data[kept], (coo.row[kept], col[kept])), shape=shape, dtype=np.int32)
        return dataclasses.replace(self, counts=counts, vocab=words)


_FIELDS = tuple(field.name for field in dataclasses.fields(Corpus))
