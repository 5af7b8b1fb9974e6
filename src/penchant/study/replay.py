"""Replay answers with a model: learn them one by one, and predict each before it is learned."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from penchant.study.answers import SKIP, Answer
from penchant.study.encoding import Encoded
from penchant.study.learning import Learning, Predicted
from penchant.study.predictions import Predictions

LAST = 2000
"""How many of the last answers are predicted again; those before are learned at once."""


def replayed(learning: Learning, answers: Encoded, last: int | None = LAST) -> Predicted:
    """Return the predictions of the ``last`` answers, each made before it was learned.

    Since a belief is a function of the answers it has learned, these are the predictions that a study which learns the
    answers as they come makes of them.

    Parameters
    ----------
    learning : Learning
        That has learned nothing yet.
    answers : Encoded
        Without skips.
    last : int or None
        None is all of them.
    """
    before = 0 if last is None else max(0, len(answers) - last)
    if before:
        belief = learning.jump(answers[:before])
        unknown = Predicted(np.zeros((before, 3)), np.zeros(before, dtype=np.int64))
        learning.restore(belief, learning.count, learning.base, unknown)
    learning.advance(answers)
    found = learning.predicted()
    assert found is not None  # noqa: S101 - for the type checker
    return Predicted(found.probability[before:], found.outcome[before:])


def predictions_of(predicted: Predicted, live: Sequence[Answer], *, level: float = 0.95) -> Predictions:
    """Return predictions of the last answers, with the skips among them.

    Parameters
    ----------
    predicted : Predicted
        Of the last answers that are not skips.
    live : sequence of Answer
        All answers that count, skips included.
    level : float
    """
    skips, compared = 0, 0
    for answer in reversed(live):
        if answer.choice == SKIP:
            skips += 1
        elif compared == len(predicted.outcome):
            break
        else:
            compared += 1
    nothing = np.full((skips, 3), np.nan)
    return Predictions.of(
        np.concatenate([predicted.probability, nothing]),
        np.concatenate([predicted.outcome, np.full(skips, 4)]),
        level=level,
    )
