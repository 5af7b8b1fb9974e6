"""Step two, Gaussian processes: kernels of scikit-learn. One of its kernels in, the same as one of ours out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, shown
from penchant.errors import InvalidInput
from penchant.gp.kernels import Kernel


@dataclass(frozen=True, repr=False)
class ScikitKernel(Kernel):
    """A kernel from ``sklearn.gaussian_process.kernels``, with its hyperparameters and their bounds.

    scikit-learn tells all derivatives at once, n × n × p numbers: on many items the kernels here are lighter.
    Only those can be saved.

    Parameters
    ----------
    kernel : sklearn.gaussian_process.kernels.Kernel

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> ScikitKernel(RBF(2.0)).theta
    array([0.69314718])
    """

    kernel: Any

    def __call__(self, X: Floats, Z: Floats | None = None) -> Floats:
        """Return the matrix between the rows of X and of Z, or of X and itself."""
        return np.asarray(self.kernel(X, Z), dtype=np.float64)

    def diagonal(self, X: Floats) -> Floats:
        """Return the kernel of each row with itself."""
        return np.asarray(self.kernel.diag(X), dtype=np.float64)

    @property
    def theta(self) -> Floats:
        """The logarithms of the hyperparameters."""
        return np.asarray(self.kernel.theta, dtype=np.float64)

    @property
    def bounds(self) -> Floats:
        """The least and the most of each entry of ``theta``."""
        return np.asarray(self.kernel.bounds, dtype=np.float64).reshape(-1, 2)

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        return type(self)(self.kernel.clone_with_theta(theta))

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        _, derivatives = self.kernel(X, eval_gradient=True)
        return np.asarray(np.einsum("ij,ijk->k", weight, derivatives))


def as_kernel(kernel: object) -> Kernel:
    """Return ``kernel`` if it is ours, or one of scikit-learn's as ours, or say that it is neither."""
    if isinstance(kernel, Kernel):
        return kernel
    if hasattr(kernel, "clone_with_theta") and not isinstance(kernel, type):
        return ScikitKernel(kernel)
    raise InvalidInput(
        "kernel must be a kernel of penchant.gp or of sklearn.gaussian_process.kernels, "
        f"got {shown(kernel)}: give one, for instance SquaredExponential()"
    )
