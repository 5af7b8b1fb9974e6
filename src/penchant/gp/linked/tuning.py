"""Hyperparameters of the linked process: the mode of their posterior, and a grid over the scale of the whole prior.

The posterior of the hyperparameters is the evidence of the answers times their prior density. Its mode gives all
settings. The overall scale of the prior, which the error bars depend on, is integrated over: a grid of factors around
the mode, uniform in their logarithm, each weighted by its posterior density.

The prior density of each hyperparameter is proper, so that few answers neither collapse the prior of the utilities to a
point nor blow it up. All densities are those of the logarithms:

- The spread of each part of the prior (features, links, or independent items), which is the standard deviation of the
  utilities of the compared items around their mean, has a half-t distribution with 3 degrees of freedom and scale 1,
  the standard deviation of the noise of an answer. Scale and beta follow from it.
- The lengthscale has a lognormal distribution around the typical distance of two items' features.
- Iota has a lognormal distribution around 1/√(mean degree), where an item's links weigh as much as its own 1/ι².
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats
from penchant.errors import InvalidInput, PenchantWarning
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.ep import EPPosterior, Sites
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.graph_prior import WRITTEN_OUT
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.pair_evidence import PairEvidence, propagated_pairs
from penchant.gp.linked.posterior import Progress, Scales, compared, propagated
from penchant.gp.linked.prior_derivatives import ComparedPrior, Part, spread_of

OWN_SPREAD = 1 / 3
"""The usual standard deviation of what an item has beside features and links, in units of the noise of an answer."""
_REACH = {"scale": 1e3, "lengthscale": 1e3, "beta": 1e6, "iota": 1e3, "nugget": 1e3}
"""The factor by which each hyperparameter may differ from the middle of its prior, either way."""
_MOST_STEPS = 60
_FIRST_STEP = float(np.log(3))
_UNSOUND = 1e10
_NEAR = 1e-5
"""The change of a site at which EP ends."""
_WIDEST_STEP = float(np.log(2))
_FINEST_STEP = 1e-3
_LARGEST_DROP = 2.0
"""Of the log density from the best factor to its nearer neighbour. Of a normal density this is two sd, where the sum
over a uniform grid is its integral up to 1.4 %."""
_LEFT_OUT = 5.0
"""Factors whose log density is lower than the highest by more than this are left out: less than 1 % each."""
_LEAST_SPREAD = 0.1
"""Smaller spreads are left out: items are then practically equal, and leaving them out adds no certainty."""
_MOST_FACTORS = 25
_ROOT_2_PI = float(np.sqrt(2 * np.pi))
_LOG_SPREAD = float(np.log(4 / (np.pi * np.sqrt(3))))
"""Of the half-t₃: added to `log_spread_density` it makes a density of the logarithm of the spread."""


class Tuned(NamedTuple):
    """The most probable settings, the factors of the whole prior's scale to integrate over, and their probabilities."""

    settings: Settings
    scales: Scales
    weights: tuple[float, ...]


def check_tunable(item_prior: ItemPrior, mix: tuple[float, float] = (1.0, 1.0)) -> None:
    """Raise `InvalidInput` where there is nothing to learn, or too many linked items to learn from."""
    if item_prior.links is not None and (item_prior.n_items > WRITTEN_OUT or item_prior.earlier_counts):
        raise InvalidInput(
            f"beta and iota are tuned for at most {WRITTEN_OUT} items that came together, got "
            f"{item_prior.n_items}: give them, or tune on a part of the graph"
        )
    if not ComparedPrior(item_prior, np.empty(0, dtype=np.int64), mix).names:
        raise InvalidInput("a covariance that was given has nothing to tune: give features or links instead")


