"""Compiled choice of a pair; callers check the arguments.

A pair (i, j), i < j, has the code i · 2³² + j. The wishes that it meets are the bits of its key, the first wish the
highest: the pairs of the largest key are kept, and of these the one of the largest value is chosen. Moments are in
units of the noise of an answer. Functions of values mirror those of `penchant.ask.value`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.compiled import compiled, reassociated

Flags = NDArray[np.int8]

ORDER, INFORMATION, WRONG_ORDER, BEST = range(4)
FEWEST, AHEAD, BUSY, LAST = 1, 2, 4, 8
"""Flags of an item: with the fewest answers, and these too few; too far ahead of the last, in another question of the
batch, with the fewest answers."""
NOT_AVOIDED, NOT_BUSY, JOINING, ONE_FEWEST, BOTH_FEWEST, FAIR, NOT_AHEAD = 64, 32, 16, 8, 4, 2, 1
"""The bits of a pair's key; ``FAIR``: no item is ahead, or one is the last."""
KEY, COUNT, PLACE, CODE = range(4)
LARGEST, LEAST, LEAST_VARIANCE, HELD = range(4)
"""Places in the arrays of `keep`."""
ALL_EQUAL, SMALLEST = 0, -1
"""Which pairs `keep` keeps where it is no fixed number."""
_MOST_SHRINKAGE = 2 / math.pi * (1 + 1e-9)
"""φ(q)² / (Φ(q) Φ(−q)) is largest at q = 0."""
_SMALLEST = 1e-12
"""The least variance of a difference."""
_ITEM = 2**32
_LN2 = math.log(2.0)
_WIDTH = math.pi * _LN2 / 2
_ROOT_2, _ROOT_2_PI = math.sqrt(2.0), math.sqrt(2 * math.pi)
_EQUAL = 1e-10
_ROUNDING = 1e-15
"""The information of an answer is a difference of numbers below 1, with a rounding error below this."""
_STEPS, _FARTHEST = 64, 8
_CHANCES = np.array(
    [0.5 * math.erfc(step / (_STEPS * _ROOT_2)) for step in range(_STEPS * _FARTHEST + 1)] + [0.0]
)
"""Φ(−z) at multiples of 1/64. It is convex, so that a line between two of them lies above it."""


@compiled
def chance_below(z: float) -> float:
    """Return Φ(−z)."""
    return 0.5 * math.erfc(z / _ROOT_2)


@compiled
def chance_bound(z: float) -> float:
    """Return an upper bound of Φ(−z), z ≥ 0, that is too large by less than 1e-5."""
    if z >= _FARTHEST:
        return float(_CHANCES[_STEPS * _FARTHEST])
    place = z * _STEPS
    step = int(place)
    share = place - step
    return float(_CHANCES[step] * (1 - share) + _CHANCES[step + 1] * share)


@compiled
def information_gain(difference: float, variance: float) -> float:
    """Return the expected information of an answer, as `penchant.ask.value.information_gain`."""
    chance = chance_below(-difference / math.sqrt(1 + variance))
    entropy = 0.0
    if chance > 0:
        entropy -= chance * math.log(chance)
    if chance < 1:
        entropy -= (1 - chance) * math.log(1 - chance)
    wider = variance + _WIDTH
    conditional = _LN2 * math.sqrt(_WIDTH / wider) * math.exp(-difference * difference / (2 * wider))
    return max(entropy - conditional, 0.0)


@compiled
def value(rule: int, middle: float, difference: float, variance: float) -> float:
    """Return the value of a pair by one of `penchant.ask.value.RULES`; the difference is not negative."""
    if rule == INFORMATION:
        return information_gain(difference, variance)
    sd = math.sqrt(variance)
    z = difference / sd
    if rule == ORDER:
        return information_gain(difference, variance) * chance_below(z)
    if rule == WRONG_ORDER:
        return chance_below(z) * sd
    density = math.exp(-z * z / 2) / _ROOT_2_PI
    return middle + difference * (chance_below(-z) - 0.5) + sd * density


@compiled
def value_bound(rule: int, middle: float, difference: float, variance: float) -> float:
    """Return an upper bound of the value that costs less: the information is largest between equal items.

    There it is ln 2 · (1 − √(w/(variance + w))), w = π ln 2/2.
    """
    if rule == BEST:
        return middle + difference / 2 + math.sqrt(variance) / _ROOT_2_PI
    if rule == WRONG_ORDER:
        sd = math.sqrt(variance)
        return chance_bound(difference / sd) * sd
    information = _LN2 * (1 - math.sqrt(_WIDTH / (variance + _WIDTH))) + _ROUNDING
    if rule == INFORMATION:
        return information
    return information * chance_bound(difference / math.sqrt(variance))


