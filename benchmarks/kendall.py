"""Kendall's distance between two orders of a million items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How fast is Kendall's distance of a million items, beside SciPy's kendalltau?"


def cases(quick: bool) -> list[Case]:
    """Return Penchant's count of discordant pairs, and SciPy's tau turned into that count."""
    n = 20_000 if quick else 1_000_000
    return [
        Case(what=f"{n:,} items", prepare=lambda: penchant(n), answer=distance),
        Case(
            who="SciPy kendalltau",
            what=f"{n:,} items",
            prepare=lambda: scipy(n),
            answer=lambda result: distance_from_tau(result, n),
            cannot="gives tau, not the count",
        ),
    ]


def ranks(n: int) -> tuple[Any, Any]:
    """Return two random rankings of ``n`` items."""
    import numpy as np

    random = np.random.default_rng(0)
    return random.permutation(n) + 1, random.permutation(n) + 1


def penchant(n: int) -> Callable[[], object]:
    """Prepare Penchant's row."""
    from penchant.orders import kendall_distance

    truth, predicted = ranks(n)
    return lambda: kendall_distance(truth, predicted)


def scipy(n: int) -> Callable[[], object]:
    """Prepare SciPy's row."""
    from scipy.stats import kendalltau

    truth, predicted = ranks(n)
    return lambda: kendalltau(truth, predicted)


def distance(result: Any) -> Answer:
    """Tell the count of discordant pairs."""
    return {"distance": int(result)}


def distance_from_tau(result: Any, n: int) -> Answer:
    """Tell the count that tau = 1 − 4 d / (n (n − 1)) stands for."""
    return {"distance": round((1 - result.statistic) * n * (n - 1) / 4)}
