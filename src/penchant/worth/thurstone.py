"""Thurstone's model of paired comparisons, Case V, with the ties of Glenn and David."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from penchant.checks import Floats
from penchant.schema import Maybe, Number
from penchant.worth.inference.newton import Derivatives, Link
from penchant.worth.paired import PairedWorth

_ROOT_2 = np.sqrt(2.0)


class _NormalLink(Link):
    """The first is preferred when it is perceived better by more than ε, the tie parameter (Glenn and David 1960).

    Each perception has noise 1, so that the difference of two has standard deviation √2.
    """

    tie_floor = 0.0
    logit = 0.83

    def first_tie(self, share: float) -> float:
        from scipy.special import ndtri

        return float(_ROOT_2 * ndtri((1 + share) / 2))

    def decided(self, difference: Floats, weight: Floats) -> Derivatives:
        won, lost, _ = weight
        first, second = difference / _ROOT_2, -difference / _ROOT_2
        up, down = _hazard(first), _hazard(second)
        curvature = won * up * (up + first) + lost * down * (down + second)
        return Derivatives((won * up - lost * down) / _ROOT_2, np.maximum(curvature, 0) / 2)

    def tied(self, difference: Floats, weight: Floats, tie: float) -> Derivatives:
        won, lost, equal = weight
        first, second = (difference - tie) / _ROOT_2, (-difference - tie) / _ROOT_2
        up, down = _hazard(first), _hazard(second)
        up_curvature, down_curvature = up * (up + first) / 2, down * (down + second) / 2
        by_d, by_tie, square, cross = _equal(difference, tie)
        return Derivatives(
            won * up / _ROOT_2 - lost * down / _ROOT_2 + equal * by_d,
            won * up_curvature + lost * down_curvature + equal * (square + by_d**2),
            -won * up / _ROOT_2 - lost * down / _ROOT_2 + equal * by_tie,
            -won * up_curvature + lost * down_curvature + equal * (cross + by_d * by_tie),
            won * up_curvature + lost * down_curvature + equal * (square + by_tie**2),
        )

    def log_likelihood(self, difference: Floats, weight: Floats, tie: float | None) -> Floats:
        from scipy.special import log_ndtr

        won, lost, equal = weight
        margin = 0.0 if tie is None else tie
        near, far = (difference - margin) / _ROOT_2, (-difference - margin) / _ROOT_2
        result: Floats = won * log_ndtr(near) + lost * log_ndtr(far)
        if tie is not None:
            result += equal * _log_equal(difference, tie)
        return result

    def outcomes(self, difference: Floats, tie: float | None) -> Floats:
        from scipy.special import ndtr

        margin = 0.0 if tie is None else tie
        far, near = (np.abs(difference) + margin) / _ROOT_2, (np.abs(difference) - margin) / _ROOT_2
        likely, unlikely = ndtr(near), ndtr(-far)
        first = np.where(difference < 0, unlikely, likely)
        second = np.where(difference < 0, likely, unlikely)
        both = np.zeros_like(first) if tie is None else ndtr(-near) - ndtr(-far)
        return np.stack([first, both, second], axis=-1)


def _hazard(x: Floats) -> Floats:
    """Return φ(x) / Φ(x), accurate in both tails."""
    from scipy.special import erfcx

    hazard: Floats = np.sqrt(2 / np.pi) / erfcx(-x / _ROOT_2)
    return hazard


def _mills(x: Floats) -> Floats:
    """Return (1 − Φ(x)) / φ(x)."""
    from scipy.special import erfcx

    ratio: Floats = np.sqrt(np.pi / 2) * erfcx(x / _ROOT_2)
    return ratio


def _equal(difference: Floats, tie: float) -> tuple[Floats, Floats, Floats, Floats]:
    """Return the derivatives of log P(tie) by d and by ε, and the parts of its second derivatives beside their product.

    With |d|, P(tie) = Φ(b) − Φ(a) for a = (|d| − ε)/√2, b = (|d| + ε)/√2, and φ(b)/φ(a) = e^{−|d| ε}.
    """
    size = np.abs(difference)
    near, far = (size - tie) / _ROOT_2, (size + tie) / _ROOT_2
    shrink = np.exp(-size * tie)
    at_near = 1 / np.maximum(_mills(near) - shrink * _mills(far), np.finfo(float).tiny)
    at_far = shrink * at_near
    side = np.sign(difference)
    square = (far * at_far - near * at_near) / 2
    cross = side * (far * at_far + near * at_near) / 2
    return side * (at_far - at_near) / _ROOT_2, (at_far + at_near) / _ROOT_2, square, cross


def _log_equal(difference: Floats, tie: float) -> Floats:
    """Return log P(tie), from the tails where it is near 1 and from ratios of tails where it is near 0."""
    from scipy.special import ndtr

    size = np.abs(difference)
    inner, outer = (size - tie) / _ROOT_2, (size + tie) / _ROOT_2
    upper = np.maximum(inner, 0.0)
    mass = np.maximum(_mills(upper) - np.exp(-size * tie) * _mills(outer), np.finfo(float).tiny)
    far = np.log(mass) - upper**2 / 2 - np.log(2 * np.pi) / 2
    likely = np.log1p(-np.minimum(ndtr(inner) + ndtr(-outer), 1 - 1e-15))
    result: Floats = np.where(inner < 0, likely, far)
    return result


class Thurstone(PairedWorth):
    """Each item is perceived as its score plus noise with standard deviation 1 (Thurstone 1927, Case V).

    P(a is preferred to b) = Φ((score of a − score of b) / √2). Ties, where there are any, follow Glenn and
    David (1960): two items are called equal when their perceptions differ by no more than ε, which is learned
    as well.

    Parameters
    ----------
    prior, errors, feature_prior
        As in `BradleyTerry`; the half-normal prior of the standard deviation has 2.5, which is about as much on this
        scale.

    Attributes
    ----------
    scores_ : array of shape (n_items,)
        In units of the noise of one perception; those of the items sum to 0, the bar of both-bad answers apart.
    tie_ : float or None
        ε: how far two perceptions may differ and still be called equal. None if nothing was tied. The prior
        leaves it alone, as in `BradleyTerry`.
    prior_, coef_
        As in `BradleyTerry`.

    Examples
    --------
    >>> from penchant import Preferences
    >>> pairs = [("tea", "water")] * 6 + [("water", "tea")] * 2 + [("tea", "coffee")] * 3 + [("coffee", "water")] * 3
    >>> model = Thurstone().fit(Preferences.from_pairs(pairs))
    >>> model.rank().items
    ('tea', 'coffee', 'water')
    >>> round(model.win_probability("tea", "water"), 2)
    0.79
    """

    noise_ = 1.0
    _link = _NormalLink()

    __saved__: ClassVar = PairedWorth.__saved__.extended(learned={"tie_": Maybe(Number(0, 700))})
