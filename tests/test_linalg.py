"""Roots, draws and conjugate gradients against NumPy's dense solutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.linalg import conjugate_gradients, draw_normal, root_of

N = 12


def positive(n: int = N, seed: int = 0) -> Any:
    """Return a positive definite matrix whose diagonal has several magnitudes."""
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(n, n)) * 10.0 ** rng.uniform(-2, 2, size=n)
    return root.T @ root + np.eye(n)


def laplacian(n: int = N) -> Any:
    """Return the matrix of a chain of ``n`` items, which is 0 along their sum."""
    links = np.eye(n - 1, n) - np.eye(n - 1, n, 1)
    return links.T @ links


# -- roots -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [0, 1, 5, N])
def test_the_root_has_as_many_columns_as_the_rank(rank: int) -> None:
    """F Fᵀ is the matrix, with one column for each direction in which it is not 0."""
    factor = np.random.default_rng(rank).normal(size=(N, rank)) * np.geomspace(1e-4, 1e4, N)[:, None]
    matrix = factor @ factor.T
    root = root_of(matrix)
    assert root.shape == (N, rank)
    assert_allclose(root @ root.T, matrix, rtol=1e-7, atol=1e-12)


# -- draws -------------------------------------------------------------------------------------------------


def test_draws_have_the_covariance() -> None:
    """The covariance of 40,000 draws is the given one to 3 % of its largest entry; a seed gives them again."""
    covariance = positive(3, 1) / 100
    drawn = draw_normal(covariance, 40_000, 2)
    assert_allclose(drawn.T @ drawn / len(drawn), covariance, atol=0.03 * covariance.max())
    np.testing.assert_array_equal(draw_normal(covariance, 5, 7), draw_normal(covariance, 5, 7))


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_draws_of_a_singular_covariance_stay_in_its_span(scale: float) -> None:
    """Scores that sum to 0 are drawn with a sum of 0, up to the rounding that is added; constants do not vary."""
    centring = np.eye(4) - 1 / 4
    drawn = draw_normal(scale * centring, 500, 0)
    assert np.abs(drawn.sum(axis=1)).max() < 1e-3 * np.sqrt(scale)
    assert drawn.std() == pytest.approx(np.sqrt(0.75 * scale), rel=0.1)
    assert np.abs(draw_normal(np.zeros((2, 2)), 10, 0)).max() < 1e-100


# -- conjugate gradients -----------------------------------------------------------------------------------


def test_conjugate_gradients_solve() -> None:
    """Several right-hand sides at once, zero ones among them, are each solved as NumPy does."""
    H = positive()
    right = np.random.default_rng(0).standard_normal((N, 4))
    right[:, 2] = 0
    exact = np.linalg.solve(H, right)
    found = conjugate_gradients(lambda X: H @ X, np.diag(H), right, tolerance=1e-12)
    assert_allclose(found, exact, rtol=1e-6, atol=1e-9)
    single = conjugate_gradients(lambda X: H @ X, np.diag(H), right[:, 0], tolerance=1e-12)
    assert_allclose(single, exact[:, 0], rtol=1e-6, atol=1e-9)


def test_a_singular_system_is_solved_where_it_can_be() -> None:
    """A right-hand side that sums to 0 has a solution on a connected chain."""
    H = laplacian()
    right = np.arange(N) - (N - 1) / 2
    found = conjugate_gradients(lambda x: H @ x, np.diag(H), right, tolerance=1e-10)
    assert_allclose(H @ found, right, atol=1e-8)


def test_it_continues_from_a_start() -> None:
    """From the solution it stops after one product; from elsewhere it arrives at the same."""
    H, right = positive(), np.ones(N)
    exact = np.linalg.solve(H, right)
    calls = []

    def product(values: Any) -> Any:
        calls.append(values)
        return H @ values

    found = conjugate_gradients(product, np.diag(H), right, tolerance=1e-6, start=exact)
    np.testing.assert_array_equal(found, exact)
    assert len(calls) == 1
    found = conjugate_gradients(product, np.diag(H), right, tolerance=1e-12, start=exact + 1)
    assert_allclose(found, exact, rtol=1e-6, atol=1e-9)


def test_the_number_of_products_is_limited() -> None:
    """With ``most`` products it returns what it has: after one, a multiple of the preconditioned right-hand side."""
    H, right = positive(), np.arange(1.0, N + 1)
    found = conjugate_gradients(lambda x: H @ x, np.diag(H), right, tolerance=0.0, most=1)
    ratio = found / (right / np.diag(H))
    assert_allclose(ratio, ratio[0])
    assert ratio[0] > 0
