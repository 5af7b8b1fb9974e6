"""Paired comparisons with covariates on the full design matrix, as a textbook fits them, and slowly."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.optimize import minimize

from penchant import Preferences
from tests.worth.paired_reference import outcome_probabilities

BASEBALL = {
    "Milwaukee": "4-3 4-2 4-3 6-1 4-2 6-0",
    "Detroit": "3-3 4-2 4-3 6-0 6-1 4-3",
    "Toronto": "2-5 4-3 2-4 4-3 4-2 6-0",
    "New York": "3-3 5-1 2-5 4-3 4-2 6-1",
    "Boston": "5-1 2-5 3-3 4-2 5-2 6-0",
    "Cleveland": "2-5 3-3 3-4 4-3 4-2 2-4",
    "Baltimore": "2-5 1-5 1-6 2-4 1-6 3-4",
}
"""Wins of the home team and of the guest, American League East 1987 (Agresti 2002, table 10.10)."""


def baseball() -> Preferences:
    """Return the 42 cells as weighted answers, the home team on the left."""
    left, right, outcome, weight = [], [], [], []
    for home, cells in BASEBALL.items():
        guests = [team for team in BASEBALL if team != home]
        for guest, cell in zip(guests, cells.split(), strict=True):
            for side, wins in zip(("left", "right"), map(int, cell.split("-")), strict=True):
                if wins:
                    left.append(home), right.append(guest), outcome.append(side), weight.append(wins)
    return Preferences.from_answers(left, right, outcome, weight=weight)


def votes(
    n_rows: int = 300,
    n_items: int = 5,
    *,
    ties: bool = False,
    judges: int = 0,
    weights: bool = False,
    seed: int = 0,
    effects: tuple[float, ...] = (0.5, -0.3),
) -> Preferences:
    """Return answers that depend on two covariates of very different size and on the side."""
    rng = np.random.default_rng(seed)
    scores, size = rng.normal(size=n_items), np.array([100.0, 0.01])
    left = rng.integers(n_items, size=n_rows)
    right = (left + 1 + rng.integers(n_items - 1, size=n_rows)) % n_items
    x = rng.normal(size=(n_rows, 2))
    worth = scores[left] - scores[right] + x @ effects + 0.4
    judge = rng.integers(judges, size=n_rows) if judges else None
    if judge is not None:
        worth += rng.normal(size=judges)[judge]
    chance = np.array([outcome_probabilities("BradleyTerry", d, -0.5 if ties else None) for d in worth])
    drawn = (rng.random(n_rows)[:, None] > chance.cumsum(axis=1)).sum(axis=1).clip(0, 2)
    return Preferences.from_answers(
        left,
        right,
        np.array(["left", "tie", "right"])[drawn].tolist(),
        items=range(n_items),
        weight=rng.integers(1, 4, size=n_rows) if weights else None,
        judge=None if judge is None else [f"judge {number}" for number in judge],
        covariates={"length": x[:, 0] * size[0], "lists": x[:, 1] * size[1]},
    )


def design(preferences: Preferences, names: tuple[str, ...], side: bool) -> Any:
    """Return the design matrix: +1 and −1 for the two items, then the covariates of better less worse."""
    rows = preferences.comparisons()
    matrix = np.zeros((len(rows), preferences.n_items))
    matrix[np.arange(len(rows)), rows.better] += 1
    matrix[np.arange(len(rows)), rows.worse] -= 1
    columns = [
        preferences.covariates[rows.row, preferences.covariate_names.index(name)]  # type: ignore[index]
        for name in names
    ]
    if side:
        assert rows.better_on_left is not None
        columns.append(np.array([-1.0, 1.0, 0.0])[rows.better_on_left])
    return np.column_stack([matrix, *columns])


def newton(preferences: Preferences, names: tuple[str, ...], side: bool, prior: float) -> tuple[Any, Any]:
    """Return all coefficients of a logistic regression without ties, and minus the Hessian there."""
    X, weight = design(preferences, names, side), preferences.comparisons().weight
    n, size = preferences.n_items, X.shape[1]
    scale = np.where(np.arange(size) < n, 1.0, np.sqrt((X**2).mean(axis=0)))
    X = X / scale
    Q = np.diag(np.where(np.arange(size) < n, prior, 0.0))
    level = np.where(np.arange(size) < n, 1.0, 0.0)
    theta = np.zeros(size)
    for _ in range(50):
        p = 1 / (1 + np.exp(-X @ theta))
        H = (X * (weight * p * (1 - p))[:, None]).T @ X + Q
        theta = theta + np.linalg.solve(H + np.outer(level, level), X.T @ (weight * (1 - p)) - Q @ theta)
    return theta / scale, H * np.outer(scale, scale)


def covariance(H: Any, n_items: int, meat: Any = None) -> Any:
    """Return the covariance of scores that sum to 0 and of the rest, from minus the Hessian."""
    size = len(H)
    level = np.where(np.arange(size) < n_items, 1.0, 0.0)
    inverse = np.linalg.inv(H + np.outer(level, level))
    full = inverse if meat is None else inverse @ meat @ inverse
    centring = np.eye(size)
    centring[:n_items, :n_items] -= 1 / n_items
    return centring @ full @ centring.T


def with_ties(preferences: Preferences, names: tuple[str, ...], side: bool, prior: float, model: str) -> Any:
    """Return scores, standardised coefficients and tie parameter that maximise the log posterior written out."""
    X, rows = design(preferences, names, side), preferences.comparisons()
    n = preferences.n_items
    scale = np.where(np.arange(X.shape[1]) < n, 1.0, np.sqrt((rows.weight @ X**2) / rows.weight.sum()))
    X = X / scale

    def loss(theta: Any) -> float:
        difference = X @ theta[:-1]
        total = prior / 2 * float((theta[:n] ** 2).sum())
        for d, tie, weight in zip(difference, rows.tie, rows.weight, strict=True):
            first, both, _ = outcome_probabilities(model, d, theta[-1])
            total -= weight * np.log(max(both if tie else first, 1e-300))
        return total

    start = np.append(np.zeros(X.shape[1]), 0.5)
    found = minimize(loss, start, method="BFGS", options={"gtol": 1e-7})
    return np.append(found.x[:-1] / scale, found.x[-1])
