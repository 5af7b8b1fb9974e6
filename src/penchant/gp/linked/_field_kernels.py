"""Compiled steps of `FieldBelief`: sparse solves by conjugate gradients, and updates along one direction.

The system is about two vectors, the link part g and the own part z of n items, stored as x = (g, z) of shape (2, n). An
item's utility apart from its features is g + root · z. The precision matrix of x is that of the links for g (in
compressed rows; empty without links, and g is then 0), the identity for z, and for each site of precision τ between two
items τ times the square of the difference of their utilities.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from penchant.checks import Floats, Ints
from penchant.compiled import compiled, reassociated


@compiled
def _multiply(
    starts: Ints,
    columns: Ints,
    values: Floats,
    root: Floats,
    first: Ints,
    second: Ints,
    tau: Floats,
    x: Floats,
    utility: Floats,
    pull: Floats,
    out: Floats,
) -> None:
    """Write the product of the precision matrix with ``x`` to ``out``; ``utility`` and ``pull`` (n,) are work space."""
    n = len(root)
    for i in range(n):
        utility[i] = x[0, i] + root[i] * x[1, i]
        pull[i] = 0.0
    for k in range(len(tau)):
        a, b = first[k], second[k]
        change = tau[k] * (utility[a] - utility[b])
        pull[a] += change
        pull[b] -= change
    linked = len(values) > 0
    for i in range(n):
        out[1, i] = x[1, i] + root[i] * pull[i]
        if linked:
            total = pull[i]
            for place in range(starts[i], starts[i + 1]):
                total += values[place] * x[0, columns[place]]
            out[0, i] = total


@compiled
def _inverse_blocks(
    starts: Ints, columns: Ints, values: Floats, root: Floats, first: Ints, second: Ints, tau: Floats
) -> Floats:
    """Return the inverse of each item's 2 × 2 block of the precision matrix, shape (3, n): gg, gz and zz."""
    n = len(root)
    site = np.zeros(n)
    for k in range(len(tau)):
        site[first[k]] += tau[k]
        site[second[k]] += tau[k]
    inverse = np.zeros((3, n))
    linked = len(values) > 0
    for i in range(n):
        own = 1.0 + root[i] * root[i] * site[i]
        if not linked:
            inverse[2, i] = 1.0 / own
            continue
        link = site[i]
        for place in range(starts[i], starts[i + 1]):
            if columns[place] == i:
                link += values[place]
        cross = root[i] * site[i]
        determinant = link * own - cross * cross
        inverse[0, i], inverse[1, i], inverse[2, i] = (
            own / determinant,
            -cross / determinant,
            link / determinant,
        )
    return inverse


@reassociated
def solve(
    starts: Ints,
    columns: Ints,
    values: Floats,
    root: Floats,
    first: Ints,
    second: Ints,
    tau: Floats,
    right: Floats,
    tolerance: float,
    most: int,
) -> int:
    """Solve the system for each of k right sides (k, 2, n) by conjugate gradients; they are overwritten.

    It ends when each residual, measured by the preconditioner, is at most ``tolerance`` times the right side, or after
    ``most`` products. Returns the largest number of products.
    """
    n = len(root)
    inverse = _inverse_blocks(starts, columns, values, root, first, second, tau)
    utility, pull, image, direction, solution = (
        np.empty(n),
        np.empty(n),
        np.zeros((2, n)),
        np.empty((2, n)),
        np.empty((2, n)),
    )
    longest = 0
    for column in range(len(right)):
        residual = right[column]
        size = 0.0
        for i in range(n):
            direction[0, i] = inverse[0, i] * residual[0, i] + inverse[1, i] * residual[1, i]
            direction[1, i] = inverse[1, i] * residual[0, i] + inverse[2, i] * residual[1, i]
            size += direction[0, i] * residual[0, i] + direction[1, i] * residual[1, i]
            solution[0, i] = solution[1, i] = 0.0
        enough = tolerance * tolerance * size
        count = 0
        while size > enough and count < most:
            count += 1
            _multiply(starts, columns, values, root, first, second, tau, direction, utility, pull, image)
            curvature = 0.0
            for i in range(n):
                curvature += direction[0, i] * image[0, i] + direction[1, i] * image[1, i]
            if curvature <= 0.0:
                break
            step = size / curvature
            before, size = size, 0.0
            for i in range(n):
                solution[0, i] += step * direction[0, i]
                solution[1, i] += step * direction[1, i]
                g = residual[0, i] - step * image[0, i]
                z = residual[1, i] - step * image[1, i]
                residual[0, i], residual[1, i] = g, z
                size += inverse[0, i] * g * g + 2.0 * inverse[1, i] * g * z + inverse[2, i] * z * z
            share = size / before
            for i in range(n):
                g, z = residual[0, i], residual[1, i]
                direction[0, i] = inverse[0, i] * g + inverse[1, i] * z + share * direction[0, i]
                direction[1, i] = inverse[1, i] * g + inverse[2, i] * z + share * direction[1, i]
        right[column] = solution
        longest = max(longest, count)
    return longest


