"""Maximise the log posterior of Plackett–Luce by Newton's method with conjugate gradients."""

from __future__ import annotations

from warnings import warn

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.linalg import Product, conjugate_gradients
from penchant.progress import converging
from penchant.worth.inference.stages import Curve, Stages

_MOST_STEPS = 200
_TOLERANCE = 1e-9
_ROUNDING = 1e-14
_LONGEST_STEP = 4.0


def with_prior(curve: Curve, prior: float) -> tuple[Product, Floats]:
    """Return the product with the negative curvature of the log posterior, and its diagonal."""

    def product(values: Floats) -> Floats:
        if values.ndim == 1:
            return curve.product(values) + prior * values
        return np.column_stack([product(column) for column in values.T])

    diagonal = curve.diagonal() + prior
    return product, np.where(diagonal > 0, diagonal, 1.0)


def most_likely(stages: Stages, prior: float) -> Floats:
    """Return the scores that maximise the log posterior, by Newton's method with conjugate gradients.

    It always starts from 0, so that the result depends on the answers alone.
    """
    scores = np.zeros(stages.n_items)
    curve = stages.at(scores)
    flat = _ROUNDING * float(stages.chosen.max(initial=0.0))
    first = 0.0
    for _ in range(_MOST_STEPS):
        gradient = curve.gradient - prior * scores
        gradient -= (
            gradient.mean()
        )  # nothing but rounding; scores sum to 0, and the curvature may vanish along 1
        if np.abs(gradient).max(initial=0.0) <= flat:
            return scores
        product, diagonal = with_prior(curve, prior)
        size = float(np.sqrt((gradient**2 / diagonal).sum()))
        tolerance = min(0.1, max(1e-6, size))
        step = conjugate_gradients(product, diagonal, gradient, tolerance=tolerance)
        if _widest(stages, step) > 2 * _LONGEST_STEP:
            # Where choices are nearly certain, the curvature vanishes and Newton's step is far too long. It is
            # that of a graph, so that with a damping d no item moves by more than gradient / d (Levenberg 1944).
            damping = np.maximum(np.abs(gradient), 1e-6 * np.abs(gradient).max()) / _LONGEST_STEP
            step = conjugate_gradients(
                _damped(product, damping), diagonal + damping, gradient, tolerance=tolerance
            )
        step -= step.mean()
        first = first or float(np.abs(step).max())
        converging(float(np.abs(step).max()), first, _TOLERANCE)
        if np.abs(step).max() <= _TOLERANCE:
            return scores + step
        scores, curve = _line_search(stages, prior, scores, curve, step, float((gradient * step).sum()))
    warn(
        f"scores may still move by {np.abs(step).max():.1e} after {_MOST_STEPS} steps: set a larger prior",
        PenchantWarning,
        stacklevel=6,
    )
    return scores


def _damped(product: Product, damping: Floats) -> Product:
    return lambda values: product(values) + damping * values


def _widest(stages: Stages, step: Floats) -> float:
    """Return the most by which a step changes the difference of two members of an order, or more if that is small."""
    width = float(step.max() - step.min())
    if width <= 2 * _LONGEST_STEP or not stages.blocks:
        return width
    high, low = np.append(step, -np.inf), np.append(step, np.inf)
    return max(
        float((high[block.members].max(axis=0) - low[block.members].min(axis=0)).max())
        for block in stages.blocks
    )


def _line_search(
    stages: Stages, prior: float, scores: Floats, curve: Curve, step: Floats, slope: float
) -> tuple[Floats, Curve]:
    """Take the step, halved until the log posterior rises by a share of what the gradient predicts (Armijo)."""

    def log_posterior(at: Floats, curve: Curve) -> float:
        return curve.value - 0.5 * prior * float((at**2).sum())

    start = log_posterior(scores, curve)
    # The value is a small difference of large sums where some orders have large weights.
    rounding = 1e-13 * abs(start) + _ROUNDING * float((stages.chosen * np.abs(scores)).sum())
    size = 1.0
    while True:
        moved = scores + size * step
        curve = stages.at(moved)
        if log_posterior(moved, curve) >= start + 1e-4 * size * slope - rounding or size < 1e-9:
            return moved, curve
        size /= 2
