"""Topics that the tests of alignment share, and the slow formulas."""

import numpy as np
from scipy.spatial.distance import cdist

METRICS = ("jensen_shannon", "hellinger", "cosine")
BLOCKS = np.kron(np.eye(6), np.full(4, 0.25))  # six topics over 24 words that have no word in common


def topics(seed, K=5, V=40, concentration=0.1):
    return np.random.default_rng(seed).dirichlet(np.full(V, concentration), K)


def slow(a, b, metric):
    if metric == "jensen_shannon":
        return cdist(a, b, "jensenshannon") / np.sqrt(np.log(2))
    if metric == "hellinger":
        return cdist(np.sqrt(a), np.sqrt(b)) / np.sqrt(2)
    return cdist(a, b, "cosine")