@reassociated
def directions_of(
    parts: Floats, shared: Floats, steps: Floats, loads: Floats, n_delayed: int, ends: Ints, along: Floats
) -> Floats:
    """Write K_t(e_a − e_b) = part + EEᵀ(e_a − e_b) of each pair in ``ends`` to ``along`` (k, n); return Eᵀ(e_a − e_b).

    E is ``shared`` less Σ step loadᵀ over the first ``n_delayed`` steps. The pass over it is the same for all pairs.
    """
    width, count = shared.shape[1], len(ends)
    apart, left = np.empty((count, width)), np.empty((count, n_delayed))
    for pair in range(count):
        a, b = ends[pair, 0], ends[pair, 1]
        for k in range(width):
            apart[pair, k] = shared[a, k] - shared[b, k]
        for j in range(n_delayed):
            share = steps[j, a] - steps[j, b]
            for k in range(width):
                apart[pair, k] -= share * loads[j, k]
        for j in range(n_delayed):
            total = 0.0
            for k in range(width):
                total += loads[j, k] * apart[pair, k]
            left[pair, j] = total
    for i in range(len(shared)):
        row = shared[i]
        for pair in range(count):
            total, difference = 0.0, apart[pair]
            for k in range(width):
                total += row[k] * difference[k]
            along[pair, i] = parts[pair, i] + total
    for pair in range(count):
        into = along[pair]
        for j in range(n_delayed):
            share, step = left[pair, j], steps[j]
            for i in range(len(into)):
                into[i] -= share * step[i]
    return apart


@reassociated
def move(
    part: Floats,
    along: Floats,
    apart: Floats,
    a: int,
    b: int,
    precision: float,
    gain: float,
    mean: Floats,
    variance: Floats,
    centred: Floats,
    edges: Ints,
    edge_variance: Floats,
    step: Floats,
) -> tuple[float, float]:
    """Update the belief by ``precision`` more of the site between a and b and by ``gain`` along the direction.

    With p = ``part`` = P(e_a − e_b), e = ``apart`` = Eᵀ(e_a − e_b) and k = p + Ee = ``along``: P falls by s ppᵀ with
    s = τ/(1 + τ v_p), v_p = (e_a − e_b)ᵀp, and E becomes (E − s p eᵀ)(I − c eeᵀ) with (1 − c e²)² = 1/(1 + s e²), so
    that P + EEᵀ falls by τ/(1 + τ v) kkᵀ, v = v_p + e². What E falls by is ``step`` eᵀ, which is written and not yet
    subtracted. ``centred`` are the variances relative to the mean of all rows but the last. Returns s and τ/(1 + τ v).
    """
    n = len(along)
    square = 0.0
    for k in range(len(apart)):
        square += apart[k] * apart[k]
    own = part[a] - part[b]
    shrink_part = precision / (1.0 + precision * own)
    shrink = precision / (1.0 + precision * (own + square))
    left = 1.0 / sqrt(1.0 + shrink_part * square)
    turn = (1.0 - left) / square if square > 0.0 else 0.0
    level = along[: n - 1].sum() / (n - 1)
    for i in range(n):
        step[i] = shrink_part * left * part[i] + turn * (along[i] - part[i])
        mean[i] += gain * along[i]
        variance[i] -= shrink * along[i] * along[i]
        centred[i] -= shrink * (along[i] - level) ** 2
    for edge in range(len(edge_variance)):
        difference = along[edges[edge, 0]] - along[edges[edge, 1]]
        edge_variance[edge] -= shrink * difference * difference
    return shrink_part, shrink


@compiled
def follow(
    part: Floats,
    along: Floats,
    apart: Floats,
    a: int,
    b: int,
    moved_part: Floats,
    moved_along: Floats,
    moved_apart: Floats,
    step: Floats,
    shrinks: tuple[float, float],
) -> None:
    """Change the direction of the pair (a, b) as a `move` along another direction does, in place."""
    by_part = shrinks[0] * (moved_part[a] - moved_part[b])
    by_along = shrinks[1] * (moved_along[a] - moved_along[b])
    by_apart = step[a] - step[b]
    for i in range(len(part)):
        part[i] -= by_part * moved_part[i]
        along[i] -= by_along * moved_along[i]
    for k in range(len(apart)):
        apart[k] -= by_apart * moved_apart[k]


@reassociated
def subtract_steps(shared: Floats, steps: Floats, loads: Floats) -> None:
    """Subtract Σ step loadᵀ from ``shared``, four at a time; their number is a multiple of 4."""
    for i in range(len(shared)):
        row = shared[i]
        for j in range(0, len(steps), 4):
            s0, s1, s2, s3 = steps[j, i], steps[j + 1, i], steps[j + 2, i], steps[j + 3, i]
            l0, l1, l2, l3 = loads[j], loads[j + 1], loads[j + 2], loads[j + 3]
            for k in range(len(row)):
                row[k] -= s0 * l0[k] + s1 * l1[k] + s2 * l2[k] + s3 * l3[k]
