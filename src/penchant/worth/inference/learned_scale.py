"""The posterior of the scores when the scale of their prior is learned: a mixture over scales.

The scale, the standard deviation of the scores, has a half-normal prior (standard deviation 3, in units of log odds).
Its posterior is computed on the axis t = log scale, from the evidence of expectation propagation on a fixed grid. The
scores then have a posterior at each of a few scales, the points of Gaussian quadrature for that density.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from penchant.checks import Floats
from penchant.progress import part
from penchant.worth.inference.newton import Link, maximise
from penchant.worth.inference.pairs import PairGraph, PairTotals
from penchant.worth.inference.prior import Prior
from penchant.worth.inference.propagation import (
    EXACT_ITEMS,
    EXACT_WITH_FEATURES,
    Bethe,
    Drawn,
    Exact,
    Gaussian,
    PairLikelihood,
    Propagation,
    hermite,
    propagate,
    sites_at,
)
from penchant.worth.inference.scale_density import ScaleDensity, climb, prior_gradient

START = 0.1
"""The precision of the prior from whose mode the search starts, and of the bar of both-bad answers at all scales."""
SCALE = 3.0
"""The standard deviation of the scale's half-normal prior, in units of the link's logit."""
_TOLERANCES, _DRAWN_TOLERANCES = (1e-3, 1e-4), (2e-2, 5e-3)
"""Of expectation propagation in the search for the scale and afterwards, the second pair where variances are drawn."""
MOST_SCALES = 5
"""How many scales a mixture has where the posterior of the scale is wide."""
_WIDE, _NARROW = 0.15, 0.08
"""Up to these standard deviations of log scale three scales are enough, and one."""
_MOST_TIE_STEPS, _SAME_TIE = 10, 3e-3
_EXPECTED_SEARCHES = (
    5  # scales at which many items are looked at before the density is known; twice as many with ties
)
SMALL_ERROR = 0.75
_MOST_EXPECTATIONS, _SAME_PRECISION = 200, 1e-3

PriorOf = Callable[[float], Prior]
"""From the precision of the scores to their prior."""


@dataclass(frozen=True, eq=False)
class Component:
    """One scale: its weight, and the posterior of the scores given it."""

    weight: float
    posterior: Propagation


@dataclass(frozen=True, eq=False)
class LearnedScale:
    """The posterior of the scores, a mixture over scales.

    Attributes
    ----------
    likelihood : PairLikelihood
        With the tie parameter that explains the answers best.
    components : tuple of Component
    middle : Propagation
        At the scale of the highest weight.
    method : str
        How the posterior at a scale was found.
    """

    likelihood: PairLikelihood
    components: tuple[Component, ...]
    middle: Propagation
    method: str


def learn_scale(
    totals: PairTotals, link: Link, prior_of: PriorOf, *, most: int = MOST_SCALES
) -> LearnedScale:
    """Return the posterior of the scores, at ``most`` scales or fewer.

    With features of many items the evidence is not available, only its gradient, which is then integrated. Where the
    posterior of nearly all of many scores is narrow enough to be normal, the mode and its curvature replace expectation
    propagation.
    """
    prior = prior_of(START)
    graph = PairGraph(totals.pairs, len(prior.features))
    if not len(graph):
        return _without_answers(PairLikelihood(graph, totals.weight, link, None), prior_of, most)
    with part(0, 2):
        mode = maximise(totals, link, prior)
    likelihood = PairLikelihood(graph, totals.weight, link, mode.tie)
    with part(1, 2):
        if graph.n_items > EXACT_ITEMS and _is_nearly_normal(likelihood, mode.scores, prior):
            return _at_mode(totals, likelihood, prior_of, mode.scores)
        return _Search(likelihood, prior_of, mode.scores).mixture(most)


def _without_answers(likelihood: PairLikelihood, prior_of: PriorOf, most: int) -> LearnedScale:
    """Return the prior itself."""
    none, scores = np.empty(0), np.zeros(likelihood.graph.n_items)
    points, weights = ScaleDensity.of_prior(SCALE * likelihood.link.logit).rule(most)
    components = tuple(
        Component(
            float(w), Propagation(prior_of(float(np.exp(-2 * t))), none, none, scores, 0.0, 0.0, 0.0, none)
        )
        for t, w in zip(points, weights, strict=True)
    )
    return _mixture(likelihood, components, "prior")


def _mixture(likelihood: PairLikelihood, components: tuple[Component, ...], method: str) -> LearnedScale:
    middle = max(components, key=lambda component: component.weight).posterior
    return LearnedScale(likelihood, components, middle, method)


class _Search:
    """Expectation propagation at one scale after the other, each from the sites of the nearest one before."""

    def __init__(self, likelihood: PairLikelihood, prior_of: PriorOf, scores: Floats) -> None:
        self.likelihood, self._prior_of = likelihood, prior_of
        self._done, self._expected = 0, _EXPECTED_SEARCHES
        self._largest_tie = _largest_tie(likelihood)
        self._limit = SCALE * likelihood.link.logit
        self._first, self._sites = sites_at(likelihood, scores), dict[float, tuple[Floats, Floats]]()
        features = bool(prior_of(START).features.shape[1])
        few = likelihood.graph.n_items <= (EXACT_WITH_FEATURES if features else EXACT_ITEMS)
        self._drawn = features and not few
        self._gaussian: Gaussian = Exact() if few else Drawn() if features else Bethe()
        self._searching, self._final = _DRAWN_TOLERANCES if self._drawn else _TOLERANCES
        # The variance of the mode under a weak prior is about that of the true scores plus that of their errors.
        n_real = prior_of(START).n_real
        error = float((1 / (likelihood.graph.gross(self._first[0]) + START))[:n_real].mean())
        size = float(scores[:n_real].var())
        self._start = float(np.log(np.sqrt(max(size - error, size / 4, (self._limit / 30) ** 2))))

    def mixture(self, most: int) -> LearnedScale:
        """Return the posterior at the points of a quadrature rule for the scale, with the rule's weights."""
        with part(0, 2):
            if self.likelihood.tie is not None:
                self._expected = 2 * _EXPECTED_SEARCHES
                self._learn_ties()
            density = ScaleDensity.from_evidence(self._evidence, self._limit, self._start)
        points, weights = density.rule(n_scales(density.sd, most=min(most, 3) if self._drawn else most))
        with part(1, 2):
            self._done, self._expected = 0, len(points)
            components = tuple(
                Component(float(w), self._at(t, self._final)) for t, w in zip(points, weights, strict=True)
            )
        return _mixture(self.likelihood, components, "expectation propagation")

    def _at(self, t: float, tolerance: float) -> Propagation:
        """Return the posterior of the scores at the scale eᵗ."""
        prior = self._prior_of(float(np.exp(-2 * t)))
        near = min(self._sites, key=lambda known: abs(known - t), default=None)
        tau, nu = self._first if near is None else self._sites[near]
        with part(min(self._done, self._expected - 1), self._expected):
            found = propagate(self.likelihood, prior, tau, nu, self._gaussian, tolerance=tolerance)
        self._done += 1
        self._sites[t] = found.tau, found.nu
        return found

    def _evidence(self, t: float) -> tuple[float | None, float]:
        found = self._at(t, self._searching)
        return found.evidence, found.gradient

    def _learn_ties(self) -> None:
        """Set the tie parameter to the one that explains the answers best at the most probable scale."""
        limit = self._limit
        mode = climb(lambda t: self._with_ties(t) + prior_gradient(t, limit), self._start, limit)
        self._with_ties(mode)

    def _with_ties(self, t: float) -> float:
        """Learn the tie parameter at the scale eᵗ, and return the gradient of the evidence there."""
        for _ in range(_MOST_TIE_STEPS):
            found = self._at(t, self._searching)
            assert self.likelihood.tie is not None  # noqa: S101 - for the type checker
            tie = min(_tie_step(self.likelihood, found, self.likelihood.tie), self._largest_tie)
            near = abs(tie - self.likelihood.tie) <= _SAME_TIE
            self.likelihood = replace(self.likelihood, tie=tie)
            if near:
                break
        return found.gradient


