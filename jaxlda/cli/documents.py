"""``jaxlda documents``: the training documents of a saved model, with their topics.

Print a row for each document a model was fitted to: its title, labels if it has any, its tokens, its largest topic and
the share of that.

Example: jaxlda documents news.jaxlda --output documents.csv
"""

import argparse
from typing import Any

from jaxlda.cli._arguments import place, positive
from jaxlda.cli._files import MODEL, check_output, load_model
from jaxlda.cli._output import add_output, of_frame, readable, write

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help=MODEL)
    parser.add_argument("--theta", action="store_true", help="also the share of every topic, a column each")
    told = "only the documents with the largest share of this topic: its number or its name"
    parser.add_argument("--topic", metavar="TOPIC", help=told)
    parser.add_argument("--top", type=positive, default=10, metavar="N", help="how many documents of the topic")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the documents."""
    check_output(options.output)
    model = load_model(options.model)
    if options.topic is None:
        table = model.documents(theta=options.theta)
    else:
        table = model.top_documents(_topic(model, options.topic), options.top)
    write(of_frame(table), options, lambda: readable(table))


def _topic(model: Any, text: str) -> Any:
    """A topic by its name, or else by its number."""
    if text in model.topic_names:
        return text
    if not text.isdecimal() or int(text) >= len(model.topic_names):
        raise ValueError(f"there is no topic {text!r}: give a number below {len(model.topic_names)}, or a name")
    return int(text)
