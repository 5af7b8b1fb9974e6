"""Compiled expectation propagation, one answer at a time, with a dense covariance; callers check the arguments.

The belief is a mixture of K components N(mean, covariance) over N rows: the items and, last, the bar of both-bad
answers where there is one. Every pair that was compared has one site exp(ν d − ½ τ d²) in each component, in place of
the likelihood of all answers about the pair, where d is the difference of its two rows.

Arrays
------
pairs : int32, (capacity, 2)
    The rows of each pair, the lower first. Only the first ``counters[0]`` entries hold pairs.
totals : (capacity, 3)
    The weight of the answers that prefer the first, that prefer the second, and that call the two equal.
sites : (K, capacity, 5)
    τ, ν, the precision of the difference under the prior, and the mean and variance of the difference to which the
    site was last matched: a pair whose moments are still these need not be matched again.
place : int32, (N, N)
    The number of each pair, symmetric; −1 where it was not compared.
counters : int64, (1 + K,)
    The number of pairs, and for each component the number of vectors that wait.
covariance : (K, N, N)
    The covariances before the last steps.
vectors, terms, signs : (K, P, N), (K, N, P), (K, P)
    The last steps: the covariance of a component is the stored one less Σ sign · vector vectorᵀ over those that wait.
    The terms are the same numbers by rows, for what is read of single pairs.
    They are subtracted many at a time, since reading and writing a large matrix is what a single one costs.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.compiled import compiled, reassociated

LOGISTIC, PROBIT = 0, 1
TAU, NU, LEAST, MEAN, VARIANCE = range(5)
_LEAST_SHRINK = 0.05
"""A step shrinks a variance to no less than this share of it, and widens it to no more than the inverse."""
_MOST_MATCHES, _MATCHED = 12, 0.05
_MEAN_MOVED, _VARIANCE_MOVED = 2e-3, 2e-3
"""A pair whose mean has moved by no more than this share of its sd, and its variance by no more, is left as it is."""
_MEAN_SHIFTED, _VARIANCE_STEPPED = 1e-4, 2e-4
"""A visited pair whose mean and variance are off by no more than these shares is left as it is."""
_TILE = 128
_MOST_POWER = 255
"""Up to so many answers about a pair, powers of their probabilities are computed without logarithms."""
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
def whole_power(base: float, exponent: int) -> float:
    """Return a power whose exponent is a whole number, not below 0."""
    result = 1.0
    while exponent > 0:
        if exponent & 1:
            result *= base
        base *= base
        exponent >>= 1
    return result


@compiled
def few_tilted(
    tie: float, points: Floats, totals: Floats, difference: float, sd: float, cavity: float, gradient: float
) -> tuple[float, float, float]:
    """Return the sums of `tilted` over 1, x and x² for a whole number of logistic answers, without logarithms.

    An answer has the probability e^{min(d, 0)}, e^{−max(d, 0)} or e^{log ν − |d|/2}, divided by
    1 + e^{−|d|} + e^{log ν − |d|/2}; the power of e^{log ν} that all points share is left out. Where the sums cannot be
    represented they are 0 or infinite.
    """
    lost, answers = totals[1] + totals[2] / 2, totals[0] + totals[1] + totals[2]
    ties, exponent, half = math.exp(tie), int(answers), cavity / 2
    mass, first, second = 0.0, 0.0, 0.0
    for point in range(int(points[0, 1])):
        x = points[1, point]
        away = sd * x
        d = difference + away
        root = math.exp(-abs(d) / 2)
        value = (gradient - half * away) * away + points[2, point] - lost * d + answers * min(d, 0.0)
        density = math.exp(value) / whole_power(1 + (root + ties) * root, exponent)
        mass += density
        first += density * x
        second += density * x * x
    return mass, first, second


@compiled
def hazard(z: float) -> float:
    """Return φ(z) / Φ(z)."""
    if z < 0:
        return 1 / mills(-z)
    return math.exp(-z * z / 2) / (_ROOT_PI * math.erfc(-z / _ROOT_2)) * _ROOT_2


@compiled
def once_decided(
    unit: float, tie: float, won: bool, difference: float, variance: float, cavity: float, gradient: float
) -> tuple[float, float, float]:
    """Return `tilted` for a single probit answer that prefers one of the two, in closed form.

    It is Φ((±d − ε)/s), s = √2 · ``unit``, under the normal distribution of variance 1/cavity whose mean lies
    gradient/cavity above the difference.
    """
    sign = 1.0 if won else -1.0
    away = gradient / cavity
    whole = 2 * unit * unit + 1 / cavity
    z = (sign * (difference + away) - tie * unit) / math.sqrt(whole)
    slope = hazard(z)
    mean = away + sign * slope / (cavity * math.sqrt(whole))
    share = (1 - slope * (z + slope) / (cavity * whole)) / (cavity * variance)
    log_mass = log_chance(z) + gradient * away / 2 - math.log(cavity * variance) / 2
    return mean / math.sqrt(variance), max(share, _LEAST_SHRINK), log_mass


@compiled
def tilted(
    like: tuple[int, float, float, float],
    points: Floats,
    totals: Floats,
    difference: float,
    variance: float,
    cavity: float,
    gradient: float,
) -> tuple[float, float, float]:
    """Return mean, variance and log mass of likelihood × exp(gradient δ − ½ cavity δ²), δ = d − difference.

    The first two are in units of the sd; the mass is that of the integral over δ / (√(2π) · sd).
    """
    link, unit, logit, tie = like
    sd = math.sqrt(variance)
    rule = quadrature(sd, logit, points)
    count = int(points[rule, 0, 1])
    answers = totals[0] + totals[1] + totals[2]
    if link == PROBIT and answers == 1.0 and max(totals[0], totals[1]) == 1.0:
        return once_decided(unit, tie, totals[0] == 1.0, difference, variance, cavity, gradient)
    if link == LOGISTIC and answers <= _MOST_POWER and answers == int(answers):
        mass, first, second = few_tilted(tie, points[rule], totals, difference, sd, cavity, gradient)
        if _TINY < mass < math.inf:
            mean = first / mass
            shift = totals[2] * tie if totals[2] > 0 else 0.0
            return mean, max(second / mass - mean * mean, _LEAST_SHRINK), shift + math.log(mass)
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
    return mean, max(second / mass - mean * mean, _LEAST_SHRINK), highest + math.log(mass)


@compiled
def matched(
    like: tuple[int, float, float, float],
    points: Floats,
    totals: Floats,
    site: Floats,
    difference: float,
    variance: float,
) -> tuple[float, float, float, float]:
    """Return the site τ, ν that matches mean and variance of d, and these two.

    The quadrature is repeated around what it found until that moves little, since an answer of large weight may lie far
    from where it began. The cavity is the same all along. A site is no more precise than the likelihood is curved at
    most (by the bound of Cramér and Rao on the variance of the tilted distribution), whatever rounding makes of it.
    """
    tau, nu = site[TAU], site[NU]
    most = (totals[0] + totals[1] + totals[2]) * (0.25 if like[0] == LOGISTIC else 0.5 / like[1] ** 2)
    cavity = max(1 / variance - tau, site[LEAST])
    pull = difference * (cavity + tau) - nu
    for _ in range(_MOST_MATCHES):
        spread = 1 / (cavity + tau)
        middle = (pull + nu) * spread
        mean, share, _ = tilted(like, points, totals, middle, spread, cavity, tau * middle - nu)
        wanted = spread * share
        tau = min(max(1 / wanted - cavity, 0.0), most)
        wanted = 1 / (cavity + tau)
        middle += math.sqrt(spread) * mean
        nu = middle / wanted - pull
        if max(abs(mean), abs(share - 1)) < _MATCHED:
            break
    return tau, nu, middle, wanted


@compiled
def pair_of(pairs: Any, place: Any, counters: Any, first: int, second: int) -> int:
    """Return the number of a pair, which is entered where it is new."""
    pair = int(place[first, second])
    if pair < 0:
        pair = int(counters[0])
        counters[0] += 1
        place[first, second] = place[second, first] = pair
        pairs[pair, 0], pairs[pair, 1] = first, second
    return pair


@compiled
def enter(sites: Floats, prior: Floats, factors: Floats, first: int, second: int) -> None:
    """Set the sites of a new pair in each component.

    ``prior`` holds the diagonals of prior covariances that are diagonal, (K, 1, N), or others, one for all, (1, N, N),
    or one for each component, (K, N, N), which are multiplied by ``factors`` (K,).
    """
    for k in range(len(sites)):
        own = prior[min(k, len(prior) - 1)]
        if prior.shape[1] == 1:
            variance = own[0, first] + own[0, second]
        else:
            variance = own[first, first] + own[second, second] - 2 * own[first, second]
            variance *= factors[k]
        for entry in range(sites.shape[1]):
            sites[k, entry] = 0.0
        sites[k, LEAST] = 1 / max(variance, _TINY)


@compiled
def connect(
    compared: Any,
    labels: Any,
    levels: Floats,
    covariance: Floats,
    vectors: Floats,
    signs: Floats,
    counters: Any,
    first: int,
    second: int,
    n_items: int,
) -> None:
    """Add two rows to those that were compared, and make one group of theirs."""
    for row in (first, second):
        if row < n_items and not compared[row]:
            compared[row] = True
            for k in range(len(levels)):
                for column in range(len(labels)):
                    levels[k, column] += covariance[k, row, column]
                shares = np.zeros(vectors.shape[1])
                for place in range(counters[1 + k]):
                    shares[place] = signs[k, place] * vectors[k, place, row]
                subtract_terms(levels[k], vectors[k], shares, counters[1 + k])
    old, new = labels[second], labels[first]
    if old != new:
        for row in range(len(labels)):
            if labels[row] == old:
                labels[row] = new


@reassociated
def subtract_terms(into: Floats, vectors: Floats, shares: Floats, n_vectors: int) -> None:
    """Subtract shares of vectors, four at a time; shares behind the last one up to a multiple of four are 0."""
    for k in range(0, n_vectors, 4):
        v0, v1, v2, v3 = vectors[k], vectors[k + 1], vectors[k + 2], vectors[k + 3]
        s0, s1, s2, s3 = shares[k], shares[k + 1], shares[k + 2], shares[k + 3]
        for row in range(len(into)):
            into[row] -= s0 * v0[row] + s1 * v1[row] + s2 * v2[row] + s3 * v3[row]


@compiled
def step(
    covariance: Floats,
    mean: Floats,
    site: Floats,
    vectors: Floats,
    terms: Floats,
    signs: Floats,
    n_vectors: int,
    first: int,
    second: int,
    tau: float,
    nu: float,
) -> bool:
    """Set a site and move the mean; the covariance moves later, by one more of the ``vectors`` with its sign.

    With k the covariance of all rows with d, v its variance and m its mean, the posterior moves by
    mean += (Δν − Δτ m)/(1 + Δτ v) k and covariance −= Δτ/(1 + Δτ v) kkᵀ.
    """
    along, shares = vectors[n_vectors], np.zeros(len(vectors))
    for earlier in range(n_vectors):
        shares[earlier] = signs[earlier] * (terms[first, earlier] - terms[second, earlier])
    for row in range(len(mean)):
        along[row] = covariance[first, row] - covariance[second, row]
    subtract_terms(along, vectors, shares, n_vectors)
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
        terms[row, n_vectors] = along[row]
    signs[n_vectors] = 1.0 if by_tau > 0 else -1.0
    site[TAU] += by_tau
    site[NU] += by_nu
    site[MEAN] = mean[first] - mean[second]
    site[VARIANCE] = variance / left
    return True


@compiled
def shift(
    covariance: Floats,
    mean: Floats,
    site: Floats,
    terms: Floats,
    signs: Floats,
    n_vectors: int,
    shares: Floats,
    first: int,
    second: int,
    by_nu: float,
) -> None:
    """Move ν of a site and the mean, which then still lacks ``shares`` of the vectors; the covariance stays."""
    site[NU] += by_nu
    for row in range(len(mean)):
        mean[row] += by_nu * (covariance[first, row] - covariance[second, row])
    for k in range(n_vectors):
        shares[k] += by_nu * signs[k] * (terms[first, k] - terms[second, k])


@compiled
def note(waiting: Any, excess: Floats, pair: int, off: float) -> None:
    """Let a pair wait for a step, in the place of the one that is off least; an excess of 0 is an empty place."""
    least = 0
    for k in range(len(waiting)):
        if waiting[k] == pair:
            excess[k] = off
            return
        if excess[k] < excess[least]:
            least = k
    if off > excess[least]:
        waiting[least], excess[least] = pair, off


@compiled
def most_off(waiting: Any, excess: Floats) -> int:
    """Return the waiting pair that is off most, which then waits no longer; −1 where none waits."""
    most = 0
    for k in range(1, len(waiting)):
        if excess[k] > excess[most]:
            most = k
    if excess[most] <= 0:
        return -1
    pair = int(waiting[most])
    waiting[most], excess[most] = -1, 0.0
    return pair


@reassociated
def lacking(shares: Floats, first: Floats, second: Floats, n_vectors: int) -> float:
    """Return Σ share · (first − second) over the entries of two rows of ``terms``."""
    total = 0.0
    for k in range(n_vectors):
        total += shares[k] * (first[k] - second[k])
    return total


@compiled
def visit(
    like: tuple[int, float, float, float],
    points: Floats,
    totals: Floats,
    pairs: Any,
    site: Floats,
    mean: Floats,
    covariance: Floats,
    terms: Floats,
    signs: Floats,
    n_vectors: int,
    shares: Floats,
    pair: int,
) -> float:
    """Match the mean of a pair again, and return by which share its variance is off.

    ``shares`` are those of `shift`, of all visits so far.
    """
    first, second = int(pairs[pair, 0]), int(pairs[pair, 1])
    difference, variance = moments_of_pair(covariance, mean, terms, signs, n_vectors, first, second)
    difference -= lacking(shares, terms[first], terms[second], n_vectors)
    own = site[pair]
    near = abs(difference - own[MEAN]) <= _MEAN_MOVED * math.sqrt(variance)
    if near and abs(variance - own[VARIANCE]) <= _VARIANCE_MOVED * variance:
        return 0.0
    _, _, middle, wanted = matched(like, points, totals[pair], own, difference, variance)
    by_nu = (middle - difference) / variance
    if abs(middle - difference) > _MEAN_SHIFTED * math.sqrt(variance):
        shift(covariance, mean, own, terms, signs, n_vectors, shares, first, second, by_nu)
        own[MEAN] = middle
    else:
        own[MEAN] = difference
    off = abs(wanted / variance - 1)
    own[VARIANCE] = (
        wanted if off <= _VARIANCE_STEPPED else 0.0
    )  # it waits for a step: the next visit matches it again
    return off


@compiled
def nonzero_rows(vectors: Floats, n_vectors: int, rows: Any) -> int:
    """Write the rows at which some of the vectors is not 0, and return how many there are."""
    n_rows = 0
    for row in range(vectors.shape[1]):
        for k in range(n_vectors):
            if vectors[k, row] != 0:
                rows[n_rows] = row
                n_rows += 1
                break
    return n_rows


@compiled
def subtract_at(
    covariance: Floats, vectors: Floats, signs: Floats, n_vectors: int, rows: Any, n_rows: int
) -> None:
    """Subtract the outer products of vectors that are 0 but at ``rows``."""
    for k in range(n_vectors):
        vector = vectors[k]
        for a in range(n_rows):
            share = signs[k] * vector[rows[a]]
            into = covariance[rows[a]]
            for b in range(n_rows):
                into[rows[b]] -= share * vector[rows[b]]


@reassociated
def subtract_tile(
    covariance: Floats,
    vectors: Floats,
    signs: Floats,
    n_vectors: int,
    top: int,
    bottom: int,
    left: int,
    right: int,
) -> None:
    """Subtract the outer products of vectors, four at a time, from four rows at a time of a part of the covariance."""
    whole = bottom - (bottom - top) % 4
    for row in range(top, whole, 4):
        into_a, into_b = covariance[row, left:right], covariance[row + 1, left:right]
        into_c, into_d = covariance[row + 2, left:right], covariance[row + 3, left:right]
        for k in range(0, n_vectors, 4):
            v0, v1, v2, v3 = vectors[k], vectors[k + 1], vectors[k + 2], vectors[k + 3]
            s0, s1, s2, s3 = signs[k], signs[k + 1], signs[k + 2], signs[k + 3]
            a0, a1, a2, a3 = s0 * v0[row], s1 * v1[row], s2 * v2[row], s3 * v3[row]
            b0, b1, b2, b3 = s0 * v0[row + 1], s1 * v1[row + 1], s2 * v2[row + 1], s3 * v3[row + 1]
            c0, c1, c2, c3 = s0 * v0[row + 2], s1 * v1[row + 2], s2 * v2[row + 2], s3 * v3[row + 2]
            d0, d1, d2, d3 = s0 * v0[row + 3], s1 * v1[row + 3], s2 * v2[row + 3], s3 * v3[row + 3]
            u0, u1, u2, u3 = v0[left:right], v1[left:right], v2[left:right], v3[left:right]
            for i in range(right - left):
                w0, w1, w2, w3 = u0[i], u1[i], u2[i], u3[i]
                into_a[i] -= a0 * w0 + a1 * w1 + a2 * w2 + a3 * w3
                into_b[i] -= b0 * w0 + b1 * w1 + b2 * w2 + b3 * w3
                into_c[i] -= c0 * w0 + c1 * w1 + c2 * w2 + c3 * w3
                into_d[i] -= d0 * w0 + d1 * w1 + d2 * w2 + d3 * w3
    for row in range(whole, bottom):
        last = covariance[row, left:right]
        for k in range(n_vectors):
            share, u = signs[k] * vectors[k, row], vectors[k, left:right]
            for i in range(right - left):
                last[i] -= share * u[i]


@compiled
def subtract(covariance: Floats, vectors: Floats, signs: Floats, n_vectors: int) -> None:
    """Subtract the outer products of vectors in tiles, those above the diagonal as images of those below it.

    The vectors are used while they are in the processor's cache, and the covariance is read and written once.
    """
    n = len(covariance)
    for top in range(0, n, _TILE):
        bottom = min(top + _TILE, n)
        for left in range(0, top + 1, _TILE):
            right = min(left + _TILE, n)
            subtract_tile(covariance, vectors, signs, n_vectors, top, bottom, left, right)
            if left < top:
                for column in range(left, right):
                    image = covariance[column]
                    for row in range(top, bottom):
                        image[row] = covariance[row, column]


@compiled
def flush(
    covariance: Floats, variance: Floats, vectors: Floats, signs: Floats, n_vectors: int, rows: Any
) -> None:
    """Move the covariance by all vectors, and set the variances to its diagonal."""
    n_rows = nonzero_rows(vectors, n_vectors, rows)
    if 2 * n_rows < len(covariance):
        subtract_at(covariance, vectors, signs, n_vectors, rows, n_rows)
    else:
        for k in range(n_vectors, n_vectors + (-n_vectors) % 4):
            signs[k] = 0.0
        subtract(covariance, vectors, signs, n_vectors)
    for row in range(len(variance)):
        variance[row] = covariance[row, row]


@compiled
def finish(
    covariance: Floats,
    variance: Floats,
    level: Floats,
    compared: Any,
    vectors: Floats,
    signs: Floats,
    n_before: int,
    n_vectors: int,
    most_steps: int,
    rows: Any,
) -> int:
    """Move variances and sums over the compared items by the steps of an answer, and return how many vectors wait.

    Those are subtracted from the covariance where there may be no room for the steps of the next answer.
    """
    for k in range(n_before, n_vectors):
        total = 0.0
        for row in range(len(level)):
            if compared[row]:
                total += vectors[k, row]
        total *= signs[k]
        for row in range(len(level)):
            level[row] -= total * vectors[k, row]
            variance[row] -= signs[k] * vectors[k, row] * vectors[k, row]
    if n_vectors + most_steps <= len(vectors):
        return n_vectors
    flush(covariance, variance, vectors, signs, n_vectors, rows)
    return 0


@reassociated
def moments_of_pair(
    covariance: Floats,
    mean: Floats,
    terms: Floats,
    signs: Floats,
    n_vectors: int,
    first: int,
    second: int,
) -> tuple[float, float]:
    """Return mean and variance of the difference of two rows; the covariance lacks ``n_vectors`` steps."""
    own = covariance[first, first] + covariance[second, second]
    variance = own - 2 * covariance[first, second]
    one, other = terms[first], terms[second]
    for k in range(n_vectors):
        apart = one[k] - other[k]
        variance -= signs[k] * apart * apart
    return mean[first] - mean[second], max(variance, 1e-15 * own)


@compiled
def to_visit(pairs: Any, place: Any, turn: Any, pair: int, visits: int) -> Any:
    """Return pairs to visit after an answer about ``pair``: some of its first item, of its second and of all, in turn.

    ``turn`` holds where to continue: for each row the last column, and at the end the next pair of all.
    """
    found = np.empty(3 * visits, dtype=np.int64)
    n_rows, n_pairs, count = len(place), len(pairs), 0
    for side in range(2):
        row = pairs[pair, side]
        column, most = turn[row], count + visits
        for _ in range(n_rows):
            column = column + 1 if column + 1 < n_rows else 0
            if place[row, column] >= 0 and place[row, column] != pair:
                found[count] = place[row, column]
                count += 1
                if count == most:
                    break
        turn[row] = column
    for _ in range(min(visits, n_pairs)):
        if turn[n_rows] != pair:
            found[count] = turn[n_rows]
            count += 1
        turn[n_rows] = turn[n_rows] + 1 if turn[n_rows] + 1 < n_pairs else 0
    return found[:count]


@compiled
def learn_pair(
    like: tuple[int, float, float, float],
    points: Floats,
    pairs: Any,
    totals: Floats,
    site: Floats,
    mean: Floats,
    covariance: Floats,
    waiting: Any,
    excess: Floats,
    vectors: Floats,
    terms: Floats,
    signs: Floats,
    n_before: int,
    most_steps: int,
    pair: int,
    others: Any,
) -> int:
    """Match the site of a pair whose answers have changed in one component, and return the number of vectors.

    After its step ``others`` are visited: their means are matched again, and those whose variance is off wait for a
    step. Those that are off most take it now, until there are ``most_steps``.
    """
    n_vectors, visited, chosen = n_before, False, pair
    while chosen >= 0 and n_vectors < n_before + most_steps:
        first, second = int(pairs[chosen, 0]), int(pairs[chosen, 1])
        difference, variance = moments_of_pair(covariance, mean, terms, signs, n_vectors, first, second)
        tau, nu, _, _ = matched(like, points, totals[chosen], site[chosen], difference, variance)
        if step(covariance, mean, site[chosen], vectors, terms, signs, n_vectors, first, second, tau, nu):
            n_vectors += 1
        elif not visited:
            break
        if not visited:
            visited = True
            shares = np.zeros(len(vectors))
            for other in others:
                off = visit(
                    like,
                    points,
                    totals,
                    pairs,
                    site,
                    mean,
                    covariance,
                    terms,
                    signs,
                    n_vectors,
                    shares,
                    other,
                )
                if off > _VARIANCE_STEPPED:
                    note(waiting, excess, other, off)
            subtract_terms(mean, vectors, shares, n_vectors)
        chosen = most_off(waiting, excess)
    return n_vectors


@compiled
def log_sum(values: Floats) -> float:
    """Return the logarithm of the sum of the exponentials."""
    highest = values[0]
    for k in range(1, len(values)):
        highest = max(highest, values[k])
    total = 0.0
    for k in range(len(values)):
        total += math.exp(values[k] - highest)
    logarithm: float = highest + math.log(total)
    return logarithm


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
    turns: Any,
    waiting: Any,
    excess: Floats,
    vectors: Floats,
    terms: Floats,
    signs: Floats,
    rows: Any,
    sizes: tuple[int, int, int],
    question: tuple[int, int, int, float],
) -> float:
    """Learn one answer about two rows, and return the log probability that it had.

    The site of its pair is matched again, and then those of other pairs (`learn_pair`). ``sizes`` are the number of
    items, of visits and of steps, ``question`` the two rows, the outcome and its weight.
    """
    n_items, visits, most_steps = sizes
    first, second, outcome, weight = question
    if first > second:
        first, second = second, first
        outcome = 1 - outcome if outcome < 2 else outcome
    known = place[first, second] >= 0
    pair = pair_of(pairs, place, counters, first, second)
    if not known:
        enter(sites[:, pair], prior, factors, first, second)
        connect(compared, labels, levels, covariance, vectors, signs, counters, first, second, n_items)
    totals[pair, outcome] += weight
    before = log_sum(log_weights)
    for k in range(len(mean)):
        n_before = int(counters[1 + k])
        difference, spread = moments_of_pair(
            covariance[k], mean[k], terms[k], signs[k], n_before, first, second
        )
        log_weights[k] += predicted(like, points, outcome, weight, difference, spread)
        others = to_visit(pairs[: counters[0]], place, turns[k], pair, visits)
        n_vectors = learn_pair(
            like,
            points,
            pairs,
            totals,
            sites[k],
            mean[k],
            covariance[k],
            waiting[k],
            excess[k],
            vectors[k],
            terms[k],
            signs[k],
            n_before,
            most_steps,
            pair,
            others,
        )
        counters[1 + k] = finish(
            covariance[k],
            variance[k],
            levels[k],
            compared,
            vectors[k],
            signs[k],
            n_before,
            n_vectors,
            most_steps,
            rows,
        )
    after = log_sum(log_weights)
    for k in range(len(log_weights)):
        log_weights[k] -= after
    return after - before


@compiled
def outcome_chances(
    like: tuple[int, float, float, float],
    points: Floats,
    mean: Floats,
    covariance: Floats,
    terms: Floats,
    signs: Floats,
    counters: Any,
    log_weights: Floats,
    first: int,
    second: int,
    n_outcomes: int,
) -> Floats:
    """Return the probabilities of the outcomes 0, 1 and 2 under the mixture; they sum to 1."""
    chances = np.zeros(3)
    for k in range(len(mean)):
        difference, spread = moments_of_pair(
            covariance[k], mean[k], terms[k], signs[k], int(counters[1 + k]), first, second
        )
        for outcome in range(n_outcomes):
            chance = math.exp(predicted(like, points, outcome, 1.0, difference, spread))
            chances[outcome] += math.exp(log_weights[k]) * chance
    total = chances[0] + chances[1] + chances[2]
    for outcome in range(3):
        chances[outcome] /= total
    return chances


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
        first, second = int(pairs[pair, 0]), int(pairs[pair, 1])
        difference, variance = moments_of_pair(covariance, mean, into, into[0], 0, first, second)
        tau, nu, middle, wanted = matched(like, points, totals[pair], site[pair], difference, variance)
        moved = max(abs(middle - difference) / math.sqrt(variance), abs(wanted / variance - 1))
        into[pair, TAU] = site[pair, TAU] + share * (tau - site[pair, TAU])
        into[pair, NU] = site[pair, NU] + share * (nu - site[pair, NU])
        into[pair, LEAST], into[pair, MEAN], into[pair, VARIANCE] = site[pair, LEAST], middle, wanted
        largest = max(largest, moved)
    return largest


@compiled
def log_masses(
    like: tuple[int, float, float, float],
    points: Floats,
    pairs: Any,
    totals: Floats,
    site: Floats,
    mean: Floats,
    covariance: Floats,
) -> float:
    """Return the sum over pairs of log E[likelihood / site] + ½ ν d under the posterior, with d its mean.

    Together with half the logarithm of determinants it is the evidence of expectation propagation.
    """
    total = 0.0
    for pair in range(len(pairs)):
        first, second = int(pairs[pair, 0]), int(pairs[pair, 1])
        d, variance = moments_of_pair(covariance, mean, site, site[0], 0, first, second)
        tau, nu = site[pair, TAU], site[pair, NU]
        cavity = max(1 / variance - tau, site[pair, LEAST])
        gradient = tau * d - nu
        _, _, log_mass = tilted(like, points, totals[pair], d, 1 / (cavity + tau), cavity, gradient)
        total += log_mass + gradient * d / 2
    return total
