"""``jaxlda infer``: the topics of new documents, by a saved model.

Infer the topic proportions theta of new documents with the topics of a saved model held fixed (Eqs. 4 and 33), and
print one row per document. With --output *.npz, write NumPy arrays: theta, topics and documents.

Example: jaxlda infer news.jaxlda new.txt --output theta.csv
"""

import argparse

from jaxlda.cli._arguments import add_sweeps, given, place
from jaxlda.cli._files import add_input, check_output, load_model, new_documents
from jaxlda.cli._output import Output, add_output, is_arrays, named_rows, names_of_documents, write, write_arrays
from jaxlda.models import parameters as declared
from jaxlda.models.saved_topics import of_model

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help="a model saved by jaxlda fit or jaxlda classify")
    parser.add_argument("file", type=place, help="the documents")
    names, told = declared.ESTIMATOR.choices, "the estimator of theta (default: the model's)"
    parser.add_argument("--estimator", choices=(*names, "theta_p", "theta"), metavar="|".join(names), help=told)
    add_input(parser, choose_words=False)
    add_sweeps(parser, declared.LDA, **declared.INFERENCE, seed="the model's")
    add_output(parser, ".npz")


def run(options: argparse.Namespace) -> None:
    """Infer, and print or write."""
    import numpy as np

    check_output(options.output)
    model = load_model(options.model)
    corpus = new_documents(options.file, options, model)
    theta = model.transform(corpus, estimator=options.estimator, **given(options))
    topics = [f"topic{k}" for k in range(theta.shape[1])]
    told = of_model(model)
    if told.names is not None:
        topics = told.names
    elif told.labels is not None:
        topics = [label or topic for label, topic in zip(told.labels, topics, strict=True)]
    if is_arrays(options.output) and options.form is None:
        write_arrays(options.output, corpus, {"theta": theta, "topics": np.array(topics)})
        return
    write(Output(["document", *topics], named_rows(names_of_documents(corpus), theta)), options)
