"""How long a run is, and which of its sweeps are draws."""

from typing import Any, NamedTuple

from jaxlda.corpora.numbers import natural, positive_int

__all__ = ["Schedule", "checked_sweeps"]


class Schedule(NamedTuple):
    """When draws are kept: every ``thinning`` sweeps (the paper's lag) after ``num_warmup`` (its burn-in)."""

    num_warmup: int
    num_samples: int
    thinning: int

    @property
    def total(self) -> int:
        """Sweeps in all."""
        return self.num_warmup + self.num_samples * self.thinning

    def keeps(self, sweep: int) -> bool:
        """Whether the state after this sweep (the first is 1) is a draw."""
        return sweep > self.num_warmup and (sweep - self.num_warmup) % self.thinning == 0


def checked_sweeps(num_warmup: Any, num_samples: Any, thinning: Any, num_chains: Any) -> dict[str, Any]:
    """The length of a run as the driver takes it, or an error that names the number that is wrong.

    >>> checked_sweeps(50, 0, 5, 4)
    Traceback (most recent call last):
    ...
    ValueError: num_samples must be at least 1; got 0
    """
    positive = {"num_samples": num_samples, "thinning": thinning, "num_chains": num_chains}
    return {"num_warmup": natural(num_warmup, "num_warmup")} | {k: positive_int(v, k) for k, v in positive.items()}
