"""Faster fixed points. Where x ← g(x) has been in, where to look next out."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats

MEMORY = 4
NEAR = 0.3  # the change below which the map is nearly straight
LEAST_PART = 0.05


class Mixing:
    """Anderson's acceleration: the next point is where the last few moves, taken as straight, would stop.

    Far from the fixed point it takes a part of the way to g(x): less after steps that led away, more after
    those that led closer.
    """

    def __init__(self) -> None:
        self.points: list[Floats] = []
        self.moves: list[Floats] = []
        self.last = np.inf
        self.part = 1.0

    def next(self, x: Floats, image: Floats, change: float) -> Floats:
        """Return the next point.

        Parameters
        ----------
        x, image : ndarray of shape (k,)
            The point and g(x).
        change : float
            How far they are apart, in units in which 1 is much.
        """
        worse, self.last = change > self.last, change
        self.part = max(LEAST_PART, self.part / 2) if worse else min(1.0, 1.2 * self.part)
        if worse:
            self.points, self.moves = [], []
        move = image - x
        self.points = [*self.points, x][-MEMORY - 1 :]
        self.moves = [*self.moves, move][-MEMORY - 1 :]
        ahead = x + self.part * move
        if change > NEAR or len(self.points) == 1:
            return ahead
        turns = np.diff(self.moves, axis=0)
        share, *_ = np.linalg.lstsq(turns.T, move, rcond=1e-8)
        return np.asarray(ahead - share @ (np.diff(self.points, axis=0) + self.part * turns))
