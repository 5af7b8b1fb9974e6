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
GP_SIZES = ((20, 60), (30, 200), (40, 600))


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
        *preference_gp_cases(runs),
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


# -- utilities of features -----------------------------------------------------------------------------------


def preference_gp_cases(runs: int) -> list[Case]:
    """Return `PreferenceGP` with a kernel that is learned, on few and many pairs."""
    return [
        Case(
            who=f"{OURS}, {items} items, {pairs} pairs",
            what="PreferenceGP, kernel learned",
            prepare=lambda items=items, pairs=pairs: differences(items, pairs, runs),  # type: ignore[misc]
            answer=share,
        )
        for items, pairs in GP_SIZES
    ]


def differences(n_items: int, n_pairs: int, runs: int) -> Callable[[], object]:
    """Return a call that draws ``runs`` more worlds and returns the share of differences held by each so far."""
    import numpy as np

    from penchant.gp import PreferenceGP

    held: list[float] = []
    first, second = np.triu_indices(n_items, 1)

    def more() -> list[float]:
        for seed in range(len(held), len(held) + runs):
            X, utility, pairs = world(n_items, n_pairs, seed)
            mean, covariance = PreferenceGP().fit_pairs(X, pairs).predict(X, return_cov=True)
            variance = np.diagonal(covariance)
            sd = np.sqrt(variance[first] + variance[second] - 2 * covariance[first, second])
            off = (mean - utility)[first] - (mean - utility)[second]
            held.append(float((np.abs(off) <= 1.96 * sd).mean()))
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
