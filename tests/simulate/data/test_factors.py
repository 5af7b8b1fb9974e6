"""Factors of ratings by alternating least squares."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from penchant.simulate.data.factors import chosen_by_validation, factorised, grouped, ridge_rows
from tests.simulate.test_movies import planted


def test_each_turn_is_a_ridge_regression() -> None:
    """Rows are (FᵀF + λI)⁻¹Fᵀr over their own entries, and 0 without any."""
    random = np.random.default_rng(0)
    factors, rows, others = (
        random.standard_normal((20, 4)),
        random.integers(0, 5, 40),
        random.integers(0, 20, 40),
    )
    values = random.standard_normal(40)
    found = ridge_rows(grouped(rows, others, values, 6), factors, 0.7)
    for row in range(6):
        F = factors[others[rows == row]]
        expected = np.linalg.solve(F.T @ F + 0.7 * np.eye(4), F.T @ values[rows == row])
        np.testing.assert_allclose(found[row], expected, atol=1e-10)


def test_turns_never_raise_what_is_minimised() -> None:
    """Σ (r − pᵀq)² + λ(Σ‖p‖² + Σ‖q‖²) falls with every further sweep."""
    ratings = planted(30, 25, 0.1)

    def objective(sweeps: int) -> float:
        users, items = factorised(ratings, 3, 0.5, sweeps=sweeps)
        errors = ratings.rating - (users[ratings.user] * items[ratings.item]).sum(axis=1)
        return float((errors**2).sum() + 0.5 * ((users**2).sum() + (items**2).sum()))

    values = [objective(sweeps) for sweeps in (1, 2, 4, 8, 16)]
    assert all(later <= before + 1e-9 for before, later in pairwise(values))


def test_validation_finds_the_planted_dimension() -> None:
    """Of 1, 2 and 6 dimensions two are chosen, and of three ridges the one that errs least on ratings left out."""
    ratings = planted(80, 60, 0.5)
    assert chosen_by_validation(ratings, dimensions=(1, 2, 6), ridges=(0.1, 1.0, 50.0)) == (2, 1.0)
