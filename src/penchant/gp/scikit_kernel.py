"""Kernels of scikit-learn with the interface of `penchant.gp.Kernel`."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np

from penchant.checks import Floats, shown
from penchant.errors import InvalidInput
from penchant.gp.inference.hyperprior import RESIDUAL, Hyperprior, Units, lengthscales, variances
from penchant.gp.kernels import Kernel


@dataclass(frozen=True, repr=False)
class ScikitKernel(Kernel):
    """A kernel from ``sklearn.gaussian_process.kernels``, with its hyperparameters and their bounds.

    scikit-learn returns all derivatives at once, n × n × p numbers: on many items the kernels of `penchant.gp` take
    less memory. Only those can be saved.

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

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each entry of ``theta`` in messages."""
        return tuple(
            part.name if part.n_elements == 1 else f"{part.name}[{place}]"
            for part in self._learned
            for place in range(part.n_elements)
        )

    def prior(self, units: Units) -> Hyperprior:
        """Return weak priors of length scales, constants and noise levels; others have none but their bounds."""
        starts = np.cumsum([0, *(part.n_elements for part in self._learned)])
        values = (self.theta[start:end] for start, end in pairwise(starts))
        parts = (_prior(part.name, value, units) for part, value in zip(self._learned, values, strict=True))
        return Hyperprior.joined(Hyperprior.flat(0), *parts)

    @property
    def _learned(self) -> list[Any]:
        """The hyperparameters in ``theta``, each of one number or several."""
        return [part for part in self.kernel.hyperparameters if not part.fixed]

    def with_theta(self, theta: Floats) -> Self:
        """Return the same kernel with other hyperparameters."""
        return type(self)(self.kernel.clone_with_theta(theta))

    def gradient(self, X: Floats, weight: Floats) -> Floats:
        """Return Σ weight ∘ ∂K/∂θ."""
        _, derivatives = self.kernel(X, eval_gradient=True)
        return np.asarray(np.einsum("ij,ijk->k", weight, derivatives))


def _prior(name: str, theta: Floats, units: Units) -> Hyperprior:
    """Return the prior of a hyperparameter by its role, which follows from its name in scikit-learn."""
    role = name.rpartition("__")[2]
    if role == "length_scale":
        return lengthscales(theta, units)
    if role == "constant_value":
        return variances(theta, units.variance)
    if role == "noise_level":
        return variances(theta, RESIDUAL * units.variance)
    return Hyperprior.flat(len(theta))


def as_kernel(kernel: object) -> Kernel:
    """Return a kernel of `penchant.gp` as it is, and one of scikit-learn as a `ScikitKernel`."""
    if isinstance(kernel, Kernel):
        return kernel
    if hasattr(kernel, "clone_with_theta") and not isinstance(kernel, type):
        return ScikitKernel(kernel)
    raise InvalidInput(
        "kernel must be a kernel of penchant.gp or of sklearn.gaussian_process.kernels, "
        f"got {shown(kernel)}: give one, for instance SquaredExponential()"
    )
