"""Groups of documents, as a model is asked about them."""

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Groups"]


class Groups:
    """What a model says of groups of its documents: years, parties, authors."""

    doc_columns_: dict[str, np.ndarray] | None
    """Metadata of the documents that were fitted, by name."""

    if TYPE_CHECKING:

        def _chains(self) -> Any: ...

    def prevalence(self, by: Any, **options: Any) -> "pd.DataFrame":
        """The mean share of each topic in groups of documents, with bands from draws and from documents.

        Parameters
        ----------
        by
            A column of the metadata (``"year"``), several, or a value for each document.
        **options
            Those of ``jaxlda.topics.prevalence``: ``width`` (of decades: 10), ``level``, ``bands``, ``metadata``, ...

        Examples
        --------
        >>> import jaxlda
        >>> corpus = jaxlda.Corpus.from_texts(["cat purr", "dog bark"]).with_metadata({"year": [1984, 1990]})
        >>> model = jaxlda.LDA(num_topics=2, num_warmup=5, num_chains=1, progress=False).fit(corpus)
        >>> model.prevalence("year").columns[:4].tolist()
        ['year', 'topic', 'documents', 'share']
        """
        from jaxlda.topics.prevalence import prevalence

        self._chains()  # or say that there are none
        return prevalence(self, by, **options)

    def compare_groups(self, by: Any, groups: Any = None, **options: Any) -> "pd.DataFrame":
        """Differences of groups in the share of each topic, with intervals that hold for all topics at once.

        Parameters
        ----------
        by, **options
            As in :meth:`prevalence`.
        groups
            Two or more values of ``by``; all of them if not given.
        """
        from jaxlda.topics.prevalence import compare_groups

        self._chains()
        return compare_groups(self, by, groups, **options)
