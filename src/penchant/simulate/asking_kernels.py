"""Compiled expectation propagation for items without features; callers check the arguments.

The belief is N(mean, covariance) over n items, dense; the site of answer i is exp(nu·d − ½ tau·d²) of the difference
d of the two items, better first. P(better wins) = Φ(d).
"""

from __future__ import annotations

import math

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled


@compiled
def tilted_derivatives(difference: float, variance: float) -> tuple[float, float]:
    """Return the first and minus the second derivative of log E Φ(d) by the mean of d (eq. 17 and 21)."""
    sd = math.sqrt(1 + variance)
    z = difference / sd
    hazard = math.sqrt(2 / math.pi) * math.exp(-z * z / 2)
    if z > -30:
        hazard /= math.erfc(-z / math.sqrt(2.0))
    else:  # φ/Φ by its tail, since Φ underflows
        hazard = -z - 1 / z + 2 / z**3
    return hazard / sd, hazard * (hazard + z) / (1 + variance)


@compiled
def learn(mean: Floats, covariance: Floats, better: int, worse: int) -> tuple[float, float]:
    """Learn one answer, along K(e_better − e_worse); return its site, tau and nu."""
    along = covariance[better] - covariance[worse]
    variance = along[better] - along[worse]
    difference = mean[better] - mean[worse]
    gradient, curvature = tilted_derivatives(difference, variance)
    move(mean, covariance, along, gradient, curvature)
    tau = curvature / (1 - curvature * variance)
    return tau, gradient * (1 + tau * variance) + tau * difference


@compiled
def move(mean: Floats, covariance: Floats, along: Floats, gradient: float, curvature: float) -> None:
    """Replace m by m + gradient · k and K by K − curvature · kkᵀ."""
    for row in range(len(mean)):
        mean[row] += gradient * along[row]
        share = curvature * along[row]
        for column in range(len(mean)):
            covariance[row, column] -= share * along[column]


@compiled
def from_sites(
    pairs: Ints, tau: Floats, nu: Floats, variance: float, mean: Floats, covariance: Floats
) -> None:
    """Set the belief from the sites and a prior of this variance."""
    n_items = len(mean)
    precision = np.zeros((n_items, n_items))
    pull = np.zeros(n_items)
    for item in range(n_items):
        precision[item, item] = 1 / variance
    for answer in range(len(pairs)):
        better, worse = pairs[answer, 0], pairs[answer, 1]
        precision[better, better] += tau[answer]
        precision[worse, worse] += tau[answer]
        precision[better, worse] -= tau[answer]
        precision[worse, better] -= tau[answer]
        pull[better] += nu[answer]
        pull[worse] -= nu[answer]
    covariance[:] = np.linalg.inv(precision)
    mean[:] = covariance @ pull


@compiled
def renew(pairs: Ints, tau: Floats, nu: Floats, mean: Floats, covariance: Floats, step: float) -> float:
    """Move every site by the share ``step`` towards its moment match; return the largest distance to it."""
    change = 0.0
    for answer in range(len(pairs)):
        better, worse = pairs[answer, 0], pairs[answer, 1]
        variance = covariance[better, better] + covariance[worse, worse] - 2 * covariance[better, worse]
        left = 1 / variance - tau[answer]
        if left <= 1e-10:
            continue
        cavity = ((mean[better] - mean[worse]) / variance - nu[answer]) / left
        gradient, curvature = tilted_derivatives(cavity, 1 / left)
        after = 1 / left - curvature / left**2
        by_tau = max(1 / after - left, 0.0) - tau[answer]
        by_nu = (cavity + gradient / left) / after - cavity * left - nu[answer]
        tau[answer] += step * by_tau
        nu[answer] += step * by_nu
        change = max(change, abs(by_tau), abs(by_nu))
    return change


