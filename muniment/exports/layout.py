"""Where the nodes of a small graph stand in a drawing. Equal input gives equal places."""

from __future__ import annotations

import math

import numpy as np

#: More nodes than this are not drawn: a picture of them says nothing.
MAX_NODES = 60


def spring_layout(count: int, edges: list[tuple[int, int]], *, steps: int = 300) -> np.ndarray:
    """Places in the unit square, (count, 2): forces of Fruchterman and Reingold (1991) from a circle.

    Node 0 begins in the middle. No randomness.
    """
    if count == 0:
        return np.zeros((0, 2))
    angles = 2 * math.pi * np.arange(count) / max(count - 1, 1)
    places = np.stack([np.cos(angles), np.sin(angles)], axis=1) * 0.5
    places[0] = 0.0
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    ideal = 1.6 / math.sqrt(count)
    for step in range(steps):
        apart = places[:, None, :] - places[None, :, :]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=2)), 1e-3)
        force = (apart * (ideal**2 / distance**2)[:, :, None]).sum(axis=1)
        if len(ends):
            along = places[ends[:, 0]] - places[ends[:, 1]]
            pull = along * (np.maximum(np.sqrt((along**2).sum(axis=1)), 1e-3) / ideal)[:, None]
            np.add.at(force, ends[:, 0], -pull)
            np.add.at(force, ends[:, 1], pull)
        force -= places * 0.3  # parts that nothing joins stay in sight
        length = np.maximum(np.sqrt((force**2).sum(axis=1)), 1e-9)
        heat = 0.1 * (1 - step / steps) + 0.001
        places = places + force / length[:, None] * np.minimum(length, heat)[:, None]
    low, high = places.min(axis=0), places.max(axis=0)
    spread = np.maximum(high - low, 1e-9)
    # round: the last bits of sums differ between processors
    return np.round((places - low) / spread, 4) if count > 1 else np.array([[0.5, 0.5]])
