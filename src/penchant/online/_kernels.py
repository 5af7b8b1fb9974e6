"""Compiled expectation propagation, one answer at a time, with a dense covariance; callers check the arguments.

The belief is a mixture of K components N(mean, covariance) over N rows: the items and, last, the bar of both-bad
answers where there is one. Every pair that was compared has one site exp(ν d − ½ τ d²) in each component, in place of
the likelihood of all answers about the pair, where d is the difference of its two rows.

Arrays
------
pairs : int32, (capacity, 2)
    The rows of each pair, the lower first. Only the first ``counters[PAIRS]`` entries hold pairs.
totals : (capacity, 3)
    The weight of the answers that prefer the first, that prefer the second, and that call the two equal.
sites : (K, capacity, 3)
    τ, ν, and the precision of the difference under the prior.
place : int32, (N, N)
    The number of each pair at [first, second], −1 where it was not compared.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.compiled import compiled, reassociated

LOGISTIC, PROBIT = 0, 1
PAIRS, COMPARED, STEPS = range(3)
"""Entries of ``counters``: pairs that were compared, items that were, rank-one steps so far."""
TAU, NU, LEAST = range(3)
_LEAST_SHRINK = 0.05
"""A step shrinks a variance to no less than this share of it, and widens it to no more than the inverse."""
_MOST_MATCHES, _MATCHED = 12, 1e-3
_MOVED = 1e-4
"""A revisited pair whose mean moves by less than this share of its sd, and whose variance by less, is left as it is."""
_ROOT_2, _ROOT_PI, _LOG_2_PI = math.sqrt(2.0), math.sqrt(math.pi), math.log(2 * math.pi)
_TINY = 1e-300


@compiled
def log_chance(z: float) -> float:
    """Return log Φ(z)."""
    if z > -30:
        return math.log(0.5 * math.erfc(-z / _ROOT_2))
    square = z * z
    return -square / 2 - math.log(-z) - _LOG_2_PI / 2 + math.log1p(-1 / square + 3 / square**2)


@compiled
def mills(x: float) -> float:
    """Return (1 − Φ(x)) / φ(x) for x ≥ 0."""
    if x < 30:
        return _ROOT_PI / _ROOT_2 * math.exp(x * x / 2) * math.erfc(x / _ROOT_2)
    square = x * x
    return (1 - 1 / square + 3 / square**2) / x


@compiled
def log_equal(size: float, tie: float) -> float:
    """Return log(Φ((|d| + ε)/√2) − Φ((|d| − ε)/√2)), from tails where it is near 1 and from their ratios elsewhere."""
    inner, outer = (size - tie) / _ROOT_2, (size + tie) / _ROOT_2
    if inner < 0:
        outside = 0.5 * (math.erfc(-inner / _ROOT_2) + math.erfc(outer / _ROOT_2))
        return math.log1p(-min(outside, 1 - 1e-15))
    mass = max(mills(inner) - math.exp(-size * tie) * mills(outer), _TINY)
    return math.log(mass) - inner * inner / 2 - _LOG_2_PI / 2


@compiled
def log_likelihood(
    link: int, unit: float, tie: float, d: float, won: float, lost: float, equal: float
) -> float:
    """Return the logarithm of the probability of answers about a pair whose scores differ by d.

    LOGISTIC has Davidson's ties with the parameter log ν, −inf without ties; PROBIT those of Glenn and David with ε
    in units of the noise on an item, ``unit``, 0 without ties.
    """
    if link == LOGISTIC:
        odds = math.exp(-abs(d))
        total = max(-d, 0.0) + math.log1p(odds)
        if tie == -math.inf:
            return -lost * d - (won + lost) * total
        total += math.log1p(math.exp(tie - abs(d) / 2) / (1 + odds))
        return equal * (tie - d / 2) - lost * d - (won + lost + equal) * total
    d = d / unit
    result = 0.0
    if won > 0:
        result += won * log_chance((d - tie) / _ROOT_2)
    if lost > 0:
        result += lost * log_chance((-d - tie) / _ROOT_2)
    if equal > 0:
        result += equal * log_equal(abs(d), tie)
    return result


@compiled
def quadrature(sd: float, logit: float, points: Floats) -> int:
    """Return which of the rules in ``points`` to use: ``points[rule, 0, :2]`` are its largest sd and its length."""
    rule = 0
    while rule < len(points) - 1 and sd > points[rule, 0, 0] * logit:
        rule += 1
    return rule


@compiled
def predicted(
    like: tuple[int, float, float, float],
    points: Floats,
    outcome: int,
    weight: float,
    difference: float,
    variance: float,
) -> float:
    """Return log E[P(outcome)^weight] under N(difference, variance)."""
    link, unit, logit, tie = like
    sd = math.sqrt(variance)
    rule = quadrature(sd, logit, points)
    won, lost = weight * (outcome == 0), weight * (outcome == 1)
    equal = weight * (outcome == 2)
    highest, total = -math.inf, 0.0
    for point in range(int(points[rule, 0, 1])):
        x = points[rule, 1, point]
        value = log_likelihood(link, unit, tie, difference + sd * x, won, lost, equal)
        value += points[rule, 2, point] - x * x / 2
        if value > highest:
            total = total * math.exp(highest - value) + 1
            highest = value
        else:
            total += math.exp(value - highest)
    return highest + math.log(total)


@compiled
def tilted(
    like: tuple[int, float, float, float],
    points: Floats,
    totals: Floats,
    difference: float,
    variance: float,
    cavity: float,
    gradient: float,
) -> tuple[float, float]:
    """Return mean and variance of likelihood × exp(gradient δ − ½ cavity δ²), δ = d − difference, in units of the sd."""
    link, unit, logit, tie = like
    sd = math.sqrt(variance)
    rule = quadrature(sd, logit, points)
    count = int(points[rule, 0, 1])
    highest, mass, first, second = -math.inf, 0.0, 0.0, 0.0
    for point in range(count):
        x = points[rule, 1, point]
        away = sd * x
        value = log_likelihood(link, unit, tie, difference + away, totals[0], totals[1], totals[2])
        value += (gradient - cavity / 2 * away) * away + points[rule, 2, point]
        if value > highest:
            shrink = math.exp(highest - value)
            mass, first, second = mass * shrink, first * shrink, second * shrink
            highest = value
        density = math.exp(value - highest)
        mass += density
        first += density * x
        second += density * x * x
    mean = first / mass
    return mean, max(second / mass - mean * mean, _LEAST_SHRINK)


@compiled
def matched(
    like: tuple[int, float, float, float],
    points: Floats,
    totals: Floats,
    site: Floats,
    difference: float,
    variance: float,
) -> tuple[float, float, float]:
    """Return the site τ, ν that matches mean and variance of d, and by how much the first step towards it moves them.

    The quadrature is repeated around what it found until that moves little, since an answer of large weight may lie far
    from where it began. The cavity is the same all along.
    """
    tau, nu = site[TAU], site[NU]
    cavity = max(1 / variance - tau, site[LEAST])
    pull = difference * (cavity + tau) - nu
    first_move = 0.0
    for attempt in range(_MOST_MATCHES):
        spread = 1 / (cavity + tau)
        middle = (pull + nu) * spread
        mean, share = tilted(like, points, totals, middle, spread, cavity, tau * middle - nu)
        moved = max(abs(mean), abs(share - 1))
        wanted = spread * share
        tau = max(1 / wanted - cavity, 0.0)
        nu = (middle + math.sqrt(spread) * mean) / wanted - pull
        if attempt == 0:
            first_move = moved
        if moved < _MATCHED:
            break
    return tau, nu, first_move


@compiled
def pair_of(
    pairs: Any,
    sites: Floats,
    place: Any,
    compared: Any,
    labels: Any,
    counters: Any,
    levels: Floats,
    covariance: Floats,
    prior: Floats,
    factors: Floats,
    first: int,
    second: int,
    n_items: int,
) -> int:
    """Return the number of a pair (first < second), which is entered where it is new.

    A new pair has sites of 0; its items join those that were compared and its two groups become one. ``prior`` holds the
    diagonals of prior covariances that are diagonal, (K, 1, N), or one that is not, (1, N, N), times ``factors`` (K,).
    """
    pair = place[first, second]
    if pair >= 0:
        return int(pair)
    pair = counters[PAIRS]
    counters[PAIRS] += 1
    place[first, second] = pair
    pairs[pair, 0], pairs[pair, 1] = first, second
    for k in range(len(sites)):
        sites[k, pair, TAU] = 0.0
        sites[k, pair, NU] = 0.0
        if prior.shape[1] == 1:
            variance = prior[k, 0, first] + prior[k, 0, second]
        else:
            variance = prior[0, first, first] + prior[0, second, second] - 2 * prior[0, first, second]
            variance *= factors[k]
        sites[k, pair, LEAST] = 1 / max(variance, _TINY)
    for row in (first, second):
        if row < n_items and not compared[row]:
            compared[row] = True
            counters[COMPARED] += 1
            for k in range(len(sites)):
                levels[k] += covariance[k, row]
    if labels[first] != labels[second]:
        old, new = labels[second], labels[first]
        for row in range(len(labels)):
            if labels[row] == old:
                labels[row] = new
    return int(pair)


@compiled
def step(
    covariance: Floats,
    mean: Floats,
    site: Floats,
    scratch: Floats,
    signs: Floats,
    n_steps: int,
    first: int,
    second: int,
    tau: float,
    nu: float,
) -> bool:
    """Set a site and move the mean; the covariance moves later, by the vectors in ``scratch`` with their signs.

    With k the covariance of all rows with d, v its variance and m its mean, the posterior moves by
    mean += (Δν − Δτ m)/(1 + Δτ v) k and covariance −= Δτ/(1 + Δτ v) kkᵀ.
    """
    along = scratch[n_steps]
    for row in range(len(mean)):
        along[row] = covariance[first, row] - covariance[second, row]
    for earlier in range(n_steps):
        share = signs[earlier] * (scratch[earlier, first] - scratch[earlier, second])
        for row in range(len(mean)):
            along[row] -= share * scratch[earlier, row]
    variance = along[first] - along[second]
    if not variance > 0:
        return False
    by_tau = max(tau - site[TAU], (_LEAST_SHRINK - 1) / variance)
    by_nu = nu - site[NU]
    left = 1 + by_tau * variance
    gain = (by_nu - by_tau * (mean[first] - mean[second])) / left
    root = math.sqrt(abs(by_tau) / left)
    for row in range(len(mean)):
        mean[row] += gain * along[row]
        along[row] *= root
    signs[n_steps] = 1.0 if by_tau > 0 else -1.0
    site[TAU] += by_tau
    site[NU] += by_nu
    return True


@reassociated
def subtract(covariance: Floats, scratch: Floats, signs: Floats, n_steps: int, rows: Any) -> None:
    """Subtract the outer products of the vectors, four at a time; the result is symmetric to the last bit."""
    n = len(covariance)
    n_rows = 0
    for row in range(n):
        for k in range(n_steps):
            if scratch[k, row] != 0:
                rows[n_rows] = row
                n_rows += 1
                break
    if 2 * n_rows < n:
        for k in range(n_steps):
            for a in range(n_rows):
                row = rows[a]
                share = signs[k] * scratch[k, row]
                for b in range(n_rows):
                    covariance[row, rows[b]] -= share * scratch[k, rows[b]]
        return
    k = 0
    while k + 3 < n_steps:
        v0, v1, v2, v3 = scratch[k], scratch[k + 1], scratch[k + 2], scratch[k + 3]
        for row in range(n):
            a0, a1 = signs[k] * v0[row], signs[k + 1] * v1[row]
            a2, a3 = signs[k + 2] * v2[row], signs[k + 3] * v3[row]
            into = covariance[row]
            for column in range(n):
                into[column] -= a0 * v0[column] + a1 * v1[column] + a2 * v2[column] + a3 * v3[column]
        k += 4
    while k + 1 < n_steps:
        v0, v1 = scratch[k], scratch[k + 1]
        for row in range(n):
            a0, a1 = signs[k] * v0[row], signs[k + 1] * v1[row]
            into = covariance[row]
            for column in range(n):
                into[column] -= a0 * v0[column] + a1 * v1[column]
        k += 2
    while k < n_steps:
        v0 = scratch[k]
        for row in range(n):
            a0 = signs[k] * v0[row]
            into = covariance[row]
            for column in range(n):
                into[column] -= a0 * v0[column]
        k += 1


@compiled
def finish(
    covariance: Floats,
    variance: Floats,
    level: Floats,
    compared: Any,
    scratch: Floats,
    signs: Floats,
    n_steps: int,
    rows: Any,
) -> None:
    """Move the covariance, its diagonal and its sums over the compared items by the steps in ``scratch``."""
    subtract(covariance, scratch, signs, n_steps, rows)
    for k in range(n_steps):
        total = 0.0
        for row in range(len(level)):
            if compared[row]:
                total += scratch[k, row]
        total *= signs[k]
        for row in range(len(level)):
            level[row] -= total * scratch[k, row]
    for row in range(len(level)):
        variance[row] = covariance[row, row]


@compiled
def moments_of_pair(
    covariance: Floats, mean: Floats, scratch: Floats, signs: Floats, n_steps: int, first: int, second: int
) -> tuple[float, float]:
    """Return mean and variance of the difference of two rows after the steps in ``scratch``."""
    own = covariance[first, first] + covariance[second, second]
    variance = own - 2 * covariance[first, second]
    for k in range(n_steps):
        apart = scratch[k, first] - scratch[k, second]
        variance -= signs[k] * apart * apart
    return mean[first] - mean[second], max(variance, 1e-15 * own)


@compiled
def log_sum(values: Floats) -> float:
    """Return the logarithm of the sum of the exponentials."""
    highest = values[0]
    for k in range(1, len(values)):
        highest = max(highest, values[k])
    total = 0.0
    for k in range(len(values)):
        total += math.exp(values[k] - highest)
    return highest + math.log(total)


@compiled
def answer(
    like: tuple[int, float, float, float],
    points: Floats,
    pairs: Any,
    totals: Floats,
    sites: Floats,
    place: Any,
    mean: Floats,
    covariance: Floats,
    variance: Floats,
    levels: Floats,
    compared: Any,
    labels: Any,
    log_weights: Floats,
    prior: Floats,
    factors: Floats,
    counters: Any,
    cursors: Any,
    scratch: Floats,
    rows: Any,
    question: tuple[int, int, int, float],
    n_items: int,
    visits: int,
) -> float:
    """Learn one answer about two rows, and return the log probability that it had.

    The site of its pair is matched again, and then the sites of up to ``visits`` other pairs in turn, of which as many
    as ``scratch`` has room for are moved.
    """
    first, second, outcome, weight = question
    if first > second:
        first, second = second, first
        outcome = 1 - outcome if outcome < 2 else outcome
    pair = pair_of(
        pairs,
        sites,
        place,
        compared,
        labels,
        counters,
        levels,
        covariance,
        prior,
        factors,
        first,
        second,
        n_items,
    )
    totals[pair, outcome] += weight
    n_components, n_pairs = len(mean), counters[PAIRS]
    signs = scratch[0]
    vectors = scratch[1:]
    most = len(vectors)
    before = log_sum(log_weights)
    for k in range(n_components):
        difference, spread = moments_of_pair(covariance[k], mean[k], vectors, signs, 0, first, second)
        log_weights[k] += predicted(like, points, outcome, weight, difference, spread)
        tau, nu, _ = matched(like, points, totals[pair], sites[k, pair], difference, spread)
        n_steps = 0
        if step(covariance[k], mean[k], sites[k, pair], vectors, signs, 0, first, second, tau, nu):
            n_steps = 1
        for _ in range(min(visits, n_pairs - 1)):
            if n_steps == most:
                break
            other = cursors[k]
            cursors[k] = other + 1 if other + 1 < n_pairs else 0
            if other == pair:
                continue
            a, b = pairs[other]
            difference, spread = moments_of_pair(covariance[k], mean[k], vectors, signs, n_steps, a, b)
            tau, nu, moved = matched(like, points, totals[other], sites[k, other], difference, spread)
            if moved > _MOVED and step(
                covariance[k], mean[k], sites[k, other], vectors, signs, n_steps, a, b, tau, nu
            ):
                n_steps += 1
        counters[STEPS] += n_steps
        finish(covariance[k], variance[k], levels[k], compared, vectors, signs, n_steps, rows)
    after = log_sum(log_weights)
    log_weights -= after
    return after - before


@compiled
def outcome_chances(
    like: tuple[int, float, float, float],
    points: Floats,
    mean: Floats,
    covariance: Floats,
    log_weights: Floats,
    first: int,
    second: int,
    n_outcomes: int,
) -> Floats:
    """Return the probabilities of the outcomes 0, 1 and 2 under the mixture; they sum to 1."""
    chances = np.zeros(3)
    for k in range(len(mean)):
        own = covariance[k, first, first] + covariance[k, second, second]
        spread = max(own - 2 * covariance[k, first, second], 1e-15 * own)
        difference = mean[k, first] - mean[k, second]
        for outcome in range(n_outcomes):
            chance = math.exp(predicted(like, points, outcome, 1.0, difference, spread))
            chances[outcome] += math.exp(log_weights[k]) * chance
    return chances / chances.sum()


@compiled
def renew(
    like: tuple[int, float, float, float],
    points: Floats,
    pairs: Any,
    totals: Floats,
    site: Floats,
    mean: Floats,
    covariance: Floats,
    share: float,
    into: Floats,
) -> float:
    """Write the sites of one component, moved by ``share`` towards their moment match; return the largest move."""
    largest = 0.0
    for pair in range(len(pairs)):
        first, second = pairs[pair]
        difference, variance = moments_of_pair(covariance, mean, into, into[0], 0, first, second)
        tau, nu, moved = matched(like, points, totals[pair], site[pair], difference, variance)
        into[pair, TAU] = site[pair, TAU] + share * (tau - site[pair, TAU])
        into[pair, NU] = site[pair, NU] + share * (nu - site[pair, NU])
        into[pair, LEAST] = site[pair, LEAST]
        largest = max(largest, moved)
    return largest
