"""Hyperparameters of a Gaussian process with a linear prior mean: the mode of their posterior.

Beside the kernel's hyperparameters the noise is learned, since β̂ has a fixed size. Utilities have no unit: the evidence
does not change when prior mean, kernel and noise are multiplied by one factor, and so its derivative by the noise
follows from those by the kernel and by the prior mean.

The evidence alone would let the noise vanish where no answer contradicts the linear utility, and the scale where a line
explains the answers. All that is learned has therefore a weak prior, normal in the logarithms: lengthscales around half
the box's side, the noise around what is usual beside the spread of the linear utility, and the scale around the noise.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.evidence import ROUGH, Evidence, maximum
from penchant.gp.inference.gaussian import UNEXPLAINED, Factor
from penchant.gp.inference.hyperprior import VARIANCE_SD, Hyperprior
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
"""The middle of the weak prior of a learned lengthscale, in shares of the box's side, and where the search starts."""
LENGTHSCALE_SD = 1.0
LINEAR_VARIANCE, SMOOTH_VARIANCE = 2.0, 1.0
"""The usual variances of the linear utility over the items, and of the rest, in units of the noise's."""


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
    """Return the hyperparameters of the highest Laplace evidence times prior that a local search finds.

    Given ones are kept.

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
    if given.all():
        return start
    return _maximised(evidence, start, bounds, _weak_prior(width, evidence.prior_mean, linear_noise))


def _weak_prior(width: Floats, linear: Floats, linear_noise: float) -> Hyperprior:
    """Return the prior of `Hyperparameters.theta`, for a linear utility of these values at the items.

    That of the log variance is around the noise's, 2 log noise; both have the sd of other log variances.
    """
    size = len(width)
    spread = float(linear.std())
    log_noise = np.log(spread / np.sqrt(LINEAR_VARIANCE) if spread > 0 else linear_noise)
    centre = np.append(
        np.log(USUAL_LENGTHSCALE * width), [2 * log_noise + np.log(SMOOTH_VARIANCE), log_noise]
    )
    precision = np.diag(np.append(np.full(size, LENGTHSCALE_SD**-2.0), [0.0, (2 / VARIANCE_SD) ** 2]))
    beside_noise = np.append(np.zeros(size), [1.0, -2.0]) / VARIANCE_SD
    return Hyperprior(centre, precision + np.outer(beside_noise, beside_noise))


def _maximised(
    evidence: Evidence, start: Hyperparameters, bounds: Floats, prior: Hyperprior
) -> Hyperparameters:
    mode: LaplaceMode | None = None

    def log_posterior(theta: Floats) -> tuple[float, Floats]:
        nonlocal mode
        mode, gradient = evidence_gradient(evidence, Hyperparameters.of(theta), mode, unexplained=ROUGH)
        return mode.log_evidence + prior.log_density(theta), gradient + prior.gradient(theta)

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
