"""What an experiment is asked for, and how it is computed: case by case, run by run."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from jaxlda.corpora.callers import warn
from jaxlda.corpora.numbers import one_of, positive_int
from jaxlda.experiments._parts import Parts

__all__ = ["Job", "old_way"]


class Job(NamedTuple):
    """The arguments of ``jaxlda.experiments.reproduce``, which describes them."""

    name: str
    data: str | Path | None = None
    scale: str = "full"
    seed: int = 0
    runs: int | None = None
    folder: str | Path | None = None
    progress: bool = True
    topics: Sequence[int] | None = None

    def plan(self, scales: Mapping[str, Any]) -> Any:
        """How much to compute at the scale: a NamedTuple, with other numbers of ``runs`` and of ``topics`` if given."""
        chosen = scales[one_of(self.scale, "scale", scales)]
        if self.runs is not None:
            chosen = chosen._replace(runs=positive_int(self.runs, "runs"))
        if self.topics is not None:
            if "topics" not in chosen._fields:
                raise ValueError(f"{self.name} does not compare numbers of topics: leave topics out")
            chosen = chosen._replace(topics=tuple(sorted({positive_int(K, "each of topics") for K in self.topics})))
            if not chosen.topics:
                raise ValueError("topics must have at least one number of topics")
        return chosen

    def parts(self, settings: Mapping[str, Any], total: int, of: str | None = None) -> Parts:
        """The finished parts, of one data set if it is named."""
        name = self.name if of is None else f"{self.name}-{of}"
        return Parts(self.folder, name, {"seed": self.seed, **settings}, total=total, progress=self.progress)

    def computed(
        self, cases: Mapping[str, Callable[[int], Any]], runs: int, settings: Mapping[str, Any], of: str | None = None
    ) -> list[list[Any]]:
        """What every case gives in every run, a list each; a case is a function of the seed."""
        with self.parts(settings, runs * len(cases), of) as parts:
            return [
                [parts.get(f"{name}, run {run}", partial(compute, self.seed + run)) for run in range(runs)]
                for name, compute in cases.items()
            ]


def old_way(name: str) -> Callable[..., Any]:
    """``reproduce`` of an experiment's own module, as version 0.1 had it; it goes with version 0.3."""

    def reproduce(data: str | Path | None = None, **options: Any) -> Any:
        from jaxlda import experiments

        now = f"jaxlda.experiments.reproduce({name!r}, ...)"
        warn(f"reproduce of the module is now {now}; the old way goes with version 0.3", DeprecationWarning)
        return experiments.reproduce(name, data, **options)

    return reproduce