@compiled
def least_variance(rule: int, threshold: float) -> float:
    """Return the variance below which no pair reaches a value, 0 where there is no such limit."""
    if rule == BEST or threshold <= 0:
        return 0.0
    if rule == WRONG_ORDER:
        return float(4 * threshold * threshold * (1 - _EQUAL))
    information = (threshold if rule == INFORMATION else 2 * threshold) - 2 * _ROUNDING
    share = 1 - max(information, 0.0) / _LN2
    if share <= 0:
        return 0.0
    return float(_WIDTH * (1 / (share * share) - 1) * (1 - _EQUAL))


@compiled
def among(code: int, codes: Ints) -> bool:
    """Return whether a code is among sorted ones."""
    low, high = 0, len(codes)
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < len(codes) and codes[low] == code


@compiled
def sort_by_mean(mean: Floats, order: Ints, most_moves: int) -> bool:
    """Sort items by falling mean, and then by index, in place by insertion; False after too many moves."""
    moves = 0
    for place in range(1, len(order)):
        item = order[place]
        score = mean[item]
        free = place
        while free > 0:
            before = order[free - 1]
            if mean[before] > score or (mean[before] == score and before < item):
                break
            order[free] = before
            free -= 1
        order[free] = item
        moves += place - free
        if moves > most_moves:
            return False
    return True


@compiled
def flag(
    answers: Floats,
    open_items: np.ndarray,
    busy: np.ndarray,
    least_answers: float,
    ahead: float,
    flags: Flags,
) -> float:
    """Set the flags of the items that may be asked about, and return the fewest answers of one of them."""
    fewest = np.inf
    for item in range(len(answers)):
        if open_items[item]:
            fewest = min(fewest, answers[item])
    for item in range(len(answers)):
        flags[item] = BUSY if len(busy) and busy[item] else 0
        if answers[item] == fewest:
            flags[item] |= LAST
            if fewest < least_answers:
                flags[item] |= FEWEST
        if answers[item] >= fewest + ahead:
            flags[item] |= AHEAD
    return fewest


@compiled
def several(labels: Ints, open_items: np.ndarray) -> bool:
    """Return whether the items that may be asked about have more than one label."""
    first = -1
    for item in range(len(labels)):
        if open_items[item]:
            if first < 0:
                first = item
            elif labels[item] != labels[first]:
                return True
    return False


@compiled
def key_of(either: int, both: int, joining: bool) -> int:
    """Return the key of a pair that is not to be avoided, from flags that one or both of its items have."""
    key = NOT_AVOIDED
    if not either & BUSY:
        key |= NOT_BUSY
    if joining:
        key |= JOINING
    if either & FEWEST:
        key |= ONE_FEWEST
        if both & FEWEST:
            key |= BOTH_FEWEST
    if not either & AHEAD:
        key |= FAIR | NOT_AHEAD
    elif either & LAST:
        key |= FAIR
    return key


@compiled
def worst_place(values: Floats, codes: Ints) -> int:
    """Return the place of the smallest value, of equal ones that of the largest code."""
    worst = 0
    for place in range(1, len(values)):
        if values[place] < values[worst] or (values[place] == values[worst] and codes[place] > codes[worst]):
            worst = place
    return worst


@compiled
def keep(
    key: int,
    code: int,
    value: float,
    rule: int,
    size: int,
    found: Ints,
    limits: Floats,
    codes: Ints,
    values: Floats,
) -> None:
    """Keep a pair if it is among the best so far.

    Parameters
    ----------
    size : int
        How many pairs to keep, or `ALL_EQUAL`: those that have the largest value, or `SMALLEST`: of these, those that
        may be the one of the smallest code when all pairs have been seen.
    found : int array of shape (4,)
        The largest key so far, the number of pairs of that key that are kept, the place of the worst, and a code: a
        pair of at most the value ``limits[HELD]`` must have a smaller one.
    limits : array of shape (4,)
        The largest value, the value that a pair must reach, the variance below which it cannot, and ``HELD``.
    codes, values : arrays
        The pairs that are kept.
    """
    if key > found[KEY]:
        found[KEY], found[COUNT] = key, 0
        limits[:] = -np.inf
    if key < found[KEY] or value < limits[LEAST] or (value <= limits[HELD] and code > found[CODE]):
        return
    place = found[COUNT]
    if 0 < size == place:
        place = found[PLACE]
    else:
        found[COUNT] += 1
    codes[place], values[place] = code, value
    limits[LARGEST] = max(limits[LARGEST], value)
    if size <= 0:
        limits[LEAST] = limits[LARGEST] - _EQUAL * abs(limits[LARGEST])
        if size == SMALLEST and value == limits[LARGEST]:
            limits[HELD], found[CODE] = value, code
    elif found[COUNT] == size:
        found[PLACE] = worst_place(values[:size], codes[:size])
        limits[LEAST] = limits[HELD] = values[found[PLACE]]
        found[CODE] = codes[found[PLACE]]
    limits[LEAST_VARIANCE] = least_variance(rule, limits[LEAST])


