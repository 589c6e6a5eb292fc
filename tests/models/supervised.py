"""What tests of models of labelled documents share: documents, parameters, and models that are fitted once."""

import functools
from typing import Any

import numpy as np

from jaxlda import PLDA, Corpus, DependencyLDA, LabeledLDA, PriorLDA
from tests.models.toy import toy

SHORT = {"num_warmup": 20, "num_samples": 4, "num_chains": 2}
QUICK = {**SHORT, "progress": False}
TOY = {"kernel": toy(), "num_warmup": 1, "num_samples": 1, "num_chains": 1, "trace_every": 0, "progress": False}
NAMES = ["art", "bio", "chem", "dance", "eco", "film", "geo", "hist", "info", "jazz", "kite", "law"]
MODELS: dict[type[LabeledLDA], dict[str, Any]] = {
    LabeledLDA: {},
    PriorLDA: {},
    DependencyLDA: {"label_topics": 6},
    PLDA: {"topics_per_label": 2, "background_topics": 2, "alpha": 0.5},
}


def simulated(num_docs: int, seed: int) -> Corpus:
    """Twelve labels with five words each, and ten words anybody uses; "art" and "bio" go together, and so on."""
    rng = np.random.default_rng(seed)
    labels = np.zeros((num_docs, 12), bool)
    counts = np.zeros((num_docs, 70), int)
    for d in range(num_docs):
        pair = 2 * rng.choice(6, p=[0.3, 0.3, 0.1, 0.1, 0.1, 0.1])
        labels[d, [pair, pair + 1] if rng.random() < 0.7 else [pair + rng.integers(2)]] = True
        for k in rng.choice(np.flatnonzero(labels[d]), 20):
            counts[d, 5 * k + rng.integers(5) if rng.random() < 0.8 else 60 + rng.integers(10)] += 1
    return Corpus.from_counts(counts, labels=labels, label_names=NAMES)


TRAIN, TEST = simulated(120, 0), simulated(40, 1)
Y = TRAIN.labels.toarray()


@functools.cache
def fitted(model: type[LabeledLDA]) -> Any:
    """A model of the training documents, not to be changed."""
    return model(**MODELS[model], **QUICK).fit(TRAIN)
