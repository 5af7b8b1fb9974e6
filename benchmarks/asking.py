"""Count the questions that asking rules need, in simulations; what a call costs is not compared.

Judges are probit with noise 1 on the difference of two items; utilities are normal with the sd that the task names
(or Student's t with 3 degrees of freedom, scaled to it); no item has features. All rules but Glicko's share one
belief: expectation propagation, refreshed each time the answers have grown by a tenth, with the scale of the prior
found from the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, median, stdev
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "How many questions does it take, by which rule?"
TIMED = False
"""Questions are counted, so that tasks may run side by side."""

TOP = 5
MOST = {8: 5000, 20: 5000, 50: 3000, 200: 4000}
WARM = 3
RANDOM, ASAP, MERGE, GLICKO = (
    "random, with repeats",
    "ASAP's idea",
    "merge sort, again and again",
    "Glicko's choice",
)
INFORMATION, PAPER = "information gain", "paper's rule, τ = 20"
KNOWING = "one who knows the utilities, in expectation"
"""No rule, but a measure for rules, see `benchmarks.designer`."""
KNOWN_SD = "the same, told the sd"
RULES = (OURS, RANDOM, INFORMATION, ASAP, MERGE, GLICKO, KNOWING)
ORDERS = (
    (50, 4.0, (*RULES, PAPER)),
    (50, 1.5, (OURS, RANDOM, INFORMATION, ASAP, MERGE, KNOWING)),
    (200, 4.0, (OURS, RANDOM, ASAP, MERGE, KNOWING)),
)
TOPS = ((50, (OURS, RANDOM, ASAP, MERGE, KNOWING)), (200, (OURS, KNOWING)))
STOPS = ((8, 1), (20, TOP), (8, None))
SDS = (0.2, 0.3, 0.5, 0.8, 1.5, 4.0)
TAILED = ((8, 1, 0.3), (8, 1, 0.8), (8, 1, 4.0))
RANGED = ((10, 1.5, None), (30, 2.5, None), (20, 2.5, 5))
"""Items, sd and top of the tasks that ask how often the range of the answers left holds."""

Ended = tuple[int, bool, bool | None]


def cases(quick: bool) -> list[Case]:
    """Return the rows: whole orders, the top five, honest stopping, and the answers left."""
    few, many = (1, 5) if quick else (13, 63)
    return [
        *(
            case(f"{n} items, sd {sd:g}: a Kendall correlation of 0.9", who, n, sd, None, few)
            for n, sd, rules in (ORDERS[:1] if quick else ORDERS)
            for who in rules
        ),
        *(
            case(f"{n} items, sd 4: {named(TOP)}, 95 % sure", who, n, 4.0, TOP, few)
            for n, rules in (TOPS[:1] if quick else TOPS)
            for who in rules
        ),
        *(
            case(f"{n} items, sd {sd:g}: stopping when {named(top)} is 95 % sure", who, n, sd, top, runs)
            for n, top in STOPS
            for sd in (SDS[-1:] if quick else SDS)
            for who, runs in ((OURS, many), (KNOWN_SD, few))
        ),
        *(
            case(f"{n} items, sd {sd:g}, t₃: stopping when {named(top)} is 95 % sure", OURS, n, sd, top, many)
            for n, top, sd in (TAILED[-1:] if quick else TAILED)
        ),
        *(
            Case(
                what=f"{n} items, sd {sd:g}: the answers left for {named(top)}",
                prepare=lambda n=n, sd=sd, top=top: foretelling(n, sd, top, few),
                answer=foretold,
                limit=3600.0,
                warm=WARM,
            )
            for n, sd, top in (RANGED[:1] if quick else RANGED)
        ),
    ]


def named(top: int | None) -> str:
    """Return what is to be settled, in words."""
    return "the order" if top is None else "the best" if top == 1 else f"the top {top}"


def case(what: str, who: str, n: int, sd: float, top: int | None, runs: int) -> Case:
    """Return one row; each call plays some runs more."""
    return Case(
        who=who,
        what=what,
        prepare=lambda: simulation(who, n, sd, top, runs, tailed="t₃" in what, counted="stopping" in what),
        answer=counted,
        limit=3600.0,
        warm=WARM,
    )


def simulation(
    who: str, n: int, sd: float, top: int | None, runs: int, *, tailed: bool, counted: bool
) -> Callable[[], object]:
    """Return a call that plays ``runs`` more games and returns how all so far ended."""
    ended: list[Ended] = []

    def more() -> list[Ended]:
        seeds = range(len(ended), len(ended) + runs)
        ended.extend(played(who, n, sd, top, seed, tailed=tailed, stops=counted) for seed in seeds)
        return ended

    return more


def played(who: str, n: int, sd: float, top: int | None, seed: int, *, tailed: bool, stops: bool) -> Ended:
    """Return the questions of one run, whether it came to an end, and whether what it settled is right up to ties.

    A run ends when its belief is sure; for a whole order of many items when the order is nearly right.
    """
    import numpy as np
    from scipy.special import ndtri

    from benchmarks.designer import designed
    from penchant.simulate import KendallReached, ProbitJudge, TopSettled, ask_until, is_right

    random, width = np.random.default_rng((1, seed)), float(ndtri(0.6))
    utility = sd * (random.standard_t(3, n) / 3**0.5 if tailed else random.standard_normal(n))
    settles = stops or top is not None
    if who == KNOWING:
        return designed(utility, sd, top, width=width if settles else 0.0), True, None
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=(2, seed))
    goal = TopSettled(top) if settles else KendallReached(utility)
    rule, belief = asker(who, n, sd, top)
    end = ask_until(goal, rule, belief, [judge], most=MOST[n], seed=seed)
    right = is_right(end.order, utility, top=top, width=width) if settles else None
    return end.questions, end.reached, right


def asker(who: str, n: int, sd: float, top: int | None) -> tuple[Any, Any]:
    """Return a rule and a belief. Glicko is told the deviation of the utilities, which the others find out.

    Its choice is that of the paper's rule with τ in the proportion to the items that served 50 of them well.
    """
    from penchant.simulate import (
        AtRandom,
        ByWorth,
        GlickoRated,
        LargestLoss,
        MergeSort,
        Propagated,
        SpanningTree,
    )

    if who == GLICKO:
        return LargestLoss(0.4 * n), GlickoRated(n, scale=sd)
    ours: Callable[[], Any] = ByWorth if top is None else lambda: ByWorth("top", top=top)
    rules: dict[str, Callable[[], Any]] = {
        OURS: ours,
        KNOWN_SD: ours,
        RANDOM: AtRandom,
        INFORMATION: lambda: ByWorth("information"),
        ASAP: SpanningTree,
        MERGE: MergeSort,
        PAPER: lambda: LargestLoss(20.0),
    }
    return rules[who](), Propagated(n, scale=sd if who == KNOWN_SD else None)


def counted(ended: Any) -> Answer:
    """Return the mean number of questions and its error; runs that found no end count with all they had."""
    questions = [asked for asked, _, _ in ended]
    stopped = [right for _, reached, right in ended if reached]
    answer: dict[str, float | int | str] = {
        "questions": round(fmean(questions), 1),
        "error": round(stdev(questions) / len(questions) ** 0.5, 1),
        "runs": len(ended),
        "not ended": len(ended) - len(stopped),
    }
    if stopped and stopped[0] is not None:
        answer["right when it stopped"] = f"{fmean(map(bool, stopped)):.1%}"
    return answer


def completed(rows: list[dict[str, Any]]) -> None:
    """Add to each row of answers the ratio of its questions to those of the one who knows."""
    known = {row["what"]: row["answer"] for row in rows if row["who"] in (KNOWING, KNOWN_SD)}
    for row in rows:
        if row["what"] in known and "questions" in row["answer"]:
            ratio = row["answer"]["questions"] / known[row["what"]]["questions"]
            row["answer"]["× who knows"] = f"{ratio:.2f}"


def foretelling(n: int, sd: float, top: int | None, runs: int) -> Callable[[], object]:
    """Return a call that plays ``runs`` more games; of each, what share of the ranges held, and how wide they were."""
    from penchant.ask import settled
    from penchant.simulate import ByWorth, ProbitJudge, Propagated, TopSettled, ask_until

    class Noting(TopSettled):
        """Note at every sixth look the range of the answers that are left."""

        def __init__(self) -> None:
            super().__init__(top)
            self.looks = 0
            self.ranges: dict[int, tuple[int, int]] = {}

        def __call__(self, belief: Any, asked: int) -> bool:
            looks = asked >= max(self._next, n)
            enough = super().__call__(belief, asked)
            self.looks += looks
            if looks and not enough and self.looks % 6 == 1:
                goal = "exact" if top is None else "top"
                found = settled(belief, goal=goal, top=top, noise=0.5**0.5, draws=2000, seed=asked)
                self.ranges[asked] = found.left_range
            return enough

    ended: list[tuple[float, list[float]]] = []

    def one(seed: int) -> tuple[float, list[float]]:
        import numpy as np

        utility = sd * np.random.default_rng((7, seed)).standard_normal(n)
        judge, goal = ProbitJudge(utility, noise=0.5**0.5, seed=(8, seed)), Noting()
        rule = ByWorth() if top is None else ByWorth("top", top=top)
        end = ask_until(goal, rule, Propagated(n), [judge], most=6000, seed=seed)
        held = fmean(low <= end.questions - asked <= high for asked, (low, high) in goal.ranges.items())
        return held, [high / low for low, high in goal.ranges.values()]

    def more() -> list[tuple[float, list[float]]]:
        ended.extend(one(100 + seed) for seed in range(len(ended), len(ended) + runs))
        return ended

    return more


def foretold(ended: Any) -> Answer:
    """Return how often the range held, with the error of the mean over runs."""
    held = [share for share, _ in ended]
    wide = median(ratio for _, ratios in ended for ratio in ratios)
    return {
        "the range held": f"{fmean(held):.0%} ± {stdev(held) / len(held) ** 0.5:.0%}",
        "end over beginning": round(wide),
        "runs": len(held),
    }
