"""Maximise the log posterior of scores and coefficients of covariates by Newton's method.

The Hessian is a graph's over the scores, as without covariates, with a border of few parameters: the coefficients and
the tie parameter. Few items are solved for directly, many by conjugate gradients with the border eliminated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from penchant.checks import Floats
from penchant.linalg import conjugate_gradients
from penchant.progress import converging
from penchant.worth.inference.newton import TOLERANCE, Derivatives, Hessian, PairHessian
from penchant.worth.inference.pairs import PairGraph
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_likelihood import BorderSums, RowLikelihood, RowPoint

_DIRECT_ITEMS = 1000
_MOST_STEPS = 60
_MOST_CUTS = 30
_LONGEST_STEP = 6.0
_SMALLEST_STEP = 1e-9
_SOLVE_TOLERANCE = 1e-10


class BorderedHessian:
    """Minus the second derivative of the log posterior by the scores and the border.

    Parameters
    ----------
    graph : PairGraph
    sums : BorderSums
    prior : Prior
    has_ties : bool
        Whether the last parameter of the border is the tie parameter, which may have a prior.

    Attributes
    ----------
    scores : PairHessian
        The part over the scores alone.
    across : array of shape (n_items, q)
    corner : array of shape (q, q)
    """

    def __init__(self, graph: PairGraph, sums: BorderSums, prior: Prior, has_ties: bool) -> None:
        self.graph, self.sums, self.prior = graph, sums, prior
        self.scores = PairHessian(graph, Derivatives(np.zeros(len(graph)), sums.curvature), prior)
        self.across = np.column_stack([graph.net(column) for column in sums.cross.T])
        self.corner = sums.corner.copy()
        if has_ties:
            self.corner[-1, -1] = max(self.corner[-1, -1] + prior.tie_precision, np.finfo(float).tiny)

    @property
    def n_items(self) -> int:
        """The number of items, the bar included."""
        return self.graph.n_items

    def matrix(self) -> Floats:
        """Return the dense matrix over scores and border, shape (n_items + q, n_items + q)."""
        return np.block([[self.scores.matrix(), self.across], [self.across.T, self.corner]])

    @cached_property
    def lift(self) -> float:
        """What must be added to every entry over the scores where there is no prior, so that their sum is 0."""
        return 0.0 if self.prior.precision else float(self.scores.diagonal.mean()) / self.n_items

    def solve(self, right: Floats, border: Floats) -> tuple[Floats, Floats]:
        """Return the step of the scores and of the border at which the Hessian times it is ``right``, ``border``."""
        n = self.n_items
        if n <= _DIRECT_ITEMS:
            matrix = self.matrix()
            matrix[:n, :n] += self.lift
            try:
                step: Floats = np.linalg.solve(matrix, np.append(right, border)).astype(np.float64)
            except np.linalg.LinAlgError:
                step = np.full(n + len(border), np.nan)
            return step[:n], step[n:]
        both = conjugate_gradients(
            self.scores.product,
            self.scores.diagonal,
            np.column_stack([right, self.across]),
            tolerance=_SOLVE_TOLERANCE,
        )
        alone, pulled = both[:, 0], both[:, 1:]
        try:
            step = np.linalg.solve(
                self.corner - self.across.T @ pulled, border - self.across.T @ alone
            ).astype(np.float64)
        except np.linalg.LinAlgError:
            step = np.full(len(border), np.nan)
        return alone - pulled @ step, step

    def border_precision(self) -> Floats:
        """Return the precision of the border with the scores maximised out, shape (q, q)."""
        n = self.n_items
        if n <= _DIRECT_ITEMS:
            matrix = self.scores.matrix() + self.lift
            pulled = np.linalg.solve(matrix, self.across)
        else:
            pulled = conjugate_gradients(
                self.scores.product, self.scores.diagonal, self.across, tolerance=_SOLVE_TOLERANCE
            )
        precision: Floats = self.corner - self.across.T @ pulled
        return (precision + precision.T) / 2


class MarginalHessian(Hessian):
    """The Hessian by the scores with the border maximised out: H − A C⁻¹ Aᵀ, never written out.

    Parameters
    ----------
    bordered : BorderedHessian
    """

    def __init__(self, bordered: BorderedHessian) -> None:
        self._bordered, self.prior = bordered, bordered.prior
        self._lean: Floats = np.linalg.solve(bordered.corner, bordered.across.T).T.astype(np.float64)
        self.across = np.zeros(bordered.n_items)
        self.diagonal = bordered.scores.diagonal - (self._lean * bordered.across).sum(axis=1)

    def product(self, values: Floats) -> Floats:
        """Multiply with an array of shape (n_items,) or (n_items, k)."""
        inner: Floats = self._bordered.scores.product(values) - self._lean @ (
            self._bordered.across.T @ values
        )
        return inner

    def damped(self, damping: Floats, tie_damping: float) -> MarginalHessian:
        """Not needed: nothing steps along this Hessian."""
        raise NotImplementedError

    def noise(self, rng: np.random.Generator) -> Floats:
        """Draw from N(0, H − A C⁻¹ Aᵀ), shape (n_items,).

        Given the noise of a pair by its difference, that of the border has the mean cross / curvature times it; the
        rest of the corner is drawn once.
        """
        from penchant.linalg import root_of

        sums, graph = self._bordered.sums, self._bordered.graph
        root = np.sqrt(sums.curvature)
        drawn = rng.standard_normal(len(root))
        ratio = np.divide(sums.cross, root[:, None], out=np.zeros_like(sums.cross), where=root[:, None] > 0)
        rest = root_of(self._bordered.corner - ratio.T @ ratio)
        border = ratio.T @ drawn + rest @ rng.standard_normal(rest.shape[1])
        noise: Floats = graph.net(root * drawn) - self._lean @ border
        return noise + self.prior.noise(rng)


@dataclass(frozen=True, eq=False)
class RowMode:
    """The mode of the log posterior under a prior.

    Attributes
    ----------
    point : RowPoint
    prior : Prior
    converged : bool
    gradient : float
        The largest gradient at the mode.
    decrement : float
        Twice the amount by which a further step would raise the log posterior.
    """

    point: RowPoint
    prior: Prior
    converged: bool
    gradient: float
    decrement: float = 0.0

    def hessian(self, likelihood: RowLikelihood) -> BorderedHessian:
        """Return the Hessian at the mode."""
        return BorderedHessian(likelihood.graph, self.point.sums, self.prior, likelihood.has_ties)


def maximise_rows(
    likelihood: RowLikelihood, prior: Prior, start: RowPoint, *, enough: float = 0.0
) -> RowMode:
    """Return the mode under ``prior``, from a point whose derivatives are used again.

    Parameters
    ----------
    likelihood : RowLikelihood
    prior : Prior
        Where its precision is 0, a maximum must exist.
    start : RowPoint
    enough : float
        Stop where a further step would raise the log posterior by less than half of this; by default where the largest
        gradient is 1e-8 (one comparison counting 1, covariates having the root mean square 1).
    """
    point = start
    total = float(likelihood.rows.weight.sum())
    tolerance = max(TOLERANCE * min(1.0, total / max(len(likelihood.rows), 1)), 1e-14 * total)
    gradient, border = _gradient(likelihood, prior, point)
    arrived, decrement, first = False, 0.0, _largest(gradient, border)
    for _ in range(_MOST_STEPS):
        converging(_largest(gradient, border), first, tolerance)
        if arrived or _largest(gradient, border) <= tolerance:
            break
        hessian = BorderedHessian(likelihood.graph, point.sums, prior, likelihood.has_ties)
        move, border_move = hessian.solve(gradient, border)
        if not (np.isfinite(move).all() and np.isfinite(border_move).all()):
            break
        decrement = float(gradient @ move + border @ border_move)
        if decrement < enough:
            arrived = True
            break
        move, border_move = _shortened(likelihood, point, move, border_move)
        arrived = max(float(np.abs(move).max()), float(np.abs(border_move).max())) <= _SMALLEST_STEP
        point, gradient, border = _cut(likelihood, prior, point, move, border_move, gradient, border)
    largest = _largest(gradient, border)
    return RowMode(point, prior, arrived or largest <= tolerance, largest, decrement if enough else 0.0)


def _gradient(likelihood: RowLikelihood, prior: Prior, point: RowPoint) -> tuple[Floats, Floats]:
    border = point.border_gradient.copy()
    if likelihood.has_ties:
        border[-1] -= prior.tie_precision * point.border[-1]
    return point.gradient - prior.product(point.scores), border


def _largest(gradient: Floats, border: Floats) -> float:
    return max(float(np.abs(gradient).max()), float(np.abs(border).max(initial=0.0)))


def _shortened(
    likelihood: RowLikelihood, point: RowPoint, move: Floats, border_move: Floats
) -> tuple[Floats, Floats]:
    """Return the step, shortened where it is longer than the log likelihood is nearly quadratic."""
    length = max(float(move.max() - move.min()), float(np.abs(border_move).max()))
    share = min(1.0, _LONGEST_STEP * likelihood.link.logit / max(length, 1e-300))
    floor = likelihood.link.tie_floor
    if likelihood.has_ties and point.border[-1] + share * border_move[-1] <= floor:
        share = 0.9 * (floor - point.border[-1]) / border_move[-1]
    return share * move, share * border_move


def _cut(
    likelihood: RowLikelihood,
    prior: Prior,
    here: RowPoint,
    move: Floats,
    border_move: Floats,
    gradient: Floats,
    border: Floats,
) -> tuple[RowPoint, Floats, Floats]:
    """Return the point after a step, which is cut until the log posterior, which is concave, still rises at its end."""
    before, share = float(gradient @ move + border @ border_move), 1.0
    smaller = _largest(gradient, border) / 2
    point, found = here, (gradient, border)
    for _ in range(_MOST_CUTS):
        scores = here.scores + share * move
        if not prior.precision:
            scores -= scores.mean()
        point = likelihood.at(scores, here.border + share * border_move)
        found = _gradient(likelihood, prior, point)
        along = float(found[0] @ move + found[1] @ border_move)
        if along >= 0 or _largest(*found) <= smaller:
            break
        share *= min(max(before / (before - along), 0.1), 0.9)
    return point, *found
