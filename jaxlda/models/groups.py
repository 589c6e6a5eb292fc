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
    covariates_: tuple[tuple, ...] | None = None
    """How metadata become the covariates that alpha depends on, if it does: ``Design.stored``."""

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

    def effects(self, *, level: float | int = 0.95, chain: int | None = None) -> "pd.DataFrame":
        r"""How alpha depends on metadata, for models that were fitted with ``covariates``, with intervals.

        A document expects topic k :math:`\exp(\lambda_{fk})` times as much for each unit of covariate f: a standard
        deviation of a column of numbers, or a value in the place of the most frequent one. ``attrs["baseline"]`` says
        what documents are compared with.

        Parameters
        ----------
        level
            Of each interval, which has two parts: what counts leave uncertain, and how draws differ.
        chain
            The best one if not given.

        Returns
        -------
        pandas.DataFrame
            A row for each covariate and topic: ``covariate``, ``topic``, ``effect``, ``se``, ``low``, ``high``.
        """
        from jaxlda.models.covariates import Design
        from jaxlda.topics.effects import effects

        self._chains()
        design = None if self.covariates_ is None else Design.restored(self.covariates_)
        table = effects(self, None if design is None else design.names, level=level, chain=chain)
        table.attrs["baseline"] = None if design is None else design.baseline
        return table
