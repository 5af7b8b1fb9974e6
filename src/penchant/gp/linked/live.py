"""Start a belief over linked items that learns one answer at a time, from the answers so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from hashlib import blake2b
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from penchant.belief import PROBIT_NOISE, LiveBelief
from penchant.checks import Floats, Ints
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.live_data import LEAST_ANSWERS, LiveData, item_features, learned_part
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.linked_parts import (
    LEAST_WEIGHT,
    LinkedMixture,
    LinkedParts,
    MixedParts,
    bar_variance,
)
from penchant.gp.linked.settings_points import SettingsPoints
from penchant.gp.linked.tied_tuning import learned_points, moved_points
from penchant.online.dense import SETTLED, OnlineMixture
from penchant.online.dense_state import MOST_ITEMS
from penchant.online.likelihood import AnswerLikelihood
from penchant.online.prior import IndependentPrior
from penchant.preferences import Preferences
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.linked.tuning import Tuned
    from penchant.gp.linked_gp import LinkedGP

_TUNED_ITEMS = 200
"""Hyperparameters are first learned from the first answers, about so many items at most; the evidence of all answers
weighs what was learned."""
_MOST_PAIRS = 500
"""Then they are learned from twice as many answers, and so on, up to so many different pairs, or items that they are
about: the first answers suggest other settings than all answers do. In 8 simulated worlds of 150 items with features,
95 % intervals of differences held 68 % after 800 adaptive answers with settings that came from 25 of them alone."""
_TUNED_GRAPH = 400
"""And, for links, from the graph of so many items at most."""
_FEW_ITEMS = 300
_COMPONENTS, _COMPONENTS_OF_MANY = 7, 5
_INDUCING = 200
_MOST_LEARNED = 64
_LEARNED: dict[bytes, SettingsPoints] = {}
"""What was learned from the first answers of the studies used last, by a digest of them and of the items."""
_LEARNING: dict[bytes, Lock] = {}
"""Held while something is learned, by the same digest."""
_ROUGH = 0.03
"""The change, in standard deviations, at which the sweeps end that show which settings are improbable; the evidence is
off by the square of such changes."""
_FAR_BELOW = 30.0
"""A model of the sources is left out where the log probability of its most probable settings is lower than the highest
by more: others of its settings are some units more probable at most."""
_PRIOR_FACTORS = 0.1, 100.0
"""Between which the prior of the scale's factor is integrated: with smaller ones items are practically equal."""


class Start(NamedTuple):
    """Settings of a live belief, the first of them the most probable, and their probabilities.

    ``log_evidence`` is that of the answers which the probabilities come from, under each of the settings: zeros where
    they are those before any answer, and None where they come from all answers.
    """

    settings: tuple[Settings, ...]
    weights: Floats
    log_evidence: Floats | None

    def most_probable(self, most: int) -> Start:
        """Return at most ``most`` of the settings, all of which are more probable than `LEAST_WEIGHT`."""
        order = np.argsort(-self.weights, kind="stable")[:most]
        kept = order[self.weights[order] >= min(LEAST_WEIGHT, self.weights.max())]
        shares = self.weights[kept] / self.weights[kept].sum()
        return Start(tuple(self.settings[place] for place in kept), shares, None)


def start_live(model: LinkedGP, preferences: Preferences, *, features: Any, links: Any) -> LiveBelief:
    """Return the belief of `LinkedGP.live`."""
    data = LiveData.of(preferences)
    points, names = (None, ()) if features is None else item_features(features, preferences)
    item_prior = ItemPrior.of(points, links, None, data.n_items)
    settings = Settings.checked(model.get_params())
    with one_thread():
        start = _started(item_prior, data, settings)
        if data.n_items > MOST_ITEMS:
            return _many(item_prior, data, start, names, repr(model))
        if points is None and links is None:
            return _independent(data, start, repr(model))
        return _dense(item_prior, data, start, names, repr(model))


def _started(item_prior: ItemPrior, data: LiveData, settings: Settings) -> Start:
    """Return settings learned from the answers, or of many from the first ones, with a threshold of ties.

    Before enough answers they are those of the model, with the scale times factors from its prior.
    """
    answers = data.between
    chosen = learned_part(answers, _TUNED_ITEMS)
    most = _most_components(item_prior.n_items)
    if len(answers) < LEAST_ANSWERS:
        threshold = settings.threshold or _few_ties(item_prior, chosen, settings)
        factors, weights = prior_factors(most)
        return Start(
            _at_scales(settings._replace(threshold=threshold), factors), weights, np.zeros(len(factors))
        )
    if item_prior.features is None and item_prior.links is None:
        found, scales, shares = _learned(*_among(item_prior, chosen), settings)
        factors, weights = few_points(np.array(scales.factors), np.array(shares), most)
        return Start(_at_scales(found, factors), weights, None)
    lengths = list(_lengths(answers, len(chosen)))
    points = _learned_once(*_among(item_prior, chosen), settings, most, None)
    for length in lengths[1:]:
        points = _learned_once(*_among(item_prior, answers[:length]), settings, most, points)
    start = Start(points.settings, points.weights, points.log_evidence)
    return start if lengths[-1] < len(data.answers) else start.most_probable(most)


