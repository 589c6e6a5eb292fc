"""The paper's tables of the multi-label experiments: mean and spread over five runs, as printed."""

from importlib import resources

__all__ = ["DATA_SETS", "PAPER"]

DATA_SETS = ("delicious", "bioasq", "bibtex", "bookmarks")


def _read() -> dict[tuple[str, str, str, str], tuple[float, float]]:
    paper = {}
    _, *rows = (resources.files("jaxlda.experiments") / "published.txt").read_text(encoding="utf-8").splitlines()
    for measure, configuration, method, *numbers in map(str.split, rows):
        pairs = zip(map(float, numbers[::2]), map(float, numbers[1::2]), strict=True)
        for name, pair in zip(DATA_SETS, pairs, strict=True):
            paper[measure, configuration, method, name] = pair
    return paper


PAPER = _read()
"""(measure, configuration, method, data set) -> (mean, spread)."""
