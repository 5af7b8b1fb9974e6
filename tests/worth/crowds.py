"""Judges who are not there: their answers, drawn from the model, and how well a ranking meets the truth."""

from __future__ import annotations

from typing import Any

import numpy as np

from penchant import Preferences
from penchant.orders import kendall_distance
from penchant.worth import CrowdBradleyTerry

OUTCOMES = ("left", "right", "tie")


def answers(
    n_items: int = 20,
    per_judge: int = 100,
    *,
    reliability: Any,
    bias: Any,
    seed: int = 0,
    tie: float = 0.0,
) -> tuple[Any, Preferences]:
    """True worth, and answers from the model itself by judges 'j00', 'j01' …"""
    rng = np.random.default_rng(seed)
    worth = rng.normal(size=n_items)
    worth -= worth.mean()
    judge = np.repeat(np.arange(len(reliability)), per_judge)
    left = rng.integers(n_items, size=len(judge))
    right = (left + rng.integers(1, n_items, size=len(judge))) % n_items
    x = np.asarray(reliability)[judge] * (worth[left] - worth[right]) + np.asarray(bias)[judge]
    odds = np.stack([np.exp(x / 2), np.exp(-x / 2), np.full(len(x), tie)])
    drawn = (rng.random(len(x)) > np.cumsum(odds / odds.sum(axis=0), axis=0)).sum(axis=0)
    names = [f"j{k:02d}" for k in judge]
    outcome = [OUTCOMES[o] for o in drawn]
    return worth, Preferences.from_answers(left, right, outcome, judge=names, items=range(n_items))


def mixed_crowd(seed: int) -> tuple[Any, Any, Preferences]:
    """Twelve judges: 0, 1, 2 answer at random, 3 upside down, 4 leans left, the others are good."""
    reliability = np.array([0, 0, 0, -1, 1, 1, 1, 1, 1, 1, 1, 1.0])
    bias = np.where(np.arange(12) == 4, 1.0, 0.0)
    return bias, *answers(reliability=reliability, bias=bias, seed=seed)


def agreement(worth: Any, scores: Any) -> float:
    """Kendall's correlation of two scores."""
    ranks = [np.argsort(np.argsort(-np.asarray(s))) + 1 for s in (worth, scores)]
    pairs = len(worth) * (len(worth) - 1) / 2
    return 1 - 2 * kendall_distance(*ranks) / pairs


def alike(prior: float = 0.1) -> CrowdBradleyTerry:
    """Plain Bradley–Terry."""
    return CrowdBradleyTerry(prior, reliability_sd=0.0, bias_sd=0.0)
