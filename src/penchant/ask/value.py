"""The value of comparing two items, given the posterior of the difference of their scores, and the rules made of it.

Differences are in units of the noise of an answer, so that a judge prefers the first with Φ(difference).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats, one_of, whole
from penchant.errors import InvalidInput

DEFAULT = "order"
TOP = "top"
"""The rule of `penchant.ask.border`, which values all pairs together."""
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


@dataclass(frozen=True, eq=False)
class Doubt:
    """The posterior of the differences of some pairs.

    Attributes
    ----------
    middle : array of shape (m,)
        The mean score of the two.
    difference, variance : arrays of shape (m,)
        Of the first less the second.
    """

    middle: Floats
    difference: Floats
    variance: Floats


def order(doubt: Doubt) -> Floats:
    """Return the expected information of an answer times the probability that the two are in the wrong order.

    Pairs whose answer would not change the ranking have little value, and a pair is repeated while it has the most.
    """
    worth: Floats = information(doubt) * chance_of_wrong_order(doubt.difference, doubt.variance)
    return worth


def information(doubt: Doubt) -> Floats:
    """Return the expected information of an answer about the difference."""
    return information_gain(doubt.difference, doubt.variance)


def wrong_order(doubt: Doubt) -> Floats:
    """Return the probability of a wrong order times the sd of the difference."""
    worth: Floats = chance_of_wrong_order(doubt.difference, doubt.variance) * np.sqrt(doubt.variance)
    return worth


def best(doubt: Doubt) -> Floats:
    """Return the expected score of the better of the two."""
    return doubt.middle + expected_better(doubt.difference, doubt.variance)


RULES: dict[str, Callable[[Doubt], Floats]] = {
    "order": order,
    "information": information,
    "wrong-order": wrong_order,
    "best": best,
}


def check_rule(rule: str, top: int | None, n_items: int) -> None:
    """Reject an unknown rule, and a top that does not go with the rule or the items."""
    one_of("rule", rule, [*RULES, TOP, "random"])
    if (rule == "top") != (top is not None):
        raise InvalidInput(f"top must be given with the rule 'top' and only there, got top={top}: give both")
    check_top(top, n_items)


def check_top(top: int | None, n_items: int) -> None:
    """Reject a top that is not a whole number of at least 1 that leaves an item out."""
    if top is not None:
        whole("top", top, 1, n_items - 1, remedy="name a part of the items")
