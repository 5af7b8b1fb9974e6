"""The most probable worth of items, and reliability and bias of judges, from counted answers.

Judge k prefers i to j by the log odds x = r_k (s_i − s_j) + b_k · side, where r_k = 1 + reliability_sd · v_k and
b_k = bias_sd · w_k with v and w standard normal, so that an sd of 0 is no special case. Ties are Davidson's
(1970): the probabilities of i, j and neither are in the proportion e^{x/2} : e^{−x/2} : ν.

Given the worth, judges are independent of one another, so the Hessian is an arrowhead: `Arrowhead` eliminates
the judges two by two and leaves one matrix over items, however many judges there are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from penchant.checks import Floats, Ints
from penchant.preferences.rows import Comparisons
from penchant.progress import converging, part
from penchant.worth.inference.arrowhead import Arrowhead

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_MOST_STEPS = 200
_TIGHT = 1e-9
_MOST_HALVINGS = 50
_ROUNDING = 1e-14


@dataclass(frozen=True, eq=False)
class Point:
    """A value of all parameters, or a step from one value to another.

    Attributes
    ----------
    common : array of shape (n_items,) or (n_items + 1,)
        The worth of each item and, where there are ties, log ν.
    judges : array of shape (2, n_judges)
        v and w: reliability less 1, and left bias, each in units of its prior sd.
    """

    common: Floats
    judges: Floats

    def __add__(self, step: Point) -> Point:
        return Point(self.common + step.common, self.judges + step.judges)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """First and second derivatives of the negative log probability of each cell by x and log ν."""

    error: Floats
    curvature: Floats
    mixed: Floats
    tie_error: float
    tie_curvature: float


@dataclass(frozen=True, eq=False)
class Crowd:
    """The negative log posterior of worth, judges and ties.

    Answers come as cells, one for each judge, pair and side that occurred.

    Attributes
    ----------
    judge, low, high : int arrays of shape (n_cells,)
        The judge and the two items; the judge is -1 where none is named.
    side : array of shape (n_cells,)
        1 where ``low`` stood on the left, -1 on the right, 0 where unknown.
    margin, weight : arrays of shape (n_cells,)
        Weight of the answers for ``low`` less that for ``high``; weight of all answers.
    tied : float
        Weight of all ties.
    tie_prior : float
        The precision of the prior on log ν; above 0 only where everything was tied.
    """

    judge: Ints
    low: Ints
    high: Ints
    side: Floats
    margin: Floats
    weight: Floats
    tied: float
    n_items: int
    n_judges: int
    prior: float
    reliability_sd: float
    bias_sd: float
    tie_prior: float = 0.0

    @property
    def priors(self) -> Floats:
        """The prior's precision of each worth and, where there are ties, of log ν."""
        worth = np.full(self.n_items, self.prior)
        return np.append(worth, self.tie_prior) if self.tied > 0 else worth

    @property
    def start(self) -> Point:
        """All items equal, all judges average, a tie as likely as each side winning."""
        return Point(np.zeros(self.n_items + (self.tied > 0)), np.zeros((2, self.n_judges)))

    @property
    def shares(self) -> Floats:
        """The share of the named answers that each judge gave, by weight, shape (n_judges,)."""
        given = self._by_judge(self.weight)
        return given / given.sum() if self.n_judges else given

    def reliability(self, point: Point) -> Floats:
        """Return r, shape (n_judges + 1,); the last entry is for answers without a judge."""
        return np.append(1 + self.reliability_sd * point.judges[0], 1.0)

    def bias(self, point: Point) -> Floats:
        """Return b, shape (n_judges + 1,); the last entry is for answers without a judge."""
        return np.append(self.bias_sd * point.judges[1], 0.0)

    def distance(self, point: Point) -> Floats:
        """Return s_low − s_high of each cell, shape (n_cells,)."""
        gap: Floats = point.common[self.low] - point.common[self.high]
        return gap

    def log_odds(self, point: Point) -> Floats:
        """Return x of each cell, shape (n_cells,)."""
        reliability, bias = self.reliability(point)[self.judge], self.bias(point)[self.judge]
        odds: Floats = reliability * self.distance(point) + bias * self.side
        return odds

    def log_tie(self, point: Point) -> float:
        """Return log ν, which is −∞ where there are no ties."""
        return float(point.common[-1]) if self.tied > 0 else -np.inf

    def value(self, point: Point) -> float:
        """Return the negative log posterior, up to a constant."""
        odds, log_tie = self.log_odds(point), self.log_tie(point)
        log_likelihood = self.margin @ odds / 2 - self.weight @ log_total(odds, log_tie)
        log_likelihood += self.tied * log_tie if self.tied > 0 else 0.0
        return float(self.priors @ point.common**2 / 2 + (point.judges**2).sum() / 2 - log_likelihood)

    def outcomes(self, point: Point) -> Outcomes:
        """Return the derivatives of each cell by its x and by log ν."""
        odds, log_tie = self.log_odds(point), self.log_tie(point)
        total = log_total(odds, log_tie)
        won, lost = np.exp(odds / 2 - total), np.exp(-odds / 2 - total)
        tie = np.exp(log_tie - total)
        return Outcomes(
            error=(self.weight * (won - lost) - self.margin) / 2,
            curvature=self.weight * (won + lost - (won - lost) ** 2) / 4,
            mixed=-self.weight * tie * (won - lost) / 2,
            tie_error=float(self.weight @ tie - self.tied),
            tie_curvature=float(self.weight @ (tie * (1 - tie))),
        )

    def derivatives(self, point: Point) -> Arrowhead:
        """Return the gradient and the Hessian at ``point``, with the judges eliminated."""
        outcomes = self.outcomes(point)
        pull = outcomes.error * self.reliability(point)[self.judge]
        common = self.priors * point.common
        common[: self.n_items] += np.bincount(self.low, pull, self.n_items)
        common[: self.n_items] -= np.bincount(self.high, pull, self.n_items)
        if self.tied > 0:
            common[-1] += outcomes.tie_error
        judged = self._judged(point)
        judges = point.judges + np.stack([self._by_judge(outcomes.error * part) for part in judged])
        pivots = self._pivots(outcomes, judged)
        coupling = self._coupling(point, outcomes, judged, pivots)
        return Arrowhead(common, judges, pivots, coupling, self._hessian(point, outcomes), self.shares)

    def _judged(self, point: Point) -> Floats:
        """Return the derivatives of x in v and w of its judge, shape (2, n_cells)."""
        return np.stack([self.reliability_sd * self.distance(point), self.bias_sd * self.side])

    def _by_judge(self, values: Floats) -> Floats:
        named = self.judge >= 0
        return np.bincount(self.judge[named], values[named], self.n_judges).astype(np.float64)

    def _hessian(self, point: Point, outcomes: Outcomes) -> Floats:
        """Return the second derivatives in worth and log ν, shape (n_common, n_common)."""
        n, size = self.n_items, len(point.common)
        reliability = self.reliability(point)[self.judge]
        curvature = outcomes.curvature * reliability**2
        matrix = np.zeros((size, size))
        across = np.bincount(self.low * n + self.high, curvature, n * n).reshape(n, n)
        matrix[:n, :n] = -across - across.T
        degrees = np.bincount(self.low, curvature, n) + np.bincount(self.high, curvature, n)
        matrix[np.arange(n), np.arange(n)] += degrees
        if size > n:
            mixed = outcomes.mixed * reliability
            matrix[n, :n] = np.bincount(self.low, mixed, n) - np.bincount(self.high, mixed, n)
            matrix[:n, n] = matrix[n, :n]
            matrix[n, n] = outcomes.tie_curvature
        matrix[np.diag_indices(size)] += self.priors
        return matrix

    def _pivots(self, outcomes: Outcomes, judged: Floats) -> Floats:
        """Return the Cholesky factor of each judge's own 2 × 2 Hessian as l11, l21, l22, shape (3, n_judges)."""
        both = self._by_judge(outcomes.curvature * judged[0] * judged[1])
        first = np.sqrt(1 + self._by_judge(outcomes.curvature * judged[0] ** 2))
        below = both / first
        return np.stack(
            [first, below, np.sqrt(1 + self._by_judge(outcomes.curvature * judged[1] ** 2) - below**2)]
        )

    def _coupling(self, point: Point, outcomes: Outcomes, judged: Floats, pivots: Floats) -> csr_array:
        """Return the mixed derivatives in common and judges, divided by the pivots, (n_common, 2 n_judges)."""
        from scipy.sparse import csr_array

        named = np.flatnonzero(self.judge >= 0)
        judge, low, high = self.judge[named], self.low[named], self.high[named]
        v, w = judged[:, named]
        curvature = outcomes.curvature[named] * self.reliability(point)[judge]
        # x is bilinear in worth and reliability, hence the error among the second derivatives
        by_v, by_w = curvature * v + self.reliability_sd * outcomes.error[named], curvature * w
        legs = [(low, by_v, by_w), (high, -by_v, -by_w)]
        if self.tied > 0:
            mixed = outcomes.mixed[named]
            legs.append((np.full_like(low, self.n_items), mixed * v, mixed * w))
        rows, in_v, in_w = (np.concatenate(leg) for leg in zip(*legs, strict=True))
        who = np.tile(judge, len(legs))
        in_v = in_v / pivots[0, who]
        in_w = (in_w - in_v * pivots[1, who]) / pivots[2, who]
        place = np.tile(rows, 2), np.concatenate([who, who + self.n_judges])
        return csr_array((np.concatenate([in_v, in_w]), place), shape=(len(point.common), 2 * self.n_judges))