def _lengths(answers: Answers, first: int) -> Iterator[int]:
    """Yield from how many of the first answers settings are learned, one after the other.

    Each time there are twice as many, while their pairs, or the items that they are about, are at most `_MOST_PAIRS`.
    """
    length = first
    while length == first or length <= len(answers):
        pairs = answers.pairs[:length]
        rows = min(len(np.unique(pairs)), len(np.unique(np.sort(pairs, axis=1), axis=0)))
        if length > first and rows > _MOST_PAIRS:
            break
        yield length
        length *= 2


def _among(item_prior: ItemPrior, answers: Answers) -> tuple[ItemPrior, Answers]:
    """Return the items that answers are about, with some that these are linked with, and the answers among them."""
    items = _with_neighbours(item_prior, np.unique(answers.pairs))
    return _part(item_prior, items), Answers(
        np.searchsorted(items, answers.pairs), answers.weight, answers.tie
    )


def _most_components(n_items: int) -> int:
    return _COMPONENTS if n_items <= _FEW_ITEMS else _COMPONENTS_OF_MANY


def _learned_once(
    item_prior: ItemPrior, answers: Answers, settings: Settings, most: int, earlier: SettingsPoints | None
) -> SettingsPoints:
    """Return `learned_points`, or `moved_points` from earlier ones, once for the same first answers.

    With many items, several starts have the same.
    """
    links = item_prior.links
    arrays = [answers.pairs, answers.weight, answers.tie]
    arrays += [] if item_prior.features is None else [item_prior.features]
    arrays += [] if links is None else [links.indptr, links.indices, links.data]
    known = None if earlier is None else (earlier.settings, earlier.weights.tobytes())
    digest = blake2b(repr((item_prior.n_items, tuple(settings), most, known)).encode())
    for array in arrays:
        digest.update(f"{array.shape} {array.dtype}".encode() + np.ascontiguousarray(array).tobytes())
    key = digest.digest()
    with _LEARNING.setdefault(key, Lock()):  # two starts at a time learn it once
        points = _LEARNED.pop(key, None)
        if points is None:
            points = (
                learned_points(item_prior, answers, settings, most)
                if earlier is None
                else moved_points(item_prior, answers, settings, earlier, most)
            )
            while len(_LEARNED) >= _MOST_LEARNED:
                _LEARNED.pop(next(iter(_LEARNED)), None)
        _LEARNED[key] = points  # the last one: those that were used longest ago make way
    _LEARNING.pop(key, None)
    return points


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

    factors = np.geomspace(*_PRIOR_FACTORS, 121)
    density = np.exp([log_spread_density(factor)[0] for factor in factors.tolist()])
    return few_points(factors, density / density.sum(), most)


def _with_neighbours(item_prior: ItemPrior, items: Ints) -> Ints:
    """Return the rows of a part of the items: these, and items they are linked with; all where there are few."""
    if item_prior.links is None:
        return items
    if item_prior.n_items <= _TUNED_GRAPH:
        return np.arange(item_prior.n_items)
    beside = np.setdiff1d(item_prior.links[items].indices, items)
    return np.union1d(items, beside[: max(0, _TUNED_GRAPH - len(items))])


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
    """Return the belief with a dense covariance for each of the settings that are not improbable."""
    made = partial(_mixture, item_prior, data, names=names, model=model)
    if start.log_evidence is None or not len(data.answers):
        return made(start)
    known, most = start.log_evidence, _most_components(data.n_items)
    if len(start.settings) > most:
        return made(_screened(start, made).most_probable(most))
    belief = made(start, tolerance=_ROUGH)
    rough = belief.log_evidence()
    kept = belief.weigh(known).keep_components(LEAST_WEIGHT)
    return belief.settle().weigh(rough[kept])


def _mixture(
    item_prior: ItemPrior,
    data: LiveData,
    start: Start,
    *,
    names: tuple[str, ...],
    model: str,
    tolerance: float = SETTLED,
) -> LinkedMixture:
    """Return the belief with a dense covariance for each of the settings."""
    bars = [bar_variance(item_prior, settings) for settings in start.settings]
    every, threshold = np.arange(data.n_items), start.settings[0].threshold
    parts = zip(start.settings, bars, strict=True)
    return LinkedMixture.started(
        data,
        np.stack([item_prior.prior(settings).block(every) for settings in start.settings]),
        MixedParts(tuple(LinkedParts.of(item_prior, settings, names, bar) for settings, bar in parts)),
        noise=PROBIT_NOISE,
        tie=threshold / PROBIT_NOISE if threshold else None,
        weights=start.weights,
        bar_variance=bars,
        model=model,
        tolerance=tolerance,
    )