def tuned(
    item_prior: ItemPrior,
    answers: Answers,
    start: Settings,
    likelihood: Probit,
    restarts: int,
    seed: int,
    progress: Progress | None = None,
    *,
    quiet: bool = False,
) -> Tuned:
    """Return the settings of the highest posterior density, by L-BFGS, and the scales around them.

    The density may have several modes: the search begins at ``start`` and at the most probable of the points of
    `first_points`, and at ``restarts`` random ones. The weights ω stay as they are: ω₁ is redundant beside κ, and
    ω₂ beside β. With ``quiet`` there is no warning where a bound is reached.
    """
    from scipy.optimize import minimize

    check_tunable(item_prior, start.mix)
    if not len(answers):
        raise InvalidInput("tuning needs answers, got none: call update first")
    density = LogPosterior(item_prior, answers, start, likelihood)
    bounds = density.bounds()
    low, high = np.array(bounds).T
    first = np.clip(density.logs(start), low, high)
    rng = np.random.default_rng(seed)
    likely = max(first_points(density.names, bounds), key=lambda point: _finite(density.at(point)[0]))
    starts = [first, likely, *(first + rng.normal(0.0, 1.0, len(first)) for _ in range(restarts))]
    most, steps = _MOST_STEPS * len(starts), 0

    def loss(logs: Floats) -> tuple[float, Floats]:
        nonlocal steps
        steps += 1
        if progress is not None:
            progress("choosing the prior", min(steps, most), most)
        value, gradient = density.at(logs)
        return (-value, -gradient) if np.isfinite(value) else (_UNSOUND, np.zeros(len(logs)))

    limits: Any = {"maxfun": _MOST_STEPS, "ftol": 1e-8, "gtol": 1e-3}
    ends = [
        minimize(loss, np.clip(point, low, high), jac=True, method="L-BFGS-B", bounds=bounds, options=limits)
        for point in starts
    ]
    best = min(ends, key=lambda end: float(end.fun))
    if not quiet:
        _report_bounds(density, best.x)
    # Digits beyond these are noise, and differ from one processor to another.
    settings = density.settings(best.x)
    rounded: dict[str, Any] = {name: float(f"{getattr(settings, name):.4g}") for name in density.names}
    settings = settings._replace(**rounded)
    return Tuned(settings, *_scales(density, settings, progress))


def first_points(names: Sequence[str], bounds: Sequence[tuple[float, float]]) -> list[Floats]:
    """Return the middle of the prior of the logarithms, and points around it with other lengthscales and scales."""
    middle = np.mean(np.array(bounds), axis=1)
    points = [middle]
    for name in ("lengthscale", "scale"):
        if name in names:
            step = np.where(np.array(names) == name, _FIRST_STEP, 0.0)
            points += [point + sign * step for point in points for sign in (-1.0, 1.0)]
    return points


def _finite(value: float) -> float:
    return value if np.isfinite(value) else -np.inf