def minimise(crowd: Crowd) -> tuple[Point, float]:
    """Return the most probable point, and the largest entry of the gradient there.

    The first minimisation takes all judges to be equally reliable, which is a convex problem; the second one
    starts at its unique solution, so that of several optima the one near the plain majority is found.
    """
    equal = replace(crowd, reliability_sd=0.0)
    count = 1 if crowd.reliability_sd == 0 else 2
    with part(0, count):
        point, gradient = minimise_from(equal, crowd.start)
    if count == 1:
        return point, gradient
    with part(1, count):
        return minimise_from(crowd, point)


def minimise_from(crowd: Crowd, point: Point) -> tuple[Point, float]:
    """Return the optimum that Newton's steps from ``point`` find, and the largest entry of the gradient there."""
    tolerance = _TIGHT + _ROUNDING * float(crowd.weight.sum())
    derivatives = crowd.derivatives(point)
    first = derivatives.largest_gradient
    for _ in range(_MOST_STEPS):
        converging(derivatives.largest_gradient, first, tolerance)
        if derivatives.largest_gradient <= tolerance:
            break
        point = _line_search(crowd, derivatives, point)
        derivatives = crowd.derivatives(point)
    return point, derivatives.largest_gradient


def _line_search(crowd: Crowd, derivatives: Arrowhead, point: Point) -> Point:
    """Take Newton's step, halved until the value falls by a share of what the gradient predicts (Armijo)."""
    step = Point(*derivatives.step())
    value, slope = crowd.value(point), derivatives.along(step.common, step.judges)
    # The value is a small difference of large sums where some answers have large weights.
    rounding = 1e-13 * (1 + abs(value)) + _ROUNDING * float(crowd.weight @ np.abs(crowd.log_odds(point)))
    for halvings in range(_MOST_HALVINGS):
        length = 0.5**halvings
        onward = point + Point(length * step.common, length * step.judges)
        if crowd.value(onward) <= value + 1e-4 * length * slope + rounding:
            return onward
    return point


