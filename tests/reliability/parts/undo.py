"""Undo is exact: after any history of answers, undos and judges set aside, the belief is that of the answers left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from penchant.study.answers import Answer, LiveAnswers, Question
from penchant.study.encoding import GrowingRows
from penchant.study.items import Item
from penchant.study.learning import QUICK, USUAL, Learning
from penchant.study.settings import model_as_stored
from penchant.study.starting import ModelStart
from penchant.worth import BradleyTerry, Thurstone
from tests.reliability.part import Part

MODELS = (
    BradleyTerry(prior=0.3),
    Thurstone(prior=0.3),
    Thurstone(prior=1.0),
    BradleyTerry(),
    Thurstone(prior=0.1),
)
CHOICES = ("left", "right", "tie", "both_bad")


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Play a random history of five items, and compare with the answers that count at its end, learned at once."""
    rng = np.random.default_rng(number)
    items = {name: Item(name, name) for name in "abcde"}
    start = ModelStart(model_as_stored(MODELS[number % len(MODELS)]), items, [])
    schedule = QUICK if number % 4 == 0 else USUAL  # more starts, which take longer
    learning, live = Learning(start, schedule=schedule), LiveAnswers()
    rows = GrowingRows(start.encode)
    removed: list[Answer] = []
    for place in range(int(rng.integers(10, 60))):
        left, right = rng.choice(list(items), 2, replace=False).tolist()
        choice = CHOICES[rng.choice(4, p=[0.45, 0.45, 0.07, 0.03])]
        live.add(Answer(str(place), Question(str(place), left, right, "me"), choice, place=place))
        if rng.random() < 0.3 and len(live):
            recent = min(len(live), 3) if rng.random() < 0.5 else len(live)
            removed.append(live.answers[len(live) - 1 - int(rng.integers(recent))])
            live.remove(removed[-1])
        if rng.random() < 0.1 and removed:
            live.add(removed.pop(int(rng.integers(len(removed)))))
        if rng.random() < 0.05:
            judged = (
                set(rng.choice(len(live), len(live) // 3, replace=False).tolist()) if len(live) else set()
            )
            removed += [answer for index, answer in enumerate(live.answers) if index in judged]
            live.replace([answer for index, answer in enumerate(live.answers) if index not in judged])
        if rng.random() < 0.7:
            learning.advance(rows.of(live.answers, live.unchanged), live.mark())
    kept = learning.advance(rows.of(live.answers, live.unchanged), live.mark())
    folded = Learning(start, schedule=schedule).advance(start.encode(live.answers))
    assert kept.mean.tobytes() == folded.mean.tobytes()
    assert kept.covariance().tobytes() == folded.covariance().tobytes()
    return {"equal to the bit": 1}


PART = Part(
    name="undo",
    claim="After any history of answers, undos, undone undos and judges set aside, the belief is that of the answers "
    "that count, to the last bit.",
    unit="histories",
    full=10_000,
    trial=trial,
)
