"""Simulated people: what each wants of a document, and what each clicks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Features = Mapping[str, float | str]

NOISE = 0.2
"""The standard deviation of how people misjudge a document by its title."""
PATIENCE = 6
"""Places that people look at."""
SECOND = 0.4
"""The probability of a second click."""


@dataclass(frozen=True)
class Taste:
    """What one person wants: a weight for each feature, for a category ``name=value``."""

    name: str
    weights: Mapping[str, float]

    def utility(self, features: Features) -> float:
        """Return what a document is worth to the person."""
        return sum(
            self.weights.get(f"{name}={value}", 0.0)
            if isinstance(value, str)
            else self.weights.get(name, 0.0) * value
            for name, value in features.items()
        )

    def clicks(
        self, order: Sequence[str], candidates: Mapping[str, Features], random: np.random.Generator
    ) -> list[str]:
        """Return what the person clicks: the best of the first places by a noisy look, perhaps the second best too."""
        seen = list(order[:PATIENCE])
        looks = {id: self.utility(candidates[id]) + NOISE * random.standard_normal() for id in seen}
        best = sorted(seen, key=lambda id: -looks[id])
        return best[: 2 if random.random() < SECOND else 1]


TASTES = (
    Taste("likes guides", {"text match": 2.0, "title match": 0.5, "kind=guide": 1.0, "short": 0.3}),
    Taste("likes stories", {"text match": 2.0, "kind=story": 1.2, "recent": 0.2}),
    Taste("looks things up", {"text match": 2.0, "title match": 0.5, "kind=reference": 1.1, "short": 0.6}),
    Taste("wants news", {"text match": 1.5, "recent": 1.4, "kind=guide": 0.3}),
    Taste("is short of time", {"text match": 1.5, "short": 1.5, "recent": 0.4}),
)
"""The people who search. Each is called by what the person wants."""


def population(tastes: Sequence[Taste] = TASTES) -> Taste:
    """Return the mean of all tastes: what the people together want."""
    names = dict.fromkeys(name for taste in tastes for name in taste.weights)
    mean: dict[str, Any] = {
        name: sum(taste.weights.get(name, 0.0) for taste in tastes) / len(tastes) for name in names
    }
    return Taste("all together", mean)
