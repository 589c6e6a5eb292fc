"""A corpus: documents as bags of words, with the names of words, documents and labels."""

import dataclasses
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from scipy import sparse

from jaxlda.corpora import bags, comparing, joining
from jaxlda.corpora import texts as reading
from jaxlda.corpora.cutting import Cutting, rows_of
from jaxlda.corpora.given_topics import check_possible, known_topics
from jaxlda.corpora.inputs import LARGEST, as_counts, as_labels, as_names, as_titles, columns_of, generated_names
from jaxlda.corpora.metadata import as_columns
from jaxlda.corpora.priors import make as make_priors
from jaxlda.corpora.priors import number_of_topics
from jaxlda.corpora.repeated import unwritten
from jaxlda.corpora.summaries import Summary, summarised
from jaxlda.corpora.written import Written
from jaxlda.types import Data, Priors, Tokens

__all__ = ["Corpus"]

ALPHA, BETA = 0.1, 0.01


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Corpus(Cutting):
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
    written: Written | None = None
    """The order of tokens and the texts, if they were kept; see :meth:`tokens_of` and :attr:`texts`."""

    @classmethod
    def from_texts(
        cls,
        texts: Any,
        *,
        titles: Any = None,
        labels: Any = None,
        label_names: Any = None,
        allow_empty: bool = False,
        keep_order: bool = True,
        keep_texts: bool = True,
        **options: Any,
    ) -> "Corpus":
        """A corpus of texts, whose words are counted with scikit-learn's ``CountVectorizer``.

        Parameters
        ----------
        texts
            A string for each document: a list, a pandas Series, a generator. Missing ones (None, NaN) become empty
            documents, with a warning, and so does a text without a counted word.
        titles, labels, label_names
            As in :meth:`from_counts`.
        allow_empty
            Whether a corpus without a single word is fine, as it is where texts are read for a model.
        keep_order, keep_texts
            Whether to keep the order of tokens (2 bytes per token up to 65,536 words, 4 beyond; not with ``binary`` or
            with n-grams of several lengths, which overlap) and the texts (the strings themselves, not copies).
        **options
            Every option of ``CountVectorizer``: ``min_df``, ``stop_words``, ``token_pattern``, ``ngram_range``, ...
            With ``vocabulary=model_vocab`` new texts are counted for a model fitted earlier; ``analyzer=list`` takes
            texts that are lists of words already. In addition,

            - ``stop_words`` may name a language, ``"german"`` or ``"de"``, or several, ``"de+en"``: see
              :mod:`jaxlda.corpora.stop_words`;
            - ``token_pattern`` may be ``"words"`` (also of one letter), ``"letters"``, ``"hyphens"`` or ``"cjk"``
              (Chinese and Japanese, by pairs of characters): see :mod:`jaxlda.corpora.tokenizing`;
            - ``phrases=True`` joins neighbours that belong together, ``new_york``; a dict says which
              (``min_count``, ``threshold``, ``measure``, ``max_words``), and a list names them: see
              :mod:`jaxlda.corpora.phrases`. A model reads new texts with the phrases it was fitted with.

        Examples
        --------
        >>> corpus = Corpus.from_texts(["a cat and a dog", "a dog"], stop_words="english")
        >>> corpus.vocab.tolist(), corpus.tokens_of(0)
        (['cat', 'dog'], ['cat', 'dog'])
        >>> Corpus.from_texts(["in New York", "New York, new cab"], phrases=["new york"]).vocab.tolist()
        ['cab', 'in', 'new', 'new_york']
        """
        found = reading.read(texts, options, order=keep_order, keep=keep_texts, empty=allow_empty)
        if found.counts.nnz:
            corpus = cls.from_counts(found.counts, found.vocab, titles=titles, labels=labels, label_names=label_names)
        else:
            D = found.counts.shape[0]
            nothing = sparse.csr_array(found.counts.shape, dtype=np.int32)
            corpus = cls(nothing, found.vocab, as_titles(titles, D), *as_labels(labels, label_names, D))
        return dataclasses.replace(corpus, text_options=found.options, written=found.written)

    @classmethod
    def from_counts(
        cls, counts: Any, vocab: Any = None, *, labels: Any = None, label_names: Any = None, titles: Any = None
    ) -> "Corpus":
        """A corpus of a matrix of counts, documents x words.

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
        """A corpus of gensim's documents: lists of pairs, the number of a word and its count.

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
        """Whether everything is the same: counts, words, titles, labels, metadata, and how texts were read."""
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
        import pandas as pd

        return None if self.doc_columns is None else pd.DataFrame(dict(self.doc_columns))

    def with_metadata(self, table: Any) -> "Corpus":
        """The corpus with this :attr:`metadata`: a pandas table or a dict of columns, a row for each document."""
        return dataclasses.replace(self, doc_columns=as_columns(table, self.num_docs))

    @property
    def texts(self) -> tuple[str, ...] | None:
        """The D texts as they were given to :meth:`from_texts`, if they were kept."""
        return None if self.written is None else self.written.texts

    def tokens_of(self, document: int) -> list[str]:
        """The words of a document in the order in which they were written, without those that were left out.

        Where the order was not kept, by increasing word, as :meth:`tokens` has them; ``corpus.written`` says which.

        Examples
        --------
        >>> Corpus.from_texts(["the cat saw the dog"]).tokens_of(0)
        ['the', 'cat', 'saw', 'the', 'dog']
        """
        d = int(rows_of(document, self.num_docs)[0])
        if self.written is not None and self.written.order is not None:
            return self.vocab[self.written.rows(np.array([d]), self.n_d).order].tolist()
        row = slice(*self.counts.indptr[d : d + 2])
        return np.repeat(self.vocab[self.counts.indices[row]], self.counts.data[row]).tolist()

    def summary(self) -> Summary:
        """Sizes, what is known of the documents, and what was left out when texts were read.

        Examples
        --------
        >>> print(Corpus.from_texts(["the cat", "the dog", "the cat"], stop_words=["the"], min_df=2).summary())
        3 documents (1 empty, 0 missing), 1 words, 2 tokens
        tokens per document: 0 to 1, median 1
        kept: order of tokens, texts; 0.0 MB
        removed: 1 words, 3 tokens: stop words (the)
        removed: 1 words, 1 tokens: in fewer than 2 texts (dog)
        """
        return summarised(self)

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
        *,
        whole: bool = True,
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
        whole
            Whether to write the tokens out. Otherwise ``jaxlda.run`` does, those of each process of several; nothing
            else takes such data (of a run that is not at its end, give other functions ``run.chain_data(chain)``).

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
        tokens = self.tokens() if whole else unwritten(self.counts, self.n_d)
        if phi is None:
            return Data(tokens, made, None)
        topics = known_topics(phi, K, self)
        check_possible(topics, np.asarray(made.alpha), self)
        return Data(tokens, made, jnp.asarray(topics))


_FIELDS = tuple(field.name for field in dataclasses.fields(Corpus))
