"""Files to take away: the run itself, and tables for spreadsheets."""

import io
import zipfile
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from jaxlda.corpora.escapes import spreadsheet_text
from jaxlda_app.questions._chain import estimate, model_of, soft_already
from jaxlda_app.store import Snapshot
from jaxlda_app.workspace import workspace

__all__ = ["as_csv", "as_zip", "run_file", "tables"]

TOP = 20


def run_file(snapshot: Snapshot) -> bytes:
    """The model in the file that ``jaxlda.load`` reads, and that goes on where it stands."""
    with TemporaryDirectory(dir=workspace()) as folder:
        path = Path(folder) / "run.jaxlda"
        model_of(snapshot).set_params(checkpoint=None).save(path)
        return path.read_bytes()


def tables(snapshot: Snapshot, chain: int) -> dict[str, pd.DataFrame]:
    """The estimates of a chain, the top words of its topics, and the traces of all chains, by name."""
    corpus, already = snapshot.corpus, soft_already(snapshot)
    estimates = {
        k: estimate(snapshot, k, chain) for k in ("phi", "phi_p", "theta", "theta_p") if not (already and "_p" in k)
    }
    words = pd.Series(corpus.vocab.tolist(), name="word")
    titles = pd.Series(corpus.titles or [""] * corpus.num_docs, name="title")
    topics = _topic_columns(snapshot, estimates["phi"].shape[0])
    found: dict[str, pd.DataFrame] = {}
    for kind, values in estimates.items():
        rows, matrix = (words, values.T) if kind.startswith("phi") else (titles, values)
        found[kind] = pd.DataFrame(matrix, columns=topics)
        found[kind].insert(0, rows.name, rows)
    found["top_words"] = _top_words(snapshot, estimates)
    found["traces"] = _traces(snapshot)
    return found


def as_csv(table: pd.DataFrame) -> bytes:
    """A table as comma-separated values in UTF-8, in which no text is a formula to a spreadsheet."""
    safe = table.rename(columns=spreadsheet_text)
    for name in safe.columns[[not pd.api.types.is_numeric_dtype(kind) for kind in safe.dtypes]]:
        safe[name] = [spreadsheet_text(value) for value in safe[name]]
    return safe.to_csv(index=False, float_format="%.7g", lineterminator="\n").encode("utf-8-sig")


def as_zip(files: Mapping[str, bytes]) -> bytes:
    """Several files as one."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _topic_columns(snapshot: Snapshot, K: int) -> list[str]:
    if snapshot.labels is None:
        return [f"topic {k}" for k in range(K)]
    return [f"topic {k}: {label}" for k, label in enumerate(snapshot.labels.tolist())]


def _top_words(snapshot: Snapshot, estimates: Mapping[str, np.ndarray]) -> pd.DataFrame:
    """A row for each topic and rank, with the word and its probability by every estimator."""
    vocab = snapshot.corpus.vocab
    parts = []
    for k in range(estimates["phi"].shape[0]):
        columns: dict[str, Any] = {"topic": k, "rank": np.arange(1, min(TOP, len(vocab)) + 1)}
        for kind in ("phi", "phi_p"):
            if kind in estimates:
                best = np.argsort(-estimates[kind][k], kind="stable")[:TOP]
                columns |= {f"word by {kind}": vocab[best].tolist(), kind: estimates[kind][k, best]}
        parts.append(pd.DataFrame(columns))
    return pd.concat(parts, ignore_index=True)


def _traces(snapshot: Snapshot) -> pd.DataFrame:
    """A row for each chain and sweep, without what was not traced."""
    trace = snapshot.run.trace
    C, T = snapshot.run.num_chains, snapshot.run.sweep
    index = {"chain": np.repeat(np.arange(C), T), "sweep": np.tile(np.arange(1, T + 1), C)}
    return pd.DataFrame(index | {name: values.ravel() for name, values in trace.items()})
