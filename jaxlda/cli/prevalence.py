"""``jaxlda prevalence``: the share of topics in groups of documents.

Print the mean share of each topic in groups of documents (years, parties, authors), with bands; or with --compare how
two groups differ, with intervals that hold for all topics at once.

Example: jaxlda prevalence news.jaxlda --by year --width 10 --csv
"""

import argparse
from pathlib import Path
from typing import Any

from jaxlda.cli._arguments import level, natural, number, place
from jaxlda.cli._files import MODEL, check_output, load_model, naming
from jaxlda.cli._output import add_output, of_frame, say, write

__all__ = ["add", "run"]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    parser.add_argument("model", type=place, help=MODEL)
    told = "a column of the metadata to group by; may be repeated"
    parser.add_argument("--by", action="append", required=True, metavar="COLUMN", help=told)
    told = "csv, jsonl or parquet with a row for each document (default: what was read with the documents)"
    parser.add_argument("--metadata", type=place, metavar="FILE", help=told)
    parser.add_argument("--width", type=number, help="group numbers by this width: 10 for decades")
    parser.add_argument("--level", type=level, default=0.95, help="the level of the bands")
    told = "the uncertainty that the bands show"
    parser.add_argument("--bands", choices=("both", "documents", "draws"), default="both", help=told)
    told = "whether documents or tokens of a group count the same"
    parser.add_argument("--weight", choices=("documents", "tokens"), default="documents", help=told)
    told = "print differences between these two groups, with intervals for all topics together"
    parser.add_argument("--compare", nargs=2, metavar=("A", "B"), help=told)
    parser.add_argument("--chain", type=natural, help="the chain whose topics to use, from 0 (default: the best)")
    add_output(parser)


def run(options: argparse.Namespace) -> None:
    """Print the table."""
    check_output(options.output)
    model = load_model(options.model)
    names = ("width", "level", "bands", "weight", "chain")
    chosen: dict[str, Any] = {name: getattr(options, name) for name in names}
    if options.metadata is not None:
        chosen["metadata"] = _read(options.metadata)
    elif getattr(model, "doc_columns_", None) is None and hasattr(model, "run_"):
        raise ValueError(
            f"{options.model} knows no metadata of its documents: give --metadata FILE, with a row for each of them"
        )
    by = options.by[0] if len(options.by) == 1 else options.by
    with naming(options.model):
        if options.compare is None:
            table = model.prevalence(by, **chosen)
        else:
            table = model.compare_groups(by, _typed(model, by, options.compare, chosen), **chosen)
    if table.attrs.get("draws") == 0 and options.bands != "documents":
        say("of several draws nothing was kept: bands do not have the variance between draws")
    write(of_frame(table), options, lambda: table.to_string(index=False, float_format="%.4f") + "\n")


def _read(path: Path) -> Any:
    """A table of metadata; the delimiter and the encoding of CSV are found out as those of documents are."""
    import pandas as pd

    from jaxlda.corpora.metadata import column_of
    from jaxlda.corpora.readers._source import open_source
    from jaxlda.corpora.readers.tables import rows_of_cells

    if path.suffix.lower() in (".jsonl", ".ndjson"):
        return pd.read_json(path, lines=True)
    if path.suffix.lower() == ".parquet":
        return pd.read_parquet(path)
    names, *rows = (row.cells for row in rows_of_cells(open_source(path)))
    return pd.DataFrame({name.strip(): column_of([row[i] for row in rows]) for i, name in enumerate(names)})


def _typed(model: Any, by: Any, groups: list[str], chosen: dict[str, Any]) -> list[Any]:
    """Groups as the metadata have them: words of a command line may be numbers there."""
    if not isinstance(by, str):
        raise ValueError("--compare takes groups of one column")
    known = model.prevalence(by, **chosen)[by].unique().tolist()
    return [next((value for value in known if str(value) == group), group) for group in groups]