@compiled
def none_kept() -> tuple[Ints, Floats]:
    """Return ``found`` and ``limits`` of `keep` before the first pair."""
    return np.array([-1, 0, 0, 0]), np.full(4, -np.inf)


@reassociated
def product(first: Floats, second: Floats) -> float:
    """Return the scalar product of two vectors."""
    total = 0.0
    for place in range(len(first)):
        total += first[place] * second[place]
    return total


@reassociated
def signed_product(signs: Floats, first: Floats, second: Floats) -> float:
    """Return the sum of the products of entries of three vectors."""
    total = 0.0
    for place in range(len(signs)):
        total += signs[place] * first[place] * second[place]
    return total


@compiled
def best_pairs(
    mean: Floats,
    variance: Floats,
    covariance: Floats,
    terms: Floats,
    signs: Floats,
    unit: float,
    rule: int,
    order: Ints,
    reach: int,
    flags: Flags,
    labels: Ints,
    avoid: Ints,
    forbidden: Ints,
    size: int,
) -> tuple[int, Ints, Floats]:
    """Return the largest key of the pairs at most ``reach`` places apart in ``order``, and the best pairs of that key.

    Parameters
    ----------
    mean, variance, covariance : arrays
        In units of the scores. Without a covariance (shape (0, 0)) items count as independent.
    terms, signs : arrays
        Changes that the covariance lacks, as `penchant.delayed.DelayedMatrix` has them.
    unit : float
        The noise of an answer.
    order : int array
        The items that may be asked about, in order of falling mean.
    labels : int array
        Groups of items, if pairs that join two of them come first; otherwise empty.
    avoid, forbidden : sorted codes
    size : int
        Which pairs to return, see `keep`.

    Returns
    -------
    key : int
        −1 where every pair is forbidden.
    codes, values : arrays
        The pairs, in no order, and their values. Some may fall short of the largest by more than rounding.
    """
    n_items, dense, joined = len(order), len(covariance) > 0, len(labels) > 0
    scores, spread = mean[order] / unit, variance[order] / unit**2
    sd = np.sqrt(np.maximum(spread, 0.0))
    most, most_sd, some = np.max(spread), np.max(sd), any_flags(order, flags)
    room = size if size > 0 else most_pairs(n_items, reach)
    codes, values = np.empty(room, dtype=np.int64), np.empty(room)
    found, limits = none_kept()
    last_difference, last_variance, last_value = -1.0, -1.0, 0.0
    for turn in range(2 * n_items):
        place = turn % n_items
        first = order[place]
        if bool(flags[first] & FEWEST) != (
            turn < n_items
        ):  # the fewest answers first: their pairs rule out others
            continue
        row_key = key_of(flags[first] | (some & (FEWEST | LAST)), flags[first], joined)
        row_variance = (sd[place] + most_sd) ** 2 if dense else spread[place] + most
        if row_key < found[KEY] or (row_key == found[KEY] and row_variance < limits[LEAST_VARIANCE]):
            continue
        for other in range(place + 1, min(place + reach + 1, n_items)):
            second = order[other]
            joining = joined and labels[first] != labels[second]
            key = key_of(flags[first] | flags[second], flags[first] & flags[second], joining)
            if key < found[KEY]:
                continue
            together = sd[place] + sd[other]  # the largest sd of the difference, whatever the covariance
            if key == found[KEY] and (
                together * together < limits[LEAST_VARIANCE]
                or (rule == BEST and scores[place] + together / _ROOT_2_PI < limits[LEAST])
            ):
                continue
            v = spread[place] + spread[other]
            if dense:
                between = covariance[first, second]
                if len(signs):
                    between -= signed_product(signs, terms[first], terms[second])
                v -= 2 * between / unit**2
            if key == found[KEY] and v < limits[LEAST_VARIANCE]:
                continue
            difference = scores[place] - scores[other]
            middle = (scores[place] + scores[other]) / 2
            code = code_of(first, second)
            if difference != last_difference or v != last_variance or rule == BEST:
                bound = value_bound(rule, middle, difference, max(v, _SMALLEST))
                if key == found[KEY] and bound < limits[LEAST]:
                    continue
                last_difference, last_variance = difference, v
                last_value = value(rule, middle, difference, max(v, _SMALLEST))
            if key == found[KEY] and (
                last_value < limits[LEAST] or (last_value <= limits[HELD] and code > found[CODE])
            ):
                continue
            if among(code, forbidden):
                continue
            if among(code, avoid):
                key -= NOT_AVOIDED
            keep(key, code, last_value, rule, size, found, limits, codes, values)
    return found[KEY], codes[: found[COUNT]], values[: found[COUNT]]


