"""Step two, inside: the most likely worth. Totals of pairs and a prior in; scores and the share of ties out.

The log likelihood is concave in the differences of worth and the tie parameter, so that Newton's steps, cut
where they go too far, reach its one summit. A step is solved for directly for few items, by conjugate gradients
for many, and never more exactly than the step is worth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.worth.conjugate_gradients import solve
from penchant.worth.pair_graph import PairGraph
from penchant.worth.pair_totals import PairTotals
from penchant.worth.prior import Prior

TOLERANCE = 1e-8
_DIRECT_ITEMS = 200
_MOST_STEPS = 200
_MOST_CUTS = 30


class Slopes(NamedTuple):
    """Derivatives of the log likelihood of each pair: by the difference d, by the tie parameter t.

    ``bend``, ``cross`` and ``tie_bend`` are the second derivatives, with a minus: −dd, −dt, −tt.
    """

    slope: Floats
    bend: Floats
    tie_slope: Floats | None = None
    cross: Floats | None = None
    tie_bend: Floats | None = None


class Link(ABC):
    """How a difference in worth becomes a preference, with or without ties."""

    tie_floor: float
    """The tie parameter is above this."""

    logit: float
    """The difference in worth that makes a preference about as sure as odds of e to 1."""

    @abstractmethod
    def first_tie(self, share: float) -> float:
        """Return the tie parameter at which two equal items tie with probability ``share``."""

    @abstractmethod
    def decided(self, difference: Floats, weight: Floats) -> Slopes:
        """Return the slopes where nothing was tied; ``weight`` has shape (3, n), its last row is 0."""

    @abstractmethod
    def tied(self, difference: Floats, weight: Floats, tie: float) -> Slopes:
        """Return the slopes with ties."""

    @abstractmethod
    def outcomes(self, difference: Floats, tie: float | None) -> Floats:
        """Return the probabilities that the first is preferred, of a tie, and that the second is: (…, 3)."""

    def slopes(self, graph: PairGraph, scores: Floats, weight: Floats, tie: float | None) -> Slopes:
        """Return the slopes of each pair, worked out in parts that stay in the processor's cache."""
        columns = np.empty((2 if tie is None else 5, len(graph)))
        for part in graph.parts():
            difference = scores.take(graph.first[part]) - scores.take(graph.second[part])
            told = weight[:, part]
            slopes = self.decided(difference, told) if tie is None else self.tied(difference, told, tie)
            for column, values in zip(columns, slopes, strict=False):
                column[part] = values
        return Slopes(*columns)


