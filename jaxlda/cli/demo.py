"""``jaxlda demo``: the main job on the bundled corpus."""

import argparse
import textwrap
from typing import Any

from jaxlda.cli._arguments import natural, positive
from jaxlda.cli.evaluate import SYMBOLS
from jaxlda.cli.topics import described

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    demo = commands.add_parser(
        "demo",
        help="fit the bundled Reuters corpus and show what comes out",
        description="Fit the bundled Reuters corpus with several chains; print the topics, R-hat and the perplexity of "
        "all four pairs of estimators on held-out documents.",
    )
    demo.add_argument("--topics", type=positive, default=20, help="number of topics (default: %(default)s)")
    demo.add_argument("--chains", type=positive, default=4, help="number of chains (default: %(default)s)")
    demo.add_argument(
        "--seed", type=natural, default=0, help="everything random follows from it (default: %(default)s)"
    )
    demo.add_argument("--quick", action="store_true", help="few sweeps: a check that it works, not a result")
    demo.set_defaults(run=run)


def run(options: argparse.Namespace) -> None:
    """Fit, and print what comes out."""
    import jaxlda

    corpus = jaxlda.datasets.load("reuters")
    train, test = corpus.split(seed=options.seed)
    print(f"{corpus}: {train.num_docs} documents to learn from, {test.num_docs} to be tested on", flush=True)
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
    print("\n" + described(model), end="")
    _print_convergence(model)
    _print_perplexities(model, test, averaged=(2, 2) if options.quick else (5, 30))


def _print_convergence(model: Any) -> None:
    from jaxlda import diagnostics

    run = model.run_
    after = run.trace["log_joint"][:, run.schedule.num_warmup :]
    draws = after[:, ~(after != after).any(0)]
    print(f"\nConvergence of {run.num_chains} chains, from the log joint of {draws.shape[1]} states after the burn-in:")
    if run.num_chains == 1:
        print("  R-hat compares chains, and there is only one. Ask for several with --chains.")
        return
    found = diagnostics.assess(draws)
    if found.rhat == found.rhat:
        print(f"  R-hat {found.rhat:.3f}, which is 1 where chains agree, and by chance a little more.")
    print(textwrap.fill(found.words, 110, initial_indent="  ", subsequent_indent="  "))
    if found.converged is not True:
        print("  Chains usually find good topics, but not the same ones. The results are those of one chain.")


def _print_perplexities(model: Any, test: Any, averaged: tuple[int, int]) -> None:
    sizes = ((1, 1), averaged)
    tables = [model.perplexity_table(test, num_chains=chains, num_samples=samples) for chains, samples in sizes]
    titles = ["one sample", f"mean of {averaged[0]} × {averaged[1]}"]
    print("\nPerplexity of the unseen half of the test documents, theta from one sample or averaged (lower is better):")
    print("           " + "".join(f"{title:>16}" for title in titles))
    for phi, theta in ((phi, theta) for phi in tables[0].index for theta in tables[0].columns):
        values = "".join(f"{table.loc[phi, theta]:16.1f}" for table in tables)
        print(f"  {SYMBOLS[phi]:>2} + {SYMBOLS[theta]:<2}  {values}")
