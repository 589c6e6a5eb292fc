"""Which equation of the paper is computed where. ``tests/docs`` holds every line of it.

Every function named here must exist and its docstring must cite the equation; every equation that a docstring of the
package cites must be here.
"""

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

__all__ = ["EQUATIONS", "Equation", "as_markdown", "cited", "docstring_of", "resolve"]


class Equation(NamedTuple):
    """A line of the map."""

    number: int
    title: str
    tex: str
    places: tuple[str, ...]
    """Dotted names of functions, classes or methods."""


EQUATIONS = (
    Equation(
        1,
        "Collapsed Gibbs sampling: the topic of a token, given all others",
        r"p(z_i = k \mid w, z_{\neg i}) \propto \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_{v'} \beta_{v'}} \,"
        r" (n_{dk\neg i} + \alpha_k)",
        ("jaxlda.kernels.cgs", "jaxlda.estimators.soften"),
    ),
    Equation(
        2,
        "The standard estimator of the topics",
        r"\hat\phi_{kv} = \frac{n_{kv} + \beta_v}{n_k + \sum_{v'} \beta_{v'}}",
        ("jaxlda.estimators.phi", "jaxlda.LDA.estimates"),
    ),
    Equation(
        3,
        "The standard estimator of the documents' proportions",
        r"\hat\theta_{dk} = \frac{n_{dk} + \alpha_k}{N_d + \sum_{k'} \alpha_{k'}}",
        ("jaxlda.estimators.theta", "jaxlda.LDA.estimates"),
    ),
    Equation(
        4,
        "Prediction: the topic of a token of a new document, with the topics held fixed",
        r"p(z_i = k \mid w, z_{\neg i}, \phi) \propto \phi_{kv} \, (n_{dk\neg i} + \alpha_k)",
        ("jaxlda.kernels.cgs", "jaxlda.evaluation.infer_theta", "jaxlda.LDA.transform"),
    ),
    Equation(
        5,
        "Labeled LDA: only the document's own labels are possible",
        r"p(z_i = k) \propto \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_{v'} \beta_{v'}} \,"
        r" (n_{dk\neg i} + \alpha_k) \text{ if } k \in \mathcal{K}_d, \text{ else } 0",
        ("jaxlda.LabeledLDA", "jaxlda.priors.labeled"),
    ),
    Equation(
        6,
        "CVB0: the same with expected counts",
        r"\gamma_{dik} \propto \frac{n_{kv\neg i} + \beta_v}{n_{k\neg i} + \sum_{v'} \beta_{v'}} \,"
        r" (n_{dk\neg i} + \alpha_k), \quad n_{dk} = \sum_i \gamma_{dik}",
        ("jaxlda.kernels.cvb0",),
    ),
    Equation(
        26,
        "Averaging the estimates of several samples",
        r"\bar\theta_{dk} \approx \frac{1}{S} \sum_{i=1}^S \frac{n_{dk}^{(i)} + \alpha_k}{N_d + \sum_{k'} \alpha_{k'}}",
        ("jaxlda.Run.counts",),
    ),
    Equation(
        29,
        "The same by averaging the counts",
        r"\bar\theta_{dk} \approx \frac{\sum_j \frac{1}{S} \sum_i z_{djk}^{(i)} + \alpha_k}"
        r"{N_d + \sum_{k'} \alpha_{k'}}",
        ("jaxlda.Run.counts",),
    ),
    Equation(
        31,
        "The transition probabilities of a Gibbs update",
        r"T(z_{djk} = 1) \propto \phi_{k w_{dj}} \, (n_{dk\neg j} + \alpha_k)",
        ("jaxlda.estimators.soften", "jaxlda.Run.counts"),
    ),
    Equation(
        33,
        "The proportions of new documents from transition probabilities",
        r"\hat\theta^p_{dk} = \frac{\sum_j \frac{1}{S} \sum_i T(z_{djk}^{(i)}) + \alpha_k}"
        r"{N_d + \sum_{k'} \alpha_{k'}}",
        ("jaxlda.estimators.theta_p", "jaxlda.evaluation.infer_theta", "jaxlda.LDA.transform"),
    ),
    Equation(
        40,
        "The same for training documents",
        r"\hat\theta^p_{dk} = \frac{\sum_j T(z_{djk}) + \alpha_k}{N_d + \sum_{k'} \alpha_{k'}}",
        ("jaxlda.estimators.theta_p", "jaxlda.LDA"),
    ),
    Equation(
        41,
        "The topics from transition probabilities",
        r"\hat\phi^p_{kv} = \frac{\sum_d \sum_{j : w_{dj} = v} T(z_{djk}) + \beta_v}"
        r"{\sum_{v'} \big(\sum_d \sum_{j : w_{dj} = v'} T(z_{djk}) + \beta_{v'}\big)}",
        ("jaxlda.estimators.phi_p", "jaxlda.LDA"),
    ),
    Equation(
        47,
        "The approximation behind Eq. 41, and its bounds: one token more or less in a topic hardly matters",
        r"E\Big[\frac{n_{kv} + \beta_v}{n_k + \sum_{v'} \beta_{v'}}\Big]"
        r" \approx \frac{E[n_{kv}] + \beta_v}{n_k^{(i)} + \sum_{v'} \beta_{v'}}",
        ("jaxlda.experiments.phi_bound.sides",),
    ),
    Equation(
        55,
        "The log-likelihood of documents",
        r"\log p(w) = \sum_d \sum_{i \in d} \log \sum_k \phi_{k w_i} \theta_{dk}",
        ("jaxlda.evaluation.log_likelihood", "jaxlda.LDA.log_likelihood"),
    ),
    Equation(
        56,
        "Perplexity",
        r"\exp\big(-\log p(w) / N\big)",
        ("jaxlda.evaluation.perplexity", "jaxlda.LDA.perplexity"),
    ),
    Equation(
        57,
        "Word association: how likely a word is, given another one of the same topic",
        r"p(w_2 \mid w_1) = \sum_k \phi_{k w_2} \frac{\phi_{k w_1}}{\sum_{k'} \phi_{k' w_1}}",
        ("jaxlda.evaluation.association_probabilities",),
    ),
    Equation(
        58,
        "The prior of Prior-LDA in training",
        r"\alpha_k = 50 / K",
        ("jaxlda.PriorLDA",),
    ),
    Equation(
        59,
        "The prior of Prior-LDA for new documents",
        r"\alpha_k = 50 \, \frac{f_k}{\sum_{k'} f_{k'}} + \frac{30}{K}",
        ("jaxlda.PriorLDA",),
    ),
    Equation(
        60,
        "The gap between hard and soft counts (here divided by the length of the document)",
        r"\frac{1}{D} \sum_d \frac{1}{N_d} \sum_k \big| n_{dk} - \sum_j T(z_{djk}) \big|",
        ("jaxlda.estimators.gap",),
    ),
)


