"""A proven lower bound of the derivative of a smooth utility by one feature over a box, by branch and bound.

Coordinates are shares of the lengthscales, measured from the box's lower corner. There the derivative is

    g(u) = base − Σᵢ wᵢ qⱼ exp(−‖q‖²/2),  q = u − uᵢ,

and a box with the centre c and half-sides r is bounded from below by Taylor's formula: the derivatives of g at
c up to the third hold all cancellation between the items, and only the fourth-order remainder is bounded item
by item, with the largest fifth derivative of a Gaussian over the box.
"""

from __future__ import annotations

from math import exp, sqrt

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled

_EPSILON = 2.3e-16
_LARGEST_FIRST = 0.6065307  # of ρ exp(−ρ²/2), at ρ = 1


@compiled
def first_envelope(square: float) -> float:
    """Return at least the norm of a Gaussian's first derivative at all distances² from ``square`` on."""
    return _LARGEST_FIRST if square < 1 else sqrt(square) * exp(-square / 2)


@compiled
def fifth_envelope(square: float) -> float:
    """Return at least the norm of a Gaussian's fifth derivative at all distances² from ``square`` on.

    The norm at the distance ρ is max |t⁵ − 10t³ + 15t| over |t| ≤ ρ, times exp(−ρ²/2): a symmetric form is
    largest where its arguments are equal (Banach). The numbers are the polynomial's peaks, and those of its
    product with the exponential.
    """
    fall = exp(-square / 2)
    if square < 3.5681:
        return min(5.7837, max(7.2716 * fall, 2.5232))
    if square < 11.0511:
        return min(2.5232, max(22.8747 * fall, 0.3527))
    return sqrt(square) * (square * square - 10 * square + 15) * fall


@compiled
def slope_at(point: Floats, items: Floats, weight: Floats, base: float, j: int) -> float:
    """Return g at ``point`` (d,)."""
    total = 0.0
    for i in range(len(items)):
        square = 0.0
        for k in range(len(point)):
            square += (point[k] - items[i, k]) ** 2
        total -= weight[i] * (point[j] - items[i, j]) * exp(-square / 2)
    return base + total


@compiled
def largest_slope(points: Floats, items: Floats, weight: Floats, base: float, j: int) -> float:
    """Return the largest |g| at some ``points`` (k, d)."""
    largest = 0.0
    for place in range(len(points)):
        largest = max(largest, abs(slope_at(points[place], items, weight, base, j)))
    return largest


@compiled
def bounded(
    centre: Floats,
    radius: Floats,
    items: Floats,
    weight: Floats,
    base: float,
    j: int,
    rounding: float,
    scratch: Floats,
    third: Floats,
) -> float:
    """Return a lower bound of g over a box.

    ``rounding`` bounds the relative error of sums over the items. ``scratch`` (d + 2, d) takes the gradient
    and the Hessian of g at the centre, and ``third`` (d, d, d) its third derivatives; the first row of
    ``scratch`` is then the point where g may be least.
    """
    d = len(centre)
    q, gradient, hessian = scratch[0], scratch[1], scratch[2:]
    for k in range(d):
        gradient[k] = 0.0
        for m in range(k + 1):
            hessian[k, m] = 0.0
            for p in range(m + 1):
                third[k, m, p] = 0.0
    value, crude, remainder, size = 0.0, 0.0, 0.0, abs(base)
    for i in range(len(items)):
        square, nearest = 0.0, 0.0
        for k in range(d):
            q[k] = centre[k] - items[i, k]
            square += q[k] * q[k]
            nearest += max(0.0, abs(q[k]) - radius[k]) ** 2
        height = weight[i] * exp(-square / 2)
        size += abs(weight[i])
        crude += abs(weight[i]) * first_envelope(nearest)
        remainder += abs(weight[i]) * fifth_envelope(nearest)
        value -= q[j] * height
        gradient[j] -= height
        hessian[j, j] += q[j] * height
        for k in range(d):
            gradient[k] += q[j] * q[k] * height
            hessian[k, k] += q[j] * height
            hessian[max(k, j), min(k, j)] += q[k] * height
            for m in range(k + 1):
                hessian[k, m] -= q[j] * q[k] * q[m] * height
                for p in range(m + 1):
                    third[k, m, p] += q[j] * q[k] * q[m] * q[p] * height
        _add_pairings(third, q, height, j)
    low, reach, diagonal = value, 1.0, 0.0
    for k in range(d):
        step = _lowest(gradient[k], hessian[k, k], radius[k])
        q[k] = centre[k] + step
        low += gradient[k] * step + hessian[k, k] * step * step / 2
        reach += radius[k]
        diagonal += radius[k] * radius[k]
        for m in range(k):
            low -= abs(hessian[k, m]) * radius[k] * radius[m]
        for m in range(k + 1):
            for p in range(m + 1):
                same = 1 if k == p else (3 if k == m or m == p else 6)
                low -= same * abs(third[k, m, p]) * radius[k] * radius[m] * radius[p] / 6
    low -= remainder * diagonal * diagonal / 24
    # No derivative of a Gaussian up to the fifth exceeds 6, and the steps above weigh them by reach⁴ at most.
    low -= rounding * size * 8 * reach**4
    return base + max(low, -crude * (1 + rounding))


