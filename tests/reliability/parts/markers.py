"""No stored field comes back over HTTP to anybody to whom it does not belong."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path

from tests.reliability.part import Part
from tests.serve.markers import marked_study, send_all


def trial(number: int, folder: Path) -> Counter[str]:
    """Walk six ids of a random study through every route as one of three visitors."""
    luck = random.Random(number)
    marked = marked_study(folder, luck)
    try:
        who = ("stranger", "ann", "bob")[number % 3]
        seen = send_all(marked, who, luck.sample(marked.ids, 6))
    finally:
        marked.study.close()
    return Counter(
        {"requests": sum(seen.values()), f"walks as {'a judge' if who != 'stranger' else 'a stranger'}": 1}
    )


PART = Part(
    name="markers",
    claim="Whatever ids of the log are sent to whatever route, nobody is told what is not theirs.",
    unit="walks",
    full=60,
    trial=trial,
)
