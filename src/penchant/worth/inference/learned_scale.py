"""The posterior of the scores when the scale of their prior is learned: a mixture over scales.

The scale, the standard deviation of the scores, has a half-normal prior (standard deviation 3, in units of log odds).
Its posterior is computed on the axis t = log scale, from the evidence of expectation propagation: first the mode, and
then the posterior of the scores at a few points around it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from penchant.checks import Floats
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

START = 0.1
"""The precision of the prior from whose mode the search starts, and of the bar of both-bad answers at all scales."""
SCALE = 3.0
"""The standard deviation of the scale's half-normal prior, in units of the link's logit."""
_TOLERANCES, _DRAWN_TOLERANCES = (1e-3, 1e-4), (2e-2, 5e-3)
"""Of expectation propagation in the search for the scale and afterwards, the second pair where variances are drawn."""
_MOST_SEARCHES = 15
_NEAR, _NEAR_ENOUGH = 0.15, 0.01
_LONGEST_STEP = 1.2
_WIDEST = 1.0
_SEVEN = 0.9 * np.arange(-3, 4)
_THREE, _THREE_WEIGHTS = np.sqrt(3.0) * np.arange(-1, 2), np.array([1.0, 4.0, 1.0]) / 6
_WIDE, _NARROW = 0.15, 0.08
_SMALL_ERROR = 0.75
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
        At the most probable scale.
    method : str
        How the posterior at a scale was found.
    """

    likelihood: PairLikelihood
    components: tuple[Component, ...]
    middle: Propagation
    method: str


def learn_scale(totals: PairTotals, link: Link, prior_of: PriorOf) -> LearnedScale:
    """Return the posterior of the scores.

    With features of many items the evidence is not available, only its gradient: the posterior of log scale is then
    taken to be normal. Where the posterior of nearly all of many scores is narrow enough to be normal, the mode and its
    curvature replace expectation propagation.
    """
    prior = prior_of(START)
    graph = PairGraph(totals.pairs, len(prior.features))
    if not len(graph):
        return _without_answers(PairLikelihood(graph, totals.weight, link, None), prior_of)
    mode = maximise(totals, link, prior)
    likelihood = PairLikelihood(graph, totals.weight, link, mode.tie)
    if graph.n_items > EXACT_ITEMS and _is_nearly_normal(likelihood, mode.scores, prior):
        return _at_mode(totals, likelihood, prior_of, mode.scores)
    search = _Search(likelihood, prior_of, mode.scores)
    return search.mixture(*search.mode())


def _without_answers(likelihood: PairLikelihood, prior_of: PriorOf) -> LearnedScale:
    """Return the prior itself, at the scale whose square is expected."""
    prior, none = prior_of(1 / (SCALE * likelihood.link.logit) ** 2), np.empty(0)
    nothing = Propagation(prior, none, none, np.zeros(likelihood.graph.n_items), 0.0, 0.0, 0.0, none)
    return LearnedScale(likelihood, (Component(1.0, nothing),), nothing, "prior")


class _Search:
    """Expectation propagation at one scale after the other, each from the sites of the one before."""

    def __init__(self, likelihood: PairLikelihood, prior_of: PriorOf, scores: Floats) -> None:
        self.likelihood, self._prior_of = likelihood, prior_of
        self._limit = SCALE * likelihood.link.logit
        self._sites = sites_at(likelihood, scores)
        features = bool(prior_of(START).features.shape[1])
        few = likelihood.graph.n_items <= (EXACT_WITH_FEATURES if features else EXACT_ITEMS)
        self.drawn = features and not few
        self._gaussian: Gaussian = Exact() if few else Drawn() if features else Bethe()
        self._searching, self._final = _DRAWN_TOLERANCES if self.drawn else _TOLERANCES
        # The variance of the mode under a weak prior is about that of the true scores plus that of their errors.
        n_real = prior_of(START).n_real
        error = float((1 / (likelihood.graph.gross(self._sites[0]) + START))[:n_real].mean())
        size = float(scores[:n_real].var())
        self._start = float(np.sqrt(max(size - error, size / 4, (self._limit / 30) ** 2)))

    def at(self, t: float, tolerance: float) -> Propagation:
        """Return the posterior of the scores at the scale eᵗ."""
        prior = self._prior_of(float(np.exp(-2 * t)))
        found = propagate(self.likelihood, prior, *self._sites, self._gaussian, tolerance=tolerance)
        self._sites = found.tau, found.nu
        return found

    def mode(self) -> tuple[float, float]:
        """Return the most probable t and the approximate standard deviation of t, by the secant method.

        The log density of t is that of the evidence plus t − e²ᵗ / (2 limit²).
        """
        t, before, curvature = float(np.log(self._start)), None, 1.0
        for _ in range(_MOST_SEARCHES):
            found = self.at(t, self._searching)
            if self.likelihood.tie is not None:
                tie = _tie_step(self.likelihood, found, self.likelihood.tie)
                self.likelihood = replace(self.likelihood, tie=tie)
            square = float(np.exp(2 * t)) / self._limit**2
            gradient = found.gradient + 1 - square
            curvature = max(found.determined, 0.0) / 2 + 2 * square + 0.5
            if before is not None:
                secant = (before[1] - gradient) / (t - before[0])
                curvature = secant if secant > 0.2 else curvature
            if abs(gradient / curvature) <= max(_NEAR / np.sqrt(curvature), _NEAR_ENOUGH):
                break
            before = t, gradient
            t += float(np.clip(gradient / curvature, -_LONGEST_STEP, _LONGEST_STEP))
        return t, min(1 / float(np.sqrt(curvature)), _WIDEST)

    def mixture(self, t: float, width: float) -> LearnedScale:
        """Return the posterior at points around t, weighted by how probable they are."""
        points = _SEVEN if not self.drawn and width > _WIDE else _THREE if width > _NARROW else np.zeros(1)
        scales = t + width * points
        found = [self.at(scale, self._final) for scale in scales]
        if len(points) == len(_SEVEN):
            evidence = np.array([posterior.evidence or 0.0 for posterior in found])
            density = evidence + scales - np.exp(2 * scales) / (2 * self._limit**2)
            weight = np.exp(density - density.max())
            weight /= weight.sum()
        else:
            weight = _THREE_WEIGHTS if len(points) == len(_THREE) else np.ones(1)
        components = tuple(Component(float(w), posterior) for w, posterior in zip(weight, found, strict=True))
        return LearnedScale(self.likelihood, components, found[len(found) // 2], "expectation propagation")


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
    return bool(np.sqrt(np.quantile(pairs, 0.99)) <= _SMALL_ERROR * likelihood.link.logit)


def _precision_at_mode(scores: Floats, information: Floats, prior_of: PriorOf, limit: float) -> float:
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
    precision = _precision_at_mode(
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