class LogPosterior:
    """The log density of the logarithms of the hyperparameters, given the answers.

    Parameters
    ----------
    item_prior : ItemPrior
    answers : Answers
    start : Settings
        Gives the settings that are not learned.
    likelihood : Probit
    own : bool
        Whether the nugget is learned too. Its root, the spread of the items' own parts, has a half-t distribution with
        3 degrees of freedom and scale `OWN_SPREAD`; without features and links, where it is all that items differ by,
        the scale is 1.
    near : float
        The change of a site, in standard deviations, at which EP ends: at its fixed point the evidence does not depend
        on the sites.

    Attributes
    ----------
    names : tuple of str
        The hyperparameters, in the order of the arguments.
    """

    def __init__(
        self,
        item_prior: ItemPrior,
        answers: Answers,
        start: Settings,
        likelihood: Probit,
        *,
        own: bool = False,
        near: float = _NEAR,
    ) -> None:
        self._near = near
        items, self._counts = compared(answers)
        self._prior = ComparedPrior(item_prior, items, start.mix, own=own)
        self._hyperprior = HyperPrior.of(item_prior)
        self._start, self._likelihood = start, likelihood
        self._own = 1.0 if self._prior.names == ("nugget",) else OWN_SPREAD
        self._sites: Sites | None = None
        self._last: tuple[Settings, list[Part]] | None = None
        self.names = self._prior.names

    def settings(self, logs: Floats) -> Settings:
        """Return the settings with these logarithms of the hyperparameters."""
        return self._start._replace(**dict(zip(self.names, np.exp(logs).tolist(), strict=True)))

    def logs(self, settings: Settings) -> Floats:
        """Return the logarithms of the hyperparameters in ``settings``."""
        return np.log([getattr(settings, name) for name in self.names])

    def bounds(self) -> list[tuple[float, float]]:
        """Return the least and the largest logarithm of each hyperparameter."""
        lengthscale, iota = self._hyperprior.lengthscale, self._hyperprior.iota
        middle = {"scale": 1.0, "lengthscale": lengthscale, "beta": iota**2, "iota": iota}
        middle["nugget"] = self._own**2
        return [
            (float(np.log(middle[name] / _REACH[name])), float(np.log(middle[name] * _REACH[name])))
            for name in self.names
        ]

    @property
    def log_constant(self) -> float:
        """What is to be added to the log density so that the prior density of the logarithms integrates to 1."""
        twice = _LOG_SPREAD - np.log(
            2
        )  # the logarithm of a variance moves twice as far as that of the spread
        per = {"scale": _LOG_SPREAD, "beta": twice, "nugget": twice}
        per |= {"lengthscale": -np.log(LENGTHSCALE_SD * _ROOT_2_PI), "iota": -np.log(IOTA_SD * _ROOT_2_PI)}
        return float(sum(per[name] for name in self.names))

    def at(self, logs: Floats) -> tuple[float, Floats]:
        """Return the log density and its gradient."""
        settings = self.settings(logs)
        parts = self._parts(settings)
        log_prior, by_prior = self._log_prior(parts, logs)
        log_evidence, by_evidence = self._evidence(parts, settings)
        return log_evidence + log_prior, by_evidence + by_prior

    def parts_at(self, logs: Floats) -> tuple[float, float]:
        """Return the log prior density and the log evidence, of which the log density is the sum."""
        settings = self.settings(logs)
        parts = self._parts(settings)
        log_evidence = self._propagated(self._covariance(parts, settings)).log_evidence
        return self._log_prior(parts, logs)[0], log_evidence

    def spread_slope(self, logs: Floats) -> Floats:
        """Return the derivatives of the spread of the utilities, up to a factor, by the hyperparameters."""
        slope = dict.fromkeys(self.names, 0.0)
        for part in self._parts(self.settings(logs)):
            for name, by in part.derivatives.items():
                slope[name] += spread_of(by)
        return np.array([slope[name] for name in self.names])

    def _evidence(self, parts: list[Part], settings: Settings) -> tuple[float, Floats]:
        """Return EP's log evidence, and its derivatives by the logarithms of the hyperparameters.

        At EP's fixed point the sites may be held: ∂ log Z = ½ αᵀ ∂K α − ½ tr(R ∂K) with R = (K + W⁻¹)⁻¹.
        """
        posterior = self._propagated(self._covariance(parts, settings))
        by_covariance = posterior.covariance_gradient()
        gradient = {
            name: float((by_covariance * by).sum()) for part in parts for name, by in part.derivatives.items()
        }
        return posterior.log_evidence, np.array([gradient[name] for name in self.names])

    def along_scale(self, settings: Settings) -> tuple[Callable[[float], tuple[float, float]], float]:
        """Return log prior density and log evidence as a function of the log factor of the whole prior's scale.

        The second is the spread of the utilities at a factor of 1.
        """
        parts = self._parts(settings)
        covariance = self._covariance(parts, settings)
        spreads = [float(np.sqrt(part.squared_spread)) for part in parts]

        def at(log_factor: float) -> tuple[float, float]:
            factor = float(np.exp(log_factor))
            log_prior = sum(log_spread_density(factor * spread)[0] for spread in spreads)
            log_evidence = self._propagated(factor**2 * covariance).log_evidence
            return log_prior, log_evidence if np.isfinite(log_evidence) else -np.inf

        return at, float(np.sqrt(spread_of(covariance)))

    def _parts(self, settings: Settings) -> list[Part]:
        """Return the parts of the prior; the last ones are cached, since the mode is mostly the last point."""
        if self._last is None or self._last[0] != settings:
            self._last = settings, self._prior.parts(settings)
        return self._last[1]

    def _covariance(self, parts: list[Part], settings: Settings) -> Floats:
        total: Floats = np.sum([part.covariance for part in parts], axis=0)
        return total if "nugget" in self.names else total + settings.nugget * np.eye(len(total))

    def _propagated(self, covariance: Floats) -> EPPosterior | PairEvidence:
        posterior: EPPosterior | PairEvidence
        if len(self._counts.better) < len(covariance):
            posterior = propagated_pairs(
                covariance, self._counts, self._likelihood, self._sites, tolerance=self._near
            )
        else:
            posterior = propagated(
                covariance, self._counts, self._likelihood, self._sites, tolerance=self._near, quiet=True
            )
        if np.isfinite(posterior.log_evidence):
            self._sites = posterior.sites
        return posterior

    def _log_prior(self, parts: list[Part], logs: Floats) -> tuple[float, Floats]:
        total, gradient = 0.0, dict.fromkeys(self.names, 0.0)
        for part in parts:
            squared = part.squared_spread
            unit = self._own if "nugget" in part.derivatives else 1.0
            log, by_spread = log_spread_density(float(np.sqrt(squared)) / unit)
            total += log
            for name, by in part.derivatives.items():
                gradient[name] += by_spread * spread_of(by) / squared / 2
        for name, value in zip(self.names, logs.tolist(), strict=True):
            if name in ("lengthscale", "iota"):
                log, derivative = self._hyperprior.log_density(name, value)
                total, gradient[name] = total + log, gradient[name] + derivative
        return total, np.array([gradient[name] for name in self.names])


