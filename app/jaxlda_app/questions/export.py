"""What the view of exports asks: files, all of them made in the background."""

import re
from collections.abc import Mapping
from typing import NamedTuple

import jax
import pandas as pd

import jaxlda
from jaxlda_app import files, report
from jaxlda_app.code import reproducing
from jaxlda_app.questions._chain import topic_names
from jaxlda_app.store import Snapshot, kernel_name

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
    plots: Mapping[str, str],
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
        Tables and figures (JSON) of the views, for the report and the zip.
    """
    base = re.sub(r"[^\w.-]+", "_", name).strip("._") or "run"
    if what == "run":
        return Prepared(f"{base}.jaxlda", files.run_file(snapshot))
    if what == "code":
        return Prepared(f"{base}.py", code(snapshot).encode())
    if what == "report":
        return Prepared(f"{base}.html", report.page(_content(snapshot, chain, name, shown), plots).encode())
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


def _content(snapshot: Snapshot, chain: int, name: str, shown: Mapping[str, pd.DataFrame]) -> report.Content:
    run, params = snapshot.run, snapshot.model.params
    names = topic_names(snapshot, chain, n=12)
    topics = pd.DataFrame({"topic": range(len(names)), "words": names})
    sizes = run.counts(chain=chain).n_k
    topics.insert(1, "tokens", [float(size) for size in sizes])
    settings = ("num_topics", "alpha", "beta", "num_warmup", "num_samples", "thinning", "seed")
    facts = [
        ("Documents", f"{name}: {snapshot.corpus!r}"),
        ("Held out", "none" if snapshot.held is None else f"{snapshot.held.num_docs:,} documents"),
        ("Model", f"{snapshot.model.name} by {kernel_name(snapshot.model, run)}"),
        *((setting, f"{params[setting]!r:.80}") for setting in settings if setting in params),
        ("Chains", f"{run.num_chains}, of which chain {chain} is shown"),
        ("Sweeps", f"{run.sweep:,} of {run.schedule.total:,}; {run.num_draws:,} draws of each chain"),
        (
            "Time",
            f"{snapshot.seconds:,.1f} s, now {snapshot.tokens_per_second / 1e6:,.2f} million tokens per second",
        ),
        ("Programs", f"jaxlda {jaxlda.__version__}, JAX {jax.__version__} on {jax.devices()[0].platform.upper()}"),
    ]
    return report.Content(f"Topics of {name}", facts, {"Topics": topics, **shown}, code(snapshot))
