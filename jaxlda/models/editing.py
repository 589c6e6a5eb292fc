"""Topics of a fitted model merged, dropped or sorted: the counts of its best chain, rearranged."""

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple, Self

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Int64

from jaxlda.models import _adopting
from jaxlda.models.documents import of_run
from jaxlda.models.names import Names
from jaxlda.running.placement import Group
from jaxlda.running.results import Part, Run
from jaxlda.types import Counts, Data, Priors, Sample, Tokens

__all__ = ["Editing"]

_CARRIED = ("kernel", "estimator", "chain_method", "trace_every", "gap_every", "progress")


class Plan(NamedTuple):
    """Which topics become which."""

    target: Int64[np.ndarray, " K"]
    """The new number of each topic; -1: dropped."""
    size: int
    """How many there are then."""
    names: tuple[str, ...] | None
    """Of the new ones, if the old ones had any."""
    edit: str
    """What was done, in words."""


class Editing(Names):
    """Merging, dropping and sorting topics."""

    run_: Run
    best_chain_: int
    edits_: tuple[str, ...]
    """What was done to the topics since they were sampled, in words; saved with the model."""

    def merge_topics(self, *groups: Any, names: Sequence[str] | None = None) -> Self:
        r"""A model in which each group of topics is one: their counts are added up, in every draw.

        A merged topic stands in the place of its lowest number, and topics behind move up. Its :math:`\alpha` is the
        sum of theirs, so that its :math:`\theta` is exactly the sum of theirs; its :math:`\beta` is the mean, that of
        a single topic. Transition probabilities add up, too.

        The new model has the best chain only, because other chains number their topics otherwise; it estimates, infers,
        and is saved like any other, but cannot :meth:`resume`. This one stays as it is. Of a model of labels it is an
        ``LDA`` whose topics have the names of labels, and which predicts none.

        Parameters
        ----------
        *groups
            Numbers or names of topics that become one: ``model.merge_topics([0, 3], ["oil", "gas"])``.
        names
            Of the merged topics, one for each group; theirs joined by " + " if not given, where they had any.

        Examples
        --------
        >>> import jaxlda
        >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "tax loan tax"] * 3)
        >>> model = jaxlda.LDA(3, num_warmup=20, num_chains=1, progress=False).fit(corpus)
        >>> merged = model.merge_topics([0, 2])
        >>> merged.phi_.shape, merged.edits_
        ((2, 6), ('merged topics 0, 2 into 0',))
        """
        return _made(self, _merging(self, groups, names))

    def drop_topics(self, *topics: int | str) -> Self:
        r"""A model without some topics, such as one of debris: their tokens are left out, as those of stop words are.

        :math:`\theta` of the others is what it was, scaled to sum to 1, and :math:`\phi` of the others what it was. The
        documents lose the tokens that the last draw has given to the topics. As for the rest, see
        :meth:`merge_topics`.

        Parameters
        ----------
        *topics
            Their numbers or names.
        """
        self._chains()  # type: ignore[attr-defined]
        gone = {self.topic_number(topic) for topic in topics}
        K = len(self.phi_)
        if not gone:
            raise ValueError("name at least one topic to drop")
        if len(gone) == K:
            raise ValueError("no topic would be left")
        left = np.array([k for k in range(K) if k not in gone])
        target = np.full(K, -1)
        target[left] = np.arange(left.size)
        told = ", ".join(_called(self, k) for k in sorted(gone))
        return _made(self, Plan(target, left.size, _kept_names(self, left), f"dropped topics {told}"))

    def sort_topics(self) -> Self:
        """A model with the largest topic first. As for the rest, see :meth:`merge_topics`."""
        run = self._chains()  # type: ignore[attr-defined]
        n_k = np.asarray(run.counts(chain=self.best_chain_).n_k)
        order = np.argsort(-n_k, kind="stable")
        plan = Plan(
            np.argsort(order), len(order), _kept_names(self, order), f"sorted by size: {_listed(order.tolist())}"
        )
        return _made(self, plan)


def _merging(model: Any, groups: Sequence[Any], names: Sequence[str] | None) -> Plan:
    model._chains()
    K = len(model.phi_)
    numbers = []
    for group in groups:
        if isinstance(group, str | int | np.integer):
            raise TypeError("topics to merge are given as lists, one for each group: model.merge_topics([0, 3])")
        numbers.append([model.topic_number(topic) for topic in group])
        if len(set(numbers[-1])) < 2:
            raise ValueError(f"a group to merge needs two different topics; got {list(group)}")
    every = [k for group in numbers for k in group]
    if not numbers or len(set(every)) < len(every):
        raise ValueError("each topic may be in one group to merge only" if numbers else "give topics to merge")
    if names is not None and len(names) != len(numbers):
        raise ValueError(f"there are {len(numbers)} group(s) to merge, and {len(names)} name(s)")
    first = np.arange(K)
    for group in numbers:
        first[group] = min(group)
    kept = np.unique(first)
    target = np.searchsorted(kept, first)
    called = None
    if names is not None or _is_named(model):
        old = model.topic_names
        joined = {min(group): " + ".join(old[k] for k in group) for group in numbers}
        joined |= {} if names is None else {min(group): str(name) for group, name in zip(numbers, names, strict=True)}
        called = tuple(joined.get(k, old[k]) for k in kept.tolist())
    told = [f"{', '.join(_called(model, k) for k in group)} into {target[group[0]]}" for group in numbers]
    return Plan(target, len(kept), called, f"merged topics {'; '.join(told)}")