def _report_bounds(density: LogPosterior, logs: Floats) -> None:
    for name, log, (low, high) in zip(density.names, logs.tolist(), density.bounds(), strict=True):
        reached = low if log - low < 1e-6 else high if high - log < 1e-6 else None
        if reached is not None:
            warnings.warn(
                f"{name} must lie between {np.exp(low):.3g} and {np.exp(high):.3g}, and tuning ended at the bound "
                f"{np.exp(reached):.3g}: rescale the features or links, give {name} without tuning, or ask more",
                PenchantWarning,
                stacklevel=4,
            )


def _scales(
    density: LogPosterior, settings: Settings, progress: Progress | None
) -> tuple[Scales, tuple[float, ...]]:
    """Return a grid of factors of the scale around ``settings`` with nearly all mass, and their probabilities."""
    along, spread = density.along_scale(settings)
    computed: dict[float, tuple[float, float]] = {}

    def at(log_factor: float) -> float:
        if log_factor not in computed:
            if progress is not None:
                progress("weighing scales", min(len(computed), _MOST_FACTORS), _MOST_FACTORS)
            computed[log_factor] = along(log_factor)
        return sum(computed[log_factor])

    grid = uniform_grid(at, least=float(np.log(_LEAST_SPREAD / spread)))
    log_prior = _normalised(np.array([computed[point][0] for point in grid]))
    weights = np.exp(_normalised(np.array([at(point) for point in grid])))
    factors = tuple(float(np.exp(point)) for point in grid)
    return Scales(factors, tuple(log_prior.tolist())), tuple(weights.tolist())


def _normalised(logs: Floats) -> Floats:
    """Return the logarithms of weights, up to a constant, such that the weights add up to 1."""
    highest = logs.max()
    normalised: Floats = logs - highest - np.log(np.exp(logs - highest).sum())
    return normalised


