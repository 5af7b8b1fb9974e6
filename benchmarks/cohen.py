"""The greedy order of Cohen, Schapire and Singer from a matrix of pairwise preferences."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast is the greedy order of 5,000 objects, beside the same lines in plain NumPy and Python?"


def cases(quick: bool) -> list[Case]:
    """Return Penchant's order at full size; beside a transcription in loops at a size that loops can bear."""
    large, small = (500, 100) if quick else (5_000, 500)
    return [
        Case(what=f"{large:,} objects", prepare=lambda: penchant(large), answer=top),
        Case(who="NumPy, row by row", what=f"{large:,} objects", prepare=lambda: by_rows(large), answer=top),
        Case(what=f"{small:,} objects", prepare=lambda: penchant(small), answer=top),
        Case(who="Python loops", what=f"{small:,} objects", prepare=lambda: by_loops(small), answer=top),
    ]


def preferences(n: int) -> Any:
    """Return a random matrix F with F + Fᵀ = 1 off the diagonal."""
    import numpy as np

    upper = np.triu(np.random.default_rng(0).random((n, n)), 1)
    return upper + np.tril(1 - upper.T, -1)


def penchant(n: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.orders import cohen_order

    F = preferences(n)
    return lambda: cohen_order(F)


def by_rows(n: int) -> Callable[[], object]:
    """Prepare the greedy order with one NumPy statement for each update of the net scores."""
    import numpy as np

    F = preferences(n)

    def order() -> list[int]:
        net = F.sum(axis=1) - F.sum(axis=0)
        chosen = []
        for _ in range(n):
            best = int(np.argmax(net))
            chosen.append(best)
            net += F[best] - F[:, best]
            net[best] = -np.inf
        return chosen

    return order


def by_loops(n: int) -> Callable[[], object]:
    """Prepare the greedy order in Python's own loops."""
    F = preferences(n).tolist()

    def order() -> list[int]:
        left = list(range(n))
        net = [sum(F[v]) - sum(row[v] for row in F) for v in left]
        chosen = []
        while left:
            best = max(left, key=lambda v: net[v])
            chosen.append(best)
            left.remove(best)
            for u in left:
                net[u] += F[best][u] - F[u][best]
        return chosen

    return order


def top(result: Any) -> Answer:
    """Tell the first objects, and a sum that any other order would change."""
    order = [int(item) for item in result]
    checksum = sum(place * item for place, item in enumerate(order))
    return {"first": " ".join(map(str, order[:3])), "checksum": checksum}
