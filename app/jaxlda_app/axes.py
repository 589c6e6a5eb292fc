"""How far the axes of figures reach, where that follows the data.

Browsers tell the server. A figure that is sent with such numbers keeps them, whatever it is fed; so figures are sent
with those that they were made with.
"""

import math
from typing import Any

from bokeh.models import DataRange1d

__all__ = ["follow_the_data", "remember"]


def remember(range: DataRange1d) -> None:
    """Note how far an axis was made to reach: both ends, one, or none."""
    ends = {"start": range.start, "end": range.end}
    range.tags = [{name: end for name, end in ends.items() if not (isinstance(end, float) and math.isnan(end))}]


def follow_the_data(part: Any) -> None:
    """Let all axes in a figure, or a document, as JSON reach as far as they were made to, and follow the data beyond.

    >>> axis = {"name": "DataRange1d", "attributes": {"tags": [{"start": 0}], "start": 0, "end": 0.025}}
    >>> follow_the_data([axis])
    >>> axis["attributes"]
    {'tags': [{'start': 0}], 'start': 0}
    """
    if isinstance(part, dict):
        attributes = part.get("attributes", {})
        if part.get("name") == "DataRange1d" and attributes.get("tags"):
            made = attributes["tags"][0]
            made = dict(made["entries"]) if "entries" in made else made
            for name in ("start", "end"):
                attributes.pop(name, None)
            attributes.update(made)
        for value in part.values():
            follow_the_data(value)
    elif isinstance(part, list):
        for value in part:
            follow_the_data(value)
