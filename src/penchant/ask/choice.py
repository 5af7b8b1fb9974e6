"""Choose a pair with NumPy, for any belief; also the reference of the compiled choice."""

from __future__ import annotations

import numpy as np

from penchant.ask.border import contenders, expected_gain
from penchant.ask.candidates import ALL_PAIRS, all_pairs, by_mean, drawn, missing, neighbours
from penchant.ask.value import RULES, Doubt, indifference_width
from penchant.ask.wishes import Pair, Pairs, Wishes, pair_of
from penchant.belief import Moments, difference_variance, upper_variance
from penchant.checks import Floats, Ints
from penchant.counts import Counts
from penchant.threads import one_thread

SHORTLIST = 64
"""Of many items, covariances are computed for so many pairs."""
ELSEWHERE = "order"
"""The rule by which pairs are chosen that are not near the border of a top: an item or a group needs an answer."""
_FEW = 16
"""Up to so many pairs are compared without arrays, which takes less time."""
EQUAL = 1e-10
"""Values that differ by less than this share are equal."""


def choose(
    moments: Moments,
    answers: Counts,
    wishes: Wishes,
    *,
    rule: str,
    top: int | None,
    unit: float,
    seed: int | None,
) -> Pair:
    """Return the pair of the largest value among those that meet the most wishes.

    Parameters
    ----------
    unit : float
        The noise of an answer.
    """
    mean = moments.mean
    order = by_mean(mean, np.flatnonzero(wishes.open))
    items = None if top is None else near_border(mean, upper_variance(moments), order, top)
    pairs = wishes.kept(_candidates(order, items, rule, wishes, seed), answers)
    if len(order) > ALL_PAIRS:
        more = missing(order, wishes, answers, pairs)
        if len(more.first):
            found, pairs = pairs, wishes.kept(joined(pairs, more), answers)
            if items is not None and not np.array_equal(pairs.codes, np.sort(found.codes)):
                rule, items = ELSEWHERE, None
    if rule == "random":
        return best_of(pairs.codes, np.zeros(len(pairs.first)), seed)
    with one_thread():
        if items is not None and top is not None:
            pairs, worth = _at_border(moments, mean, pairs, items, order[: min(top, len(order) - 1)], unit)
        else:
            if len(order) > ALL_PAIRS and len(pairs.first) > SHORTLIST:
                pairs = _shortlist(moments, mean, pairs, rule, unit)
            spread = difference_variance(moments, pairs.first, pairs.second)
            worth = weigh(mean, pairs, spread, rule, unit)
    return best_of(pairs.codes, worth, seed)


def _candidates(order: Ints, items: Ints | None, rule: str, wishes: Wishes, seed: int | None) -> Pairs:
    """Return the candidate pairs, preferred ones included."""
    if items is not None:
        pairs = all_pairs(items)
    elif len(order) <= ALL_PAIRS:
        pairs = all_pairs(np.sort(order))
    elif rule == "random":
        pairs = drawn(np.sort(order), seed)
    else:
        pairs = neighbours(order)
    return joined(pairs, Pairs.of_codes(wishes.preferred)) if len(wishes.preferred) else pairs


def joined(pairs: Pairs, more: Pairs) -> Pairs:
    """Return the pairs of both, each once."""
    return Pairs.of_codes(np.union1d(pairs.codes, more.codes))


def near_border(mean: Floats, variance: Floats, order: Ints, top: int) -> Ints:
    """Return the items that the rule ``top`` compares, sorted: all of few, else those near the border."""
    if len(order) <= ALL_PAIRS:
        return np.sort(order)
    return contenders(mean, variance, order, min(top, len(order) - 1))


def weigh(mean: Floats, pairs: Pairs, variance: Floats, rule: str, unit: float) -> Floats:
    """Return the value of each pair by a rule other than ``top``, given the variance of its difference."""
    first, second = mean[pairs.first], mean[pairs.second]
    return RULES[rule](Doubt((first + second) / (2 * unit), (first - second) / unit, variance / unit**2))


def _shortlist(moments: Moments, mean: Floats, pairs: Pairs, rule: str, unit: float) -> Pairs:
    """Return the pairs of the largest value if scores were independent."""
    own = upper_variance(moments)
    rough = weigh(mean, pairs, own[pairs.first] + own[pairs.second], rule, unit)
    return pairs.at(_largest(rough, pairs.codes))


def _largest(values: Floats, codes: Ints) -> Ints:
    """Return the places of the largest values, of equal ones those of the smallest codes."""
    least = -np.partition(-values, SHORTLIST - 1)[SHORTLIST - 1]
    above, equal = np.flatnonzero(values > least), np.flatnonzero(values == least)
    equal = equal[np.argsort(codes[equal])][: SHORTLIST - len(above)]
    return np.concatenate([above, equal])


def _at_border(
    moments: Moments, mean: Floats, pairs: Pairs, items: Ints, best: Ints, unit: float
) -> tuple[Pairs, Floats]:
    """Return pairs with their expected gain for finding the top, whose members by their means are ``best``.

    Of many preferred pairs that are far from the border, those with the nearest items are weighed.
    """
    inside = np.zeros(len(mean), dtype=bool)
    inside[best] = True
    others = np.setdiff1d(np.concatenate([pairs.first, pairs.second]), items)
    if len(others) > SHORTLIST:
        away = np.abs(mean - mean[best[-1]])
        pairs = pairs.at(_largest(-(away[pairs.first] + away[pairs.second]), pairs.codes))
        others = np.setdiff1d(np.concatenate([pairs.first, pairs.second]), items)
    items = np.union1d(items, others)
    scaled = moments.covariance(items, items) / unit**2
    gain = expected_gain(mean[items] / unit, scaled, inside[items], width=indifference_width(1.0))
    return pairs, gain[np.searchsorted(items, pairs.first), np.searchsorted(items, pairs.second)]


def best_of(codes: Ints, worth: Floats, seed: int | None) -> Pair:
    """Return the pair of the largest value, of equal ones the smallest, or one by the seed."""
    if len(codes) == 1:
        return pair_of(int(codes[0]))
    if seed is None and len(codes) <= _FEW:
        values = worth.tolist()
        least = max(values) - EQUAL * abs(max(values))
        return pair_of(
            min(code for code, value in zip(codes.tolist(), values, strict=True) if value >= least)
        )
    largest = worth.max()
    best = codes[worth >= largest - EQUAL * abs(largest)]
    if seed is None:
        return pair_of(int(best.min()))
    equal = np.unique(best)
    return pair_of(int(equal[np.random.default_rng(seed).integers(len(equal))]))
