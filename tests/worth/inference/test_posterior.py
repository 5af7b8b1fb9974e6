"""The posterior: written out or drawn, it is the inverse of the Hessian, told from the mean."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose

from penchant.errors import InvalidInput
from penchant.worth.inference.posterior import Posterior, dense_posterior, inverse_root, sampled_posterior

N = 60


def compared(n_items: int = N, answers: int = 8, prior: float = 0.0, seed: int = 0) -> tuple[Any, Any]:
    """The incidence of random comparisons, scaled so that H = BᵀB + prior, and H."""
    rng = np.random.default_rng(seed)
    m = n_items * answers // 2
    a = np.concatenate([np.arange(n_items), rng.integers(n_items, size=m - n_items)])
    b = (a + np.concatenate([np.ones(n_items, int), rng.integers(1, n_items, size=m - n_items)])) % n_items
    B = np.zeros((m, n_items))
    B[np.arange(m), a], B[np.arange(m), b] = 1, -1
    B *= np.sqrt(rng.uniform(0.05, 0.25, size=m))[:, None]
    return B, B.T @ B + prior * np.eye(n_items)


def drawn(B: Any, H: Any, prior: float, **settings: Any) -> Posterior:
    def noise(rng: Any) -> Any:
        return B.T @ rng.standard_normal(len(B)) + np.sqrt(prior) * rng.standard_normal(len(H))

    return sampled_posterior(lambda X: H @ X, np.diag(H).copy(), noise, len(H), **settings)


def centred(C: Any, share: Any) -> Any:
    P = np.eye(len(C)) - share
    return P @ C @ P.T


@pytest.mark.parametrize("prior", [0.0, 0.1])
def test_the_dense_one_is_the_centred_inverse(prior: float) -> None:
    """It is the pseudo-inverse where there is no prior, and else the inverse told from the mean."""
    _, H = compared(prior=prior)
    C = centred(np.linalg.pinv(H), np.full(N, 1 / N))
    posterior = dense_posterior(H, prior=prior)
    np.testing.assert_allclose(posterior.covariance(), C, atol=1e-10)
    np.testing.assert_allclose(posterior.variance(), np.diag(C), atol=1e-10)
    np.testing.assert_allclose(posterior.covariance([3], [5, 7]), C[[3]][:, [5, 7]], atol=1e-10)
    assert ("summing to 0" in posterior.method) == (prior == 0)


def test_two_groups_sum_to_zero_each() -> None:
    """Where the Hessian is singular along two groups, each sums to 0, as with the pseudo-inverse."""
    _, one = compared(10, 6)
    _, other = compared(7, 6, seed=1)
    H = np.block([[one, np.zeros((10, 7))], [np.zeros((7, 10)), other]])
    np.testing.assert_allclose(dense_posterior(H).covariance(), np.linalg.pinv(H), atol=1e-10)


def test_groups_that_only_the_prior_connects() -> None:
    """The level of each group is as the prior says, whatever the answers inside a group weigh."""
    _, one = compared(10, 6)
    _, other = compared(7, 6, seed=1)
    H = np.block([[one, np.zeros((10, 7))], [np.zeros((7, 10)), other]])
    C = dense_posterior(H + 0.1 * np.eye(17), prior=0.1).covariance()
    np.testing.assert_allclose(
        C, centred(np.linalg.inv(H + 0.1 * np.eye(17)), np.full(17, 1 / 17)), atol=1e-9
    )
    heavy = dense_posterior(1e18 * H + 0.1 * np.eye(17), prior=0.1).covariance()
    assert heavy[0, 0] + heavy[16, 16] - 2 * heavy[0, 16] == pytest.approx(1 / 0.1 / 10 + 1 / 0.1 / 7)
    assert heavy[0, 0] + heavy[1, 1] - 2 * heavy[0, 1] < 1e-6


def test_weights_of_all_sizes() -> None:
    """A chain whose links weigh from 1e-4 to 1e7 has the variances of resistors in series."""
    weight = 10.0 ** np.array([7, -4, 4, 0, 7, -3])
    links = np.eye(6, 7) - np.eye(6, 7, 1)
    C = dense_posterior(links.T @ np.diag(weight) @ links).covariance()
    np.testing.assert_allclose((C[0, 0] + C.diagonal() - 2 * C[0])[2:], np.cumsum(1 / weight)[1:], rtol=1e-4)


def test_rounding_does_not_make_it_fail() -> None:
    """Where rounding hides the weak link of two heavy groups, its variance is at most what the prior allows."""
    links = np.eye(3, 4) - np.eye(3, 4, 1)
    H = links.T @ np.diag([3e17, 1e-3, 7e17]) @ links + 0.1 * np.eye(4)
    posterior = dense_posterior(H, prior=0.1)
    assert np.isfinite(posterior.sample(100, seed=0)).all()
    assert (posterior.variance() <= 1 / (0.1 / 4)).all()


def test_a_centre_of_some_items() -> None:
    """Told from the mean of some items, or from the prior's mean, differences stay what they are."""
    _, H = compared(prior=0.1)
    some = np.arange(N) < 20
    C = np.linalg.inv(H)
    np.testing.assert_allclose(
        dense_posterior(H, prior=0.1, centre=some).covariance(), centred(C, some / 20), atol=1e-10
    )
    np.testing.assert_allclose(dense_posterior(H, prior=0.1, centre=some & False).covariance(), C, atol=1e-10)


