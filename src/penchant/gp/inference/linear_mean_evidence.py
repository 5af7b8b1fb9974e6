"""Hyperparameters of a Gaussian process with a linear prior mean, by maximum evidence.

Beside the kernel's hyperparameters the noise is learned, since β̂ has a fixed size. Utilities have no unit: the evidence
does not change when prior mean, kernel and noise are multiplied by one factor, and so its derivative by the noise
follows from those by the kernel and by the prior mean.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.evidence import ROUGH, Evidence, maximum
from penchant.gp.inference.gaussian import UNEXPLAINED, Factor
from penchant.gp.inference.laplace import LaplaceMode, Problem, maximise
from penchant.gp.inference.likelihood import Probit
from penchant.gp.kernels import SquaredExponential

LENGTHSCALES = (0.05, 10.0)
"""Of a learned lengthscale, in shares of the box's side."""
SCALES = (0.01, 100.0)
"""Of a learned scale, in units of the noise of the linear utility."""
NOISES = (0.02, 5.0)
"""Of a learned noise, in the same units."""
USUAL_LENGTHSCALE = 0.5
"""The middle of the weak prior of a learned lengthscale, a lognormal with the sd 1, and where the search starts."""


@dataclass(frozen=True)
class Hyperparameters:
    """A squared exponential kernel and a noise.

    Attributes
    ----------
    lengthscale : tuple of float
        One a feature.
    scale : float
        The prior sd of the residual of the linear utility.
    noise : float
        The sd of the rating noise of one item.
    """

    lengthscale: tuple[float, ...]
    scale: float
    noise: float

    @property
    def kernel(self) -> SquaredExponential:
        """The kernel."""
        return SquaredExponential(self.lengthscale, self.scale**2)

    @property
    def likelihood(self) -> Probit:
        """The likelihood of an answer."""
        return Probit(float(np.sqrt(2) * self.noise))

    @property
    def theta(self) -> Floats:
        """The logarithms of the lengthscales, of the kernel's variance and of the noise."""
        return np.append(self.kernel.theta, np.log(self.noise))

    @classmethod
    def of(cls, theta: Floats) -> Hyperparameters:
        """Return those with the given logarithms."""
        *lengthscale, variance, noise = np.exp(theta).tolist()
        return cls(tuple(lengthscale), float(np.sqrt(variance)), noise)


def learn_hyperparameters(
    evidence: Evidence,
    width: Floats,
    linear_noise: float,
    *,
    lengthscale: Floats | None,
    scale: float | None,
    noise: float | None,
) -> Hyperparameters:
    """Return the hyperparameters of the highest Laplace evidence that a local search finds; given ones are kept.

    The evidence is multiplied by a weak prior of the lengthscales, since few comparisons do not determine them.

    Parameters
    ----------
    evidence : Evidence
        The items, the answers and the linear prior mean.
    width : ndarray of shape (d,)
        The sides of the box.
    linear_noise : float
        The noise that goes with the linear utility alone; the search starts with a noise and a scale of this.
    lengthscale, scale, noise : optional
        Values to keep.
    """
    start = Hyperparameters(
        tuple(USUAL_LENGTHSCALE * width if lengthscale is None else lengthscale),
        linear_noise if scale is None else scale,
        linear_noise if noise is None else noise,
    )
    lengths = np.log(np.outer(width, LENGTHSCALES))
    variance = 2 * np.log(np.multiply(linear_noise, SCALES))
    bounds = np.vstack([lengths, variance, np.log(np.multiply(linear_noise, NOISES))])
    given = np.append(np.full(len(width), lengthscale is not None), [scale is not None, noise is not None])
    bounds[given] = start.theta[given, None]
    return start if given.all() else _maximised(evidence, start, bounds, np.log(USUAL_LENGTHSCALE * width))


def _maximised(evidence: Evidence, start: Hyperparameters, bounds: Floats, usual: Floats) -> Hyperparameters:
    mode: LaplaceMode | None = None

    def log_posterior(theta: Floats) -> tuple[float, Floats]:
        nonlocal mode
        mode, gradient = evidence_gradient(evidence, Hyperparameters.of(theta), mode, unexplained=ROUGH)
        deviation = theta[: len(usual)] - usual
        gradient[: len(usual)] -= deviation
        return mode.log_evidence - 0.5 * float(deviation @ deviation), gradient

    return Hyperparameters.of(maximum(log_posterior, start.theta, bounds)[0])


def evidence_gradient(
    evidence: Evidence,
    at: Hyperparameters,
    start: LaplaceMode | None = None,
    *,
    unexplained: float = UNEXPLAINED,
) -> tuple[LaplaceMode, Floats]:
    """Return the mode, and the derivative of its log evidence by ``at.theta``, shape (d + 2,).

    Arguments as in `posterior_mode`.
    """
    mode = posterior_mode(evidence, at, start, unexplained=unexplained)
    by_kernel = evidence.gradient(at.kernel, at.likelihood, mode)
    by_mean = float(evidence.prior_mean @ mode.mean_gradient())
    return mode, np.append(by_kernel, -2 * by_kernel[-1] - by_mean)


def posterior_mode(
    evidence: Evidence,
    at: Hyperparameters,
    start: LaplaceMode | None = None,
    *,
    unexplained: float = UNEXPLAINED,
) -> LaplaceMode:
    """Return the posterior mode of the utilities of the items, f_MAP, iterated from ``start`` where one is given.

    ``unexplained`` is the part of the prior variance that the factor of K may leave out.
    """
    factor = Factor.of(at.kernel(evidence.X), unexplained=unexplained)
    first = None if start is None else start.utility
    return maximise(Problem(factor, evidence.pairs, at.likelihood, evidence.prior_mean), start=first)
