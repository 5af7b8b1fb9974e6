"""The answers that a linked process learned from: pairs of items in, with their weights, in the order given."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, Ints
from penchant.gp.inference.likelihood import Bools


@dataclass(frozen=True, eq=False)
class Answers:
    """What was said, in the order in which it was said.

    Attributes
    ----------
    pairs : int array of shape (t, 2)
        Items, better first; where ``tie``, equal ones.
    weight : array of shape (t,)
    tie : bool array of shape (t,)
    """

    pairs: Ints
    weight: Floats
    tie: Bools

    @classmethod
    def none(cls) -> Answers:
        """Return no answers."""
        return cls(np.empty((0, 2), dtype=np.int64), np.empty(0), np.empty(0, dtype=bool))

    def __len__(self) -> int:
        return len(self.pairs)

    def __getitem__(self, part: slice) -> Answers:
        return Answers(self.pairs[part], self.weight[part], self.tie[part])

    def and_then(self, more: Answers) -> Answers:
        """Return these answers and ``more`` after them."""
        return Answers(
            np.concatenate([self.pairs, more.pairs]),
            np.concatenate([self.weight, more.weight]),
            np.concatenate([self.tie, more.tie]),
        )