@compiled
def _add_pairings(third: Floats, q: Floats, height: float, j: int) -> None:
    """Add to the fourth derivative's q_j q_k q_m q_p what comes of equal indices among j, k, m and p."""
    d = len(q)
    for k in range(d):
        for m in range(k + 1):
            for p in range(m + 1):
                lower = 0.0
                if j == k:
                    lower += q[m] * q[p] - (1.0 if m == p else 0.0)
                if j == m:
                    lower += q[k] * q[p] - (1.0 if k == p else 0.0)
                if j == p:
                    lower += q[k] * q[m] - (1.0 if k == m else 0.0)
                if k == m:
                    lower += q[j] * q[p]
                if k == p:
                    lower += q[j] * q[m]
                if m == p:
                    lower += q[j] * q[k]
                third[k, m, p] -= lower * height


@compiled
def _lowest(gradient: float, curvature: float, radius: float) -> float:
    """Return where gradient·t + curvature·t²/2 is least in [−radius, radius]."""
    if curvature * radius > abs(gradient):
        return -gradient / curvature
    return -radius if gradient > 0 else radius


@compiled
def _halve(centres: Floats, radii: Floats, first: int, second: int) -> None:
    """Cut the box ``first`` across its longest side, and make one half the box ``second``."""
    longest = 0
    for k in range(centres.shape[1]):
        centres[second, k], radii[second, k] = centres[first, k], radii[first, k]
        if radii[first, k] > radii[first, longest]:
            longest = k
    half = radii[first, longest] / 2
    centres[first, longest] -= half
    centres[second, longest] += half
    # Centres are rounded: slightly larger halves leave no gap between them.
    radii[first, longest] = radii[second, longest] = half + _EPSILON * (half + centres[second, longest])


@compiled
def _sink(heap: Ints, lows: Floats, length: int) -> None:
    """Restore the heap after its first box was replaced."""
    place = 0
    while 2 * place + 1 < length:
        child = 2 * place + 1
        if child + 1 < length and lows[heap[child + 1]] < lows[heap[child]]:
            child += 1
        if lows[heap[place]] <= lows[heap[child]]:
            return
        heap[place], heap[child] = heap[child], heap[place]
        place = child


@compiled
def _rise(heap: Ints, lows: Floats, length: int) -> None:
    """Restore the heap after a box was appended."""
    place = length - 1
    while place > 0 and lows[heap[place]] < lows[heap[(place - 1) // 2]]:
        above = (place - 1) // 2
        heap[place], heap[above] = heap[above], heap[place]
        place = above


@compiled
def least_slope(
    items: Floats, weight: Floats, base: float, j: int, side: Floats, tolerance: float, most_boxes: int
) -> tuple[float, float, Floats, int]:
    """Bound g from below over the box [0, ``side``] by branch and bound, the lowest box first.

    Stops when the bound is within ``tolerance`` of the least value seen, or at ``most_boxes`` boxes.

    Returns
    -------
    bound : float
        At most g everywhere in the box, with an allowance for rounding.
    value, point : float and ndarray of shape (d,)
        The least g that was seen, and where.
    n_boxes : int
        How many boxes tile the whole in the end.
    """
    n, d = items.shape
    scratch, third, point = np.empty((d + 2, d)), np.empty((d, d, d)), np.empty(d)
    # Pages that are never touched cost nothing.
    centres, radii, lows = np.empty((most_boxes, d)), np.empty((most_boxes, d)), np.empty(most_boxes)
    heap = np.empty(most_boxes, dtype=np.int64)
    heap[0], n_boxes, reach = 0, 1, 1.0
    for k in range(d):
        centres[0, k] = radii[0, k] = point[k] = side[k] / 2
        reach += side[k]
    rounding = _EPSILON * (n + 64 + 16 * d * reach)
    size = abs(base)
    for i in range(n):
        size += abs(weight[i])
    tolerance = max(tolerance, 8 * rounding * size)  # no bound comes closer than rounding lets it
    value = slope_at(point, items, weight, base, j)
    lows[0] = bounded(centres[0], radii[0], items, weight, base, j, rounding, scratch, third)
    while lows[heap[0]] < value - tolerance and n_boxes < most_boxes:
        first, second = heap[0], n_boxes
        n_boxes += 1
        parent_low = lows[first]
        _halve(centres, radii, first, second)
        for box in range(first, second + 1, second - first):
            low = bounded(centres[box], radii[box], items, weight, base, j, rounding, scratch, third)
            lows[box] = max(low, parent_low)
            if low < value - tolerance:
                trial = scratch[0]
                for k in range(d):
                    trial[k] = min(max(trial[k], 0.0), side[k])
                seen = slope_at(trial, items, weight, base, j)
                if seen < value:
                    value = seen
                    for k in range(d):
                        point[k] = trial[k]
        _sink(heap, lows, n_boxes - 1)
        heap[n_boxes - 1] = second
        _rise(heap, lows, n_boxes)
    return min(lows[heap[0]], value), value, point, n_boxes
