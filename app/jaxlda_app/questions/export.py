"""What the view of exports asks: files, all of them made in the background."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import jax
import numpy as np
import pandas as pd

import jaxlda
from jaxlda import topics
from jaxlda_app import files, report
from jaxlda_app.code import reproducing
from jaxlda_app.headings import FIGURES, figure_heading, table_heading
from jaxlda_app.questions._chain import estimate
from jaxlda_app.questions.convergence import verdict
from jaxlda_app.store import Snapshot, kernel_name
from jaxlda_app.words import counted

__all__ = ["FILES", "Prepared", "code", "prepared"]

FILES = {
    "Run: to go on with, here or in Python (.jaxlda)": "run",
    "Report: everything on one page (.html)": "report",
    "Python code that gives the same chains (.py)": "code",
    "All tables (.zip of .csv)": "tables",
    "Topics φ (.csv)": "phi",
    "Topics φᵖ (.csv)": "phi_p",
    "Documents θ (.csv)": "theta",
    "Documents θᵖ (.csv)": "theta_p",
    "Top words (.csv)": "top_words",
    "Traces (.csv)": "traces",
}

WORDS, EXAMPLES, PASSAGE = 12, 3, 12  # of a topic in the report


class Prepared(NamedTuple):
    """A file to be taken away."""

    name: str
    content: bytes


def prepared(
    snapshot: Snapshot,
    what: str,
    chain: int,
    name: str,
    shown: Mapping[str, pd.DataFrame],
    plots: Mapping[str, tuple[str, str]],
) -> Prepared:
    """A file of ``FILES``.

    Parameters
    ----------
    what
        Which, by its value there.
    chain
        Whose estimates.
    name
        What the documents are called.
    shown, plots
        Tables of the views, and figures (JSON and caption), for the report and the zip.
    """
    base = re.sub(r"[^\w.-]+", "_", name).strip("._") or "run"
    if what == "run":
        return Prepared(f"{base}.jaxlda", files.run_file(snapshot))
    if what == "code":
        return Prepared(f"{base}.py", code(snapshot).encode())
    if what == "report":
        order = {key: i for i, key in enumerate(FIGURES)}
        figures = [
            report.Chart(figure_heading(key), caption, plot)
            for key, (plot, caption) in sorted(plots.items(), key=lambda item: order.get(item[0], len(order)))
        ]
        return Prepared(f"{base}.html", report.page(_content(snapshot, chain, name, shown), figures).encode())
    tables = files.tables(snapshot, chain)
    if what == "tables":
        contents = {f"{key}.csv": files.as_csv(table) for key, table in (tables | dict(shown)).items()}
        return Prepared(f"{base}.zip", files.as_zip(contents))
    if what not in tables:
        raise ValueError("CVB0 and its like have one estimator of φ and one of θ: export those without ᵖ.")
    return Prepared(f"{base}_{what}.csv", files.as_csv(tables[what]))


def code(snapshot: Snapshot) -> str:
    """The code that gives the same chains, or why there is none."""
    try:
        return reproducing(snapshot, snapshot.loading)
    except ValueError as error:
        return f"# {error}\n"


SETTINGS = {
    "num_topics": "Topics K",
    "alpha": "α",
    "beta": "β",
    "num_warmup": "Burn-in, sweeps",
    "num_samples": "Draws kept",
    "thinning": "Sweeps per draw",
    "seed": "Seed",
}


def _content(snapshot: Snapshot, chain: int, title: str, shown: Mapping[str, pd.DataFrame]) -> report.Facts:
    run, params, corpus = snapshot.run, snapshot.model.params, snapshot.corpus
    kernel = kernel_name(snapshot.model, run)
    K = run.data.priors.alpha.shape[-1]
    summary = (
        f"{snapshot.model.name} with {K:,} topics, fitted by {kernel} to {corpus.num_docs:,} documents of {title} "
        f"({corpus.num_tokens:,} tokens, {corpus.num_words:,} words): {counted(run.num_chains, 'chain')}, "
        f"{run.sweep:,} sweeps, {run.num_draws:,} draws of each. Shown is chain {chain}."
    )
    facts = [
        ("Documents", f"{title}: {corpus!r}"),
        ("Held out", "none" if snapshot.held is None else f"{snapshot.held.num_docs:,} documents"),
        ("Model", f"{snapshot.model.name} by {kernel}"),
        *(
            (label, f"{params[setting]!r:.80}")
            for setting, label in SETTINGS.items()
            if params.get(setting) is not None
        ),
        ("Chains", f"{run.num_chains}, of which chain {chain} is shown"),
        ("Sweeps", f"{run.sweep:,} of {run.schedule.total:,}; {run.num_draws:,} draws of each chain"),
        *_time(snapshot),
        ("Programs", f"jaxlda {jaxlda.__version__}, JAX {jax.__version__} on {jax.devices()[0].platform.upper()}"),
    ]
    return report.Facts(
        f"Topics of {title}",
        summary,
        verdict(snapshot).words,
        _topics(snapshot, chain),
        facts,
        {table_heading(key): table for key, table in shown.items()},
        code(snapshot),
    )


def _time(snapshot: Snapshot) -> list[tuple[str, str]]:
    """How long it took; of runs that come from files, nobody knows."""
    if not snapshot.seconds:
        return []
    speed = snapshot.tokens_per_second / 1e6
    return [("Time", f"{snapshot.seconds:,.1f} s, now {speed:,.2f} million tokens per second")]


def _topics(snapshot: Snapshot, chain: int) -> list[report.Topic]:
    """Every topic with its words, and the documents that are most about it."""
    theta, corpus = estimate(snapshot, "theta_p", chain), snapshot.corpus
    phi = estimate(snapshot, "phi_p", chain)
    sizes = np.asarray(snapshot.run.counts(chain=chain).n_k, float)
    words = topics.best_words(phi, corpus.vocab, WORDS)
    lengths = np.asarray(snapshot.run.data.tokens.n_d)
    found = []
    for k in range(len(phi)):
        label = "" if snapshot.labels is None else f": {snapshot.labels[k]}"
        best = topics.top_documents(theta[:, k], lengths, corpus.titles, EXAMPLES)
        examples = [
            f"{row.title or f'Document {row.document}'} ({row.share:.0%}): {_passage(corpus, row.document, phi[k])}"
            for row in best.itertuples()
        ]
        found.append(report.Topic(f"Topic {k}{label}", sizes[k] / max(sizes.sum(), 1), ", ".join(words[k]), examples))
    return found


def _passage(corpus: jaxlda.Corpus, document: int, phi: np.ndarray) -> str:
    """Where a document is most about a topic: some words of its text in their order, if that was kept.

    A bag of words has no passages: the words that belong to the topic most, as often as they occur.
    """
    row = corpus.counts[[document]]
    written = corpus.written
    if written is not None and written.order is not None:
        begin = int(corpus.n_d[:document].sum(dtype=np.int64))
        words = written.order[begin : begin + int(row.data.sum())]
        wide = min(2 * PASSAGE, len(words))
        sums = np.concatenate([[0.0], np.cumsum(phi[words], dtype=float)])
        first = int(np.argmax(sums[wide:] - sums[: len(sums) - wide]))
        shown = " ".join(corpus.vocab[words[first : first + wide]].tolist())
        return f"{'… ' if first else ''}{shown}{' …' if first + wide < len(words) else ''}"
    order = np.argsort(-row.data * phi[row.indices], kind="stable")[:PASSAGE]
    return ", ".join(f"{corpus.vocab[row.indices[i]]}" + (f" ×{row.data[i]}" if row.data[i] > 1 else "") for i in order)
