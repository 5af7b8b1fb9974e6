"""The value of comparing two items, given the posterior of the difference of their scores."""

from __future__ import annotations

import numpy as np

from penchant.checks import Floats

EQUAL_ENOUGH = 0.6
"""Two items count as tied when the better one gets fewer than this share of the answers."""
_LN2 = np.log(2.0)
_WIDTH = np.pi * _LN2 / 2
"""The entropy of an answer falls off like exp(−d²/(π ln 2)) around equal items (Houlsby et al. 2011)."""


def information_gain(difference: Floats, variance: Floats) -> Floats:
    """Return the expected information in nats of an answer about the difference of two items.

    The answer is a probit one of noise 1 on the difference d, whose posterior is normal:
    h(E Φ(d)) − E h(Φ(d)), with h the entropy of a yes or no, and the second term by the approximation
    h(Φ(d)) ≈ ln 2 · exp(−d²/(π ln 2)) (Houlsby et al. 2011), which is within 0.5 % of ln 2.

    Parameters
    ----------
    difference, variance : arrays of one shape
        Mean and variance of d.

    Examples
    --------
    >>> information_gain(np.array([0.0, 0.0, 4.0]), np.array([1.0, 0.01, 1.0])).round(3)
    array([0.193, 0.003, 0.006])
    """
    from scipy.special import entr, ndtr

    chance = ndtr(difference / np.sqrt(1 + variance))
    entropy = entr(chance) + entr(1 - chance)
    conditional = (
        _LN2 * np.sqrt(_WIDTH / (variance + _WIDTH)) * np.exp(-(difference**2) / (2 * (variance + _WIDTH)))
    )
    gain: Floats = np.maximum(entropy - conditional, 0.0)
    return gain


def chance_of_wrong_order(difference: Floats, variance: Floats) -> Floats:
    """Return the probability that the item of the larger mean is the worse one.

    Examples
    --------
    >>> chance_of_wrong_order(np.array([0.0, 2.0]), np.array([1.0, 1.0])).round(3)
    array([0.5  , 0.023])
    """
    from scipy.special import ndtr

    chance: Floats = ndtr(-np.abs(difference) / np.sqrt(variance))
    return chance


def expected_better(difference: Floats, variance: Floats) -> Floats:
    """Return the expected distance of the better of two items from the middle of the two, E|d|/2.

    Examples
    --------
    >>> expected_better(np.array([0.0, 4.0]), np.array([1.0, 1.0])).round(3)
    array([0.399, 2.   ])
    """
    from scipy.special import ndtr

    sd = np.sqrt(variance)
    z = difference / sd
    density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi)
    better: Floats = difference * (ndtr(z) - 0.5) + sd * density
    return better


def indifference_width(noise: float) -> float:
    """Return the difference below which two items count as tied, for answers with noise of sd ``noise``.

    Examples
    --------
    >>> round(indifference_width(1.0), 4)
    0.2533
    """
    from scipy.special import ndtri

    return float(noise * ndtri(EQUAL_ENOUGH))
