"""Simulated answers of several judges to one study."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penchant.checks import Floats
from penchant.preferences import OUTCOMES
from penchant.study.columns import AnswerColumns


def simulated_columns(
    seed: int = 0,
    *,
    n_items: int = 30,
    n_judges: int = 10,
    answers: int = 60,
    spread: float = 1.2,
    reliability: Mapping[int, float] | None = None,
    lean: float = 0.0,
    shares: Mapping[str, float] | None = None,
    chance: Floats | None = None,
    close: bool = False,
    **others: Any,
) -> AnswerColumns:
    """Return answers to random pairs by judges ``j0``, ``j1`` … in random order.

    ``reliability`` is that of judges other than 1: 0 answers at random, −1 reversed. ``lean`` is the log odds of the
    left one of two equal items, ``shares`` those of other outcomes, ``chance[i, j]`` the probability that i beats j
    instead of one by worth, and ``close`` asks about pairs that are close in rank.
    """
    rng = np.random.default_rng(seed)
    worth = np.sort(rng.normal(0, spread, n_items))
    m = n_judges * answers
    left = rng.integers(n_items, size=m)
    apart = rng.integers(1, n_items // 6 + 2 if close else n_items, size=m)
    right = (left + apart) % n_items
    swapped = rng.random(m) < 0.5
    left, right = np.where(swapped, right, left), np.where(swapped, left, right)
    judge = rng.permutation(np.repeat(np.arange(n_judges), answers))
    trust = np.ones(n_judges)
    for place, value in (reliability or {}).items():
        trust[place] = value
    odds = trust[judge] * (worth[left] - worth[right]) + lean
    probability = 1 / (1 + np.exp(-odds)) if chance is None else chance[left, right]
    choice = np.where(rng.random(m) < probability, 0, 1)
    for name, share in (shares or {}).items():
        choice = np.where(rng.random(m) < share, OUTCOMES.index(name), choice)
    ids = [f"i{row}" for row in range(n_items)]
    return AnswerColumns.of(
        [ids[row] for row in left],
        [ids[row] for row in right],
        [OUTCOMES[code] for code in choice],
        items=ids,
        judge=[f"j{number}" for number in judge],
        **others,
    )