def n_scales(sd: float, *, most: int) -> int:
    """Return how many points of quadrature a posterior of log scale with this standard deviation takes."""
    return 1 if sd <= _NARROW else min(3, most) if sd <= _WIDE else most


def _largest_tie(likelihood: PairLikelihood) -> float:
    """Return the largest tie parameter that the answers support: a bound only where all of them are ties.

    They would be likelier still at any larger one. At this one a tie of equal items has the probability
    (n + ½) / (n + 1) after n ties, the mean under Jeffreys' prior.
    """
    ties = float(likelihood.weight[2].sum())
    if likelihood.weight[:2].any() or not ties:
        return np.inf
    wanted, link = 0.5 / (ties + 1), likelihood.link

    def excess(tie: float) -> float:
        first, _, second = link.outcomes(np.zeros(1), tie)[0]
        return float(first + second) - wanted

    low, high = max(link.tie_floor, -1.0) + 1e-6, 1.0
    while excess(high) > 0:
        low, high = high, 2 * high
    from scipy.optimize import brentq

    found: float = brentq(excess, low, high)
    return found


def _tie_step(likelihood: PairLikelihood, found: Propagation, tie: float) -> float:
    """Return the tie parameter after a step of Newton's method on the expected log likelihood."""
    x, log_weight = hermite(11)
    weight = np.exp(log_weight - x * x / 2)
    graph, link = likelihood.graph, likelihood.link
    gradient, curvature = -found.prior.tie_precision * tie, found.prior.tie_precision
    for point, share in zip(x, weight, strict=True):
        away = found.mean[graph.first] - found.mean[graph.second] + point * found.pair_sd
        derivatives = link.tied(away, likelihood.weight, tie)
        if derivatives.tie_gradient is not None and derivatives.tie_curvature is not None:
            gradient += share * float(derivatives.tie_gradient.sum())
            curvature += share * float(derivatives.tie_curvature.sum())
    moved = tie + float(np.clip(gradient / max(curvature, np.finfo(float).tiny), -1.0, 1.0))
    return moved if moved > link.tie_floor else (tie + link.tie_floor) / 2


