"""The states of the kernels that keep lists of topics, as the tables that the reference keeps."""

from typing import Any

import numpy as np

__all__ = ["gamma_of_labels"]


def gamma_of_labels(state: Any, layout: Any) -> np.ndarray:
    """Gamma over all topics, (pairs, K), in the order of the pairs."""
    dense = np.zeros((len(layout.data.tokens.w), layout.num_topics))
    for block, gamma in zip(layout.blocks, state.gamma, strict=True):
        rows, columns = np.asarray(block.entry)[:, None], np.asarray(block.topics)[np.asarray(block.d)]
        np.add.at(dense, (rows, columns), np.asarray(gamma, np.float64))  # the padding, of weight zero, is at topic 0
    return dense
