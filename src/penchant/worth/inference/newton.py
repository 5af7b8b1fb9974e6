"""Maximise the log posterior of paired comparisons by truncated Newton steps.

The log likelihood is concave in the differences of worth and the tie parameter, so that Newton's steps, shortened
where they go too far, converge to its only maximum. A step is solved for directly for few items, by conjugate gradients
for many, and never more exactly than the step is worth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Self

import numpy as np

from penchant.checks import Floats
from penchant.linalg import conjugate_gradients
from penchant.progress import converging
from penchant.worth.inference.pairs import PairGraph, PairTotals, parts
from penchant.worth.inference.prior import Prior

TOLERANCE = 1e-8
_DIRECT_ITEMS = 200
_MOST_STEPS = 200
_MOST_CUTS = 30
_LONGEST_STEP = 4.0
_SMALLEST_STEP = 1e-10
_SMALLEST_TIE_STEP = 1e-8
_MOST_DAMPINGS = 8


class Derivatives(NamedTuple):
    """Derivatives of the log likelihood of each pair by the difference d and by the tie parameter t.

    ``curvature``, ``cross`` and ``tie_curvature`` are minus the second derivatives: −dd, −dt, −tt.
    """

    gradient: Floats
    curvature: Floats
    tie_gradient: Floats | None = None
    cross: Floats | None = None
    tie_curvature: Floats | None = None


class Link(ABC):
    """The probabilities of the outcomes of a comparison, given the difference in worth, with or without ties."""

    tie_floor: float
    """The lower bound of the tie parameter."""

    logit: float
    """The difference in worth at which the odds of a preference are about e to 1."""

    @abstractmethod
    def first_tie(self, share: float) -> float:
        """Return the tie parameter at which two equal items tie with probability ``share``."""

    @abstractmethod
    def decided(self, difference: Floats, weight: Floats) -> Derivatives:
        """Return the derivatives where nothing was tied; ``weight`` has shape (3, n), its last row is 0."""

    @abstractmethod
    def tied(self, difference: Floats, weight: Floats, tie: float) -> Derivatives:
        """Return the derivatives with ties."""

    @abstractmethod
    def outcomes(self, difference: Floats, tie: float | None) -> Floats:
        """Return the probabilities that the first is preferred, of a tie, and that the second is: (…, 3)."""

    @abstractmethod
    def log_likelihood(self, difference: Floats, weight: Floats, tie: float | None) -> Floats:
        """Return the logarithm of the probability of answers, in the shape of ``difference``.

        ``weight`` has the three outcomes along its first axis and fits ``difference`` along the others.
        """

    def log_posterior(self, graph: PairGraph, weight: Floats, prior: Prior) -> LogPosterior:
        """Return the log posterior of scores, given totals of pairs."""
        return LogPosterior(self, graph, weight, prior)

    def derivatives(
        self, graph: PairGraph, scores: Floats, weight: Floats, tie: float | None, into: Floats | None = None
    ) -> Derivatives:
        """Return the derivatives of each pair, computed in parts that stay in the processor's cache.

        The result is written to ``into`` where it is given: fresh memory costs as much as the arithmetic.
        """
        columns = np.empty((2 if tie is None else 5, len(graph))) if into is None else into
        for part in parts(len(graph)):
            difference = scores.take(graph.first[part]) - scores.take(graph.second[part])
            counts = weight[:, part]
            derivatives = (
                self.decided(difference, counts) if tie is None else self.tied(difference, counts, tie)
            )
            for column, values in zip(columns, derivatives, strict=False):
                column[part] = values
        return Derivatives(*columns)


class Hessian(ABC):
    """Minus the second derivative of the log posterior by worth, the tie parameter having been maximised out.

    With H over worth, h across and c over the tie parameter alone this is H − h hᵀ / c.

    Attributes
    ----------
    diagonal : array of shape (n_items,)
    across : array of shape (n_items,)
        h.
    tie_curvature : float
        c; 1 where nothing was tied.
    """

    prior: Prior
    diagonal: Floats
    across: Floats
    tie_curvature = 1.0
    is_damped = False

    @abstractmethod
    def product(self, values: Floats) -> Floats:
        """Multiply with an array of shape (n_items,) or (n_items, k)."""

    def matrix(self) -> Floats:
        """Return the dense matrix, shape (n_items, n_items)."""
        return self.product(np.eye(len(self.diagonal)))

    @abstractmethod
    def damped(self, damping: Floats, tie_damping: float) -> Self:
        """Return the Hessian with ``damping`` added to the diagonal, and ``tie_damping`` to c."""

    def solve(self, right: Floats, tolerance: float) -> Floats:
        """Return the step x with H x = ``right``, or NaN where the Hessian is singular."""
        if len(right) > _DIRECT_ITEMS:
            return conjugate_gradients(self.product, self.diagonal, right, tolerance=tolerance)
        matrix, step = self.matrix(), np.zeros(len(right))
        try:
            if self.is_damped or self.prior.n_real < len(right):
                return np.linalg.solve(matrix, right).astype(np.float64, copy=False)
            # Along the sum of all items the curvature is that of the prior alone, which may be lost in rounding: solve
            # for the differences to the item of the largest curvature. The step sums to 0, as ``right`` does.
            others = np.arange(len(right)) != np.argmax(self.diagonal)
            matrix -= self.prior.precision / len(matrix)
            step[others] = np.linalg.solve(matrix[np.ix_(others, others)], right[others])
        except np.linalg.LinAlgError:
            return np.full(len(right), np.nan)
        step -= step.mean()
        return step


class PairHessian(Hessian):
    """The Hessian from the second derivatives of the pairs.

    Parameters
    ----------
    graph : PairGraph
    derivatives : Derivatives
    prior : Prior
    """

    def __init__(self, graph: PairGraph, derivatives: Derivatives, prior: Prior) -> None:
        self.graph, self._derivatives, self.prior = graph, derivatives, prior
        self._upper = graph.upper(derivatives.curvature)
        self._lower = self._upper.T  # made once: it costs more than a product with it
        self._pull = graph.gross(derivatives.curvature) + prior.own
        self.across = np.zeros(graph.n_items)
        if derivatives.cross is not None and derivatives.tie_curvature is not None:
            self.across = graph.net(derivatives.cross)
            tie_curvature = float(derivatives.tie_curvature.sum()) + prior.tie_precision
            self.tie_curvature = max(tie_curvature, float(np.finfo(float).tiny))
        self.diagonal = self._pull - prior.own + prior.diagonal - self.across**2 / self.tie_curvature

    def damped(self, damping: Floats, tie_damping: float) -> Self:
        """Return the Hessian with ``damping`` added to the diagonal, and ``tie_damping`` to ``tie_curvature``."""
        damped = copy(self)
        damped.is_damped = True
        damped._pull, damped.tie_curvature = self._pull + damping, self.tie_curvature + tie_damping
        damped.diagonal = (
            self.diagonal + damping + self.across**2 * (1 / self.tie_curvature - 1 / damped.tie_curvature)
        )
        return damped

    def product(self, values: Floats) -> Floats:
        """Multiply with an array of shape (n_items,) or (n_items, k)."""
        wide = values.reshape(len(values), -1)
        result = self._pull[:, None] * wide
        result -= self._upper @ wide
        result -= self._lower @ wide
        result -= np.outer(self.across / self.tie_curvature, self.across @ wide)
        if self.prior.features.shape[1]:
            result -= self.prior.explained(wide)
        shaped: Floats = result.reshape(values.shape)
        return shaped

    def matrix(self) -> Floats:
        """Return the dense matrix, shape (n_items, n_items)."""
        upper = self.graph.full(self._derivatives.curvature)
        matrix = self.prior.matrix() - upper - upper.T
        matrix[np.diag_indices_from(matrix)] += self._pull - self.prior.own
        matrix -= np.outer(self.across, self.across) / self.tie_curvature
        return matrix

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, H), shape (n_items,)."""
        return self.noise_of_answers(rng) + self.prior.noise(rng)

    def noise_of_answers(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, C) with C the part of the Hessian that comes from the answers, shape (n_items,)."""
        lean = self.across / self.tie_curvature
        noise = pair_noise(self.graph, self._derivatives, lean, rng)
        if self._derivatives.cross is not None:
            noise -= lean * np.sqrt(self.prior.tie_precision) * rng.standard_normal()
        return noise


def pair_noise(graph: PairGraph, derivatives: Derivatives, lean: Floats, rng: np.random.Generator) -> Floats:
    """Draw from N(0, C) with C the curvature of the pairs; ``lean``, h / c, maximises the tie parameter out."""
    root = np.sqrt(derivatives.curvature)
    drawn = rng.standard_normal(len(root))
    noise = graph.net(root * drawn)
    if derivatives.cross is not None and derivatives.tie_curvature is not None:
        ratio = np.divide(derivatives.cross, root, out=np.zeros_like(root), where=root > 0)
        rest = max(float(derivatives.tie_curvature.sum() - ratio @ ratio), 0.0)
        noise -= lean * (ratio @ drawn + np.sqrt(rest) * rng.standard_normal())
    return noise


@dataclass(frozen=True, eq=False)
class Mode:
    """The mode of the scores and of the tie parameter (None: nothing was tied), and the largest gradient there."""

    scores: Floats
    tie: float | None
    gradient: float
    converged: bool


@dataclass(frozen=True, eq=False)
class Point:
    """A point of the iteration with the gradient there; its Hessian is valid until the next point is evaluated."""

    scores: Floats
    tie: float | None
    gradient: Floats
    tie_gradient: float
    hessian: Callable[[], Hessian]

    @property
    def largest_gradient(self) -> float:
        """The largest gradient."""
        return max(float(np.abs(self.gradient).max()), abs(self.tie_gradient))


class LogPosterior:
    """The log posterior of scores and tie parameter, evaluated at one point after the other.

    Parameters
    ----------
    link : Link
    graph : PairGraph
    weight : array of shape (3, n_pairs)
        Of `PairTotals`.
    prior : Prior

    Attributes
    ----------
    met : array of shape (n_pairs,)
        The weight of the decided comparisons of each pair.
    won, lost : array of shape (n_items,)
        The weight with which each item was preferred, and with which the other one was.
    tied : float
        How many comparisons were ties.
    n_pairs : int
        The number of different pairs.
    opponents : callable
        From the scores of the items to the sum, for each item, of the scores of those that it met, each as often as
        they met.
    """

    opponents: Callable[[Floats], Floats]

    def __init__(self, link: Link, graph: PairGraph, weight: Floats, prior: Prior) -> None:
        self.link, self.graph, self.weight, self.prior = link, graph, weight, prior
        won, lost = graph.upper(weight[0]), graph.upper(weight[1])
        ones = np.ones(graph.n_items)
        self.met = weight[0] + weight[1]
        self.won = won @ ones + lost.T @ ones
        self.lost = lost @ ones + won.T @ ones
        self.tied = float(weight[2].sum())
        self.n_pairs = len(graph)
        self.opponents = partial(graph.product, self.met)
        self._memory: Floats | None = None

    def widest(self, move: Floats) -> float:
        """Return the most by which a step changes the difference of two compared items."""
        first, second = self.graph.first, self.graph.second
        return max(
            float(np.abs(move.take(first[part]) - move.take(second[part])).max())
            for part in parts(len(self.graph))
        )

    def at(self, scores: Floats, tie: float | None) -> Point:
        """Return the point with these scores; the Hessian of the point before becomes invalid."""
        if self._memory is None:  # fresh memory costs as much as the arithmetic
            self._memory = np.empty((2 if tie is None else 5, len(self.graph)))
        derivatives = self.link.derivatives(self.graph, scores, self.weight, tie, self._memory)
        gradient = self.graph.net(derivatives.gradient) - self.prior.product(scores)
        tie_gradient = 0.0
        if tie is not None and derivatives.tie_gradient is not None:
            tie_gradient = float(derivatives.tie_gradient.sum()) - self.prior.tie_precision * tie
        return Point(
            scores, tie, gradient, tie_gradient, lambda: PairHessian(self.graph, derivatives, self.prior)
        )


class _Newton:
    def __init__(self, log_posterior: LogPosterior) -> None:
        self.log_posterior, self.prior = log_posterior, log_posterior.prior
        met = log_posterior.won + log_posterior.lost
        total = float(log_posterior.won.sum()) + log_posterior.tied
        # One comparison counts 1; a gradient below the rounding of an item's sum cannot be reached.
        rounding = 1e-14 * float(met.max() + log_posterior.tied / len(met))
        self.tolerance = max(TOLERANCE * min(1.0, total / max(log_posterior.n_pairs, 1)), rounding)
        self.arrived = False
        # The likelihood has no level; the prior is highest where the scores, weighted by its precisions, sum to 0.
        uniform = self.prior.n_real == len(self.prior.own)
        self.own = None if uniform else self.prior.own

    def start(self) -> Point:
        """Return a start that is exact if an item's opponents differ from all items only in their mean."""
        at = self.log_posterior
        met = at.won + at.lost
        odds = np.log((at.won + 0.5) / (at.lost + 0.5))
        variance = min(float(np.pi / 8 * odds.var()), 0.75)
        others = np.quantile(odds, (np.arange(32) + 0.5) / 32) * at.link.logit / np.sqrt(1 - variance)
        # The worth at which an item wins its share of comparisons against ``others``, from a table.
        width = others[-1] - others[0]
        table = np.linspace(others[0] - width, others[-1] + width, 129)
        rates = at.link.outcomes(np.subtract.outer(table, others), None)[..., 0].mean(axis=1)
        scores = np.interp((at.won + 0.5) / (met + 1), rates, table)
        scores -= scores.mean()
        scores += at.opponents(scores) / np.maximum(met, 1.0)
        share = at.tied / (float(at.won.sum()) + at.tied) if at.tied else 0.0
        tie = at.link.first_tie(min(share, 0.9)) if at.tied else None
        return at.at(scores - scores.mean(), tie)

    def step(self, here: Point) -> Point:
        """Return the point after Newton's step, or after a shorter one where that goes too far.

        Where answers are nearly certain, the curvature vanishes and Newton's step is not bounded. The curvature is
        that of a graph, so that with a damping d added to it no item moves by more than gradient / d (Levenberg 1944).
        """
        longest = _LONGEST_STEP * self.log_posterior.link.logit
        damping = np.maximum(np.abs(here.gradient), 1e-6 * here.largest_gradient) / longest
        tie_damping = abs(here.tie_gradient) / longest
        hessian = here.hessian()
        move, tie_move = self._newton(here, hessian)
        for power in range(_MOST_DAMPINGS):
            narrow = float(move.max() - move.min()) <= 2 * longest
            if abs(tie_move) <= 2 * longest and (narrow or self._widest(move) <= 2 * longest):
                break
            damped = hessian.damped(4.0**power * damping, 4.0**power * tie_damping)
            move, tie_move = self._newton(here, damped)
        small = np.abs(move).max() <= _SMALLEST_STEP
        self.arrived = bool(small and abs(tie_move) <= _SMALLEST_TIE_STEP * abs(here.tie or 0.0))
        return self._cut(here, move, tie_move)

    def _widest(self, move: Floats) -> float:
        """Return the most by which a step changes the difference of two compared items, or more if that is small."""
        width = float(move.max() - move.min())
        if width <= _LONGEST_STEP * self.log_posterior.link.logit or not self.log_posterior.n_pairs:
            return width
        return self.log_posterior.widest(move)

    def _newton(self, here: Point, hessian: Hessian) -> tuple[Floats, float]:
        across = hessian.across / hessian.tie_curvature
        right = here.gradient - across * here.tie_gradient
        length = float((np.abs(right) / hessian.diagonal).max())
        tolerance = max(min(0.003, 0.1 * length), 0.3 * self.tolerance / here.largest_gradient)
        move = hessian.solve(right, tolerance)
        return move, here.tie_gradient / hessian.tie_curvature - float(across @ move)

    def _cut(self, here: Point, move: Floats, tie_move: float) -> Point:
        """Return the point after a step that is shortened until the log posterior still rises at its end.

        The log posterior is concave, so that a derivative along the step that is not yet negative means that the
        maximum is nearer than the start.
        """
        share, floor = 1.0, self.log_posterior.link.tie_floor
        if here.tie is not None and here.tie + tie_move <= floor:
            share = 0.9 * (floor - here.tie) / tie_move
        before = float(here.gradient @ move) + here.tie_gradient * tie_move
        point = here
        for _ in range(_MOST_CUTS):
            tie = None if here.tie is None else here.tie + share * tie_move
            scores = here.scores + share * move
            scores -= np.average(scores, weights=self.own)
            point = self.log_posterior.at(scores, tie)
            along = float(point.gradient @ move) + point.tie_gradient * tie_move
            # At rounding, the step changes nothing along itself.
            if along >= min(0.0, before) or point.largest_gradient <= max(
                here.largest_gradient / 2, self.tolerance
            ):
                break
            share *= min(max(before / (before - along), 0.1), 0.9)
        return point


def maximise(totals: PairTotals | LogPosterior, link: Link, prior: Prior) -> Mode:
    """Return the scores at which the log posterior is highest, from a start that depends on the totals alone.

    Parameters
    ----------
    totals : PairTotals, or LogPosterior
        The totals of pairs in memory, or the log posterior of others, with the same link and prior.
    link : Link
    prior : Prior
        If its precision is 0, a maximum must exist. Without a prior on the tie parameter, some answers must be no
        ties.
    """
    if isinstance(totals, PairTotals):
        totals = link.log_posterior(PairGraph(totals.pairs, len(prior.features)), totals.weight, prior)
    newton = _Newton(totals)
    point = newton.start()
    first = point.largest_gradient
    for _ in range(_MOST_STEPS):
        converging(point.largest_gradient, first, newton.tolerance)
        if point.largest_gradient <= newton.tolerance or newton.arrived:
            break
        point = newton.step(point)
    converged = point.largest_gradient <= newton.tolerance or newton.arrived
    return Mode(point.scores, point.tie, point.largest_gradient, converged)
