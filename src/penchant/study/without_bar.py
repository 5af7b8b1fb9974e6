"""A belief without the bar. What is believed of the items and the bar in; of the items alone out."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from penchant.belief import Belief, to_choose_by
from penchant.checks import Floats, Ints
from penchant.worth.worth_model import WorthModel


@dataclass(frozen=True)
class WithoutBar:
    """What is believed about the first ``count`` items, which are the items proper."""

    belief: Belief
    count: int

    @property
    def mean(self) -> Floats:
        """The expected score of each item."""
        return self.belief.mean[: self.count]

    def variance(self, rows: ArrayLike | None = None) -> Floats:
        """Return the variance of each score."""
        return self.belief.variance()[: self.count] if rows is None else self.belief.variance(rows)

    def covariance(self, rows: ArrayLike | None = None, columns: ArrayLike | None = None) -> Floats:
        """Return the covariance of the scores of ``rows`` with those of ``columns``."""
        every: Ints = np.arange(self.count)
        return self.belief.covariance(every if rows is None else rows, every if columns is None else columns)

    def most_probable(self) -> WithoutBar:
        """Return the same of the most probable component, where the belief is a mixture."""
        return WithoutBar(to_choose_by(self.belief), self.count)


@dataclass(frozen=True)
class DrawnWithoutBar(WithoutBar):
    """The same of a belief that draws scores itself."""

    belief: WorthModel

    def sample(self, n_draws: int, seed: int = 0, *, rows: ArrayLike | None = None) -> Floats:
        """Draw the scores of the items (of those of ``rows``) together, shape (n_draws, n)."""
        every: Ints = np.arange(self.count)
        return self.belief.sample(n_draws, seed, rows=every if rows is None else rows)
