"""The question that would be asked next, and why this one."""

from __future__ import annotations

import numpy as np

from penchant.belief import LiveBelief, difference_variance
from penchant.study.asking import LEAST_ANSWERS, NextPair
from penchant.study.history import title_of
from penchant.study.state import State
from penchant.study_reports import Upcoming


def upcoming(state: State, belief: LiveBelief, pair: NextPair, *, connected: bool) -> Upcoming:
    """Explain a choice of `penchant.study.asking.Asking`.

    Parameters
    ----------
    state : State
    belief : LiveBelief
        From which the pair was chosen.
    pair : NextPair
    connected : bool
        Whether answers lead from each item to each other one.
    """
    rows = [state.rows[pair.left], state.rows[pair.right]]
    titles = title_of(state.items, pair.left), title_of(state.items, pair.right)
    reason, words = _reason(state, pair, rows, titles, connected)
    first, second = (np.array([row]) for row in rows)
    left, right, tie = (float(value) for value in belief.outcome_probabilities(*rows))
    return Upcoming(
        pair.left,
        pair.right,
        titles,
        reason,
        words,
        (left, right, tie),
        float(belief.mean[rows[0]] - belief.mean[rows[1]]),
        float(np.sqrt(difference_variance(belief, first, second)[0])),
    )


def _reason(
    state: State, pair: NextPair, rows: list[int], titles: tuple[str, str], connected: bool
) -> tuple[str, str]:
    if pair.repeats is not None:
        return "repeat", "It was answered before and is asked again with sides swapped, to measure the noise."
    fewest = min(rows, key=lambda row: state.counts[row])
    count, least = int(state.counts[fewest]), max(state.settings["least"], LEAST_ANSWERS)
    if count < least:
        title = titles[rows.index(fewest)]
        so_far = "no answer" if not count else "1 answer" if count == 1 else f"{count} answers"
        return "few_answers", f"{title} has {so_far} so far; every item gets {least} first."
    if not connected:
        return "not_connected", "It connects items that no answers connect yet."
    if state.settings["top"] is not None:
        return "top", f"Its answer says most about who belongs to the first {state.settings['top']}."
    return (
        "close",
        "Of all pairs its answer says most about the order: the two are close, or little is known.",
    )
