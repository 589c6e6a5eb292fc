"""``kernel="auto"``: the kernel that the documents, the prior and the machine ask for.

``sparse`` overtakes ``cgs`` at about 400 topics: 113, 161, 285 and 1753 ns per token for ``cgs`` at K 100, 200, 400 and
1000, against 271, 214, 262 and 645 for ``sparse`` (simulated corpus of 155,000 tokens, one run by turns on a busy
machine: read the ratios). On an accelerator a sweep costs what its sequential steps cost
(``python -m benchmarks.accelerators``): one per token with ``cgs``, one per token of the longest document with
``pcgs``, a few with ``pcgs(theta='drawn')``. That one needs about 30 % more sweeps than ``pcgs`` (Reuters, K 20,
mean of two chains: it has the log-likelihood after 515 sweeps that ``pcgs`` has after 400).

Every kernel that is chosen is exact. ``blocks`` and ``warp`` may be faster, and are approximate: that is for users to
decide.
"""

import logging
import sys
from typing import Any, NamedTuple, NoReturn

import jax

from jaxlda.kernels.cgs import cgs
from jaxlda.kernels.layouts.tokens import few_topics
from jaxlda.kernels.names import described
from jaxlda.kernels.pcgs import pcgs
from jaxlda.kernels.registry import deferred
from jaxlda.kernels.sparse import sparse
from jaxlda.types import Algorithm, Data

__all__ = ["Chosen", "auto", "choose", "settled"]

MANY_TOPICS = 400  # from here on `sparse` is faster than `cgs`

_log = logging.getLogger("jaxlda")


class Chosen(NamedTuple):
    """A kernel, and why."""

    algorithm: Algorithm
    reason: str


def _undecided(*arguments: Any) -> NoReturn:
    raise ValueError(
        "kernel='auto' is chosen by the data of a run: give it to a model or to jaxlda.run by that name alone, or take "
        "what jaxlda.kernels.choose(data) chooses"
    )


@deferred
def auto() -> Algorithm:
    """What stands for the kernel until the data are known, see :func:`choose`.

    >>> import jaxlda
    >>> jaxlda.kernels.find("auto").name
    'auto'
    """
    return Algorithm("auto", (), _undecided, _undecided, _undecided, _undecided, _undecided, _undecided)


def choose(data: Data, *, platform: str | None = None) -> Chosen:
    """Choose the kernel for data and a device; and say why.

    Parameters
    ----------
    data
        What shall be sampled: its topics count, and whether phi is known, the prior allows few topics
        (labels), or topics have priors of their own.
    platform
        ``"cpu"``, ``"gpu"`` or ``"tpu"``; that of JAX's default device if not given.

    Examples
    --------
    >>> import jaxlda
    >>> data = jaxlda.Corpus.from_counts([[2, 1, 0], [0, 1, 2]]).data(num_topics=1000)
    >>> choose(data, platform="cpu").reason
    'from 400 topics on (here 1,000) it skips those that a word has not'
    >>> choose(data, platform="gpu").algorithm.options
    (('theta', 'drawn'),)
    """
    platform = jax.default_backend() if platform is None else platform
    K = data.priors.alpha.shape[-1]
    if data.phi is not None:
        return Chosen(cgs(), "the topics are known, and all documents are drawn by them at once or in turn")
    if platform != "cpu":
        return Chosen(pcgs("drawn"), f"on a {platform.upper()} a few wide steps per sweep cost least, and it is exact")
    if data.priors.beta.ndim == 2 or few_topics(data):
        own = "topics have priors of their own" if data.priors.beta.ndim == 2 else "documents allow few topics"
        return Chosen(cgs(), f"{own}, and it is exact")
    if K >= MANY_TOPICS:
        return Chosen(sparse(), f"from {MANY_TOPICS} topics on (here {K:,}) it skips those that a word has not")
    return Chosen(cgs(), f"exact, and the fastest below {MANY_TOPICS} topics (here {K:,})")


def settled(
    algorithm: Algorithm,
    data: Data,
    *,
    platform: str | None = None,
    before: Algorithm | None = None,
    show: bool = False,
) -> Algorithm:
    """The algorithm; in the place of ``auto`` the one that is chosen, which a line of the log ``jaxlda`` tells.

    Chains that go on do so with what was chosen ``before``. With ``show``, the line goes to the standard error as well,
    where progress is shown.

    >>> import jaxlda
    >>> settled(auto(), jaxlda.Corpus.from_counts([[2, 1]]).data(num_topics=2), platform="cpu").name
    'cgs'
    """
    if algorithm != auto():
        return algorithm
    if before is not None:
        return before
    choice = choose(data, platform=platform)
    line = f"kernel auto: {described(choice.algorithm)} ({choice.reason})"
    _log.info(line)
    if show:
        print(line, file=sys.stderr)
    return choice.algorithm
