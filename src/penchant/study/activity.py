"""What each judge did: how many answers, how fast, how often left, and how often the same when asked again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from penchant.checks import Floats
from penchant.study.answers import NOBODY, Answer
from penchant.study.columns import LEFT, RIGHT, AnswerColumns
from penchant.study.quality import repeated_answers
from penchant.study_reports import Activity


def activities(
    answers: Sequence[Answer], columns: AnswerColumns, scores: Floats, aside: Mapping[str, None]
) -> tuple[Activity, ...]:
    """Return what each judge did, the most answers first.

    Parameters
    ----------
    answers : sequence of Answer
        That stand, of all judges.
    columns : AnswerColumns
        The same answers.
    scores : array of shape (n,)
        Of the items of ``columns``.
    aside : mapping of names
        The judges who were set aside.
    """
    before, again = repeated_answers(columns)
    first, second = columns.choice[before], columns.choice[again]
    same = first == np.where(second <= RIGHT, RIGHT - second, second)
    higher = np.where(scores[columns.left] >= scores[columns.right], LEFT, RIGHT)
    times = np.array([answer.time for answer in answers])
    found = []
    for number, judge in enumerate(columns.judges):
        rows = columns.judge == number
        if judge == NOBODY or not rows.any():
            continue
        decided = rows & columns.decided
        own = columns.judge[again] == number
        found.append(
            Activity(
                judge,
                int(rows.sum()),
                float(times[rows].max()),
                _median(columns.seconds[rows]),
                int(decided.sum()),
                _share((columns.choice == LEFT)[decided & columns.sides]),
                _share((columns.choice == higher)[decided]),
                int(own.sum()),
                int(same[own].sum()),
                judge in aside,
            )
        )
    return tuple(sorted(found, key=lambda activity: -activity.answers))


def _median(seconds: Floats) -> float | None:
    timed = seconds[np.isfinite(seconds)]
    return float(np.median(timed)) if timed.size else None


def _share(rows: Floats) -> float | None:
    return float(rows.mean()) if len(rows) else None
