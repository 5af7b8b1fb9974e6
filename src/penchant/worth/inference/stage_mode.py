"""The most likely worth from orders. Stages and a prior in; scores out."""

from __future__ import annotations

from warnings import warn

import numpy as np

from penchant.checks import Floats
from penchant.errors import PenchantWarning
from penchant.linalg import Product, conjugate_gradients
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

    It starts from 0 and nowhere else, so that the result is a function of the answers alone.
    """
    scores = np.zeros(stages.n_items)
    curve = stages.at(scores)
    flat = _ROUNDING * float(stages.chosen.max(initial=0.0))
    for _ in range(_MOST_STEPS):
        gradient = curve.gradient - prior * scores
        gradient -= (
            gradient.mean()
        )  # nothing but rounding; scores sum to 0, and the curvature may vanish along 1
        if np.abs(gradient).max(initial=0.0) <= flat:
            return scores
        product, diagonal = with_prior(curve, prior)
        steepness = float(np.sqrt((gradient**2 / diagonal).sum()))
        tolerance = min(0.1, max(1e-6, steepness))
        step = conjugate_gradients(product, diagonal, gradient, tolerance=tolerance)
        if _widest(stages, step) > 2 * _LONGEST_STEP:
            # Where choices are as good as certain, the curvature vanishes and Newton's step leads far too far. It is
            # that of a graph, so that with a damping d no item moves by more than gradient / d (Levenberg 1944).
            damping = np.maximum(np.abs(gradient), 1e-6 * np.abs(gradient).max()) / _LONGEST_STEP
            step = conjugate_gradients(
                _damped(product, damping), diagonal + damping, gradient, tolerance=tolerance
            )
        step -= step.mean()
        if np.abs(step).max() <= _TOLERANCE:
            return scores + step
        scores, curve = _climb(stages, prior, scores, curve, step, float((gradient * step).sum()))
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
    spread = float(step.max() - step.min())
    if spread <= 2 * _LONGEST_STEP or not stages.blocks:
        return spread
    high, low = np.append(step, -np.inf), np.append(step, np.inf)
    return max(
        float((high[block.members].max(axis=0) - low[block.members].min(axis=0)).max())
        for block in stages.blocks
    )


def _climb(
    stages: Stages, prior: float, scores: Floats, curve: Curve, step: Floats, promise: float
) -> tuple[Floats, Curve]:
    """Go the ``step``, or so much of it that the log posterior rises by a part of what the gradient promises."""

    def height(place: Floats, there: Curve) -> float:
        return there.value - 0.5 * prior * float((place**2).sum())

    here = height(scores, curve)
    # The value is a small difference of large sums where some orders have large weights.
    rounding = 1e-13 * abs(here) + _ROUNDING * float((stages.chosen * np.abs(scores)).sum())
    size = 1.0
    while True:
        place = scores + size * step
        there = stages.at(place)
        if height(place, there) >= here + 1e-4 * size * promise - rounding or size < 1e-9:
            return place, there
        size /= 2