def uniform_grid(log_density: Callable[[float], float], least: float = -np.inf) -> list[float]:
    """Return the points of a uniform grid with nearly all of the mass of a density with one mode near 0, in order.

    The steps are as wide as the density is, at most log 2. No point is below both ``least`` and the mode.

    Examples
    --------
    >>> [round(point, 2) for point in uniform_grid(lambda x: -x * x / 2)]
    [-2.77, -2.08, -1.39, -0.69, 0.0, 0.69, 1.39, 2.08, 2.77]
    """
    step, best = _WIDEST_STEP, 0.0
    while True:
        best = _local_maximum(log_density, best, step)
        drop = log_density(best) - max(log_density(best - step), log_density(best + step))
        if drop <= _LARGEST_DROP or step <= _FINEST_STEP:
            break
        step /= 2
    points = [best]
    for sign in (-1, 1):
        for count in range(1, _MOST_FACTORS):
            point = best + sign * count * step
            below = sign < 0 and point < least
            if below or not log_density(point) >= log_density(best) - _LEFT_OUT:
                break
            points.append(point)
    return sorted(points)


def _local_maximum(log_density: Callable[[float], float], start: float, step: float) -> float:
    """Return the local maximum that is reached from ``start`` in steps of one size."""
    for _ in range(_MOST_FACTORS):
        beside = max(start - step, start + step, key=log_density)
        if not log_density(beside) > log_density(start):
            break
        start = beside
    return start


LENGTHSCALE_SD = 1.0
IOTA_SD = 1.5
"""Standard deviations of the logarithms."""
_SAMPLED = 500


@dataclass(frozen=True)
class HyperPrior:
    """The prior distributions of lengthscale and iota, in units of the features and links.

    Attributes
    ----------
    lengthscale, iota : float
        The medians.
    """

    lengthscale: float
    iota: float

    @classmethod
    def of(cls, item_prior: ItemPrior) -> HyperPrior:
        """Return the prior distributions for these features and links."""
        features, links = item_prior.features, item_prior.links
        return cls(
            1.0 if features is None else typical_distance(features),
            1.0 if links is None else 1 / np.sqrt(_mean_degree(links)),
        )

    def log_density(self, name: str, log_value: float) -> tuple[float, float]:
        """Return the log density of the logarithm of lengthscale or iota, up to a constant, and its derivative."""
        center, sd = (self.lengthscale, LENGTHSCALE_SD) if name == "lengthscale" else (self.iota, IOTA_SD)
        z = (log_value - np.log(center)) / sd
        return float(-z * z / 2), float(-z / sd)


def log_spread_density(spread: float) -> tuple[float, float]:
    """Return the log density of log(spread) under a half-t₃(1), up to a constant, and its derivative by log(spread).

    The density of the logarithm is s·p(s) with p(s) ∝ (1 + s²/3)⁻²: its mode is at 1.

    Examples
    --------
    >>> log_spread_density(1.0)[1]
    0.0
    """
    share = spread**2 / 3
    return float(np.log(spread) - 2 * np.log1p(share)), float(1 - 4 * share / (1 + share))


def typical_distance(features: Floats) -> float:
    """Return the median distance of two items' features, of many items that of 500 spread evenly.

    Where most items are alike it is the root mean square distance, and 1 where all are.
    """
    from scipy.spatial.distance import pdist

    n_items = len(features)
    chosen = np.linspace(0, n_items - 1, min(n_items, _SAMPLED)).round().astype(np.int64)
    distances = pdist(features[chosen])
    if not distances.any():
        return 1.0
    median = float(np.median(distances))
    return median if median > 0 else float(np.sqrt((distances**2).mean()))


def _mean_degree(links: Any) -> float:
    """Return the mean weight of the links of an item, among items that have links; 1 where none has."""
    degree = np.asarray(links.sum(axis=1)).ravel() - links.diagonal()
    linked = degree[degree > 0]
    return float(linked.mean()) if linked.size else 1.0
