"""A killed process loses no acknowledged click, and what it has erased stays erased."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from tests.reliability.part import Part
from tests.reliability.test_coactive_kill import check, killed, made

TURNS = 2


def trial(number: int, folder: Path) -> Counter[str]:
    """Kill a process twice in which four people click, undo and are forgotten."""
    path, luck = folder / "study.db", random.Random(number)
    made(path)
    acknowledged: list[list[str]] = []
    for turn in range(TURNS):
        acknowledged += killed(path, turn, luck)
        check(path, acknowledged)
    counts = Counter(words[0] for words in acknowledged)
    names = {
        "presented": "presentations",
        "given": "feedback",
        "undone": "undos",
        "forgotten": "users forgotten",
    }
    return Counter({f"acknowledged {names[kind]}": count for kind, count in counts.items()})


PART = Part(
    name="coactive_kills",
    claim="A process that presents, learns and forgets and is killed at any moment loses nothing that it acknowledged, "
    "and the models are the fold of the log.",
    unit=f"studies, each killed {TURNS} times",
    full=100,
    trial=trial,
)
