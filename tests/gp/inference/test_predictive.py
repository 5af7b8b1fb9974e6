"""The posterior of a Gaussian process at rows of features is that of the dense formulas."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.gp import Matern52, SquaredExponential
from penchant.gp.inference import predictive
from penchant.gp.inference.laplace import LaplaceMode
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.predictive import Component, Mixture, check_roots
from tests.gp.problems import laplace_mode, problem

GIVEN = problem(8, 30, seed=2)
NEW = np.random.default_rng(5).random((5, 2))
KERNELS = (SquaredExponential((0.5, 0.8), 3.0), Matern52(0.7, 1.5))
MODES = [laplace_mode(kernel(GIVEN.X), GIVEN.pairs, Probit(1.4)) for kernel in KERNELS]


def dense(kernel: SquaredExponential | Matern52, mode: LaplaceMode) -> np.ndarray:
    """K** − K*ᵀ(K + W⁻¹)⁻¹K*."""
    cross = kernel(GIVEN.X, NEW)
    return np.asarray(kernel(NEW) - cross.T @ mode.posterior.explained() @ cross)


def mixture() -> Mixture:
    parts = [
        Component.of(weight, kernel, mode)
        for weight, kernel, mode in zip((0.3, 0.7), KERNELS, MODES, strict=True)
    ]
    return Mixture(parts, GIVEN.X, lambda rows: rows @ [1.0, -1.0])


@pytest.mark.parametrize("place", [0, 1])
def test_covariances_are_the_dense_formulas(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The matrix, its diagonal and the variances of differences, however few rows are worked on at once."""
    covariance = Component.of(1.0, KERNELS[place], MODES[place]).covariance(GIVEN.X)
    expected = dense(KERNELS[place], MODES[place])
    np.testing.assert_allclose(covariance.matrix(NEW), expected, atol=1e-7)
    monkeypatch.setattr(predictive, "_MOST_ROWS", 2)
    np.testing.assert_allclose(covariance.variance(NEW), np.diag(expected), atol=1e-7)
    apart = expected[0, 0] + np.diag(expected) - 2 * expected[0]
    first = np.broadcast_to(NEW[0], NEW.shape)
    np.testing.assert_allclose(covariance.difference_variance(first, NEW), apart, atol=1e-7)


def test_a_mixture_has_the_moments_of_its_components() -> None:
    """Mean, variances and covariance with the spread between the components, above a shared prior mean."""
    whole = mixture()
    means = [NEW @ [1.0, -1.0] + part.shift(NEW, GIVEN.X) for part in whole.components]
    mean = 0.3 * means[0] + 0.7 * means[1]
    expected = sum(
        weight * (dense(kernel, mode) + np.outer(own - mean, own - mean))
        for weight, kernel, mode, own in zip((0.3, 0.7), KERNELS, MODES, means, strict=True)
    )
    np.testing.assert_allclose(whole.mean(NEW), mean)
    np.testing.assert_allclose(whole.mean_covariance(NEW)[1], expected, atol=1e-7)
    np.testing.assert_allclose(whole.mean_variance(NEW)[1], np.diag(expected), atol=1e-7)
    np.testing.assert_allclose(whole.most_probable().mean(NEW), means[1])
    square = whole.averaged(NEW[:1], NEW[1:2], lambda mean, variance: mean**2 + variance)
    difference = np.array([1.0, -1.0, 0, 0, 0])
    assert square[0] == pytest.approx(difference @ expected @ difference + (difference @ mean) ** 2)
    draws = whole.sample(NEW, 40_000, 0)
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=0.03)
    np.testing.assert_allclose(np.cov(draws.T), expected, atol=0.1)


def test_roots_that_do_not_belong_to_the_kernel_are_rejected() -> None:
    """A root of another kernel, one that is no triangle, and one whose eigenvalues are below 1."""
    part = Component.of(1.0, KERNELS[0], MODES[0])
    part.check(GIVEN.X)
    with pytest.raises(InvalidInput, match="the root of the prior must be that of the kernel"):
        replace(part, triangle=2 * part.triangle).check(GIVEN.X)
    with pytest.raises(InvalidInput, match="roots must be lower triangles"):
        replace(part, root=part.root.T.copy()).check(GIVEN.X)
    with pytest.raises(InvalidInput, match="alpha must have 7 entries, got 8"):
        part.check(GIVEN.X[:7])
    wide = np.eye(3)
    wide[2, :2] = 1e6
    basis = np.array([[0.0, 0.0], [9.0, 0.0], [0.0, 9.0]])
    with pytest.raises(InvalidInput, match="must have eigenvalues above 1"):
        check_roots(SquaredExponential(), basis, np.eye(3), wide)
