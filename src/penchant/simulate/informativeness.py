"""Estimate how informative feedback was: α, and the slack of each round."""

from __future__ import annotations

from dataclasses import dataclass, field

from numpy.typing import ArrayLike

from penchant.checks import Floats
from penchant.coactive._kernels import TOLERANCE
from penchant.coactive.analysis.regret import rounds, slack
from penchant.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Informativeness:
    """The α of the feedback in rounds whose utilities are known.

    Attributes
    ----------
    strict : float
        The largest α, at most 1, with which no round has slack, eq. 5; 0 or below: there is none.
    expected : float
        The largest α, at most 1, with which the slack sums to no more than 0, eq. 6; 0 or below: there is none.
    shares : ndarray
        For each round in which something could be gained, the share of it that was.
    presented, feedback, best : ndarrays of shape (T,) or (runs, T)
        The utilities that it was found from.

    Examples
    --------
    >>> found = Informativeness.of([0.0, 0.0, 1.0], [0.5, 1.0, 1.0], [1.0, 1.0, 1.0])
    >>> found.strict, found.expected
    (0.5, 0.75)
    """

    strict: float
    expected: float
    shares: Floats = field(repr=False)
    presented: Floats = field(repr=False)
    feedback: Floats = field(repr=False)
    best: Floats = field(repr=False)

    @classmethod
    def of(cls, presented: ArrayLike, feedback: ArrayLike, best: ArrayLike) -> Informativeness:
        """Estimate α from the utilities of what was presented, of what came back and of the best.

        Parameters
        ----------
        presented, feedback, best : array-like of shape (T,) or (runs, T)

        Examples
        --------
        >>> found = Informativeness.of([0.0, 0.0, 1.0], [0.5, 1.0, 1.0], [1.0, 1.0, 1.0])
        >>> found.strict, found.expected, found.slack(0.75)
        (0.5, 0.75, array([ 0.25, -0.25,  0.  ]))
        """
        left = slack(presented, feedback, best, alpha=1.0)
        reached, answered, most = (rounds("utility", given) for given in (presented, feedback, best))
        possible = most - reached
        gained = possible - left  # eq. 6 with α = 1
        could = possible > TOLERANCE
        if not could.any():
            raise InvalidInput(
                "α needs a round in which something better could have been presented, got none: "
                "give more rounds"
            )
        shares: Floats = gained[could] / possible[could]
        lost_for_nothing = (gained[~could] < -TOLERANCE).any()
        strict = 0.0 if lost_for_nothing else min(1.0, float(shares.min()))
        expected = min(1.0, float(gained.sum() / possible.sum()))
        return cls(strict, expected, shares, reached, answered, most)

    def slack(self, alpha: float) -> Floats:
        """Return ξ_t of each round for an α in (0, 1], below 0 where more was gained, eq. 6."""
        return slack(self.presented, self.feedback, self.best, alpha=alpha)