@compiled
def any_flags(order: Ints, flags: Flags) -> int:
    """Return the flags that some of the items have."""
    found = 0
    for item in order:
        found |= flags[item]
    return found


@compiled
def code_of(first: int, second: int) -> int:
    """Return the code of a pair."""
    return min(first, second) * _ITEM + max(first, second)


@compiled
def most_pairs(n_items: int, reach: int) -> int:
    """Return the number of pairs of ``n_items`` that are at most ``reach`` places apart."""
    reach = min(reach, n_items - 1)
    return reach * n_items - reach * (reach + 1) // 2


@compiled
def laplacian_product(mean: Floats, covariance: Floats, inside: np.ndarray, width: float) -> Floats:
    """Return C L, in which L is the Laplacian of `penchant.ask.border.expected_gain`."""
    n_items = len(mean)
    found = np.zeros((n_items, n_items))
    for first in range(n_items):
        for second in range(n_items):
            if not inside[first] or inside[second]:
                continue
            variance = covariance[first, first] + covariance[second, second] - 2 * covariance[first, second]
            variance = max(variance, _SMALLEST)
            apart = abs(mean[first] - mean[second]) + width
            weight = apart * math.exp(-apart * apart / (2 * variance)) / (variance * math.sqrt(variance))
            if weight > 0:
                for item in range(n_items):
                    part = weight * (covariance[first, item] - covariance[second, item])
                    found[first, item] += part
                    found[second, item] -= part
    return found.T.copy()


@compiled
def shrinkage(difference: float, variance: float) -> float:
    """Return φ(q)² / ((1 + variance) Φ(q) Φ(−q)), q = difference/√(1 + variance) ≥ 0."""
    q = difference / math.sqrt(1 + variance)
    density = math.exp(-q * q / 2) / _ROOT_2_PI
    below = chance_below(q)
    hazard = density / below if below > 1e-290 else q
    return density * hazard / ((1 + variance) * (1 - below))


@compiled
def best_border_pairs(
    mean: Floats,
    covariance: Floats,
    inside: np.ndarray,
    width: float,
    items: Ints,
    flags: Flags,
    labels: Ints,
    avoid: Ints,
    forbidden: Ints,
    size: int,
) -> tuple[int, Ints, Floats]:
    """Return the largest key of the pairs of ``items``, and those of the largest gain for finding the top.

    Parameters
    ----------
    mean, covariance, inside : arrays
        Of ``items`` alone, in units of the noise of an answer.
    items : int array
        Sorted rows.
    flags, labels, avoid, forbidden, size
        As in `best_pairs`.
    """
    n_items, joined = len(items), len(labels) > 0
    along = laplacian_product(mean, covariance, inside, width)
    own, root = np.empty(n_items), np.empty(n_items)
    for place in range(n_items):
        own[place] = product(covariance[place], along[place])
        root[place] = math.sqrt(max(own[place], 0.0))
    codes, values = (
        np.empty(most_pairs(n_items, n_items), dtype=np.int64),
        np.empty(most_pairs(n_items, n_items)),
    )
    found, limits = none_kept()
    for place in range(n_items):
        first = items[place]
        for other in range(place + 1, n_items):
            second = items[other]
            joining = joined and labels[first] != labels[second]
            key = key_of(flags[first] | flags[second], flags[first] & flags[second], joining)
            variance = covariance[place, place] + covariance[other, other] - 2 * covariance[place, other]
            variance = max(variance, _SMALLEST)
            bound = _MOST_SHRINKAGE * (root[place] + root[other]) ** 2 / (1 + variance)
            if key < found[KEY] or (key == found[KEY] and bound < limits[LEAST]):
                continue
            code = code_of(first, second)
            if among(code, forbidden):
                continue
            if among(code, avoid):
                key -= NOT_AVOIDED
            if key < found[KEY]:
                continue
            reduction = own[place] + own[other] - 2 * product(covariance[place], along[other])
            gain = shrinkage(abs(mean[place] - mean[other]), variance) * reduction
            keep(key, code, gain, BEST, size, found, limits, codes, values)
    return found[KEY], codes[: found[COUNT]], values[: found[COUNT]]
