"""The evidence of a kernel, and the hyperparameters that maximise it times their prior density."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Literal

import numpy as np

from penchant.checks import Floats
from penchant.gp.inference.answers import PairCounts
from penchant.gp.inference.ep import TOLERANCE, EPPosterior, Sites, propagate
from penchant.gp.inference.gaussian import UNEXPLAINED, Factor
from penchant.gp.inference.hyperprior import Hyperprior
from penchant.gp.inference.laplace import LaplaceMode, Problem, maximise
from penchant.gp.inference.likelihood import Likelihood
from penchant.gp.kernels import Kernel
from penchant.progress import part, step_done

Inference = Literal["ep", "laplace"]
UtilityPosterior = EPPosterior | LaplaceMode

ROUGH = 1e-7  # while searching: the variance that a factor may leave out, and the tolerance of the sites
ROUGH_SITES = 1e-4
LEAST_GAIN = 1e-6  # of the log evidence, relative, in one step of the search
MOST_STEPS = 100
SPREAD = 2.0  # restarts begin up to this far from the first start, in logarithms
THRESHOLD_BOUNDS = (1e-2, 10.0)  # times the likelihood's scale


@dataclass(frozen=True, eq=False)
class Evidence:
    """The data: features of the items, answers about them, and the prior mean of their utilities.

    Attributes
    ----------
    X : ndarray of shape (n, d)
    pairs : PairCounts
        On the n rows.
    prior_mean : ndarray of shape (n,)
    learn_threshold : bool
        Whether the likelihood's threshold is a hyperparameter, the last one.
    """

    X: Floats
    pairs: PairCounts
    prior_mean: Floats
    learn_threshold: bool = False

    def posterior(
        self,
        kernel: Kernel,
        likelihood: Likelihood,
        inference: Inference,
        start: UtilityPosterior | None = None,
        *,
        rough: bool = False,
        quiet: bool = False,
    ) -> UtilityPosterior:
        """Return the posterior of the utilities, iterated from ``start`` where one is given.

        A ``rough`` one has fewer correct digits and is cheaper. Where it is ``rough`` or ``quiet``, there is no warning
        when the iterations run out.
        """
        quiet = quiet or rough
        factor = Factor.of(kernel(self.X), unexplained=ROUGH if rough else UNEXPLAINED)
        problem = Problem(factor, self.pairs, likelihood, self.prior_mean)
        if inference == "laplace":
            return maximise(problem, start=None if start is None else start.utility, quiet=quiet)
        if start is None:
            start = maximise(problem, quiet=True)
        sites = start.sites if isinstance(start, EPPosterior) else Sites.at_mode(start)
        tolerance = ROUGH_SITES if rough else TOLERANCE
        return propagate(problem, start=sites, tolerance=tolerance, quiet=quiet)

    def gradient(self, kernel: Kernel, likelihood: Likelihood, posterior: UtilityPosterior) -> Floats:
        """Return the derivative of the log evidence by the logarithms of the hyperparameters, shape (p,)."""
        gradient = kernel.gradient(self.X, posterior.covariance_gradient())
        if self.learn_threshold:
            by_log = likelihood.threshold * posterior.threshold_gradient(likelihood)
            gradient = np.append(gradient, by_log)
        return gradient


def maximum(
    function: Callable[[Floats], tuple[float, Floats]], start: Floats, bounds: Floats
) -> tuple[Floats, float]:
    """Return a local maximum of a function with its gradient, and the value there, by L-BFGS-B within ``bounds``."""
    from scipy.optimize import Bounds, minimize

    steps = count(1)

    def loss(theta: Floats) -> tuple[float, Floats]:
        value, gradient = function(theta)
        step_done(min(next(steps), MOST_STEPS), MOST_STEPS)
        return -value, -gradient

    options: Any = {"ftol": LEAST_GAIN, "maxiter": MOST_STEPS}
    result = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=Bounds(*bounds.T), options=options)
    return np.asarray(result.x), -float(result.fun)


class Search:
    """Maximises the log evidence, plus the log prior of the hyperparameters where one is given, by L-BFGS-B.

    It starts at a kernel's hyperparameters and stays within their bounds.

    Each posterior is iterated from the one before, which makes it cheaper and changes it by no more than its
    tolerance; the same call gives the same bits.
    """

    def __init__(
        self,
        evidence: Evidence,
        kernel: Kernel,
        likelihood: Likelihood,
        inference: Inference,
        prior: Hyperprior | None = None,
    ) -> None:
        self.evidence, self.kernel = evidence, kernel
        self.likelihood, self.inference = likelihood, inference
        self.prior = prior or Hyperprior.flat(len(self.start))
        self.posterior: UtilityPosterior | None = None

    def best(self, theta: Floats) -> tuple[Floats, float]:
        """Return the maximum that is found from ``theta`` (p,), and the log evidence plus log prior there."""
        return maximum(self._value, theta, self.bounds)

    def at(self, theta: Floats) -> tuple[Kernel, Likelihood]:
        """Return the kernel and the likelihood with these hyperparameters."""
        if not self.evidence.learn_threshold:
            return self.kernel.with_theta(theta), self.likelihood
        threshold = float(np.exp(theta[-1]))
        return self.kernel.with_theta(theta[:-1]), replace(self.likelihood, threshold=threshold)

    @property
    def start(self) -> Floats:
        """The hyperparameters as they were given, moved within their bounds."""
        theta = self.kernel.theta
        if self.evidence.learn_threshold:
            theta = np.append(theta, np.log(self.likelihood.threshold))
        return np.clip(theta, *self.bounds.T)

    @property
    def bounds(self) -> Floats:
        """Their bounds, shape (p, 2)."""
        if not self.evidence.learn_threshold:
            return self.kernel.bounds
        return np.vstack([self.kernel.bounds, np.log(np.multiply(THRESHOLD_BOUNDS, self.likelihood.scale))])

    def _value(self, theta: Floats) -> tuple[float, Floats]:
        self.posterior, value, gradient = self.log_posterior(theta, self.posterior)
        return value, gradient

    def log_posterior(
        self, theta: Floats, start: UtilityPosterior | None
    ) -> tuple[UtilityPosterior, float, Floats]:
        """Return a rough posterior at ``theta`` (p,), the log evidence plus log prior, and its gradient (p,)."""
        kernel, likelihood = self.at(theta)
        posterior = self.evidence.posterior(kernel, likelihood, self.inference, start, rough=True)
        gradient = self.evidence.gradient(kernel, likelihood, posterior) + self.prior.gradient(theta)
        return posterior, posterior.log_evidence + self.prior.log_density(theta), gradient


def learn_hyperparameters(
    evidence: Evidence,
    kernel: Kernel,
    likelihood: Likelihood,
    inference: Inference,
    *,
    prior: Hyperprior | None = None,
    restarts: int = 0,
    seed: int | None = None,
) -> tuple[Kernel, Likelihood]:
    """Return the kernel and the likelihood with the hyperparameters of the highest evidence times prior found.

    From each start Laplace's evidence is maximised first, which is cheaper; expectation propagation continues there.

    Parameters
    ----------
    evidence : Evidence
    kernel, likelihood
        Where the search starts, and what it may change.
    inference : {"ep", "laplace"}
    prior : Hyperprior, optional
        Of the hyperparameters; None: a flat one.
    restarts : int
        The number of other starts, drawn at random.
    seed : int, optional
        Of the draws.
    """
    search = Search(evidence, kernel, likelihood, inference)
    starts = [search.start]
    rng = np.random.default_rng(seed)
    for _ in range(restarts):
        moved = search.start + rng.uniform(-SPREAD, SPREAD, len(search.start))
        starts.append(np.clip(moved, *search.bounds.T))
    ends = []
    for number, start in enumerate(starts):
        with part(2 * number, 2 * len(starts)):
            theta, value = Search(evidence, kernel, likelihood, "laplace", prior).best(start)
        if inference == "ep":
            with part(2 * number + 1, 2 * len(starts)):
                theta, value = Search(evidence, kernel, likelihood, "ep", prior).best(theta)
        ends.append((value, theta))
    _, best = max(ends, key=lambda end: end[0])
    return search.at(best)
