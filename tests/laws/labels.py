"""The states of the kernels that keep lists of topics, as the tables that the reference keeps."""

from typing import Any

import numpy as np

__all__ = ["gamma_of_labels"]


def gamma_of_labels(state: Any, layout: Any) -> np.ndarray:
    """Gamma over all topics, (pairs, K), in the order of the pairs."""
    dense = np.zeros((int((layout.data.tokens.m > 0).sum()), layout.num_topics))
    for block, gamma in zip(layout.blocks, state.gamma, strict=True):
        size = int(block.size)
        rows, columns = np.asarray(block.entry)[:size, None], np.asarray(block.topics)[np.asarray(block.d)[:size]]
        np.add.at(dense, (rows, columns), np.asarray(gamma, np.float64)[:size])  # padding weighs nothing
    return dense