def _called(model: Any, k: int) -> str:
    return f"{k} ({model.topic_names[k]})" if _is_named(model) else str(k)


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(map(str, numbers[:20])) + (", ..." if len(numbers) > 20 else "")


def _kept_names(model: Any, order: np.ndarray) -> tuple[str, ...] | None:
    return tuple(model.topic_names[k] for k in order.tolist()) if _is_named(model) else None


def _is_named(model: Any) -> bool:
    return model._names_of() is not None


# ------------------------------------------------------------------------------------------------- rearranged counts


def _made(model: Any, plan: Plan) -> Any:
    """The model of the rearranged chain."""
    from jaxlda.models.lda import LDA

    kind = LDA if hasattr(model, "classes_") else type(model)  # topics are no longer those of labels
    run = _rearranged(model._chains(), model.best_chain_, plan)
    carried = {name: getattr(model, name) for name in _CARRIED} | {"seed": None, "keep": tuple(run.kept)}
    corpus = of_run(run, model.vocab_, model.doc_titles_)
    made = _adopting.from_run(kind, run, corpus, carried)
    carried_on = ["text_options_", "lost_text_options_", "feature_names_in_", "seed_", "doc_columns_"]
    carried_on += ["written_"] if (plan.target >= 0).all() else []  # tokens are left out with a topic
    for name in carried_on:
        if hasattr(model, name):
            setattr(made, name, getattr(model, name))
    if plan.names is not None:
        made.topic_names = plan.names
    made.edits_ = (*getattr(model, "edits_", ()), plan.edit)
    return made


def _rearranged(run: Run, chain: int, plan: Plan) -> Run:
    if not run.num_draws:
        raise ValueError("there is no draw yet: resume the fit, and edit it then")
    if not np.asarray(run.chain(chain).counts.n_k)[plan.target >= 0].any():
        raise ValueError("no token would be left: the last draw has given all of them to the topics that are dropped")
    sample, data, draws = run.chain(chain), run.chain_data(chain), run.num_draws
    alpha, beta = (np.asarray(prior) for prior in data.priors)
    priors = Priors(jnp.asarray(_summed(alpha, plan)), jnp.asarray(_of_words(beta, plan)))
    tokens, z = _tokens(data, sample, plan)
    state = Sample(_counts(sample.counts, plan), z)
    has_soft = sample.z is not None and run.soft

    def total(soft: bool) -> Counts:
        means = _counts(run.counts(soft=soft, chain=chain), plan)
        return Counts(*(table * np.float32(draws) for table in means))

    part = Part(
        Group((0,), jax.local_devices()[0], False), state, total(False), total(True) if has_soft else None, draws
    )
    return dataclasses.replace(
        run,
        algorithm=None,
        data=Data(tokens, priors, None),
        key=None,
        parts=(part,),
        trace={name: series[[chain]] for name, series in run.trace.items()},
        kept=_kept(run, chain, plan),
        soft=has_soft,
        room=None,
        layout=None,
    )


def _summed(x: np.ndarray, plan: Plan) -> np.ndarray:
    """The last axis, topics, with what goes together added up."""
    new = np.zeros((*x.shape[:-1], plan.size), x.dtype)
    for k, target in enumerate(plan.target.tolist()):
        if target >= 0:
            new[..., target] += x[..., k]
    return new


def _of_words(beta: np.ndarray, plan: Plan) -> np.ndarray:
    """The prior of the words: the mean of the topics that go together."""
    if beta.ndim == 1:
        return beta
    times = np.bincount(plan.target[plan.target >= 0], minlength=plan.size)
    return (_summed(beta.T, plan) / times).T.astype(beta.dtype)


def _counts(counts: Counts, plan: Plan) -> Counts:
    return Counts(*(jnp.asarray(_summed(np.asarray(table), plan)) for table in counts))


def _tokens(data: Data, sample: Sample, plan: Plan) -> tuple[Tokens, Any]:
    """The tokens that are left, and their topics."""
    if sample.z is None:
        return data.tokens, None
    z = plan.target[np.asarray(sample.z)].astype(np.int32)
    w, d, m, n_d = (np.asarray(part) for part in data.tokens)
    left = z >= 0
    lengths = np.bincount(d[left], m[left], minlength=len(n_d)).astype(n_d.dtype)
    return Tokens(*map(jnp.asarray, (w[left], d[left], m[left], lengths))), jnp.asarray(z[left])


def _kept(run: Run, chain: int, plan: Plan) -> dict[str, tuple[np.ndarray, ...]]:
    """What draws have kept, as far as it can be rearranged: whatever is a sum over topics."""
    merged = len(set(plan.target.tolist()) - {-1}) < int((plan.target >= 0).sum())
    found = {}
    for name, each in run.kept.items():
        own = [np.asarray(draw[chain]) for draw in each]
        if name in ("n_k", "n_dk", "n_vk"):
            found[name] = tuple(_summed(x, plan)[None] for x in own)
        elif name in ("theta", "theta_p"):
            sums = [_summed(x, plan) for x in own]
            totals = [x.sum(axis=-1, keepdims=True) for x in sums]
            found[name] = tuple((x / np.where(t > 0, t, 1))[None] for x, t in zip(sums, totals, strict=True))
        elif name in ("phi", "phi_p") and not merged:
            found[name] = tuple(_summed(x.T, plan).T[None] for x in own)
    return found