def test_the_sandwich() -> None:
    """With a covariance of the gradient it is H⁻¹ M H⁻¹; with M = H that is H⁻¹."""
    _, H = compared(prior=0.1)
    M = np.cov(np.random.default_rng(0).standard_normal((N, 3 * N)))
    C = centred(np.linalg.inv(H) @ M @ np.linalg.inv(H), np.full(N, 1 / N))
    np.testing.assert_allclose(dense_posterior(H, M, prior=0.1).covariance(), C, atol=1e-10)
    np.testing.assert_allclose(
        dense_posterior(H, H, prior=0.1).covariance(),
        dense_posterior(H, prior=0.1).covariance(),
        atol=1e-10,
    )


@pytest.mark.parametrize("prior", [0.0, 0.1])
def test_draws_have_the_covariance(prior: float) -> None:
    """5,000 draws have the covariance to 8 % of its largest entry, whether written out or solved for."""
    B, H = compared(prior=prior)
    C = dense_posterior(H, prior=prior).covariance()
    for posterior in (dense_posterior(H, prior=prior), drawn(B, H, prior)):
        draws = posterior.sample(5_000, seed=1)
        np.testing.assert_allclose(draws.T @ draws / 5_000, C, atol=0.08 * C.max())
        np.testing.assert_array_equal(posterior.sample(5, seed=3), posterior.sample(5, seed=3))


@pytest.mark.parametrize(
    ("answers", "prior", "usual", "worst"),
    [(60, 0.1, 0.004, 0.015), (60, 0.0, 0.004, 0.015), (4, 0.1, 0.015, 0.06)],
)
def test_drawn_variances_are_nearly_exact(answers: int, prior: float, usual: float, worst: float) -> None:
    """On 300 items the root mean square error of standard deviations is what the docstring says, and said."""
    B, H = compared(300, answers, prior)
    posterior = drawn(B, H, prior)
    off = np.sqrt(posterior.variance() / dense_posterior(H, prior=prior).variance()) - 1
    assert np.sqrt(np.mean(off**2)) < usual
    assert np.abs(off).max() < worst


@pytest.mark.parametrize(("answers", "prior"), [(60, 0.0), (12, 0.1), (4, 0.1)])
def test_the_error_of_drawn_variances_is_what_the_method_says(answers: int, prior: float) -> None:
    """Over three sets of answers, the standard deviations are off by as much as stated, and 19 of 20 by no more."""
    for seed in range(3):
        B, H = compared(400, answers, prior, seed)
        posterior = drawn(B, H, prior, seed=seed)
        off = 100 * np.abs(np.sqrt(posterior.variance() / dense_posterior(H, prior=prior).variance()) - 1)
        stated = re.search(
            r"off by (.*) % \(root mean square\), 95 % of them by less than (.*) %", posterior.method
        )
        assert stated is not None
        assert np.sqrt((off**2).mean()) == pytest.approx(float(stated[1]), rel=0.25)
        assert np.mean(off < float(stated[2])) == pytest.approx(0.95, abs=0.03)


