"""Whether a study that stops when it is 95 % sure is right 95 times in 100.

Judges answer as the Bradley–Terry model says; the study asks, learns and judges itself by what it has on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "How often is a study right that stops when it is 95 % sure, and after how many answers?"
TIMED = False
"""Studies are counted, so that tasks may run side by side."""

ITEMS = 8
SPREADS = (0.2, 0.3, 0.5, 0.8, 1.5, 4.0)
MOST_ANSWERS = 1500


def cases(quick: bool) -> list[Case]:
    """Return studies of the best of eight items that stop when it is 95 % sure."""
    runs = 3 if quick else 63
    return [
        Case(
            who=OURS,
            what=f"the best of {ITEMS}, sd {sd:g}",
            prepare=lambda sd=sd: stopping(sd, runs),  # type: ignore[misc]
            answer=stopped,
            limit=3600.0,
            warm=3,
        )
        for sd in SPREADS
    ]


def stopping(sd: float, runs: int) -> Callable[[], object]:
    """Return a call that plays ``runs`` more studies; of each, the answers, whether it stopped and was right."""
    ended: list[tuple[int, bool, bool]] = []

    def more() -> list[tuple[int, bool, bool]]:
        ended.extend(played(sd, seed) for seed in range(len(ended), len(ended) + runs))
        return ended

    return more


def played(sd: float, seed: int) -> tuple[int, bool, bool]:
    """Return the answers of one study, whether it stopped, and whether the best item is right up to ties."""
    from pathlib import Path
    from tempfile import TemporaryDirectory

    import numpy as np
    from scipy.special import expit

    from penchant.ask.stopping import last_look
    from penchant.study import Study

    random = np.random.default_rng((9, seed))
    worth = sd * random.standard_normal(ITEMS)
    names = [f"item {number}" for number in range(ITEMS)]
    with (
        TemporaryDirectory() as folder,
        Study.create(Path(folder) / "s.db", names, top=1, seed=seed) as study,
    ):
        for answers in range(1, MOST_ANSWERS + 1):
            question = study.ask("judge")
            left, right = names.index(question.left), names.index(question.right)
            study.tell(question, "left" if random.random() < expit(worth[left] - worth[right]) else "right")
            found = study.settled() if last_look(ITEMS, answers) == answers else None
            if found is not None and found.enough:
                best = worth[names.index(study.rank().items[0])]
                return answers, True, bool(worth.max() - best <= found.width)
    return MOST_ANSWERS, False, False


def stopped(ended: Any) -> Answer:
    """Return how often studies that stopped were right, and after how many answers."""
    answers, right = [run[0] for run in ended], [float(run[2]) for run in ended if run[1]]
    return {
        "right when it stopped": f"{fmean(right):.1%} ± {stdev(right) / len(right) ** 0.5:.1%}",
        "answers": f"{fmean(answers):.0f} ± {stdev(answers) / len(answers) ** 0.5:.0f}",
        "runs": len(ended),
        "not ended": len(ended) - len(right),
    }
