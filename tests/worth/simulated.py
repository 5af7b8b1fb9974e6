"""People who answer as a model says they do: worths in, preferences out, and how often intervals hold the truth."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from penchant import Preferences


def comparisons(
    worth: Any, n_rows: int, seed: int, *, ties: float = 0.0, probit: bool = False
) -> Preferences:
    """Random pairs, answered by a Bradley–Terry–Davidson judge with ν = ``ties``, or by a Thurstone judge.

    For the Thurstone judge ``ties`` is ε.
    """
    rng = np.random.default_rng(seed)
    n = len(worth)
    a = rng.integers(n, size=n_rows)
    b = (a + rng.integers(1, n, size=n_rows)) % n
    return _answered(np.asarray(worth, dtype=float), a, b, rng, ties, probit)


def rounds(worth: Any, n_rounds: int, seed: int, *, ties: float = 0.0, probit: bool = False) -> Preferences:
    """The same of an even number of items, each of them once a round: none has fewer than ``n_rounds`` answers."""
    rng = np.random.default_rng(seed)
    a, b = np.concatenate([rng.permutation(len(worth)).reshape(-1, 2) for _ in range(n_rounds)]).T
    return _answered(np.asarray(worth, dtype=float), a, b, rng, ties, probit)


def _answered(worth: Any, a: Any, b: Any, rng: np.random.Generator, ties: float, probit: bool) -> Preferences:
    if probit:
        seen = worth[a] - worth[b] + np.sqrt(2) * rng.standard_normal(len(a))
        tie, first = np.abs(seen) <= ties, seen > 0
    else:
        odds = np.exp(np.stack([worth[a] - worth[b], worth[b] - worth[a]]) / 2)
        draw = rng.random(len(a)) * (odds.sum(axis=0) + ties)
        tie, first = draw > odds.sum(axis=0), draw < odds[0]
    pairs = np.column_stack([np.where(first, a, b), np.where(first, b, a)])
    return Preferences.from_pairs(pairs, tie=tie, items=range(len(worth)))


def rankings(worth: Any, n_rows: int, seed: int) -> Preferences:
    """Full rankings drawn from Plackett–Luce."""
    worth = np.asarray(worth, dtype=float)
    noise = np.random.default_rng(seed).gumbel(size=(n_rows, len(worth)))
    orders = np.argsort(-(worth + noise), axis=1)
    return Preferences.from_rankings(orders.tolist(), items=range(len(worth)))


def coverage(
    fit: Callable[[Preferences], Any],
    worth: Any,
    answer: Callable[[Any, int], Preferences],
    n_runs: int,
    level: float = 0.95,
) -> float:
    """Return the share of scores whose interval at ``level`` holds the true worth, told from the mean.

    ``answer(worth, seed)`` gives the preferences of one run.
    """
    truth = np.asarray(worth) - np.mean(worth)
    held = []
    for seed in range(n_runs):
        lower, upper = fit(answer(worth, seed)).interval(level).T
        held.append((lower <= truth) & (truth <= upper))
    return float(np.mean(held))
