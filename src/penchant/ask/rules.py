"""The rules that value a pair by the posterior of its difference.

Differences are in units of the noise of an answer, so that a judge prefers the first with Φ(difference).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from penchant.ask.value import chance_of_wrong_order, expected_better, information_gain
from penchant.checks import Floats, one_of, whole
from penchant.errors import InvalidInput

DEFAULT = "order"
TOP = "top"
"""The rule of `penchant.ask.border`, which values all pairs together."""


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
