"""Connected components of a graph of numbered nodes."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]


def connected_components(nodes: int, left: Numbers, right: Numbers) -> Numbers:
    """The smallest node of each node's component, shape (nodes,); edges join left[i] and right[i].

    Hooks roots to smaller roots and shortens paths until nothing changes (Shiloach and Vishkin 1982).
    """
    root: Numbers = np.arange(nodes, dtype=np.int64)
    while True:
        a, b = root[left], root[right]
        apart = a != b
        if not apart.any():
            return root
        np.minimum.at(root, np.maximum(a, b)[apart], np.minimum(a, b)[apart])
        while True:
            shorter = root[root]
            if np.array_equal(shorter, root):
                break
            root = shorter
