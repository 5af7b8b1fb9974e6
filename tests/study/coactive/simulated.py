"""Small studies with items, and people who click."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from penchant.study.coactive import CoactiveStudy

NAMES = ["x", "y", "z"]


def items(count: int = 8, seed: int = 0) -> list[dict[str, Any]]:
    """Items with three features."""
    rows = np.random.default_rng(seed).standard_normal((count, 3)).round(2).tolist()
    return [
        {"id": f"i{k}", "title": f"item {k}", **dict(zip(NAMES, row, strict=True))}
        for k, row in enumerate(rows)
    ]


def made(path: Path, **settings: Any) -> CoactiveStudy:
    """A study of eight items."""
    return CoactiveStudy.create(path, items(), seed=1, **settings)


def clicks(study: CoactiveStudy, rounds: int, *, users: int = 0, seed: int = 0, **options: Any) -> None:
    """Present some of the items, and click the one with the largest x."""
    random = np.random.default_rng(seed)
    for _ in range(rounds):
        ids = [f"i{k}" for k in random.permutation(8)[:5]]
        user = f"user {random.integers(users)}" if users else None
        shown = study.present(ids, user=user, **options)
        study.feedback(shown, clicked=[max(ids, key=lambda id: float(study.items[id].fields["x"] or 0))])
