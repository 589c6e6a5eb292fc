"""What a model has found, in files for other programs: tables (CSV, Parquet), and what MALLET writes."""

import dataclasses
import io
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import one_of
from jaxlda.corpora.replacing import check_writable
from jaxlda.corpora.written import Written, token_columns
from jaxlda.models.documents import of_run

if TYPE_CHECKING:
    import pandas as pd

    from jaxlda.topics.fitted import Fitted

__all__ = ["TABLES", "WHAT", "Exports", "table_of"]

TABLES = ("topics", "theta", "tokens")
WHAT = (*TABLES, "state", "topic-keys", "doc-topics")


class Exports:
    """The part of a model that writes files for other programs."""

    def export(
        self: Any, path: str | os.PathLike, what: str = "topics", *, chain: int | None = None, words: int = 20
    ) -> None:
        """Write a table, or a file as MALLET has it.

        Parameters
        ----------
        path
            Tables are CSV or Parquet (which needs pyarrow), by the ending of the name; ``.csv.gz`` is packed.
        what
            ``"topics"``: a row for each topic and word, with its probability. ``"theta"``: a row for each document,
            with the share of each topic. ``"tokens"``: a row for each token, with its topic in the chain's last
            sample, in the order of the text if that was kept. ``"state"``, ``"topic-keys"`` and ``"doc-topics"``: as
            MALLET's options of these names write them.
        chain
            The best one if not given.
        words
            Of each topic, in ``"topic-keys"``.

        Examples
        --------
        >>> import jaxlda, tempfile, pandas
        >>> model = jaxlda.LDA.from_topics([[0.75, 0.25]], ["cat", "dog"])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     model.export(f"{folder}/topics.csv")
        ...     print(pandas.read_csv(f"{folder}/topics.csv"))
           topic word  probability
        0      0  cat         0.75
        1      0  dog         0.25
        """
        from jaxlda.corpora.writers import mallet
        from jaxlda.corpora.writers._target import write_file

        one_of(what, "what", WHAT)
        check_is_fitted(self, "phi_")
        check_writable(path)
        if what in TABLES:
            write_file(path, _packed(table_of(self, what, chain), Path(path)))
            return
        if what == "topic-keys" and not hasattr(self, "run_"):
            mallet.write_mallet_topic_keys(path, self.phi_, self.alpha_, self.vocab_, words)
            return
        about = _about(self, chain)
        if what == "state":
            mallet.write_mallet_state(path, _corpus(self, about), about.data.priors, about.sample)
        elif what == "topic-keys":
            alpha = np.asarray(about.data.priors.alpha)
            mallet.write_mallet_topic_keys(
                path, about.phi(), alpha.mean(axis=0) if alpha.ndim == 2 else alpha, about.vocab, words
            )
        else:
            mallet.write_mallet_doc_topics(path, about.theta(), about.titles)


def table_of(model: Any, what: str, chain: int | None = None) -> "pd.DataFrame":
    """Topics, theta or tokens as a pandas table."""
    import pandas as pd

    check_is_fitted(model, "phi_")
    if what == "topics" and not hasattr(model, "run_"):
        return _long(model.phi_, np.asarray(model.vocab_), model._names_of())
    about = _about(model, chain)
    if what == "topics":
        return _long(about.phi(), about.vocab, about.names)
    if what == "theta":
        theta = about.theta()
        names = about.names or [f"topic{k}" for k in range(theta.shape[1])]
        first: dict[str, Any] = {"document": np.arange(len(theta))}
        if about.titles is not None:
            first["title"] = list(about.titles)
        return pd.concat([pd.DataFrame(first), pd.DataFrame(theta, columns=list(names))], axis=1)
    return _tokens(_corpus(model, about), about)


def _about(model: Any, chain: int | None) -> "Fitted":
    from jaxlda.topics.fitted import fitted

    model._chains()  # or say that there are none
    return fitted(model, chain)


def _long(phi: np.ndarray, vocab: np.ndarray, names: Any) -> "pd.DataFrame":
    import pandas as pd

    K, V = phi.shape
    columns: dict[str, Any] = {"topic": np.repeat(np.arange(K), V)}
    if names is not None:
        columns["name"] = np.repeat(np.array(names, object), V)
    return pd.DataFrame(columns | {"word": np.tile(vocab.astype(object), K), "probability": phi.ravel()})


def _tokens(corpus: Corpus, about: "Fitted") -> "pd.DataFrame":
    """Document, position, word and topic of every token."""
    import pandas as pd

    if about.sample.z is None:
        raise ValueError("the algorithm of this model has soft counts only: its tokens have no topic each")
    d, position, w, z = token_columns(corpus, about.sample.z)
    return pd.DataFrame({"document": d, "position": position, "word": corpus.vocab.astype(object)[w], "topic": z})


def _corpus(model: Any, about: "Fitted") -> Corpus:
    """The documents of a model."""
    corpus = of_run(about.run, about.vocab, None if about.titles is None else list(about.titles))
    written = getattr(model, "written_", None)
    return dataclasses.replace(corpus, written=written if written is not None else Written())


def _packed(table: "pd.DataFrame", path: Path) -> bytes:
    """The content of a file of this name."""
    name = path.name.lower().removesuffix(".gz")
    if name.endswith((".parquet", ".pq")):
        try:
            import pyarrow  # noqa: F401
        except ImportError:
            raise ValueError("a Parquet file needs pyarrow: pip install pyarrow") from None
        buffer = io.BytesIO()
        table.to_parquet(buffer, index=False)
        return buffer.getvalue()
    if not name.endswith(".csv"):
        raise ValueError(f"tables are written as *.csv or *.parquet, and {path.name!r} is neither")
    return table.to_csv(index=False).encode()
