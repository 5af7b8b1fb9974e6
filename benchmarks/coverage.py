"""Whether 95 % intervals hold the true worth 95 times in 100, and how many answers an item that takes.

Each call asks some more people, and the answer is about all calls together; what a call costs is by the way.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

from benchmarks.case import OURS, Answer, Case

if TYPE_CHECKING:
    from penchant import Preferences

    People = Callable[[Any, int], Preferences]

QUESTION = "How often do 95 % intervals hold the true worth, and with how many answers an item?"

FEW_TO_MANY = (3, 6, 12, 24, 50)
ITEMS, RANKED = 20, 10


def cases(quick: bool) -> list[Case]:
    """Return each model with few and many answers, of people who answer as the model says they do."""
    runs = 20 if quick else 250
    compared: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        "BradleyTerry": ("BradleyTerry", {}, {}),
        "BradleyTerry, with ties": ("BradleyTerry", {}, {"ties": 0.7}),
        "Thurstone": ("Thurstone", {}, {"probit": True}),
    }
    ranked: dict[str, tuple[str, dict[str, Any]]] = {
        "rankings, PlackettLuce": ("PlackettLuce", {}),
        "rankings, BradleyTerry, errors by row": ("BradleyTerry", {"errors": "row"}),
        "rankings, BradleyTerry, errors by model": ("BradleyTerry", {"errors": "model"}),
    }
    return [
        *(
            case(what, f"{k} answers an item", model, settings, comparing(k, **people), ITEMS, runs)
            for what, (model, settings, people) in compared.items()
            for k in FEW_TO_MANY
        ),
        *(
            case(what, f"{k} rankings of {RANKED}", model, settings, ranking(k), RANKED, runs)
            for what, (model, settings) in ranked.items()
            for k in (*FEW_TO_MANY, 200)
        ),
    ]


def case(
    what: str, asked: str, model: str, settings: dict[str, Any], people: People, n: int, runs: int
) -> Case:
    """Return one row."""
    return Case(
        who=f"{OURS}, {asked}",
        what=what,
        prepare=lambda: simulation(model, settings, people, n, runs),
        answer=share,
    )


def comparing(k: int, **people: Any) -> People:
    """Return people who compare random pairs, each item ``k`` times."""

    def answer(worth: Any, seed: int) -> Preferences:
        from tests.worth.simulated import rounds

        return rounds(worth, k, seed, **people)

    return answer


def ranking(k: int) -> People:
    """Return ``k`` people who rank all items."""

    def answer(worth: Any, seed: int) -> Preferences:
        from tests.worth.simulated import rankings

        return rankings(worth, k, seed)

    return answer


def simulation(
    model: str, settings: dict[str, Any], people: People, n: int, runs: int
) -> Callable[[], object]:
    """Return a call that asks ``runs`` more groups of people and returns the share held by each run so far."""
    import warnings

    import numpy as np

    import penchant.worth
    from penchant.errors import PenchantWarning

    held: list[float] = []

    def more() -> list[float]:
        for seed in range(len(held), len(held) + runs):
            worth = np.random.default_rng((1, seed)).standard_normal(n)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PenchantWarning)  # few answers may leave groups unconnected
                fitted = getattr(penchant.worth, model)(**settings).fit(people(worth, seed))
            truth = worth - worth[fitted.answers_ > 0].mean()
            lower, upper = fitted.interval(0.95).T
            held.append(float(((lower <= truth) & (truth <= upper)).mean()))
        return held

    return more


def share(held: Any) -> Answer:
    """Tell the share of intervals that held the truth, with its standard error over runs."""
    return {"held": f"{fmean(held):.1%} ± {stdev(held) / len(held) ** 0.5:.1%}", "runs": len(held)}
