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

TIMED = False
"""Shares are counted, so that tasks may run side by side."""

FEW_TO_MANY = (3, 6, 12, 24, 50)
SPREADS = (0.3, 1.0, 2.0, 3.0, 4.0)
"""Standard deviations of the true worths; other tables have 1."""
ITEMS, RANKED, MANY = 20, 10, 1000
GP_SIZES = ((20, 60), (30, 200), (40, 600))


def cases(quick: bool) -> list[Case]:
    """Return each model with few and many answers, of people who answer as the model says they do."""
    runs = 10 if quick else 125
    compared: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
        "BradleyTerry, with ties": ("BradleyTerry", {}, {"ties": 0.7}),
        "BradleyTerry(prior=0.1)": ("BradleyTerry", {"prior": 0.1}, {}),
        "Thurstone": ("Thurstone", {}, {"probit": True}),
    }
    ranked: dict[str, tuple[str, dict[str, Any]]] = {
        "rankings, PlackettLuce": ("PlackettLuce", {}),
        "rankings, BradleyTerry, errors by row": ("BradleyTerry", {"errors": "row"}),
        "rankings, BradleyTerry, errors by model": ("BradleyTerry", {"errors": "model"}),
    }
    return [
        *(
            case("BradleyTerry", f"{k} answers an item", "BradleyTerry", {}, comparing(k), ITEMS, sd, runs)
            for sd in SPREADS
            for k in FEW_TO_MANY
        ),
        *(
            case(
                f"BradleyTerry, {MANY:,} items",
                "12 answers an item",
                "BradleyTerry",
                {},
                comparing(12),
                MANY,
                sd,
                2 if quick else 5,
            )
            for sd in SPREADS
        ),
        *(
            case(what, f"{k} answers an item", model, settings, comparing(k, **people), ITEMS, sd, runs)
            for what, (model, settings, people) in compared.items()
            for sd in (1.0, 3.0)
            for k in (6, 12, 24)
        ),
        *(
            case(what, f"{k} rankings of {RANKED}", model, settings, ranking(k), RANKED, 1.0, runs)
            for what, (model, settings) in ranked.items()
            for k in (6, 12, 24, 200)
        ),
        *preference_gp_cases(runs),
    ]


def case(
    what: str, asked: str, model: str, settings: dict[str, Any], people: People, n: int, sd: float, runs: int
) -> Case:
    """Return one row."""
    return Case(
        who=f"{OURS}, {asked}",
        what=f"{what}, sd {sd:g}",
        prepare=lambda: simulation(model, settings, people, n, sd, runs),
        answer=share,
        warm=1,
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
    model: str, settings: dict[str, Any], people: People, n: int, sd: float, runs: int
) -> Callable[[], object]:
    """Return a call that asks ``runs`` more groups of people; of each, the share held, and whether the best was."""
    import warnings

    import numpy as np

    import penchant.worth
    from penchant.errors import PenchantWarning

    held: list[tuple[float, float]] = []

    def more() -> list[tuple[float, float]]:
        for seed in range(len(held), len(held) + runs):
            worth = sd * np.random.default_rng((1, seed)).standard_normal(n)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PenchantWarning)  # few answers may leave groups unconnected
                fitted = getattr(penchant.worth, model)(**settings).fit(people(worth, seed))
            truth = worth - worth[fitted.counts_ > 0].mean()
            lower, upper = fitted.interval(0.95).T
            holds = (lower <= truth) & (truth <= upper)
            held.append((float(holds.mean()), float(holds[np.argmax(fitted.scores_)])))
        return held

    return more


def share(held: Any) -> Answer:
    """Tell the shares of intervals that held the truth, of all items and of those believed best, with their errors."""
    every, best = ([run[part] for run in held] for part in (0, 1))
    return {
        "held": f"{fmean(every):.1%} ± {stdev(every) / len(every) ** 0.5:.1%}",
        "of the believed best": f"{fmean(best):.1%} ± {stdev(best) / len(best) ** 0.5:.1%}",
        "runs": len(held),
    }


# -- utilities of features -----------------------------------------------------------------------------------


def preference_gp_cases(runs: int) -> list[Case]:
    """Return `PreferenceGP` with a kernel that is learned, on few and many pairs."""
    return [
        Case(
            who=f"{OURS}, {items} items, {pairs} pairs",
            what="PreferenceGP, kernel learned",
            prepare=lambda items=items, pairs=pairs: differences(items, pairs, runs),  # type: ignore[misc]
            answer=share,
            warm=1,
        )
        for items, pairs in GP_SIZES
    ]


def differences(n_items: int, n_pairs: int, runs: int) -> Callable[[], object]:
    """Return a call that draws ``runs`` more worlds and returns the shares of differences held by each so far."""
    import numpy as np

    from penchant.gp import PreferenceGP

    held: list[tuple[float, float]] = []
    first, second = np.triu_indices(n_items, 1)

    def more() -> list[tuple[float, float]]:
        for seed in range(len(held), len(held) + runs):
            X, utility, pairs = world(n_items, n_pairs, seed)
            mean, covariance = PreferenceGP().fit_pairs(X, pairs).predict(X, return_cov=True)
            variance = np.diagonal(covariance)
            sd = np.sqrt(variance[first] + variance[second] - 2 * covariance[first, second])
            off = (mean - utility)[first] - (mean - utility)[second]
            holds = np.abs(off) <= 1.96 * sd
            best = np.argmax(mean)
            held.append((float(holds.mean()), float(holds[(first == best) | (second == best)].mean())))
        return held

    return more


def world(n_items: int, n_pairs: int, seed: int) -> tuple[Any, Any, Any]:
    """Return features (n_items, 2), true utilities (n_items,), and answers (n_pairs, 2) with a noise of 1.

    Features are uniform between 0 and 1. The utility is drawn from a Gaussian process whose squared exponential kernel
    has a lengthscale for each feature between 0.15 and 1, and a variance between 1 and 16, uniform in their logarithms.
    These are not the priors of the model, only of their size.
    """
    import numpy as np

    from penchant.gp import SquaredExponential

    rng = np.random.default_rng((2, seed))
    X = rng.random((n_items, 2))
    lengthscale = tuple(np.exp(rng.uniform(np.log(0.15), 0.0, size=2)))
    kernel = SquaredExponential(lengthscale, float(np.exp(rng.uniform(0.0, np.log(16.0)))))
    utility = rng.multivariate_normal(np.zeros(n_items), kernel(X), check_valid="ignore")
    first = rng.integers(n_items, size=n_pairs)
    second = (first + rng.integers(1, n_items, size=n_pairs)) % n_items
    won = utility[first] - utility[second] + np.sqrt(2) * rng.normal(size=n_pairs) > 0
    return X, utility, np.where(won, (first, second), (second, first)).T
