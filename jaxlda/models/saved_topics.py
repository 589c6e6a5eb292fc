"""The topics of a saved model for people to read, with NumPy alone: printing need not wait for JAX to start.

A file has the sums of the counts over the draws of every chain, and what of a chain's own the estimate needs beside
them. The model itself would compute the same, once loaded.
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from jaxlda.running import archive
from jaxlda.running.values import decoded

__all__ = ["Topics", "of_file", "of_labels", "of_model", "remembered"]

PRIOR = "data.priors.beta"


class Topics(NamedTuple):
    """Topics with what is told about them."""

    phi: np.ndarray
    """(K, V)."""
    vocab: np.ndarray
    labels: list[str] | None
    """The label of each topic, empty where it has none; ``None`` if the model knows no labels."""
    n_k: np.ndarray | None
    """The mean number of tokens of each; ``None`` of topics only."""
    chain: int | None
    """Whose they are; ``None`` of topics only."""
    best_chain: int
    num_chains: int
    objective: str
    """What the best chain has most of: "log joint", "bound"."""
    writer: str = ""
    """What wrote the file, with versions."""
    names: list[str] | None = None
    """Of the topics, if they were named."""

    def top_words(self, n: int) -> list[list[str]]:
        """The ``n`` most probable words of every topic, as ``model.top_words`` gives them."""
        order = np.argsort(-self.phi, axis=1, kind="stable")[:, :n]
        return [[str(word) for word in words] for words in self.vocab[order]]


def of_model(model: Any, chain: int | None = None) -> Topics:
    """Those of a model in memory; of one of its chains, if it has any and one is named."""
    labels = _names(model.classes_, model.label_of_topic_) if hasattr(model, "classes_") else None
    if not hasattr(model, "run_"):
        if chain is not None:
            raise ValueError("it has topics only: there are no chains to choose from")
        return Topics(model.phi_, np.asarray(model.vocab_), labels, None, None, 0, 0, "", names=_own_names(model))
    run = model.run_
    if chain is not None and chain >= run.num_chains:
        raise ValueError(f"there is no chain {chain}: it has 0 to {run.num_chains - 1}")
    own = model.best_chain_ if chain is None else chain
    phi = model.phi_ if chain is None else model.estimates(model._kind("phi"), chain)
    n_k = np.asarray(run.counts(chain=own).n_k)
    chains = own, model.best_chain_, run.num_chains
    return Topics(phi, model.vocab_, labels, n_k, *chains, run.objective_name, names=_own_names(model, own))


def _own_names(model: Any, chain: int | None = None) -> list[str] | None:
    """The names of topics, where they say more than labels do."""
    names = model._names_of(chain)
    return None if hasattr(model, "classes_") and names == model._default_names() else names


def remembered(model: Any, run: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """What a file says of the run for :func:`of_file`; priors that chains have learned go to ``arrays``."""
    given = np.asarray(run.data.priors.beta)
    for chain in range(run.num_chains):
        beta = np.asarray(run.chain_data(chain).priors.beta)
        if not np.array_equal(beta, given):
            arrays[f"shown.chain{chain}.beta"] = beta
    told = {"best_chain": run.best_chain, "objective": run.objective_name, "pooled": bool(model._pooled)}
    return told | {"num_topics": run.data.priors.alpha.shape[-1]} | of_labels(model)


def of_labels(model: Any) -> dict[str, Any]:
    """The label of each topic by number, where a fitted model knows labels."""
    return {"labels": model.label_of_topic_.tolist()} if hasattr(model, "label_of_topic_") else {}


def of_file(path: str | os.PathLike, chain: int | None = None) -> Topics | None:
    """Those of a saved model; ``None`` where the file does not tell without its algorithm: before the first draw, say.

    Raises what ``jaxlda.load`` would raise of a file that is no model, or is damaged.
    """
    head, arrays, writer = archive.read(path, _wanted)
    try:
        known = ("vocab_", "classes_", "phi_", "topic_names_")
        found = {k: decoded(head["found"][k], arrays) for k in known if k in head["found"]}
        seeds = [str(name) for name in decoded(head["params"].get("seed_words"), {}) or ()]
        names = [str(name) for name in found["topic_names_"]] if "topic_names_" in found else None
        vocab, shown = np.asarray(found["vocab_"]), head["shown"]
        labels = _names(found["classes_"], shown["labels"]) if "classes_" in found else None
        if "phi_" in found:
            phi = found["phi_"]
            told = Topics(phi, vocab, labels, None, None, 0, 0, "", writer, names or _seeded(seeds, len(phi)))
            return told if chain is None and told.phi.ndim == 2 and _fits(told) else None
        run = head["run"]
        if not run["draws"] or "data.phi" in arrays or (chain is not None and not 0 <= chain < run["num_chains"]):
            return None
        sums = "soft" if decoded(head["params"]["estimator"], {}) == "cgs_p" and run["soft_counts"] else "hard"
        own = shown["best_chain"] if chain is None else chain
        pooled = range(run["num_chains"]) if shown["pooled"] and chain is None else (own,)
        K, draws = shown["num_topics"], np.float32(run["draws"])
        phi = np.mean([_phi(arrays, f"chain{one}", sums, K, draws) for one in pooled], axis=0)
        n_k = arrays[f"chain{own}.hard.n_k"][:K] / draws
        chains, objective = (own, shown["best_chain"], run["num_chains"]), str(shown["objective"])
        of_chain = names if own == shown["best_chain"] or shown["pooled"] else None
        told = Topics(phi, vocab, labels, n_k, *chains, objective, writer, of_chain or _seeded(seeds, K))
        return told if _fits(told) else None
    except archive.NONSENSE:
        return None  # loading it says what is wrong


def _seeded(seeds: list[str], K: int) -> list[str] | None:
    """The names of topics, of which the first have seed words."""
    return [*seeds, *(f"topic {k}" for k in range(len(seeds), K))] if seeds else None


def _wanted(name: str) -> bool:
    return name.startswith(("found.", "shown.", PRIOR, "data.phi")) or name.endswith((".n_vk", ".n_k"))


def _phi(arrays: Mapping[str, np.ndarray], chain: str, sums: str, K: int, draws: Any) -> np.ndarray:
    """The estimate (Eq. 2 or 41) as ``jaxlda.estimators.phi`` has it, without the room that runs have."""
    beta = arrays.get(f"shown.{chain}.beta", arrays[PRIOR])
    columns = beta.T if beta.ndim == 2 else beta[:, None]
    n_vk, n_k = arrays[f"{chain}.{sums}.n_vk"][: len(columns), :K] / draws, arrays[f"{chain}.{sums}.n_k"][:K] / draws
    return ((n_vk + columns) / (n_k + beta.sum(-1, dtype=beta.dtype))).T


def _fits(told: Topics) -> bool:
    """Whether all is of one size, and numbers are numbers: what does not fit is left to be told by loading it."""
    K, V = told.phi.shape
    sizes = len(told.vocab) == V and all(given is None or len(given) == K for given in (told.labels, told.names))
    return sizes and bool(np.isfinite(told.phi).all()) and (told.n_k is None or bool(told.n_k.sum() > 0))


def _names(classes: np.ndarray, of_topics: Sequence[int] | np.ndarray) -> list[str]:
    names = [str(label) for label in classes.tolist()]
    return [names[label] if label >= 0 else "" for label in of_topics]
