"""``jaxlda estimate``: phi and theta from a sample of MALLET or WarpLDA.

Compute topics and topic proportions from a sample that another program drew, which has a topic for every token: from
its counts (phi, theta; Eqs. 2 and 3) and from its transition probabilities (phi_p, theta_p; Eqs. 41 and 40). Print the
log-likelihood of the documents under every pair (Eq. 55).

Example: jaxlda estimate state.gz --output estimates.npz
"""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import number, place, positive
from jaxlda.cli._files import check_output, save
from jaxlda.cli._output import (
    Output,
    add_form,
    is_arrays,
    named_rows,
    names_of_documents,
    of_pairs,
    rounded,
    write,
    write_and_say,
    write_arrays,
)

__all__ = ["KINDS", "add", "run"]

TITLE = "log-likelihood (higher is better) and perplexity under each pair of estimators"
KINDS = ("phi", "theta", "phi_p", "theta_p")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("sample", type=place, help="MALLET's --output-state, or assignments of WarpLDA (with --vocab)")
    parser.add_argument("--vocab", type=place, help="the vocabulary of a WarpLDA sample, one word per line")
    told = "topics of a WarpLDA sample (default: all that occur)"
    parser.add_argument("--topics", type=positive, metavar="K", help=told)
    parser.add_argument("--alpha", type=number, help="prior of a WarpLDA sample (default: 0.1)")
    parser.add_argument("--beta", type=number, help="prior of a WarpLDA sample (default: 0.01)")
    told = "what each transition probability leaves out: the token itself (as in the paper), only its count in the "
    told += "document, or nothing"
    parser.add_argument("--leave-out", choices=("token", "document", "none"), default="token", help=told)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=KINDS, help="estimates to write (default: all)")
    told = "where to write them: a *.npz file of NumPy arrays, or a folder of CSV files"
    parser.add_argument("--output", type=place, help=told)
    parser.add_argument("--save", type=place, metavar="MODEL", help="save the sample as a model for the other commands")
    add_form(parser)


def run(options: argparse.Namespace) -> None:
    """Estimate, write, and print the log-likelihoods."""
    from jaxlda import evaluation
    from jaxlda.evaluation import perplexity

    if is_arrays(options.output):
        check_output(options.output)
    check_output(options.save)
    imported = _imported(options)
    found, corpus = _estimates(imported, options.leave_out), imported.corpus
    chosen = {kind: found[kind] for kind in options.kinds}
    if is_arrays(options.output):
        write_arrays(options.output, corpus, {**chosen, "vocab": corpus.vocab})
    elif options.output is not None:
        _write_tables(options.output, chosen, corpus)
    rows = []
    for phi, theta in ((phi, theta) for phi in ("phi", "phi_p") for theta in ("theta", "theta_p")):
        value = evaluation.log_likelihood(found[phi], found[theta], corpus)
        rows.append([phi, theta, rounded(value), rounded(perplexity(value, corpus.num_tokens))])
    table = Output(["phi", "theta", "log_likelihood", "perplexity"], rows)
    write(table, argparse.Namespace(form=options.form), lambda: of_pairs(f"{corpus}: {TITLE}", rows, "16,.1f", "12.1f"))
    if options.save is not None:
        import jaxlda

        save(jaxlda.LDA.from_sample(imported), options.save)


def _imported(options: argparse.Namespace) -> Any:
    from jaxlda.corpora import readers as io

    if options.vocab is None:
        if unused := [name for name in ("topics", "alpha", "beta") if getattr(options, name) is not None]:
            raise ValueError(f"--{unused[0]} is for WarpLDA (with --vocab): a state of MALLET has its own")
        return io.read_mallet_state(options.sample)
    told = {"num_topics": options.topics, "alpha": options.alpha, "beta": options.beta}
    return io.read_warplda(
        options.sample, options.vocab, **{name: value for name, value in told.items() if value is not None}
    )


def _estimates(imported: Any, leave_out: Any) -> dict[str, Any]:
    import numpy as np

    from jaxlda import estimators

    data, sample = imported.data, imported.sample
    soft = estimators.soften(sample, data, leave_out=leave_out)
    found = {
        "phi": estimators.phi(sample.counts, data),
        "theta": estimators.theta(sample.counts, data),
        "phi_p": estimators.phi(soft, data),
        "theta_p": estimators.theta(soft, data),
    }
    return {kind: np.asarray(value) for kind, value in found.items()}


def _write_tables(folder: Path, found: dict[str, Any], corpus: Any) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, values in found.items():
        topics = [f"topic{k}" for k in range(values.shape[0] if kind.startswith("phi") else values.shape[1])]
        rows, columns = (
            (topics, ["topic", *corpus.vocab.tolist()])
            if kind.startswith("phi")
            else (names_of_documents(corpus), ["document", *topics])
        )
        write_and_say(folder / f"{kind}.csv", Output(columns, named_rows(rows, values)).csv().encode())
