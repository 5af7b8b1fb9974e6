"""Start a belief over linked items that learns one answer at a time, from the answers so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penchant.belief import PROBIT_NOISE, LiveBelief
from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.live_data import LEAST_ANSWERS, LiveData, item_features, learned_part
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.linked_parts import LinkedMixture, LinkedParts, ScaledParts, bar_variance
from penchant.online.dense_state import MOST_ITEMS
from penchant.preferences import Preferences
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.linked.tuning import Tuned
    from penchant.gp.linked_gp import LinkedGP

_TUNED_ITEMS = 200
"""Hyperparameters are learned from the answers between so many items at most, those that were compared first."""
_TUNED_GRAPH = 600
"""And, for links, from the graph of so many items at most."""
_FEW_ITEMS = 300
_COMPONENTS, _COMPONENTS_OF_MANY = 7, 3
_INDUCING = 200
_PRIOR_FACTORS = 0.1, 100.0
"""Between which the prior of the scale's factor is integrated: with smaller ones items are practically equal."""


class Start(NamedTuple):
    """The settings of a live belief, and the factors of its prior's standard deviations with their probabilities.

    ``answered`` is whether these are the probabilities after the answers, and not before them.
    """

    settings: Settings
    factors: Floats
    weights: Floats
    answered: bool = True


def start_live(model: LinkedGP, preferences: Preferences, *, features: Any, links: Any) -> LiveBelief:
    """Return the belief of `LinkedGP.live`."""
    data = LiveData.of(preferences)
    points, names = (None, ()) if features is None else item_features(features, preferences)
    item_prior = ItemPrior.of(points, links, None, data.n_items)
    settings = Settings.checked(model.get_params())
    with one_thread():
        start = _tuned(item_prior, data.between, settings)
        if data.n_items > MOST_ITEMS:
            return _many(item_prior, data, start, names, repr(model))
        if points is None and links is None:
            return _independent(data, start, repr(model))
        return _dense(item_prior, data, start, names, repr(model))


def _tuned(item_prior: ItemPrior, answers: Answers, settings: Settings) -> Start:
    """Return the settings and scales of `LinkedGP.tune`, learned from a part of many answers, and a threshold of ties.

    Before enough answers the scale is that of the model times a factor from its prior.
    """
    chosen = learned_part(answers, _TUNED_ITEMS)
    most = _COMPONENTS if item_prior.n_items <= _FEW_ITEMS else _COMPONENTS_OF_MANY
    if len(answers) < LEAST_ANSWERS:
        threshold = settings.threshold or _few_ties(item_prior, chosen, settings)
        return Start(settings._replace(threshold=threshold), *prior_factors(most), answered=False)
    items = _with_neighbours(item_prior, np.unique(chosen.pairs))
    part = _part(item_prior, items)
    among = Answers(np.searchsorted(items, chosen.pairs), chosen.weight, chosen.tie)
    found, scales, weights = _learned(part, among, settings)
    return Start(found, *few_points(np.array(scales.factors), np.array(weights), most))


def _learned(item_prior: ItemPrior, answers: Answers, settings: Settings) -> Tuned:
    """Return the most probable settings; a threshold that was given is kept."""
    from penchant.gp.linked.tied_tuning import tuned_with_threshold
    from penchant.gp.linked.tuning import tuned

    if not settings.threshold:
        return tuned_with_threshold(item_prior, answers, settings, quiet=True)
    likelihood = Probit(1.0, settings.threshold)
    return tuned(item_prior, answers, settings, likelihood, 0, 0, quiet=True)


def _few_ties(item_prior: ItemPrior, answers: Answers, settings: Settings) -> float:
    """Return the threshold of ties for few answers, under the prior of the settings."""
    from penchant.gp.linked.tied_tuning import first_threshold, fitting_threshold

    start = first_threshold(answers)
    if not answers.tie.any():
        return start
    return fitting_threshold(item_prior, answers, settings._replace(threshold=start))


def prior_factors(most: int) -> tuple[Floats, Floats]:
    """Return at most ``most`` factors of the scale and their weights, from the half-t₃ prior that tuning has for it.

    Examples
    --------
    >>> factors, weights = prior_factors(3)
    >>> factors.round(2), weights.round(2)
    (array([0.17, 0.79, 3.8 ]), array([0.17, 0.67, 0.17]))
    """
    from penchant.gp.linked.tuning import log_spread_density

    least, largest = np.log(_PRIOR_FACTORS)
    factors = np.exp(np.linspace(least, largest, 121))
    density = np.exp([log_spread_density(factor)[0] for factor in factors.tolist()])
    return few_points(factors, density / density.sum(), most)