def resolve(name: str) -> Any:
    """The object of a dotted name: a module's attribute, or an attribute of that.

    >>> resolve("jaxlda.estimators.phi").__name__
    'phi'
    """
    first, *rest = name.split(".")
    found, path = importlib.import_module(first), first
    for part in rest:
        path = f"{path}.{part}"
        if hasattr(found, "__path__") and not hasattr(found, part):  # a module that nobody has imported yet
            found = importlib.import_module(path)
        else:
            found = getattr(found, part)
    return found


def cited(text: str) -> Iterator[int]:
    """The numbers of the equations that a text cites, as in Eq. 4, or Eqs. 1, 4 and 31, or Eqs. 55-56.

    >>> sorted(cited("see Eq. 4, Eqs. 1, 26 and 31, and Eqs. 55-57; 8 topics"))
    [1, 4, 26, 31, 55, 56, 57]
    """
    for numbers in re.findall(r"\bEqs?\.\s+(\d+(?:(?:\s*[-–]\s*|,?\s+and\s+|,\s+|,?\s+or\s+)\d+\b)*)", text):
        for first, last in re.findall(r"(\d+)(?:\s*[-–]\s*(\d+))?", numbers):
            yield from range(int(first), int(last or first) + 1)


def as_markdown() -> str:
    """The map for the page: each equation with its formula and links to where it is computed."""
    lines = []
    for number, title, tex, places in EQUATIONS:
        links = ", ".join(f"{{py:obj}}`{name.removeprefix('jaxlda.')} <{name}>`" for name in places)
        lines += [f"### Eq. {number}: {title}", "", f"$${tex}$$", "", f"Computed by {links}.", ""]
    return "\n".join(lines)


def docstring_of(name: str) -> str:
    """The docstring of a dotted name."""
    return inspect.getdoc(resolve(name)) or ""
