"""The dashboard's report of a fitted model, without a dashboard: ``jaxlda report``."""

import dataclasses
from collections.abc import Callable
from typing import Any

from jaxlda import plots
from jaxlda.models.documents import of_run
from jaxlda_app.questions.export import prepared
from jaxlda_app.report import plot_json
from jaxlda_app.store import Model, Snapshot, topic_labels

__all__ = ["documents_of", "report_of", "snapshot_of"]

# By the names that the dashboard has for them; the order and the headings are its own.
FIGURES: dict[str, tuple[Callable[..., Any], dict[str, Any], str]] = {
    "topics_map": (
        plots.topics,
        {},
        "Topics that lie close to each other have similar words; larger circles have more tokens.",
    ),
    "topics_stability": (
        plots.stability,
        {},
        "Whether the other chains have the topics of this one: bright where they do. Believe what most chains have.",
    ),
    "convergence_likelihood": (
        plots.trace,
        {"series": "log_likelihood"},
        "Log-likelihood per token, one line per chain. Chains that have converged stop rising, and overlap. The "
        "burn-in is shaded.",
    ),
    "convergence_moved": (plots.trace, {"series": "moved"}, "The share of the tokens that changed their topic."),
    "convergence_rhat": (plots.rhat, {}, "R-hat by draws: near 1 if the chains cannot be told apart."),
    "convergence_ess": (plots.ess, {}, "How many independent draws the chains' draws are worth."),
    "convergence_ranks": (
        plots.ranks,
        {},
        "How each chain's draws rank among all: level where chains explore the same.",
    ),
    "counts_gap": (
        plots.gap,
        {},
        "How far hard and soft counts are apart (Eq. 60): what φᵖ and θᵖ make up for, sweep by sweep.",
    ),
}


def documents_of(model: Any) -> Any:
    """The documents that a model was fitted to, with titles, labels and texts as far as it kept them."""
    labels, classes = getattr(model, "labels_", None), getattr(model, "classes_", None)
    names = None if classes is None else [str(label) for label in classes.tolist()]
    corpus = of_run(model.run_, model.vocab_, getattr(model, "doc_titles_", None), labels, names)
    return dataclasses.replace(corpus, written=getattr(model, "written_", None))


def snapshot_of(model: Any) -> Snapshot:
    """A fitted model as the dashboard looks at it."""
    if not hasattr(model, "run_"):
        raise ValueError("the model has topics only: there are no documents and no chains in it to tell of")
    corpus = documents_of(model)
    known = Model(type(model).__name__, model.get_params(deep=False))
    best = getattr(model, "best_chain_", model.run_.best_chain)
    return Snapshot(known, model.run_, corpus, None, 0.0, 0.0, best, topic_labels(model, corpus))


def report_of(model: Any, title: str, chain: int | None = None) -> str:
    """One page of HTML that needs nothing else: what was fitted, the verdict, the topics; then figures and facts.

    Parameters
    ----------
    model
        Fitted, with its chains.
    title
        What the documents are called.
    chain
        Whose topics are told; the best one's if not given.
    """
    snapshot = snapshot_of(model)
    if chain is not None and not 0 <= chain < snapshot.run.num_chains:
        raise ValueError(f"there is no chain {chain}: they are numbered from 0 to {snapshot.run.num_chains - 1}")
    chain = snapshot.best_chain if chain is None else chain
    return prepared(snapshot, "report", chain, title, {}, _pictures(model, chain)).content.decode()


def _pictures(model: Any, chain: int) -> dict[str, tuple[str, str]]:
    """Figures with captions: those that there are enough chains, draws and traces for."""
    found = {}
    for name, (draw, options, caption) in FIGURES.items():
        own = {"chain": chain} if name.startswith("topics") else {}
        try:
            found[name] = plot_json(draw(model, **options, **own)), caption
        except ValueError:  # says what is missing
            continue
    return found
