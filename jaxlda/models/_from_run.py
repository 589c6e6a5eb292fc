"""Models around chains that were run without them."""

from typing import Any, TypeVar

import jax
import numpy as np

from jaxlda.corpora.corpus import Corpus
from jaxlda.corpora.numbers import checked_seed
from jaxlda.evaluation.targets import read_labels
from jaxlda.kernels.names import find
from jaxlda.models._supervision import trainable
from jaxlda.models._support import documents
from jaxlda.models.labeled import LabeledLDA
from jaxlda.models.lda import LDA
from jaxlda.running.results import Run
from jaxlda.types import Algorithm, Data

__all__ = ["from_run"]

Model = TypeVar("Model", bound=LDA)


def from_run(model: Model, run: Run, corpus: Corpus) -> Model:
    """Put a model around chains that ``jaxlda.run`` has drawn, finished or not, as if it had fitted them itself.

    It can estimate, predict, be saved and resumed then. That is how a live view gets a model out of a fit that goes on.

    Parameters
    ----------
    model
        With the parameters that the chains were started with; what was fitted in it before is replaced.
    run
        Of any moment, before the first draw too.
    corpus
        The training documents.

    Returns
    -------
    The model.

    Examples
    --------
    >>> import jaxlda
    >>> corpus = jaxlda.Corpus.from_texts(["cat purr cat", "dog bark dog", "purr cat purr", "bark dog bark"])
    >>> settings = {"num_warmup": 20, "num_samples": 2, "thinning": 5, "num_chains": 2}
    >>> data = corpus.data(num_topics=2)
    >>> run = jaxlda.run(jax.random.key(0), jaxlda.kernels.cgs(), data, **settings)
    >>> model = from_run(jaxlda.LDA(num_topics=2, progress=False, **settings), run, corpus)
    >>> sorted(sorted(words) for words in model.top_words(2))
    [['bark', 'dog'], ['cat', 'purr']]
    """
    found, algorithm, data = _as_fitted(model, corpus)
    _check_same(model, run, algorithm, data)
    documents(model, corpus, fitting=True)
    model._settings_ = model._settings()
    for name, value in found.items():
        setattr(model, name, value)
    model._conclude(run)
    return model


def _as_fitted(model: LDA, corpus: Corpus) -> tuple[dict[str, Any], Algorithm, Data]:
    """What the model's own fit would have found in the documents, and what it would have sampled."""
    if not isinstance(model, LabeledLDA):
        data = corpus.data(model.num_topics, model.alpha, model.beta)
        return {"vocab_": corpus.vocab}, model._algorithm(), data
    model._check_choices()
    labels, classes = read_labels(None, corpus)
    found = {"vocab_": corpus.vocab, "classes_": classes} | model._learned_from_labels(labels)
    kept = trainable(corpus, labels, model.unlabeled)
    return found, find(model.kernel), kept.data(alpha=model._training_alpha(labels), beta=model.beta)


def _check_same(model: LDA, run: Run, algorithm: Algorithm, data: Data) -> None:
    """Refuse chains that the model would not have drawn: it would tell and continue something else than there is."""
    leaves = [jax.tree.leaves(of) for of in (run.data, data)]
    keys = [jax.random.key_data(key) for key in (run.key, jax.random.key(checked_seed(model.seed)))]
    same = {
        "the kernel": run.algorithm == algorithm,
        "documents or priors": len(leaves[0]) == len(leaves[1])
        and all(np.array_equal(a, b) for a, b in zip(*leaves, strict=True)),
        "the seed": np.array_equal(keys[0], keys[1]),
        "num_chains": run.num_chains == model.num_chains,
        "num_warmup or thinning": run.schedule[::2] == (model.num_warmup, model.thinning),
    }
    if different := [name for name, is_same in same.items() if not is_same]:
        raise ValueError(
            f"the run differs from the model in {', '.join(different)}; give the parameters and the documents that the "
            "chains were started with"
        )
