"""Compiled sums over blocks of pairs that are sorted by their first item; `streamed` calls them.

A block holds the pairs from place ``begin`` among all. ``starts`` are the places at which the pairs of each first item
begin, and ``row`` is the first item of the block's first pair. Results are added to ``out``.
"""

from __future__ import annotations

from typing import Any

from penchant.checks import Floats, Ints
from penchant.compiled import compiled


@compiled
def add_flow(row: int, starts: Ints, begin: int, second: Any, flow: Any, sign: float, out: Floats) -> None:
    """Add each flow to its first item, and ``sign`` times it to its second."""
    place, size = 0, len(second)
    while place < size:
        stop = min(starts[row + 1] - begin, size)
        total = 0.0
        for at in range(place, stop):
            total += flow[at]
            out[second[at]] += sign * flow[at]
        out[row] += total
        place = stop
        row += 1


@compiled
def add_product(
    row: int, starts: Ints, begin: int, second: Any, flow: Any, values: Floats, out: Floats
) -> None:
    """Add for each pair its flow times the value of the other item, shape (n_items,)."""
    place, size = 0, len(second)
    while place < size:
        stop = min(starts[row + 1] - begin, size)
        total, own = 0.0, values[row]
        for at in range(place, stop):
            other = second[at]
            total += flow[at] * values[other]
            out[other] += flow[at] * own
        out[row] += total
        place = stop
        row += 1


@compiled
def add_products(
    row: int, starts: Ints, begin: int, second: Any, flow: Any, values: Floats, out: Floats
) -> None:
    """Add for each pair its flow times the values of the other item, shape (n_items, k)."""
    place, size, width = 0, len(second), values.shape[1]
    while place < size:
        stop = min(starts[row + 1] - begin, size)
        for at in range(place, stop):
            other, strength = second[at], flow[at]
            for column in range(width):
                out[row, column] += strength * values[other, column]
                out[other, column] += strength * values[row, column]
        place = stop
        row += 1


@compiled
def add_signed(row: int, starts: Ints, begin: int, second: Any, bits: Any, root: Floats, out: Floats) -> None:
    """Add each root with a random sign, a bit for each of k draws, to its first item; subtract it from its second."""
    place, size, width = 0, len(second), out.shape[1]
    while place < size:
        stop = min(starts[row + 1] - begin, size)
        for at in range(place, stop):
            other, signs, strength = second[at], bits[at], root[at]
            for column in range(width):
                signed = strength if (signs >> column) & 1 else -strength
                out[row, column] += signed
                out[other, column] -= signed
        place = stop
        row += 1


@compiled
def sum_signed(bits: Any, values: Floats, out: Floats) -> None:
    """Add the sum of ``values`` with the signs of `add_signed`, shape (k,)."""
    for at in range(len(values)):
        for column in range(len(out)):
            out[column] += values[at] if (bits[at] >> column) & 1 else -values[at]
