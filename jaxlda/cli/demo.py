"""``jaxlda demo``: fit the bundled Reuters corpus and show what comes out.

Fit the bundled Reuters corpus with several chains; print the topics, R-hat and the perplexity of all four pairs of
estimators on held-out documents, and write a report to look at in a browser.

Example: jaxlda demo --topics 10 --report topics.html
"""

import argparse
import shutil
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from jaxlda.cli._arguments import natural, place, positive
from jaxlda.cli._files import check_output
from jaxlda.cli._output import SYMBOLS
from jaxlda.cli.topics import described
from jaxlda.corpora.replacing import replace_file
from jaxlda.models.saved_topics import of_model

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("--topics", type=positive, default=20, help="number of topics")
    parser.add_argument("--chains", type=positive, default=4, help="number of chains")
    parser.add_argument("--seed", type=natural, default=0, help="the seed of all random numbers")
    parser.add_argument("--quick", action="store_true", help="few sweeps: a check that it works, not a result")
    parser.add_argument("--report", type=place, default=Path("jaxlda-demo.html"), help="where the page goes")


class Shown(NamedTuple):
    """What the terminal and the page show."""

    corpus: str
    """The documents, in words."""
    model: Any
    agreement: str
    """Whether the chains agree, in words."""
    perplexities: dict[str, dict[str, float]]
    """Of every pair of estimators, with theta from one sample and from several."""


def run(options: argparse.Namespace) -> None:
    """Fit, print what comes out, and write the page."""
    import jaxlda

    check_output(options.report)
    corpus = jaxlda.datasets.load("reuters")
    train, test = corpus.split(seed=options.seed)
    documents = f"{corpus}: {train.num_docs} documents to learn from, {test.num_docs} held out"
    print(documents, flush=True)
    num_warmup, num_samples = (20, 4) if options.quick else (200, 20)
    model = jaxlda.LDA(
        num_topics=options.topics,
        num_chains=options.chains,
        num_warmup=num_warmup,
        num_samples=num_samples,
        seed=options.seed,
        trace_every=5,
    ).fit(train)
    if not model.run_.finished:
        raise KeyboardInterrupt
    shown = Shown(documents, model, _agreement(model), _perplexities(model, test, (2, 2) if options.quick else (5, 30)))
    print(f"\n{described(of_model(model))}\n{shown.agreement}\n\n{_table(shown.perplexities)}\n")
    replace_file(options.report, _page(shown).encode())
    print(f"Report, to open in a browser: {options.report.resolve()}")
    # Who has not activated the environment finds the command where this one was.
    hidden = Path(sys.argv[0]).name == "jaxlda" and shutil.which("jaxlda") is None
    print(f"Watch chains live: {sys.argv[0] if hidden else 'jaxlda'} dashboard")


def _agreement(model: Any) -> str:
    from jaxlda import diagnostics

    run = model.run_
    if run.num_chains == 1:
        return "R-hat compares chains, and there is one: ask for several with --chains"
    after = run.objective[:, run.schedule.num_warmup :]
    found = diagnostics.assess(after[:, ~(after != after).any(0)])
    shown = "" if found.rhat != found.rhat else f"R-hat of {run.num_chains} chains {found.rhat:.3f}. "
    apart = "" if found.converged else " The topics shown are those of one chain."
    return f"{shown}{found.words}{apart}"


def _perplexities(model: Any, test: Any, averaged: tuple[int, int]) -> dict[str, dict[str, float]]:
    columns = {"one sample": (1, 1), f"mean of {averaged[0]} × {averaged[1]}": averaged}
    found: dict[str, dict[str, float]] = {}
    for title, (chains, samples) in columns.items():
        table = model.perplexity_table(test, num_chains=chains, num_samples=samples)
        for phi, theta in ((phi, theta) for phi in table.index for theta in table.columns):
            found.setdefault(f"{SYMBOLS[phi]} + {SYMBOLS[theta]}", {})[title] = float(table.loc[phi, theta])
    return found


def _table(perplexities: dict[str, dict[str, float]]) -> str:
    titles = next(iter(perplexities.values()))
    lines = ["Perplexity of held-out words (lower is better), theta from:"]
    lines += ["           " + "".join(f"{title:>16}" for title in titles)]
    lines += [
        f"  {pair:<9}" + "".join(f"{value:16.1f}" for value in row.values()) for pair, row in perplexities.items()
    ]
    return "\n".join(lines)


def _page(shown: Shown) -> str:
    """The same as one page of HTML, with the traces and a map of the topics."""
    import jax
    import pandas as pd

    import jaxlda
    from jaxlda import plots

    report = import_module("jaxlda_app.report")
    model, run = shown.model, shown.model.run_
    told = of_model(model)
    assert told.n_k is not None, "it has documents"
    shares, words = told.n_k / told.n_k.sum(), told.top_words(10)
    topics = [
        report.Topic(f"Topic {k}", float(shares[k]), " ".join(words[k]), _titles(model.top_documents(k, 3)))
        for k in range(len(shares))
    ]
    figures = [
        report.Chart(
            f"{run.objective_name.capitalize()} of the chains",
            "A line per chain. Chains that have converged stop rising, and overlap.",
            report.plot_json(plots.trace(model)),
        ),
        report.Chart(
            "Map of the topics",
            "Topics that lie close to each other have similar words; larger circles have more tokens.",
            report.plot_json(plots.topics(model)),
        ),
    ]
    perplexities = pd.DataFrame.from_dict(shown.perplexities, orient="index").reset_index(names="estimators")
    content = report.Facts(
        "Topics of the bundled Reuters corpus",
        f"{len(topics)} topics, fitted to {shown.corpus}.",
        shown.agreement,
        topics,
        [
            ("Model", f"{model!r}"),
            ("Chains", f"{run.num_chains} chains of {run.sweep} sweeps; topics are those of chain {model.best_chain_}"),
            ("Programs", f"jaxlda {jaxlda.__version__}, JAX {jax.__version__} on {jax.devices()[0].platform.upper()}"),
        ],
        {"Perplexity of held-out words (lower is better)": perplexities},
        _code(model),
    )
    return report.page(content, figures)


def _titles(best: Any) -> list[str]:
    return [f"{row.title} ({row.share:.0%})" for row in best.itertuples()]


def _code(model: Any) -> str:
    return f"""import jaxlda

corpus = jaxlda.datasets.load("reuters")
train, test = corpus.split(seed={model.seed})
model = jaxlda.{model!r}
model.fit(train)
print(model.top_words(10))
"""
