"""The choice of the next pair in a running study, beside the plain one with NumPy."""

from __future__ import annotations

from collections.abc import Callable
from time import process_time
from typing import Any

from benchmarks.case import Answer, Case

QUESTION = "How long does it take to choose the next pair, at how many items?"

TURNS = 200


def cases(quick: bool) -> list[Case]:
    """Return turns of a study with the compiled choice, and with the one that any belief can use."""
    sizes = (50, 200) if quick else (50, 200, 1_000, 2_000, 10_000, 100_000)
    rules = [("order", None)] if quick else [("order", None), ("top", 10)]
    return [
        Case(
            who="Penchant" if fast else "Penchant, with NumPy",
            what=f"{n:,} items, rule {rule}",
            prepare=lambda n=n, rule=rule, top=top, fast=fast: turns(n, rule, top, fast=fast),
            answer=milliseconds,
            warm=1,
        )
        for rule, top in rules
        for n in sizes
        for fast in (True, False)
    ]


def turns(n: int, rule: str, top: int | None, *, fast: bool) -> Callable[[], object]:
    """Prepare a belief with three answers an item; a call asks and learns, and returns the time of each choice."""
    import numpy as np

    from penchant import Preferences
    from penchant.ask import Groups, PairChooser
    from penchant.worth import BradleyTerry

    random = np.random.default_rng(0)
    worth = 1.5 * random.normal(size=n)
    pairs = random.integers(0, n, (3 * n, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]

    def won(first: Any, second: Any) -> Any:
        return random.random(np.shape(first)) < 1 / (1 + np.exp(worth[second] - worth[first]))

    outcome = np.where(won(*pairs.T), "left", "right")
    ids = [str(item) for item in range(n)]
    names = np.array(ids)[pairs]
    answers = Preferences.from_answers(names[:, 0], names[:, 1], outcome, items=ids)
    belief = BradleyTerry().live(answers)
    shown = belief if fast else _Plain(belief)
    groups, chooser = Groups.of(n, pairs), PairChooser()

    def call() -> list[float]:
        times, recent = [], []
        for _ in range(TURNS):
            began = process_time()
            pair = chooser.next_pair(
                shown, belief.counts_, rule=rule, top=top, groups=groups.labels(), avoid=recent
            )
            times.append(process_time() - began)
            belief.answer(*pair, 0 if won(*pair) else 1)
            groups.join(*pair)
            recent = [*recent, pair][-3:]
        return times

    return call


class _Plain:
    """The moments of a belief without its arrays."""

    def __init__(self, belief: Any) -> None:
        self.belief = belief

    def __getattr__(self, name: str) -> Any:
        if name == "chooser_arrays":
            raise AttributeError(name)
        if name == "most_probable":
            return lambda: _Plain(self.belief.most_probable())
        return getattr(self.belief, name)


def milliseconds(times: Any) -> Answer:
    """Report the CPU time of one choice."""
    ordered = sorted(1000 * time for time in times)
    return {"median ms": ordered[len(ordered) // 2], "largest ms": ordered[-1]}
