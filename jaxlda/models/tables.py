"""A fitted model as pandas tables, for pyLDAvis, and as a page."""

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import positive_int
from jaxlda.corpora.replacing import check_writable, replace_file
from jaxlda.evaluation import quality
from jaxlda.evaluation.quality.reading import labels_of
from jaxlda.evaluation.quality.scores import summarized
from jaxlda.models.names import Names
from jaxlda.running.results import Run

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Tables"]


class Tables(Names):
    """Tables of a model that has topics, and maybe documents and chains."""

    run_: Run
    best_chain_: int
    theta_: np.ndarray
    doc_titles_: Any
    _pooled: bool
    _topics_alpha: np.ndarray

    def topics(
        self, words: int = 10, *, coherence: str | None = "npmi", reference: Any = None, texts: Any = None
    ) -> "pd.DataFrame":
        """A row for each topic.

        Parameters
        ----------
        words
            How many words to show of each, the most probable first.
        coherence
            A measure of ``jaxlda.evaluation.coherence``, of so many words; ``None``: leave coherence and exclusivity
            out, which take the time.
        reference, texts
            Where words are counted for it; the training documents if not given.

        Returns
        -------
        pandas.DataFrame
            Columns ``topic``, ``name``, ``share`` (of the tokens) with ``share_low`` and ``share_high``, between which
            90 % of the draws of all chains lie that have the topic; ``words``; ``coherence`` and ``exclusivity``; and
            ``stability``, how alike the topic is in the other chains, from 0 to 1. What a model cannot know is not
            there: shares of topics without documents, stability of a single chain. Where a topic has no score, such as
            that of a label without documents, a column ``reason`` says why.

        Examples
        --------
        >>> import jaxlda
        >>> model = jaxlda.LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"])
        >>> model.topics(words=1, coherence=None).values.tolist()
        [[0, 'topic 0', 'cat'], [1, 'topic 1', 'dog']]
        """
        import pandas as pd

        check_is_fitted(self, "phi_")
        n = positive_int(words, "words")
        columns: dict[str, Any] = {"topic": np.arange(len(self.phi_)), "name": self.topic_names}
        run = getattr(self, "run_", None)
        if run is not None:
            columns |= self._shares(run)
        top = np.argsort(-self.phi_, axis=1, kind="stable")[:, :n]
        columns["words"] = [", ".join(row) for row in np.asarray(self.vocab_)[top].tolist()]
        reasons: dict[int, str] = {}
        if coherence is not None:
            measured = [quality.exclusivity(self, top_n=n, draws=False)]
            if run is not None or reference is not None or texts is not None:
                where = {"reference": reference, "texts": texts, "top_n": max(n, 2)}
                measured.insert(0, quality.coherence(self, coherence, **where, draws=False))
            for one in measured:
                columns["coherence" if one.measure == coherence else one.measure] = one.values
                reasons |= one.reasons
        if run is not None and run.num_chains > 1 and run.data.phi is None:
            columns["stability"] = labels_of(run, self.best_chain_).stability
        if reasons:
            columns["reason"] = [reasons.get(k, "") for k in range(len(self.phi_))]
        return pd.DataFrame(columns)

    def documents(self, theta: bool = False, *, corpus: Corpus | None = None) -> "pd.DataFrame":
        """A row for each training document.

        Parameters
        ----------
        theta
            Whether to add a column for each topic, by its name, with its share in the document.
        corpus
            The training corpus, to add what it knows of the documents: their labels, and its metadata.

        Returns
        -------
        pandas.DataFrame
            Columns ``document``, ``title`` (its number where there are none), ``labels`` (those of the training, joined
            by commas, of models of labels or with a ``corpus`` that has them), ``tokens``, ``topic``, ``name`` and
            ``share``: the largest topic. A document without tokens has topic -1, an empty name and no share (0).

        Examples
        --------
        >>> import jaxlda
        >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog"], titles=["one", "two"])
        >>> model = jaxlda.LDA(2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
        >>> model.documents()[["document", "title", "tokens"]].values.tolist()
        [[0, 'one', 3], [1, 'two', 3]]
        """
        import pandas as pd

        run = self._chains()
        tokens = np.asarray(run.data.tokens.n_d)
        D = len(tokens)
        if corpus is not None and corpus.num_docs != D:
            raise ValueError(f"the corpus has {corpus.num_docs} documents, the model was fitted to {D}")
        titles = self.doc_titles_ if corpus is None or corpus.titles is None else corpus.titles
        columns: dict[str, Any] = {"document": np.arange(D)}
        columns["title"] = [f"document {d}" for d in range(D)] if titles is None else list(titles)
        labels = self._label_texts(corpus)
        if labels is not None:
            columns["labels"] = labels
        filled, names = tokens > 0, np.array([*self.topic_names, ""], object)
        topic = np.where(filled, self.theta_.argmax(axis=1), -1)
        share = np.where(filled, self.theta_.max(axis=1), 0.0)
        columns |= {"tokens": tokens, "topic": topic, "name": names[topic], "share": share}
        table = pd.DataFrame(columns)
        known = getattr(self, "doc_columns_", None) if corpus is None else corpus.doc_columns
        if known is not None:
            added = pd.DataFrame(dict(known))
            table = table.join(added[[name for name in added.columns if name not in table]])
        if theta:
            names_of_columns = [f"{name} (topic)" if name in table else name for name in self.topic_names]
            table = pd.concat([table, pd.DataFrame(np.asarray(self.theta_), columns=names_of_columns)], axis=1)
        return table

    def words(self, n: int = 10, *, weight: float | int = 1.0) -> "pd.DataFrame":
        r"""The most relevant words of every topic, a row for each.

        Parameters
        ----------
        n
            How many words of each topic.
        weight
            :math:`\lambda` of ``jaxlda.topics.relevance``: 1 ranks by probability, 0 by lift.

        Returns
        -------
        pandas.DataFrame
            Columns ``topic``, ``name``, ``rank`` (from 1), ``word``, ``probability``, ``lift`` and ``relevance``.

        Examples
        --------
        >>> import jaxlda
        >>> model = jaxlda.LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"])
        >>> model.words(1)[["topic", "rank", "word"]].values.tolist()
        [[0, 1, 'cat'], [1, 1, 'dog']]
        """
        import pandas as pd

        from jaxlda.topics.words import word_table

        check_is_fitted(self, "phi_")
        frequency, number = self._word_counts()[1], positive_int(n, "n")
        parts = []
        for k, name in enumerate(self.topic_names):
            part = word_table(self.phi_[k], self.vocab_, frequency, weight, number)
            part.insert(0, "rank", np.arange(1, len(part) + 1))
            part.insert(0, "name", name)
            part.insert(0, "topic", k)
            parts.append(part)
        return pd.concat(parts, ignore_index=True)

    def find_topics(self, text: str, n: int = 5) -> "pd.DataFrame":
        """The topics that some words belong to, such as ``"oil price"``.

        Parameters
        ----------
        text
            Words; a word that the vocabulary does not have stands for those that begin with it.
        n
            How many topics.

        Returns
        -------
        pandas.DataFrame
            Columns ``topic``, ``name``, ``share`` (the mean share of the occurrences of these words that the topic has)
            and ``words``, those that were found; the largest share first.

        Examples
        --------
        >>> import jaxlda
        >>> model = jaxlda.LDA.from_topics([[0.9, 0.1], [0.1, 0.9]], ["cat", "dog"])
        >>> model.find_topics("dog").round(1).values.tolist()
        [[1, 'topic 1', 0.9, 'dog'], [0, 'topic 0', 0.1, 'dog']]
        """
        from jaxlda.topics.finding import find_topics

        check_is_fitted(self, "phi_")
        table = find_topics(self.phi_, self._sizes(), self.vocab_, text, positive_int(n, "n"))
        names = self.topic_names
        table.insert(1, "name", [names[k] for k in table.topic])
        return table

    def top_documents(self, topic: int | str, n: int = 10) -> "pd.DataFrame":
        """The training documents with the largest share of a topic; empty ones are never among them.

        Parameters
        ----------
        topic
            Its number or its name.
        n
            How many documents.

        Returns
        -------
        pandas.DataFrame
            Columns ``document``, ``title``, ``share`` and ``tokens``.
        """
        from jaxlda.topics.documents import top_documents

        run, k = self._chains(), self.topic_number(topic)
        lengths = np.asarray(run.data.tokens.n_d)
        return top_documents(self.theta_[:, k], lengths, self.doc_titles_, positive_int(n, "n"))

    def to_pyldavis(self) -> dict[str, Any]:
        """The arguments of ``pyLDAvis.prepare``: ``pyLDAvis.prepare(**model.to_pyldavis())``.

        Documents without tokens and words that never occur are left out, which it cannot take. It sorts topics by size
        and numbers them from 1; give ``sort_topics=False, start_index=0`` to see the numbers of the model.
        """
        from jaxlda.topics.finding import pyldavis

        run = self._chains()
        lengths, frequency = np.asarray(run.data.tokens.n_d), self._word_counts()[1]
        return pyldavis(self.phi_, self.theta_, lengths, self.vocab_, frequency)

    def report(self, path: str | os.PathLike, *, title: str = "Topics", words: int = 30) -> None:
        """Write the topics as one interactive HTML page that needs nothing else: no server, no internet, no Python.

        The map of the topics, the words of the one that is chosen by relevance, a table of all topics, and the
        documents that are most about each.

        Parameters
        ----------
        path
            The file, such as ``"topics.html"``; it is replaced if there is one.
        title
            Of the page.
        words
            How many words of a topic to show.
        """
        from jaxlda.plots.explorer import explorer
        from jaxlda.plots.pages import as_page

        self._chains()
        check_writable(path)
        replace_file(path, as_page(explorer(self, words=positive_int(words, "words")), title).encode())

    def explore(self, corpus: Any = None) -> Any:
        """The dashboard's views of this model in a notebook (JupyterLab, VS Code), without a server or a network.

        As the last line of a cell it shows itself. What it gives is also what a fit tells of its blocks, so that the
        views can be watched while the chains run::

            view = model.explore(corpus)
            view  # the last line of a cell

            model.fit(corpus, on_block=view)  # another cell

        Clicks are answered when the kernel has time: not before the cell that fits has ended.

        Parameters
        ----------
        corpus
            The documents that the model will be fitted to; not needed where it is fitted already.

        Returns
        -------
        jaxlda_app.notebook.Explorer
            A Panel object; ``close()`` gives back its threads.
        """
        return import_module("jaxlda_app.notebook").explore(self, corpus)

    # ------------------------------------------------------------------------------------------------------- inside

    def _chains(self) -> Run:
        raise NotImplementedError

    def _label_texts(self, corpus: Corpus | None) -> list[str] | None:
        """The labels of each document, where they are known."""
        if corpus is None or corpus.labels is None or corpus.label_names is None:
            return None
        return label_texts(corpus.labels, corpus.label_names)

    def _own_chains(self, run: Run) -> list[int]:
        """The chains whose topics ``phi_`` has."""
        return list(range(run.num_chains)) if self._pooled else [self.best_chain_]

    def _sizes(self) -> np.ndarray:
        """How many tokens each topic has; where there are no documents, what the prior expects."""
        run = getattr(self, "run_", None)
        if run is None:
            return np.asarray(self._topics_alpha, np.float64)
        own = [np.asarray(run.counts(chain=chain).n_k, np.float64) for chain in self._own_chains(run)]
        return np.mean(own, axis=0)

    def _word_counts(self) -> tuple[np.ndarray | None, np.ndarray]:
        """How often words have topics ``(V, K)``, if known, and how often they occur."""
        run = getattr(self, "run_", None)
        if run is None:
            return None, self._sizes() @ np.asarray(self.phi_, np.float64)
        n_vk = np.mean([np.asarray(run.counts(chain=chain).n_vk) for chain in self._own_chains(run)], axis=0)
        return n_vk, np.asarray(quality.reading.training_counts(run).sum(axis=0))

    def _shares(self, run: Run) -> dict[str, np.ndarray]:
        """Shares of the tokens, with their intervals."""
        total = max(float(np.sum(run.data.tokens.n_d)), 1.0)
        columns = {"share": self._sizes() / total}
        if run.kept.get("n_k"):
            found = labels_of(run, self.best_chain_)
            draws = [
                np.where(found.matched[chain], np.asarray(n_k)[found.permutations[chain, s]] / total, np.nan)
                for s, each in enumerate(run.kept["n_k"])
                for chain, n_k in enumerate(each)
            ]
            if len(draws) > 1:
                told = summarized(np.asarray(np.stack(draws), np.float64))
                columns |= {"share_low": told["low"], "share_high": told["high"]}
        return columns


def label_texts(labels: Any, names: Any) -> list[str]:
    """The labels of each document, joined by commas.

    >>> from scipy import sparse
    >>> label_texts(sparse.csr_array(np.array([[True, True], [False, False]])), ["a", "b"])
    ['a, b', '']
    """
    given = [str(name) for name in names]
    rows = np.split(labels.indices, labels.indptr[1:-1])
    return [", ".join(given[label] for label in sorted(row.tolist())) for row in rows]
