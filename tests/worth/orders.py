"""Random weak orders, their log-likelihood from its definition, and orders drawn from Plackett–Luce."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

from penchant import Preferences

N_ITEMS = 6


@st.composite
def weak_orders(draw: Any, max_size: int = N_ITEMS) -> list[list[int]]:
    """A weak order of some of the items: levels, best first."""
    items = draw(st.permutations(range(N_ITEMS)))[: draw(st.integers(1, max_size))]
    cuts = draw(st.lists(st.booleans(), min_size=len(items) - 1, max_size=len(items) - 1))
    levels = [[items[0]]]
    for item, cut in zip(items[1:], cuts, strict=True):
        if cut:
            levels.append([item])
        else:
            levels[-1].append(item)
    return levels


weights = st.floats(0.1, 3)
weighted_orders = st.lists(st.tuples(weak_orders(), weights), min_size=1, max_size=8)


def preferences(rows: Any) -> Preferences:
    return Preferences.from_rankings(
        [row[0] for row in rows], weight=[row[1] for row in rows], items=range(N_ITEMS)
    )


def log_likelihood(rows: Any, scores: Any) -> float:
    """From the definition, stage by stage, with Efron's denominators inside a level."""
    total = 0.0
    for levels, weight in rows:
        for place, level in enumerate(levels[:-1]):
            here = sum(np.exp(scores[item]) for item in level)
            below = sum(np.exp(scores[item]) for lower in levels[place + 1 :] for item in lower)
            for t, item in enumerate(level):
                total += weight * (scores[item] - np.log(below + (1 - t / len(level)) * here))
    return total


def ranked(rng: Any, scores: Any, size: int) -> list[int]:
    """An order of ``size`` items drawn by the model: the largest of Gumbel noises wins each stage."""
    items = rng.permutation(len(scores))[:size]
    return [int(item) for item in items[np.argsort(-(scores[items] + rng.gumbel(size=size)))]]


def shuffled_orders(n_rows: int, n_items: int, size: int, seed: int = 0) -> Preferences:
    rng = np.random.default_rng(seed)
    scores = np.linspace(1, -1, n_items)
    return Preferences.from_rankings([ranked(rng, scores, size) for _ in range(n_rows)], items=range(n_items))
