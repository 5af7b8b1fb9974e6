"""Contour lines of values on a grid, as short segments."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats


def contour_segments(x: Floats, y: Floats, heights: Floats, level: float) -> Floats:
    """Return where a surface has the height ``level``, as segments (x, y, x₂, y₂), shape (k, 4).

    Each cell of the grid is cut into two triangles, in which the surface is taken as flat.

    Parameters
    ----------
    x, y : ndarray of shape (n,) and (m,)
    heights : ndarray of shape (n, m)
    level : float

    Examples
    --------
    >>> contour_segments(np.array([0.0, 1.0]), np.array([0.0, 1.0]), np.array([[0.0, 0.0], [1.0, 1.0]]), 0.25)
    array([[0.25, 0.25, 0.25, 0.  ],
           [0.25, 0.25, 0.25, 1.  ]])
    """
    points = np.stack([*np.meshgrid(x, y, indexing="ij"), heights], axis=-1)
    corners = points[:-1, :-1], points[1:, :-1], points[1:, 1:], points[:-1, 1:]
    halves = [
        np.stack([corners[i] for i in half], axis=-2).reshape(-1, 3, 3) for half in ((0, 2, 1), (0, 3, 2))
    ]
    triangles = np.concatenate(halves)
    above = triangles[:, :, 2] > level
    cut = above.any(axis=1) & ~above.all(axis=1)
    triangles, above = triangles[cut], above[cut]
    # One corner is alone on its side of the level: both crossings lie on its edges.
    alone = np.argmax(above == (above.sum(axis=1) == 1)[:, None], axis=1)
    every = np.arange(len(triangles))
    lone = triangles[every, alone]
    ends = []
    for step in (1, 2):
        other = triangles[every, (alone + step) % 3]
        part = (level - lone[:, 2]) / (other[:, 2] - lone[:, 2])
        ends.append(lone[:, :2] + part[:, None] * (other - lone)[:, :2])
    return np.concatenate(ends, axis=1)
