from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.gaussian_process import kernels as scikit

from penchant.errors import CannotSave, InvalidInput
from penchant.gp import (
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    ScikitKernel,
    SquaredExponential,
    WhiteNoise,
)
from penchant.saving import from_bytes, to_bytes

RNG = np.random.default_rng(0)
X, Z = RNG.normal(size=(7, 3)), RNG.normal(size=(5, 3))
SCALES = (0.7, 1.3, 2.0)

KERNELS: list[Kernel] = [
    SquaredExponential(SCALES, 1.7),
    SquaredExponential(0.8),
    Matern12(SCALES, 0.4),
    Matern12(1.5),
    Matern32(SCALES, 2.0),
    Matern52(SCALES, 2.0),
    Linear(SCALES),
    Linear(0.3),
    WhiteNoise(0.6),
    SquaredExponential(0.8) + Linear(0.3) * Matern32(SCALES) + WhiteNoise(0.1),
    ScikitKernel(scikit.ConstantKernel(2.0) * scikit.RBF(SCALES) + scikit.WhiteKernel(0.3)),
]
SAME = [
    (SquaredExponential(SCALES, 1.7), 1.7 * scikit.RBF(SCALES)),
    (Matern12(SCALES, 1.7), 1.7 * scikit.Matern(SCALES, nu=0.5)),
    (Matern32(SCALES, 1.7), 1.7 * scikit.Matern(SCALES, nu=1.5)),
    (Matern52(SCALES, 1.7), 1.7 * scikit.Matern(SCALES, nu=2.5)),
    (Linear(1.7), 1.7 * scikit.DotProduct(1e-9)),
    (WhiteNoise(1.7), scikit.WhiteKernel(1.7)),
]


@pytest.mark.parametrize(("ours", "theirs"), SAME, ids=lambda kernel: type(kernel).__name__)
def test_matrices_are_those_of_scikit_learn(ours: Kernel, theirs: Any) -> None:
    """An independent implementation gives the same numbers, of X with itself, with Z and on the diagonal."""
    np.testing.assert_allclose(ours(X), theirs(X), atol=1e-12)
    np.testing.assert_allclose(ours(X, Z), theirs(X, Z), atol=1e-12)
    np.testing.assert_allclose(ours.diagonal(X), theirs.diag(X), atol=1e-12)


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_gradients_are_slopes(kernel: Kernel) -> None:
    """The contracted gradient is what central differences of Σ M ∘ K give, M symmetric or not."""
    weight = RNG.normal(size=(7, 7))
    steps = 1e-5 * np.eye(len(kernel.theta))
    slopes = [
        np.vdot(weight, kernel.with_theta(kernel.theta + step)(X) - kernel.with_theta(kernel.theta - step)(X))
        / 2e-5
        for step in steps
    ]
    np.testing.assert_allclose(kernel.gradient(X, weight), slopes, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("kernel", KERNELS[:-1], ids=repr)
def test_a_kernel_comes_back_from_its_file(kernel: Kernel) -> None:
    """Saved and loaded it is equal; a kernel of scikit-learn's, whose state cannot be checked, is an error."""
    assert from_bytes(to_bytes(kernel)) == kernel
    with pytest.raises(CannotSave, match="the model is a ScikitKernel, which does not state"):
        to_bytes(KERNELS[-1])


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_a_kernel_is_its_hyperparameters(kernel: Kernel) -> None:
    """It is positive semidefinite, comes back from its theta, and has bounds for each."""
    assert np.linalg.eigvalsh(kernel(X)).min() > -1e-12
    np.testing.assert_allclose(kernel.diagonal(X), np.diagonal(kernel(X)), atol=1e-12)
    np.testing.assert_allclose(kernel.with_theta(kernel.theta)(X), kernel(X), rtol=1e-12)
    assert kernel.bounds.shape == (len(kernel.theta), 2)
    assert (kernel.bounds[:, 0] <= kernel.bounds[:, 1]).all()


def test_sums_and_products_are_those_of_their_matrices() -> None:
    """K of a sum is the sum of Ks, of a product the product, entry by entry."""
    a, b = KERNELS[0], KERNELS[4]
    np.testing.assert_array_equal((a + b)(X, Z), a(X, Z) + b(X, Z))
    np.testing.assert_array_equal((a * b)(X, Z), a(X, Z) * b(X, Z))
    assert repr(Linear() + WhiteNoise()) == "(Linear(variance=1) + WhiteNoise(variance=1))"


def test_the_gradient_by_inputs_is_a_slope() -> None:
    """The gradient of a weighted sum of kernels at each row is what central differences give."""
    kernel = SquaredExponential(SCALES, 1.7)
    weight = RNG.normal(size=5)
    for feature, step in enumerate(1e-6 * np.eye(3)):
        slope = (kernel(X + step, Z) - kernel(X - step, Z)) @ weight / 2e-6
        np.testing.assert_allclose(kernel.input_gradient(X, Z, weight)[:, feature], slope, atol=1e-8)


def test_kept_hyperparameters_have_no_room() -> None:
    """Bounds of None pin a value; one pair holds for all lengthscales, or each has its own."""
    kept = SquaredExponential(SCALES, 2.0, lengthscale_bounds=None, variance_bounds=(1.0, 3.0))
    np.testing.assert_allclose(np.exp(kept.bounds), [[s, s] for s in SCALES] + [[1, 3]])
    own = SquaredExponential((1.0, 2.0), lengthscale_bounds=((0.5, 1.5), (1.0, 4.0)))
    np.testing.assert_allclose(np.exp(own.bounds[:2]), [[0.5, 1.5], [1, 4]])


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: SquaredExponential(0.0), "lengthscale must be above 0, got 0.0"),
        (lambda: SquaredExponential((1.0, -2.0)), "lengthscale must be above 0, got -2.0"),
        (lambda: SquaredExponential("long"), "lengthscale must be above 0, got 'long'"),
        (lambda: SquaredExponential(()), "lengthscale must be a number or one a feature"),
        (lambda: Matern32(1.0, np.nan), "variance must be above 0, got nan"),
        (lambda: WhiteNoise((1.0, 2.0)), "variance must be above 0, got"),
        (lambda: Linear(variance_bounds=(2.0, 1.0)), r"variance_bounds must be \(least, most\)"),
        (lambda: Linear(variance_bounds=(0.0, 1.0)), "variance_bounds must be a pair of numbers above 0"),
        (lambda: Linear(variance_bounds="wide"), "variance_bounds must be a pair of numbers above 0"),
        (lambda: SquaredExponential((1.0, 2.0))(X), "one for each of 3 features, got 2"),
        (lambda: Linear((1.0,))(X), "variance must be one number or one for each of 3 features, got 1"),
        (lambda: Linear((1.0, 2.0)).diagonal(X), "variance must be one number or one for each of 3 features"),
        (lambda: SquaredExponential((1.0, 2.0), 1.0, ((1, 2),) * 3), "one for each of 2 numbers, got 3"),
        (lambda: WhiteNoise(1.0, ((1.0, 2.0),) * 2), "one for each of 1 numbers, got 2"),
        (lambda: SquaredExponential() + 3, r"both sides of \+ must be kernels of penchant.gp, got 3"),
        (lambda: Linear() * "a", r"both sides of \* must be kernels of penchant.gp, got 'a'"),
    ],
)
def test_wrong_hyperparameters_are_refused(make: Any, words: str) -> None:
    """Each is rejected with a message that names what was received."""
    with pytest.raises(InvalidInput, match=words):
        make()
