"""Questions that asking rules need, counted in simulations; what a call costs is by the way.

Judges are probit with noise 1 on the difference of two items; utilities are drawn with the deviation that the task
names; no item has features. All rules but Glicko's share one belief: expectation propagation, worked out anew each
time the answers have grown by a tenth, with the scale of the prior found from the answers.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, median, stdev
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
    "Glicko's choice",
)
PAPERS = ("paper's rule, τ = 1", "paper's rule, τ = 20")
"""Asked about the first task only: they were not made for a whole order, and take long."""
RANGED = ((10, 1.5, None, 5), (15, 3.0, None, 4), (30, 2.5, None, 2), (20, 2.5, 5, 6), (40, 2.5, 3, 3))
"""Items, deviation, top and runs a call of the tasks that ask how often the range of answers left holds."""
KNOWING = "one who knows the utilities, in expectation"
"""No rule, but a measure for rules, see `designed`."""


def cases(quick: bool) -> list[Case]:
    """Return the tasks, each with our rule first and then the others, and last whether stopping is honest."""
    runs = {20: 10, 50: 2, 200: 1} if quick else {20: 250, 50: 25, 200: 25}
    ordered = [(50, 4.0), (50, 1.5)] if quick else [(50, 4.0), (50, 1.5), (200, 4.0)]
    return [
        *(
            case(
                f"{n} items, sd {sd:g}: a Kendall correlation of 0.9",
                who,
                n,
                sd,
                None,
                runs_of(who, n, runs[n]),
            )
            for n, sd in ordered
            for who in (*RULES, *(PAPERS if (n, sd) == ordered[0] else ()), *([KNOWING] if n == 50 else []))
        ),
        *(case(f"50 items, sd 4: the top {TOP}, 95 % sure", who, 50, 4.0, TOP, runs[50]) for who in RULES),
        *(
            case(f"20 items, sd {sd:g}: the top {TOP}, 95 % sure", OURS, 20, sd, TOP, runs[20])
            for sd in (4.0, 1.5)
        ),
        *(
            Case(
                what=f"{n} items, sd {sd:g}: the answers left for {'the order' if top is None else f'the top {top}'}",
                prepare=lambda n=n, sd=sd, top=top, runs=runs: foretelling(n, sd, top, runs),
                answer=foretold,
                limit=3600.0,
                warm=WARM,
            )
            for n, sd, top, runs in (RANGED[:1] if quick else RANGED)
        ),
    ]


def runs_of(who: str, n: int, runs: int) -> int:
    """Return how many runs a call plays: few where one takes more than ten seconds."""
    return min(runs, 2) if (who, n) == ("Glicko's choice", 200) else runs


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
    if who == KNOWING:
        return designed(utility, sd), True, None
    judge = ProbitJudge(utility, noise=0.5**0.5, seed=(2, seed))
    goal = KendallReached(utility) if top is None else TopSettled(top)
    rule, belief = asker(who, n, sd, top)
    end = ask_until(goal, rule, belief, [judge], most=MOST[n], seed=seed)
    right = None if top is None else is_right(end.order, utility, top=top, width=float(ndtri(0.6)))
    return end.questions, end.reached, right


def designed(utility: Any, sd: float) -> int:
    """Return how many questions it takes until a Kendall correlation of 0.9 is expected, were the pairs well chosen.

    The utilities are known to who chooses, one after the other, the pairs whose answers lower the expected number of
    inverted pairs Σ Φ(−|d|/s) most, s² being the variance of d that the Fisher information of the answers leaves.
    They are not known to the belief, so nothing but having to find out where to ask is left out.
    """
    import numpy as np
    from scipy.special import ndtr

    apart = np.abs(utility[:, None] - utility)
    told = np.exp(-(apart**2)) / (2 * np.pi * ndtr(apart) * ndtr(-apart).clip(1e-300))
    covariance = sd**2 * np.eye(len(utility))
    one, other = np.triu_indices(len(utility), k=1)
    asked = 0
    while True:
        own = covariance.diagonal()
        variance = own[:, None] + own - 2 * covariance + np.eye(len(utility))
        if ndtr(-apart / np.sqrt(variance))[one, other].sum() <= 0.05 * len(one):
            return asked
        helps = apart * np.exp(-(apart**2) / (2 * variance)) / variance**1.5
        lower = covariance @ (np.diag(helps.sum(axis=0)) - helps) @ covariance
        bend = told / (1 + told * variance)
        best = np.argmax((bend * (lower.diagonal()[:, None] + lower.diagonal() - 2 * lower))[one, other])
        i, j = one[best], other[best]
        along = covariance[i] - covariance[j]
        covariance -= bend[i, j] * np.outer(along, along)
        asked += 1


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

    if who == "Glicko's choice":
        return LargestLoss(0.4 * n), GlickoRated(n, scale=sd)
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


def foretelling(n: int, sd: float, top: int | None, runs: int) -> Callable[[], object]:
    """Return a call that plays ``runs`` more games; of each, what share of the ranges held, and how wide they were."""
    from penchant.ask import settled
    from penchant.simulate import ByWorth, ProbitJudge, Propagated, TopSettled, ask_until

    class Noting(TopSettled):
        """Note every sixth time what is said of the answers that are left."""

        def __init__(self) -> None:
            super().__init__(top)
            self.looks = 0
            self.said: dict[int, tuple[int, int]] = {}

        def __call__(self, belief: Any, asked: int) -> bool:
            looks = asked >= max(self._next, n)
            enough = super().__call__(belief, asked)
            self.looks += looks
            if looks and not enough and self.looks % 6 == 1:
                said = settled(belief, top=top, noise=0.5**0.5, draws=2000, seed=asked)
                self.said[asked] = said.left_range
            return enough

    ended: list[tuple[float, list[float]]] = []

    def one(seed: int) -> tuple[float, list[float]]:
        import numpy as np

        utility = sd * np.random.default_rng((7, seed)).standard_normal(n)
        judge, goal = ProbitJudge(utility, noise=0.5**0.5, seed=(8, seed)), Noting()
        rule = ByWorth() if top is None else ByWorth("top", top=top)
        end = ask_until(goal, rule, Propagated(n), [judge], most=6000, seed=seed)
        held = fmean(low <= end.questions - asked <= high for asked, (low, high) in goal.said.items())
        return held, [high / low for low, high in goal.said.values()]

    def more() -> list[tuple[float, list[float]]]:
        ended.extend(one(100 + seed) for seed in range(len(ended), len(ended) + runs))
        return ended

    return more


def foretold(ended: Any) -> Answer:
    """Tell how often the range held, with the error of the mean over runs."""
    held = [share for share, _ in ended]
    wide = median(ratio for _, ratios in ended for ratio in ratios)
    return {
        "the range held": f"{fmean(held):.0%} ± {stdev(held) / len(held) ** 0.5:.0%}",
        "end over beginning": round(wide),
        "runs": len(held),
    }


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