def _with_neighbours(item_prior: ItemPrior, items: Ints) -> Ints:
    """Return the rows of a part of the items: these, and items they are linked with; all where there are few."""
    if item_prior.links is None:
        return items
    if item_prior.n_items <= _TUNED_GRAPH:
        return np.arange(item_prior.n_items)
    beside = np.setdiff1d(item_prior.links[items].indices, items)
    return np.union1d(items, beside[: _TUNED_GRAPH - len(items)])


def _part(item_prior: ItemPrior, items: Ints) -> ItemPrior:
    features, links = item_prior.features, item_prior.links
    return ItemPrior(
        len(items),
        None if features is None else features[items],
        None if links is None else links[items][:, items],
    )


def few_points(factors: Floats, weights: Floats, most: int) -> tuple[Floats, Floats]:
    """Return at most ``most`` factors and their weights, with the mean and variance of the logarithm of the factor.

    Examples
    --------
    >>> factors, weights = few_points(np.array([0.5, 1.0, 2.0, 4.0]), np.array([0.1, 0.4, 0.4, 0.1]), 3)
    >>> factors.round(2), weights.round(2)
    (array([0.54, 1.41, 3.72]), array([0.17, 0.67, 0.17]))
    """
    if len(factors) <= most:
        return factors, weights
    from numpy.polynomial.hermite_e import hermegauss

    logs = np.log(factors)
    mean = float(weights @ logs)
    sd = float(np.sqrt(weights @ (logs - mean) ** 2))
    points, shares = hermegauss(most)
    return np.exp(mean + sd * points), shares / shares.sum()


def _dense(
    item_prior: ItemPrior, data: LiveData, start: Start, names: tuple[str, ...], model: str
) -> LiveBelief:
    """Return the belief with a dense covariance."""
    settings = start.settings
    bar = bar_variance(item_prior, settings)
    return LinkedMixture.started(
        data,
        item_prior.prior(settings).block(np.arange(data.n_items)),
        ScaledParts(LinkedParts.of(item_prior, settings, names, bar), start.factors**2),
        noise=PROBIT_NOISE,
        tie=settings.threshold / PROBIT_NOISE if settings.threshold else None,
        factors=start.factors**2,
        weights=start.weights,
        bar_variance=bar,
        model=model,
        learned=start.answered,
    )


def _independent(data: LiveData, start: Start, model: str) -> LiveBelief:
    """Return the belief over independent items, to which items can be added."""
    from penchant.online.dense import OnlineMixture
    from penchant.online.likelihood import AnswerLikelihood
    from penchant.online.prior import IndependentPrior

    settings = start.settings
    variance = settings.scale**2 + settings.nugget
    belief = OnlineMixture(
        data.items,
        AnswerLikelihood("probit", PROBIT_NOISE, settings.threshold / PROBIT_NOISE or None),
        IndependentPrior(np.outer(start.factors**2, np.full(data.n_items + 1, variance))),
        weights=start.weights,
        bar=True,
        model=model,
    )
    pairs, totals = data.totals()
    belief.begin(pairs, totals, counts=data.counts)
    return belief if start.answered or not len(pairs) else belief.weigh()


def _many(
    item_prior: ItemPrior, data: LiveData, start: Start, names: tuple[str, ...], model: str
) -> LiveBelief:
    """Return the belief over more items than a dense covariance is kept for, with the expected squared scale."""
    from penchant.gp.linked.field_belief import FieldBelief
    from penchant.gp.linked.field_prior import FieldPrior

    settings = _scaled(start.settings, float(np.sqrt(start.weights @ start.factors**2)))
    bar = bar_variance(item_prior, settings)
    most = _INDUCING if settings.inducing is None else settings.inducing
    prior = FieldPrior.through(item_prior, settings, names, bar, most)
    return FieldBelief(
        data.items, prior, data.answers, counts=data.counts, threshold=settings.threshold, model=model
    )


def _scaled(settings: Settings, factor: float) -> Settings:
    """Return settings whose prior has ``factor`` times the standard deviation."""
    return settings._replace(
        scale=factor * settings.scale,
        beta=settings.beta / factor**2,
        nugget=factor**2 * settings.nugget,
    )