def _is_nearly_normal(likelihood: PairLikelihood, scores: Floats, prior: Prior) -> bool:
    """Whether the differences of nearly all compared items vary so little that their posterior is nearly normal."""
    tau, _ = sites_at(likelihood, scores)
    variance = 1 / (likelihood.graph.gross(tau) + prior.precision)
    pairs = variance[likelihood.graph.first] + variance[likelihood.graph.second]
    return bool(np.sqrt(np.quantile(pairs, 0.99)) <= SMALL_ERROR * likelihood.link.logit)


def precision_at_mode(scores: Floats, information: Floats, prior_of: PriorOf, limit: float) -> float:
    """Return the most probable precision of a nearly normal posterior, by expectation maximisation.

    Scores are taken to be independent: with the precision p of the prior and the information h of the likelihood, a
    mode of ``scores`` at the precision `START` becomes scores · (h + START)/(h + p), with variance 1/(h + p).
    """
    precision = START
    for _ in range(_MOST_EXPECTATIONS):
        prior = prior_of(precision)
        variance = 1 / (information + prior.diagonal)
        squares = (scores * (information + START) * variance) ** 2 + variance
        n_items, size = prior.n_real, float(squares[: prior.n_real].sum())
        # n − 1 = size / scale² − scale² / limit² at the maximum of the log posterior density of log scale
        square = (np.sqrt((n_items - 1) ** 2 + 4 * size / limit**2) - (n_items - 1)) * limit**2 / 2
        precision, before = 1 / float(square), precision
        if abs(np.log(precision / before)) < _SAME_PRECISION:
            break
    return precision


def _at_mode(
    totals: PairTotals, likelihood: PairLikelihood, prior_of: PriorOf, scores: Floats
) -> LearnedScale:
    """Return the posterior at the most probable scale from the mode of the scores and its curvature."""
    tau, _ = sites_at(likelihood, scores)
    precision = precision_at_mode(
        scores, likelihood.graph.gross(tau), prior_of, SCALE * likelihood.link.logit
    )
    prior = prior_of(precision)
    mode = maximise(totals, likelihood.link, prior)
    likelihood = replace(likelihood, tie=mode.tie)
    tau, nu = sites_at(likelihood, mode.scores)
    error = np.sqrt(1 / (likelihood.graph.gross(tau) + prior.diagonal))
    pair_sd = np.hypot(error[likelihood.graph.first], error[likelihood.graph.second])
    found = Propagation(prior, tau, nu, mode.scores, None, 0.0, float(len(scores)), pair_sd)
    return LearnedScale(likelihood, (Component(1.0, found),), found, "mode")