class Curvature:
    """The curvature of the log posterior in worth, the tie parameter having been maximised out.

    With H over worth, h across and c over the tie parameter alone this is H − h hᵀ / c.

    Parameters
    ----------
    graph : PairGraph
    slopes : Slopes
    prior : Prior
    before : Curvature, optional
        One of the same graph that is not needed any more; its memory is used again.

    Attributes
    ----------
    diagonal : array of shape (n_items,)
    """

    def __init__(
        self, graph: PairGraph, slopes: Slopes, prior: Prior, before: Curvature | None = None
    ) -> None:
        self.graph, self.prior, self._slopes = graph, prior, slopes
        into = None if before is None else before._upper
        self._upper: Any = graph.full(slopes.bend, into) if graph.is_dense else graph.matrix(slopes.bend)
        self._pull = self._upper.sum(axis=0) + self._upper.sum(axis=1) + prior.precision
        self.across = np.zeros(graph.n_items)
        self.tie_bend = 1.0
        if slopes.cross is not None and slopes.tie_bend is not None:
            self.across = graph.net(slopes.cross)
            self.tie_bend = float(slopes.tie_bend.sum()) + prior.precision
        self.diagonal = self._pull - prior.precision + prior.diagonal - self.across**2 / self.tie_bend

    def product(self, values: Floats) -> Floats:
        """Multiply with an array of shape (n_items,) or (n_items, k)."""
        wide = values.reshape(len(values), -1)
        result = self._pull[:, None] * wide
        result -= self._upper @ wide
        result -= self._upper.T @ wide
        result -= np.outer(self.across / self.tie_bend, self.across @ wide)
        if self.prior.features.shape[1]:
            result -= self.prior.precision * wide - self.prior.product(wide)
        shaped: Floats = result.reshape(values.shape)
        return shaped

    def matrix(self) -> Floats:
        """Return it written out, shape (n_items, n_items)."""
        upper = self._upper if self.graph.is_dense else self.graph.full(self._slopes.bend)
        matrix = self.prior.matrix() - upper - upper.T
        matrix[np.diag_indices_from(matrix)] += self._pull - self.prior.precision
        matrix -= np.outer(self.across, self.across) / self.tie_bend
        return matrix

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from the normal distribution that has this curvature as its covariance, shape (n_items,)."""
        lean = self.across / self.tie_bend
        noise = pair_noise(self.graph, self._slopes, lean, rng) + self.prior.noise(rng)
        if self._slopes.cross is not None:
            noise -= lean * np.sqrt(self.prior.precision) * rng.standard_normal()
        return noise

    def solve(self, right: Floats, tolerance: float) -> Floats:
        """Solve for the step whose image is ``right``."""
        if self.graph.n_items > _DIRECT_ITEMS:
            return solve(self.product, self.diagonal, right, tolerance=tolerance)
        matrix = self.matrix()
        if not self.prior.precision:
            matrix += np.diag(matrix).mean() / len(
                matrix
            )  # the level is free, and right has no part along it
        return np.linalg.solve(matrix, right).astype(np.float64, copy=False)


def pair_noise(graph: PairGraph, slopes: Slopes, lean: Floats, rng: np.random.Generator) -> Floats:
    """Draw from N(0, C) with C what ``slopes`` bend, the tie parameter taken out by ``lean``; shape (n_items,)."""
    root = np.sqrt(slopes.bend)
    drawn = rng.standard_normal(len(root))
    noise = graph.net(root * drawn)
    if slopes.cross is not None and slopes.tie_bend is not None:
        ratio = np.divide(slopes.cross, root, out=np.zeros_like(root), where=root > 0)
        rest = max(float(slopes.tie_bend.sum() - ratio @ ratio), 0.0)
        noise -= lean * (ratio @ drawn + np.sqrt(rest) * rng.standard_normal())
    return noise


@dataclass(frozen=True, eq=False)
class Summit:
    """The most likely worth, tie parameter (None: nothing was tied), and the largest slope that is left."""

    scores: Floats
    tie: float | None
    slope: float
    converged: bool


class _Place:
    """A point on the way: its slopes, and which way is up."""

    def __init__(self, climb: _Climb, scores: Floats, tie: float | None) -> None:
        self.scores, self.tie = scores, tie
        self.slopes = climb.link.slopes(climb.graph, scores, climb.totals.weight, tie)
        self.uphill = climb.graph.net(self.slopes.slope) - climb.prior.product(scores)
        self.tie_uphill = 0.0
        if tie is not None and self.slopes.tie_slope is not None:
            self.tie_uphill = float(self.slopes.tie_slope.sum()) - climb.prior.precision * tie
        self.steepest = max(float(np.abs(self.uphill).max()), abs(self.tie_uphill))


class _Climb:
    def __init__(self, totals: PairTotals, graph: PairGraph, link: Link, prior: Prior) -> None:
        self.totals, self.graph, self.link, self.prior = totals, graph, link, prior
        self._curvature: Curvature | None = None
        won, lost, tied = totals.weight
        self._won = graph.matrix(won) @ np.ones(graph.n_items) + graph.matrix(lost).T @ np.ones(graph.n_items)
        self._lost = graph.gross(won + lost) - self._won
        self._tied = float(tied.sum())
        total = float(self._won.sum()) + self._tied
        # One comparison counts 1; what lies below the rounding of an item's sum cannot be reached.
        rounding = 1e-14 * float((self._won + self._lost).max() + self._tied / graph.n_items)
        self.tolerance = max(TOLERANCE * min(1.0, total / max(len(graph), 1)), rounding)

    def start(self) -> _Place:
        """Return the place that would be right if all items had met the same opponents."""
        odds = np.log((self._won + 0.5) / (self._lost + 0.5))
        spread = min(float(np.pi / 8 * odds.var()), 0.75)
        scores = odds * self.link.logit / np.sqrt(1 - spread)
        share = self._tied / (float(self._won.sum()) + self._tied) if self._tied else 0.0
        tie = self.link.first_tie(min(share, 0.9)) if self._tied else None
        return _Place(self, scores - scores.mean(), tie)

    def step(self, here: _Place) -> _Place:
        curvature = Curvature(self.graph, here.slopes, self.prior, self._curvature)
        self._curvature = curvature
        across = curvature.across / curvature.tie_bend
        right = here.uphill - across * here.tie_uphill
        length = float((np.abs(right) / curvature.diagonal).max())
        tolerance = max(min(0.03, length), 0.3 * self.tolerance / here.steepest)
        move = curvature.solve(right, tolerance)
        tie_move = here.tie_uphill / curvature.tie_bend - float(across @ move)
        return self._cut(here, move, tie_move)

    def _cut(self, here: _Place, move: Floats, tie_move: float) -> _Place:
        """Go as far along a step as it leads uphill.

        The slope along the step falls steadily, so that where it is not yet negative the summit is nearer.
        """
        share = 1.0
        if here.tie is not None and here.tie + tie_move <= self.link.tie_floor:
            share = 0.9 * (self.link.tie_floor - here.tie) / tie_move
        before = float(here.uphill @ move) + here.tie_uphill * tie_move
        there = here
        for _ in range(_MOST_CUTS):
            tie = None if here.tie is None else here.tie + share * tie_move
            scores = here.scores + share * move
            if not self.prior.precision:
                scores -= scores.mean()
            there = _Place(self, scores, tie)
            along = float(there.uphill @ move) + there.tie_uphill * tie_move
            if along >= 0 or there.steepest <= max(here.steepest / 2, self.tolerance):
                break
            share *= min(max(before / (before - along), 0.1), 0.9)
        return there


def climb(totals: PairTotals, link: Link, prior: Prior) -> Summit:
    """Return the scores at which the log posterior is highest, from a start that depends on the totals alone.

    Parameters
    ----------
    totals : PairTotals
    link : Link
    prior : Prior
        Its precision is also that of a normal prior around 0 on the tie parameter. If it is 0, a maximum must
        exist.
    """
    graph = PairGraph(totals.pairs, len(prior.features))
    way = _Climb(totals, graph, link, prior)
    here = way.start()
    for _ in range(_MOST_STEPS):
        if here.steepest <= way.tolerance:
            break
        here = way.step(here)
    return Summit(here.scores, here.tie, here.steepest, here.steepest <= way.tolerance)
