"""Check that the state and the belief of a study are those that its log gives when it is folded again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.belief import LiveBelief
from penchant.checks import Floats
from penchant.store import Event
from penchant.study.starting import ModelStart
from penchant.study.state import State
from penchant.study_reports import Check

NAME = "fold of the log"
TOLERANCE = 1e-9
"""How far means and variances may differ: those of the same answers are equal on one machine, and across machines
within this."""


@dataclass(frozen=True, eq=False)
class StateCopy:
    """The parts of a state and its belief that a fold must give again; later events do not change them."""

    number: int
    parts: dict[str, Any]
    mean: Floats
    variance: Floats

    @classmethod
    def of(cls, state: State, belief: LiveBelief) -> StateCopy:
        """Copy these parts of ``state`` and ``belief``."""
        parts = {
            "settings": dict(state.settings),
            "items": dict(state.items),
            "retired items": set(state.retired),
            "judges set aside": set(state.aside),
            "questions": len(state.questions),
            "answers": list(state.live.answers),
            "comparisons of items": state.counts.tolist(),
        }
        return cls(state.number, parts, np.array(belief.mean), np.array(belief.variance()))


def check_fold(found: StateCopy, events: Iterable[Event]) -> Check:
    """Fold events into a new state, learn its answers anew, and compare with the running study."""
    state = State()
    for event in events:
        if event.number > found.number:
            break
        state.apply(event)
    start = ModelStart.of(state)
    folded = StateCopy.of(state, start.learning().jump(start.encode(state.comparisons.answers)))
    wrong = [name for name, part in folded.parts.items() if part != found.parts[name]]
    if folded.number != found.number:
        wrong.append("number of events")
    apart = max(_distance(folded.mean, found.mean), _distance(folded.variance, found.variance))
    if apart > TOLERANCE:
        wrong.append("belief")
    if wrong:
        message = f"the running study has other {', '.join(wrong)} than its log: close it and open it again"
    else:
        near = f"the belief within {apart:.1g}" if apart else "to the byte"
        message = f"state and belief are those of {found.number:,} events, folded again, {near}"
    return Check(NAME, not wrong, None if np.isinf(apart) else apart, TOLERANCE, message)


def _distance(first: Floats, second: Floats) -> float:
    if first.shape != second.shape:
        return float("inf")
    distance = float(np.abs(first - second).max(initial=0.0))
    return distance if distance == distance else float("inf")