def _screened(start: Start, made: Callable[..., LinkedMixture]) -> Start:
    """Return the settings with their weights after all answers, without models of the sources that are improbable.

    The most probable settings of each model show which of them are; those of the others are evaluated one model at a
    time, so that there is never more than one model's covariances.
    """
    models: dict[tuple[float, float], list[int]] = {}
    for place, settings in enumerate(start.settings):
        models.setdefault(settings.mix, []).append(place)
    logs = np.full(len(start.settings), -np.inf)

    def evaluate(places: list[int]) -> None:
        known = np.asarray(start.log_evidence)[places]
        chosen = Start(tuple(start.settings[place] for place in places), start.weights[places], None)
        found = made(chosen, tolerance=_ROUGH).log_evidence() - known
        logs[places] = np.log(start.weights[places]) + found

    evaluate([places[0] for places in models.values()])
    highest = logs.max()
    for first, *others in models.values():
        if others and logs[first] > highest - _FAR_BELOW:
            evaluate(others)
    weights = np.exp(logs - logs.max())
    return start._replace(weights=weights / weights.sum())


def _weighed(belief: OnlineMixture, start: Start, data: LiveData) -> OnlineMixture:
    """Return the belief with the weights of its components after all answers."""
    if start.log_evidence is None or not len(data.answers):
        return belief
    return belief.weigh(start.log_evidence)


def _independent(data: LiveData, start: Start, model: str) -> LiveBelief:
    """Return the belief over independent items, to which items can be added."""
    variances = [settings.scale**2 + settings.nugget for settings in start.settings]
    belief = OnlineMixture(
        data.items,
        AnswerLikelihood("probit", PROBIT_NOISE, start.settings[0].threshold / PROBIT_NOISE or None),
        IndependentPrior(np.outer(variances, np.ones(data.n_items + 1))),
        weights=start.weights,
        bar=True,
        model=model,
    )
    pairs, totals = data.totals()
    belief.begin(pairs, totals, counts=data.counts)
    return _weighed(belief, start, data)


def _many(
    item_prior: ItemPrior, data: LiveData, start: Start, names: tuple[str, ...], model: str
) -> LiveBelief:
    """Return the belief over more items than a dense covariance is kept for, at `expected` settings."""
    from penchant.gp.linked.field_belief import FieldBelief
    from penchant.gp.linked.field_prior import FieldPrior

    settings = expected(start.settings, start.weights)
    bar = bar_variance(item_prior, settings)
    most = _INDUCING if settings.inducing is None else settings.inducing
    prior = FieldPrior.through(item_prior, settings, names, bar, most)
    return FieldBelief(
        data.items, prior, data.answers, counts=data.counts, threshold=settings.threshold, model=model
    )


def expected(settings: Sequence[Settings], weights: Floats) -> Settings:
    """Return settings with the variances of the parts that are expected under all of them.

    What is not a variance is that of the first settings with the source that it belongs to; a source of weight 0 in
    some of them has no variance there.

    Examples
    --------
    >>> from penchant.gp import LinkedGP
    >>> first = Settings.checked(LinkedGP(nugget=0.5).get_params())
    >>> found = expected([first, first._replace(scale=3.0, beta=0.25)], np.array([0.5, 0.5]))
    >>> round(found.scale**2, 6), found.beta, found.nugget
    (5.0, 0.4, 0.5)
    >>> expected([first._replace(mix=(1.0, 0.0)), first], np.array([0.75, 0.25])).beta
    4.0
    """
    with_features, with_links = (
        [one for one in settings if one.mix[source]] or settings for source in (0, 1)
    )
    features, links = with_features[0], with_links[0]
    scale, beta, nugget = np.array(
        [
            (one.scale**2 * (one in with_features), (one in with_links) / one.beta, one.nugget)
            for one in settings
        ]
    ).T
    return features._replace(
        scale=float(np.sqrt(weights @ scale)),
        beta=float(1 / (weights @ beta)),
        iota=links.iota,
        mix=(features.mix[0], links.mix[1]),
        nugget=float(weights @ nugget),
    )


def _at_scales(settings: Settings, factors: Floats) -> tuple[Settings, ...]:
    """Return settings whose priors have these factors times the standard deviation."""
    return tuple(
        settings._replace(
            scale=factor * settings.scale,
            beta=settings.beta / factor**2,
            nugget=factor**2 * settings.nugget,
        )
        for factor in factors.tolist()
    )