def test_a_drawn_sandwich_says_how_far_it_may_be_off() -> None:
    """All of its standard deviations have the error of 256 draws, 4.4 %, and 19 of 20 are within 8.7 %."""
    B, H = compared(prior=0.1)
    assert drawn(B, H, 0.1, sandwich=True).method.endswith(
        "off by 4.4 % (root mean square), 95 % of them by less than 8.7 %"
    )


def test_drawn_covariances_are_solved_for() -> None:
    """Blocks of the covariance are exact, from either side, also without a prior and with a centre."""
    for prior, centre in ((0.0, None), (0.1, np.arange(N) < 20)):
        B, H = compared(prior=prior)
        C = dense_posterior(H, prior=prior, centre=centre).covariance()
        posterior = drawn(B, H, prior, centre=centre)
        np.testing.assert_allclose(
            posterior.covariance([1, 2], [2, 3, 4]), C[[1, 2]][:, [2, 3, 4]], atol=1e-7
        )
        np.testing.assert_allclose(posterior.covariance(None, [4]), C[:, [4]], atol=1e-7)
        np.testing.assert_allclose(posterior.variance(), np.diag(C), rtol=0.1)


def test_a_drawn_sandwich() -> None:
    """Its variances come from 256 draws and are off by about 4 %."""
    B, H = compared(prior=0.1)
    noisier = drawn(np.sqrt(3) * B, H, 0.3, sandwich=True)
    exact = dense_posterior(H, 3 * H, prior=0.1)
    ratio = np.sqrt(noisier.variance() / exact.variance())
    assert abs(ratio.mean() - 1) < 0.03
    assert np.abs(ratio - 1).max() < 0.2
    np.testing.assert_allclose(np.diag(noisier.covariance()), noisier.variance())


def test_what_is_refused() -> None:
    """An item that nothing is known about, a Hessian that is not positive, and a huge block are rejected."""
    with pytest.raises(InvalidInput, match="got 0 for item 1: an item without answers needs a prior"):
        dense_posterior(np.diag([1.0, 0.0]))
    with pytest.raises(InvalidInput, match="must be positive"):
        dense_posterior(np.array([[1.0, 2.0, -3.0], [2.0, 1.0, -3.0], [-3.0, -3.0, 6.0]]))
    n = 6000
    posterior = sampled_posterior(lambda X: X, np.ones(n), lambda rng: rng.standard_normal(n), n)
    with pytest.raises(InvalidInput, match="ask for fewer rows"):
        posterior.covariance()


def test_the_inverse_root_squares_to_the_inverse() -> None:
    """R Rᵀ is A⁻¹; with a root G of a gradient's covariance, the result is A⁻¹ G."""
    root = np.random.default_rng(0).normal(size=(8, 8))
    A, G = root @ root.T + np.eye(8), np.random.default_rng(1).normal(size=(8, 3))
    root = inverse_root(A, None, 0.0)
    assert_allclose(root @ root.T, np.linalg.inv(A), rtol=1e-6, atol=1e-12)
    assert_allclose(inverse_root(A, G, 0.0), np.linalg.solve(A, G), rtol=1e-6, atol=1e-12)


def test_a_singular_matrix_is_raised_to_the_floor() -> None:
    """Where there is no Cholesky factor, the direction of eigenvalue 0 gets the floor."""
    root = inverse_root(np.diag([2.0, 0.0]), None, 0.1)
    assert_allclose(root @ root.T, np.diag([0.5, 10.0]))
    assert_allclose(inverse_root(np.diag([2.0, 0.0]), np.eye(2), 0.1), np.diag([0.5, 10.0]))


def test_a_matrix_with_a_negative_eigenvalue_is_rejected() -> None:
    """It is no precision, whatever the floor."""
    with pytest.raises(InvalidInput, match="must be positive, got one that is not: give the model a prior"):
        inverse_root(np.array([[1.0, 2.0], [2.0, 1.0]]), None, 0.1)
