"""Questions that asking rules need, counted in simulations; what a call costs is by the way.

Judges are probit with noise 1 on the difference of two items; utilities are drawn with the deviation that the task
names; no item has features. All rules but Glicko's share one belief: expectation propagation, worked out anew each
time the answers have grown by a tenth, with the scale of the prior found from the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, stdev
from typing import Any

from benchmarks.case import OURS, Answer, Case

QUESTION = "How many questions does it take, by which rule?"

TOP = 5
MOST = {20: 2000, 50: 3000, 200: 4000}
WARM = 3
RULES = (
    OURS,
    "random, with repeats",
    "information gain",
    "ASAP's idea",
    "merge sort, again and again",
    "paper's rule, τ = 1",
    "paper's rule, τ = 20",
    "Glicko's choice",
)


def cases(quick: bool) -> list[Case]:
    """Return the tasks, each with our rule first and then the others, and last whether stopping is honest."""
    runs = {20: 10, 50: 2, 200: 1} if quick else {20: 250, 50: 25, 200: 25}
    ordered = [(50, 4.0), (50, 1.5)] if quick else [(50, 4.0), (50, 1.5), (200, 4.0)]
    topped = [(50, 4.0)] if quick else [(50, 4.0), (200, 4.0)]
    return [
        *(
            case(f"{n} items, sd {sd:g}: a Kendall correlation of 0.9", who, n, sd, None, runs[n])
            for n, sd in ordered
            for who in RULES
        ),
        *(
            case(f"{n} items, sd {sd:g}: the top {TOP}, 95 % sure", who, n, sd, TOP, runs[n])
            for n, sd in topped
            for who in RULES
        ),
        *(
            case(f"20 items, sd {sd:g}: the top {TOP}, 95 % sure", OURS, 20, sd, TOP, runs[20])
            for sd in (4.0, 1.5)
        ),
    ]


def case(what: str, who: str, n: int, sd: float, top: int | None, runs: int) -> Case:
    """Return one row; each call plays some runs more."""
    return Case(
        who=who,
        what=what,
        prepare=lambda: simulation(who, n, sd, top, runs),
        answer=told,
        limit=3600.0,
        warm=WARM,
    )


def simulation(who: str, n: int, sd: float, top: int | None, runs: int) -> Callable[[], object]:
    """Return a call that plays ``runs`` more games and returns how all so far ended."""
    ended: list[tuple[int, bool, bool | None]] = []

    def more() -> list[tuple[int, bool, bool | None]]:
        ended.extend(played(who, n, sd, top, seed) for seed in range(len(ended), len(ended) + runs))
        return ended

    return more


def played(who: str, n: int, sd: float, top: int | None, seed: int) -> tuple[int, bool, bool | None]:
    """Return the questions of one run, whether it came to an end, and whether its top is right up to ties."""
    import numpy as np
    from scipy.special import ndtri

    from penchant.simulate import KendallReached, ProbitJudge, TopSettled, ask_until, is_right

    utility = sd * np.random.default_rng((1, seed)).standard_normal(n)
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=(2, seed))
    goal = KendallReached(utility) if top is None else TopSettled(top)
    rule, belief = asker(who, n, sd, top)
    end = ask_until(goal, rule, belief, [judge], most=MOST[n], seed=seed)
    right = None if top is None else is_right(end.order, utility, top=top, width=float(ndtri(0.6)))
    return end.questions, end.reached, right


def asker(who: str, n: int, sd: float, top: int | None) -> tuple[Any, Any]:
    """Return a rule and a belief. Glicko is told the deviation of the utilities, which the others find out."""
    from penchant.simulate import (
        AtRandom,
        ByWorth,
        GlickoRated,
        LargestLoss,
        MergeSort,
        Propagated,
        SpanningTree,
    )

    if who == "Glicko's choice":
        return LargestLoss(20.0), GlickoRated(n, scale=sd)
    rules: dict[str, Callable[[], Any]] = {
        OURS: ByWorth if top is None else lambda: ByWorth("top", top=top),
        "random, with repeats": AtRandom,
        "information gain": lambda: ByWorth("information"),
        "ASAP's idea": SpanningTree,
        "merge sort, again and again": MergeSort,
        "paper's rule, τ = 1": LargestLoss,
        "paper's rule, τ = 20": lambda: LargestLoss(20.0),
    }
    return rules[who](), Propagated(n)


def told(ended: Any) -> Answer:
    """Tell the mean number of questions; runs that found no end count with all they had, and are counted."""
    questions = [asked for asked, _, _ in ended]
    stopped = [right for _, reached, right in ended if reached]
    never = len(ended) - len(stopped)
    error = stdev(questions) / len(questions) ** 0.5
    answer: dict[str, float | int | str] = {
        "questions": f"{'at least ' if never else ''}{fmean(questions):.0f} ± {error:.0f}",
        "runs": len(ended),
        "never": never,
    }
    if stopped and stopped[0] is not None:
        answer["right when it stopped"] = f"{fmean(map(bool, stopped)):.1%}"
    return answer
