"""``jaxlda infer``: the topics of new documents, by a saved model."""

import argparse
import io
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import add_command, add_sweeps, given
from jaxlda.cli._files import add_input, check_output, load_model, new_documents
from jaxlda.cli._output import Table, add_output, rounded, write, written
from jaxlda.cli.topics import names_of_topics
from jaxlda.models import parameters as declared

__all__ = ["add", "run"]


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = add_command(
        commands,
        "infer",
        run,
        "jaxlda infer news.jaxlda new.txt --output theta.csv",
        help="the topics of new documents, by a saved model",
        description="Infer the topic proportions theta of new documents with the topics of a saved model held fixed "
        "(Eqs. 4 and 33), and print a row for each. *.npz as output: arrays of NumPy, theta, topics and documents.",
    )
    parser.add_argument("model", type=Path, help="what jaxlda fit or jaxlda classify saved")
    parser.add_argument("file", type=Path, help="the documents")
    names, told = declared.ESTIMATOR.choices, "of theta; the model's if not given"
    parser.add_argument("--estimator", choices=(*names, "theta_p", "theta"), metavar="|".join(names), help=told)
    add_input(parser, choose_words=False)
    add_sweeps(parser, declared.LDA, **declared.INFERENCE)
    add_output(parser, ".npz")


def run(options: argparse.Namespace) -> None:
    """Infer, and print or write."""
    import numpy as np

    check_output(options.output)
    model = load_model(options.model)
    corpus = new_documents(options.file, options, model)
    theta = model.transform(corpus, estimator=options.estimator, **given(options))
    topics = [f"topic{k}" for k in range(theta.shape[1])]
    if (labels := names_of_topics(model)) is not None:
        topics = [label or topic for label, topic in zip(labels, topics, strict=True)]
    documents = [str(d) for d in range(corpus.num_docs)] if corpus.titles is None else list(corpus.titles)
    if options.output is not None and options.output.suffix.lower() == ".npz" and options.form is None:
        file = io.BytesIO()
        np.savez_compressed(file, theta=theta, topics=np.array(topics), documents=np.array(documents))
        written(options.output, file.getvalue())
        return
    rows = [[name, *map(rounded, row)] for name, row in zip(documents, theta.tolist(), strict=True)]
    write(Table(["document", *topics], rows), options)
