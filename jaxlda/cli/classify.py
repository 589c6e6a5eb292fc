"""``jaxlda classify``: learn labels from documents that have them, and give them to others.

Fit a supervised model to labelled documents and predict the labels of others: one JSON list per line. If the others
have labels too, print micro-, macro- and example-based F1 and ranking measures instead, and write the labels to
--output only.

Example: jaxlda classify train.csv new.csv --text body --labels topics --output labels.jsonl
"""

import argparse
from typing import Any

from jaxlda.cli._arguments import FITTING, add_fitting, given, number_or_share, place
from jaxlda.cli._files import add_input, check_output, read, save
from jaxlda.cli._output import as_json, say, show, write_and_say
from jaxlda.models import parameters as declared

__all__ = ["add", "run"]

SWEEPS = ("num_warmup", "num_chains")  # whose defaults differ
MODELS = {"prior": "PriorLDA", "labeled": "LabeledLDA", "dependency": "DependencyLDA", "plda": "PLDA"}


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("train", type=place, help="documents with labels")
    parser.add_argument("test", type=place, help="documents to classify")
    parser.add_argument("--no-labels", action="store_true", help="the documents to classify have no labels")
    parser.add_argument("--skip-unlabeled", action="store_true", help="ignore training documents without labels")
    parser.add_argument("--model", choices=MODELS, default="prior", help="the supervised model to fit")
    told = f"how labels are ranked (default: {declared.RANK_BY.default})"
    parser.add_argument("--rank-by", choices=declared.RANK_BY.choices, help=told)
    told = "labels per document: as many as its words suggest, N, or all with at least this share "
    told += f"(default: {declared.COUNT.default})"
    kind = number_or_share("labels", "metalabeler")
    parser.add_argument("--count", type=kind, metavar="metalabeler|N|0.X", help=told)
    parser.add_argument("--output", type=place, help="write the labels here, as JSON lines")
    add_input(parser, choose_words=True, labels=True, column="labels")
    plda = {one.name: one.default for one in declared.PLDA}
    shown = {one.name: f"{one.default}; plda: {plda[one.name]}" for one in declared.LABELED_LDA if one.name in SWEEPS}
    add_fitting(parser, declared.LABELED_LDA, **shown, alpha="50 / number of labels")


def run(options: argparse.Namespace) -> None:
    """Fit, predict, measure and write."""
    import jaxlda
    from jaxlda.models.documents import documents

    check_output(options.output, options.save, options.checkpoint)
    train = read(options.train, options, options.labels)
    test = read(options.test, options, None if options.no_labels else options.labels, train.text_options)
    _check_labels(options, train)
    say(f"{train}; {test.num_docs} documents to classify")
    model = getattr(jaxlda, MODELS[options.model])(
        **given(options, (*FITTING, "rank_by", "count")),
        unlabeled="skip" if options.skip_unlabeled else "error",
        keep=(),
    ).fit(train)
    save(model, options.save, options.topics_only)
    if not model.run_.finished:
        raise KeyboardInterrupt
    test = documents(model, test)
    scores = model.decision_function(test, **given(options))
    predicted = model.cut(scores, test)
    with_labels = test.labels is not None and test.labels.nnz > 0 and not options.no_labels
    if options.output is not None:
        write_and_say(options.output, _as_lines(model, predicted).encode())
    elif not with_labels:
        show(_as_lines(model, predicted))
    if with_labels:
        _print_measures(model, test, predicted, scores)


def _check_labels(options: argparse.Namespace, train: Any) -> None:
    """Refuse documents without labels in the words of the command line."""
    if train.labels is None:
        raise ValueError(f"{options.train} has no labels to learn from")
    without = ((train.labels.sum(axis=1) == 0) & (train.n_d > 0)).nonzero()[0]
    if len(without) and not options.skip_unlabeled:
        raise ValueError(
            f"{options.train}: {len(without)} document(s) have no label, the first being document {without[0]}; give "
            "--skip-unlabeled to learn from the others"
        )


def _print_measures(model: Any, test: Any, predicted: Any, scores: Any) -> None:
    """How well the labels of the test documents were found; labels that were not learned count as missed."""
    import numpy as np

    from jaxlda.evaluation import multilabel
    from jaxlda.evaluation.targets import in_columns_of

    truth, new = in_columns_of(model.classes_, test.labels, test.label_names)
    padding = np.zeros((test.num_docs, new))
    if new:
        say(f"{new} label(s) of the test documents have no training document, and count as missed")
    f1 = multilabel.f_measures(truth, np.hstack([predicted, padding]).astype(bool), zero_division=0)
    print(f"F1: micro {f1.micro:.3f}, macro {f1.macro:.3f}, example-based {f1.example:.3f} (0 / 0 counts as 0)")
    if truth.shape[1] < 2:
        return  # nothing to rank
    lowest = scores.min(initial=0) - 1  # labels that were not learned come last
    ranking = multilabel.ranking_measures(truth, np.hstack([scores, padding + lowest]))
    print("ranking: " + ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in ranking._asdict().items()))


def _as_lines(model: Any, predicted: Any) -> str:
    classes = [str(name) for name in model.classes_]
    rows = [[classes[k] for k in row.nonzero()[0]] for row in predicted]
    return "".join(as_json(row) + "\n" for row in rows)
