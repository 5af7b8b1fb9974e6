"""The bounds of the theorems on the regrets of runs, and how near the regrets come to them.

Each bound is of shape (runs, rounds), for each run's own ‖w*‖. Without ``noisy`` the slack is 0, as of a strictly
α-informative user; with it, the slack is computed from the answers of the run's user. The bounds of Theorems 5, 6 and 8
are too small as stated; the corrected ones are used (see `penchant.coactive.analysis.bounds`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from penchant.checks import Floats
from penchant.coactive import (
    Loss,
    convex_bound,
    exponentiated_bound,
    perceptron_bound,
    second_order_bound,
)
from penchant.coactive.analysis.bounds import Form
from penchant.papers.coactive.runs import Runs
from penchant.papers.result import Claim, Estimate, claim

ALPHA = 0.5
"""α of all users except those of Figure 2, also for the slack of noisy users."""
ONE = 1.0000001  # 1 with room for rounding
FORMS: tuple[Form, ...] = ("corrected", "stated")
"""Of the bounds of Theorems 5, 6 and 8."""


def theorem_1(runs: Runs, name: str, *, alpha: float = ALPHA, batch: int = 1, noisy: bool = False) -> Floats:
    """Return the bound on REG_t of the perceptron; with a batch, that of Lemma 4."""
    on = runs.scene
    return np.stack(
        [
            perceptron_bound(slack, alpha=alpha, R=on.R, norm=float(norm), batch=batch)
            for slack, norm in zip(_slack(runs, name, alpha, noisy), on.norms, strict=True)
        ]
    )


def theorem_5(runs: Runs, name: str, *, noisy: bool = False) -> Floats:
    """Return the bound on REG_t of the exponentiated perceptron with a fixed rate and weights of both signs."""
    on = runs.scene
    return np.stack(
        [
            exponentiated_bound(slack, alpha=ALPHA, S=on.S, N=2 * on.n_features, norm=float(norm))
            for slack, norm in zip(_slack(runs, name, ALPHA, noisy), on.sums, strict=True)
        ]
    )


def theorem_6(runs: Runs, name: str, *, loss: Loss, radius: float, noisy: bool = False) -> Floats:
    """Return the bound on CREG_t of the convex perceptron."""
    slack = _slack(runs, name, ALPHA, noisy)
    return convex_bound(slack, alpha=ALPHA, R=runs.scene.R, diameter=2 * radius, loss=loss)


def theorem_8(
    runs: Runs, name: str, *, loss: Loss, radius: float, gamma: float, noisy: bool = False
) -> Floats:
    """Return the bound on CREG_t of the second-order perceptron with a γ for which the proof goes through."""
    on, slack = runs.scene, _slack(runs, name, ALPHA, noisy)
    return second_order_bound(
        slack, alpha=ALPHA, R=on.R, N=on.n_features, diameter=2 * radius, loss=loss, gamma=gamma
    )


def nearest(theorem: str, curves: Mapping[str, Floats], bounds: Mapping[str, Floats]) -> dict[str, Estimate]:
    """Return the largest curve / bound of all rounds and runs, for each curve that has a bound."""
    return {
        _quantity(name, theorem): Estimate(float((curves[name] / bound).max()))
        for name, bound in bounds.items()
    }


def under(theorem: str, names: Iterable[str], *, paper: int = 2) -> Claim:
    """Return the claim that no curve of the named players crosses its bound in any round of any run."""
    return claim(
        f"{paper}.{theorem.lower().replace(' ', '-')}",
        f"no curve crosses the bound of {theorem}",
        *(f"{_quantity(name, theorem)} < {ONE}" for name in names),
        whose="theorem",
    )


def _quantity(name: str, theorem: str) -> str:
    return f"{name}, largest part of the bound of {theorem}"


def _slack(runs: Runs, name: str, alpha: float, noisy: bool) -> Floats:
    return runs.slack(name, alpha) if noisy else np.zeros((runs.scene.runs, runs.scene.rounds))
