"""What makes a question worth asking. A pair's difference in; by each rule, a number out.

Differences come in units of the noise of an answer, so that a judge prefers the first with Φ(difference).
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
"""The rule of `penchant.ask.border`, which looks at all pairs together."""


@dataclass(frozen=True, eq=False)
class Doubt:
    """What is believed about some pairs.

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
    """Return what an answer tells times the chance that the two are in the wrong order now.

    What would not change the ranking is not asked, and a pair comes back as long as it is the most doubtful.
    """
    worth: Floats = information(doubt) * chance_of_wrong_order(doubt.difference, doubt.variance)
    return worth


def information(doubt: Doubt) -> Floats:
    """Return what an answer is expected to tell about the difference."""
    return information_gain(doubt.difference, doubt.variance)


def wrong_order(doubt: Doubt) -> Floats:
    """Return the chance of a wrong order times the width of the doubt."""
    worth: Floats = chance_of_wrong_order(doubt.difference, doubt.variance) * np.sqrt(doubt.variance)
    return worth


def best(doubt: Doubt) -> Floats:
    """Return the expected score of the better of the two: whoever wins is good."""
    return doubt.middle + expected_better(doubt.difference, doubt.variance)


RULES: dict[str, Callable[[Doubt], Floats]] = {
    "order": order,
    "information": information,
    "wrong-order": wrong_order,
    "best": best,
}


def check_rule(rule: str, top: int | None, n_items: int) -> None:
    """Refuse a rule that there is none of, and a top that the items do not have."""
    known = [*RULES, TOP, "random"]
    one_of("rule", rule, known)
    if (rule == "top") != (top is not None):
        raise InvalidInput(f"top must be given with the rule 'top' and only there, got top={top}: give both")
    check_top(top, n_items)


def check_top(top: int | None, n_items: int) -> None:
    """Refuse a top that is not a part of the items."""
    if top is not None:
        whole("top", top, 1, n_items - 1, remedy="name a part of the items")
