"""``jaxlda classify``: labels for new documents, learned from labelled ones."""

import argparse
import json
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import natural, positive

__all__ = ["add", "run"]

MODELS = {"prior": "PriorLDA", "labeled": "LabeledLDA", "dependency": "DependencyLDA", "plda": "PLDA"}
RANK_BY = ("soft_counts", "hard_counts", "theta_p", "theta")


def add(commands: Any) -> None:
    """Add the command to the parser."""
    parser = commands.add_parser(
        "classify",
        help="learn labels from documents that have them, and give them to others",
        description="Fit a supervised model to labelled documents and predict the labels of others. Where those have "
        "labels too, print micro-, macro- and example-based F1 and ranking measures. Files: Mulan (.arff, with --xml), "
        "tables (.csv) and JSON lines (.jsonl) with a column of text and one of labels, or anything else in the format "
        "of the Extreme Classification Repository; each may be gzipped (.gz).",
    )
    parser.add_argument("train", type=Path, help="documents with labels")
    parser.add_argument("test", type=Path, help="documents to classify")
    parser.add_argument("--xml", type=Path, help="the names of the labels of an ARFF file")
    parser.add_argument("--text", default="text", help="the column of texts (default: %(default)s)")
    parser.add_argument("--labels", default="labels", help="the column of labels (default: %(default)s)")
    parser.add_argument("--no-labels", action="store_true", help="the documents to classify have no column of labels")
    parser.add_argument("--separator", default=";", help="between labels of a CSV file (default: %(default)s)")
    parser.add_argument("--model", choices=MODELS, default="prior", help="(default: %(default)s)")
    parser.add_argument("--kernel", choices=("cgs", "cvb0"), default="cgs", help="(default: %(default)s)")
    parser.add_argument("--rank-by", choices=RANK_BY, default="soft_counts", help="(default: %(default)s)")
    parser.add_argument("--count", type=positive, help="labels a document; the Meta-Labeler's number if not given")
    parser.add_argument("--chains", type=positive, default=5, help="(default: %(default)s)")
    parser.add_argument("--samples", type=positive, default=30, help="draws of each chain (default: %(default)s)")
    parser.add_argument("--warmup", type=natural, default=50, help="burn-in, in sweeps (default: %(default)s)")
    parser.add_argument("--seed", type=natural, default=0, help="(default: %(default)s)")
    parser.add_argument("--output", type=Path, help="write the labels here, as JSON lines")
    parser.add_argument("--save", type=Path, help="save the model here, for jaxlda.load")
    parser.set_defaults(run=run)


def _read(path: Path, options: argparse.Namespace, labels: str | None) -> Any:
    from jaxlda import io

    kind = path.with_suffix("").suffix if path.suffix == ".gz" else path.suffix
    if kind == ".arff":
        if options.xml is None:
            raise ValueError(f"{path} is an ARFF file: name its labels with --xml FILE")
        return io.read_mulan(path, options.xml)
    if kind == ".csv":
        return io.read_csv(path, options.text, labels=labels, label_separator=options.separator if labels else None)
    if kind == ".jsonl":
        return io.read_jsonl(path, options.text, labels=labels)
    return io.read_extreme(path)


def run(options: argparse.Namespace) -> None:
    """Fit, predict, measure and write."""
    import jaxlda
    from jaxlda.evaluation import multilabel

    train = _read(options.train, options, options.labels)
    test = _read(options.test, options, None if options.no_labels else options.labels)
    if train.labels is None:
        raise ValueError(f"{options.train} has no labels to learn from")
    print(f"{train}: {len(train.label_names)} labels; {test.num_docs} documents to classify", flush=True)
    sweeps = {"num_warmup": options.warmup, "num_samples": options.samples, "num_chains": options.chains}
    model = getattr(jaxlda, MODELS[options.model])(
        kernel=options.kernel,
        rank_by=options.rank_by,
        count="metalabeler" if options.count is None else options.count,
        seed=options.seed,
        keep=(),
        **sweeps,
    ).fit(train)
    if not model.run_.finished:
        raise KeyboardInterrupt
    if options.save is not None:
        model.save(options.save)
        print(f"saved: {options.save}")
    test = test.select_words(model.vocab_)
    scores = model.decision_function(test, **sweeps)
    predicted = multilabel.top_n(scores, options.count or model.metalabeler_.predict(test.counts))
    if options.output is not None:
        _write(options.output, model, predicted)
        print(f"written: {options.output}")
    _print_measures(model, test, predicted, scores)


def _print_measures(model: Any, test: Any, predicted: Any, scores: Any) -> None:
    """How well the labels of the test documents were found; labels that were not learned count as missed."""
    import numpy as np

    from jaxlda.evaluation import multilabel
    from jaxlda.models._supervision import in_columns_of

    if test.labels is None or test.labels.nnz == 0:
        return
    truth, new = in_columns_of(model.classes_, test.labels, test.label_names)
    padding = np.zeros((test.num_docs, new))
    if new:
        print(f"{new} label(s) of the test documents have no training document, and count as missed")
    f1 = multilabel.f_measures(truth, np.hstack([predicted, padding]).astype(bool), zero_division=0)
    print(f"F1: micro {f1.micro:.3f}, macro {f1.macro:.3f}, example-based {f1.example:.3f}")
    if truth.shape[1] < 2:
        return  # nothing to rank
    lowest = scores.min(initial=0) - 1  # labels that were not learned come last
    ranking = multilabel.ranking_measures(truth, np.hstack([scores, padding + lowest]))
    print("ranking: " + ", ".join(f"{name.replace('_', ' ')} {value:.3f}" for name, value in ranking._asdict().items()))


def _write(path: Path, model: Any, predicted: Any) -> None:
    classes = [str(name) for name in model.classes_]
    with path.open("w", encoding="utf-8") as file:
        for row in predicted:
            file.write(json.dumps([classes[k] for k in row.nonzero()[0]], ensure_ascii=False) + "\n")