@compiled
def propagate(
    pairs: Ints, tau: Floats, nu: Floats, variance: float, mean: Floats, covariance: Floats, tolerance: float
) -> None:
    """Update all sites in parallel until they no longer change; the steps are halved when changes grow."""
    step, before = 1.0, np.inf
    from_sites(pairs, tau, nu, variance, mean, covariance)
    for _ in range(100):
        change = renew(pairs, tau, nu, mean, covariance, step)
        from_sites(pairs, tau, nu, variance, mean, covariance)
        if change < tolerance:
            break
        if change > before:
            step = max(step / 2, 0.1)
        before = change


@compiled
def explain(
    pairs: Ints, tau: Floats, nu: Floats, variance: float, mean: Floats, covariance: Floats, tolerance: float
) -> float:
    """Propagate, and move the prior's variance towards the largest evidence by EM; return that variance.

    It takes a few steps, and the next call continues from there. The M step sets the variance to (mᵀm + tr K)/n.
    """
    propagate(pairs, tau, nu, variance, mean, covariance, tolerance)
    for _ in range(5):
        better = (mean @ mean + np.trace(covariance)) / len(mean)
        settled = abs(better - variance) < 0.02 * variance
        variance = better
        propagate(pairs, tau, nu, variance, mean, covariance, tolerance)
        if settled:
            break
    return variance


@compiled
def log_evidence(
    pairs: Ints, tau: Floats, nu: Floats, variance: float, mean: Floats, covariance: Floats
) -> float:
    """Return the logarithm of expectation propagation's estimate of P(answers), from sites that no longer change.

    With the cavity N(c, v) of answer i, its site is scaled so that it has the integral Φ(c/√(1 + v)) of the answer.
    """
    total: float = -0.5 * len(mean) * math.log(variance) + 0.5 * np.linalg.slogdet(covariance)[1]
    for answer in range(len(pairs)):
        better, worse = pairs[answer, 0], pairs[answer, 1]
        own = covariance[better, better] + covariance[worse, worse] - 2 * covariance[better, worse]
        difference = mean[better] - mean[worse]
        v = 1 / max(1 / own - tau[answer], 1e-10)
        c = v * (difference / own - nu[answer])
        site = 2 * nu[answer] * c + nu[answer] ** 2 * v - tau[answer] * c**2
        total += 0.5 * nu[answer] * difference  # ½ mᵀ Σ nu · a, with the a of each answer its difference
        total += log_chance(c / math.sqrt(1 + v))
        total += 0.5 * math.log(1 + v * tau[answer]) - site / (2 * (1 + v * tau[answer]))
    return total


@compiled
def log_chance(z: float) -> float:
    """Return log Φ(z)."""
    if z > -30:
        return math.log(0.5 * math.erfc(-z / math.sqrt(2.0)))
    return -z * z / 2 - math.log(-z) - 0.5 * math.log(2 * math.pi)


@compiled
def propagate_at_scales(
    pairs: Ints,
    scales: Floats,
    log_prior: Floats,
    means: Floats,
    covariances: Floats,
    sites: Floats,
    log_weights: Floats,
    tolerance: float,
    least: float,
) -> None:
    """Propagate at the scale of the largest weight and, outwards from it, at all that have weight.

    Outwards ends at the first scale whose weight relative to the largest is below exp(``least``); this one and those
    beyond get the weight 0. A scale that comes back starts from the sites of its neighbour.
    """
    start = int(np.argmax(log_weights))
    before = log_weights.copy()
    log_weights[:] = -np.inf
    largest = -np.inf
    for direction in (1, -1):
        k = start if direction == 1 else start - 1
        while 0 <= k < len(scales):
            if before[k] == -np.inf:
                sites[k] = sites[k - direction]
            tau, nu = sites[k, 0, : len(pairs)], sites[k, 1, : len(pairs)]
            variance = scales[k] ** 2
            propagate(pairs, tau, nu, variance, means[k], covariances[k], tolerance)
            weight = log_prior[k] + log_evidence(pairs, tau, nu, variance, means[k], covariances[k])
            largest = max(largest, weight)
            if weight < largest + least:
                break
            log_weights[k] = weight
            k += direction
