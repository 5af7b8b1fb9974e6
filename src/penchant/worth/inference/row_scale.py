"""The posterior of rows with covariates when the scale of the scores' prior is learned, by Laplace's approximation.

At each scale the mode of scores and coefficients is found and the evidence is that of a normal distribution with its
curvature; the scales and their weights then follow as without covariates (`learned_scale`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats
from penchant.progress import Parts, part
from penchant.worth.inference.learned_scale import SCALE, START, PriorOf, n_scales, precision_at_mode
from penchant.worth.inference.posterior import DENSE_ITEMS
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.row_likelihood import RowLikelihood, RowPoint
from penchant.worth.inference.row_newton import RowMode, maximise_rows
from penchant.worth.inference.scale_density import ScaleDensity

_EXPECTED_SEARCHES = 5  # scales that are looked at before the density is known
_ENOUGH = 0.01
"""By how much a further step would raise twice the log posterior where a search for the scale stops."""
_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class RowComponent:
    """One scale: its weight, and the mode at it."""

    weight: float
    mode: RowMode


def learn_row_scale(
    likelihood: RowLikelihood, prior_of: PriorOf, start: RowPoint, *, most: int
) -> tuple[RowComponent, ...]:
    """Return the modes at up to ``most`` scales, with their weights.

    Parameters
    ----------
    likelihood : RowLikelihood
    prior_of : callable
        From the precision of the scores to their prior.
    start : RowPoint
        Where the search begins.
    most : int
    """
    with part(0, 3):
        first = maximise_rows(likelihood, prior_of(START), start, enough=_ENOUGH)
    limit = SCALE * likelihood.link.logit
    scores, n_real = first.point.scores, first.prior.n_real
    information = likelihood.graph.gross(first.point.sums.curvature)
    if likelihood.graph.n_items > DENSE_ITEMS:
        precision = precision_at_mode(scores, information, prior_of, limit)
        with part(1, 2):
            return (RowComponent(1.0, maximise_rows(likelihood, prior_of(precision), first.point)),)
    error, size = float((1 / (information + START))[:n_real].mean()), float(scores[:n_real].var())
    begin = float(np.log(np.sqrt(max(size - error, size / 4, (limit / 30) ** 2))))
    search = _Search(likelihood, prior_of, first.point)
    with part(1, 3):
        density = ScaleDensity.from_evidence(search.evidence, limit, begin)
    points, weights = density.rule(n_scales(density.sd, most=most))
    with part(2, 3):
        search.parts = Parts(len(points))
        return tuple(
            RowComponent(float(weight), search.mode(float(t)))
            for t, weight in zip(points, weights, strict=True)
        )


class _Search:
    """Modes at one scale after the other, each from the nearest one before."""

    def __init__(self, likelihood: RowLikelihood, prior_of: PriorOf, start: RowPoint) -> None:
        self._likelihood, self._prior_of = likelihood, prior_of
        self._found: dict[float, RowPoint] = {}
        self.parts = Parts(_EXPECTED_SEARCHES)
        self._start = start

    def mode(self, t: float, enough: float = 0.0) -> RowMode:
        """Return the mode at the scale eᵗ."""
        near = min(self._found, key=lambda scale: abs(scale - t), default=None)
        start = self._start if near is None else self._found[near]
        with self.parts.next():
            mode = maximise_rows(self._likelihood, self._prior(t), start, enough=enough)
        self._found[t] = mode.point
        return mode

    def evidence(self, t: float) -> tuple[float, float]:
        """Return the logarithm of the evidence at the scale eᵗ, and its derivative with the curvature held fixed."""
        mode = self.mode(t, _ENOUGH)
        hessian = mode.hessian(self._likelihood)
        matrix = hessian.matrix()
        n_items, scores = hessian.n_items, mode.point.scores
        tie = (
            mode.prior.tie_precision * float(mode.point.border[-1]) ** 2 if self._likelihood.has_ties else 0.0
        )
        sign, log_determinant = np.linalg.slogdet(matrix)
        if sign <= 0:
            log_determinant = float(np.linalg.slogdet(matrix + 1e-9 * np.diag(np.diag(matrix)))[1])
        covariance = np.linalg.inv(matrix)[:n_items, :n_items].astype(np.float64)
        value = (
            mode.point.value + self._of_prior(t, scores) + mode.decrement / 2 - tie / 2 - log_determinant / 2
        )
        up, down = (self._of_prior(t + step, scores, covariance) for step in (_STEP, -_STEP))
        return value, (up - down) / (2 * _STEP)

    def _prior(self, t: float) -> Prior:
        return self._prior_of(float(np.exp(-2 * t)))

    def _of_prior(self, t: float, scores: Floats, covariance: Floats | None = None) -> float:
        """Return the log density of the prior at ``scores``, less half the trace of its precision times a covariance.

        The trace is left out where no covariance is given.
        """
        prior = self._prior(t)
        density = prior.log_determinant / 2 - float(scores @ prior.product(scores)) / 2
        if covariance is None:
            return density
        if prior.features.shape[1]:
            return density - float((prior.matrix() * covariance).sum()) / 2
        return density - float(prior.own @ np.diag(covariance)) / 2