def log_total(odds: Floats, log_tie: float) -> Floats:
    """Return log(e^{x/2} + e^{−x/2} + ν)."""
    decided = np.abs(odds) / 2 + np.log1p(np.exp(-np.abs(odds)))
    return decided if log_tie == -np.inf else np.logaddexp(decided, log_tie)


# -- counted answers
# A cell is a column of four numbers: the judge (-1: unnamed), the two items, the lower index first, and the side of the
# first (1 left, -1 right, 0 unknown). Its counts are the weights with which the first was preferred, the second was
# preferred, and the two were equal.


def add_comparisons(
    cells: Ints, counts: Floats, comparisons: Comparisons, judge: Ints, n_items: int
) -> tuple[Ints, Floats]:
    """Return the cells and counts with ``comparisons`` added, each cell once and sorted.

    Weights are summed in the order of the answers, so that answers in parts give the same last bit as at once.

    Parameters
    ----------
    cells : int array of shape (4, n_cells)
    counts : array of shape (3, n_cells)
    comparisons : Comparisons
        The m new ones.
    judge : int array of shape (m,)
        The number of each one's judge.
    n_items : int
    """
    turned = comparisons.better > comparisons.worse
    low, high = (
        np.minimum(comparisons.better, comparisons.worse),
        np.maximum(comparisons.better, comparisons.worse),
    )
    side = np.where(turned, -1, 1) * sides(comparisons)
    outcome = np.where(comparisons.tie, 2, turned)
    columns = np.concatenate([cells, np.stack([judge, low, high, side])], axis=1)
    first, cell = _distinct(columns, n_items)
    totals = [
        np.bincount(cell, np.append(before, comparisons.weight * (outcome == kind)), len(first))
        for kind, before in enumerate(counts)
    ]
    return np.take(columns, first, axis=1), np.stack(totals)


def sides(comparisons: Comparisons) -> Ints:
    """Return 1 where the better one was shown on the left, -1 on the right, 0 where unknown; shape (m,)."""
    if comparisons.better_on_left is None:
        return np.zeros(len(comparisons), dtype=np.int64)
    side: Ints = np.array([-1, 1, 0])[comparisons.better_on_left]
    return side


def _distinct(cells: Ints, n_items: int) -> tuple[Ints, Ints]:
    """Return the first place of each different column, in sorted order, and the number of each column."""
    judge, low, high, side = cells
    code = (((judge + 1) * n_items + low) * n_items + high) * 3 + side + 1
    _, first, group = np.unique(code, return_index=True, return_inverse=True)
    return first, group
