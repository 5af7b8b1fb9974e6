"""Bayesian model averaging over which sources matter: features and links, either of them, or neither."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.settings_points import SettingsPoints, settings_points

_LOWEST = -300.0
"""Of the logarithms of the models' shares, so that further answers can make any of them the most probable."""

_IMPROBABLE = 1e-6
"""Models of the sources that fewer answers made less probable are not searched again."""


def averaged_points(
    item_prior: ItemPrior, answers: Answers, start: Settings, likelihood: Probit, most: int
) -> SettingsPoints:
    """Return `settings_points` of each model of the sources, all of them weighed together.

    A source that says nothing is given some weight by all settings that few answers suggest, and no number of answers
    can take it away where the other settings were chosen beside it: they prefer the largest scale, at which it matters
    least. So the sources that were given are one model, and those without features, without links, and without both are
    others (the weight ω of a source that is left out is 0). All models are equally probable before the answers; after
    them each has the share of its evidence, integrated over its hyperparameters.

    Parameters
    ----------
    item_prior, answers, start, likelihood
        As in `settings_points`.
    most : int
        The number of settings of each model; all together may be four times as many.
    """
    found: dict[tuple[bool, bool], SettingsPoints] = {}
    for used in _models(item_prior, start):
        mix = start.mix[0] * used[0], start.mix[1] * used[1]
        also = _joined(found) if all(used) else []
        found[used] = settings_points(item_prior, answers, start._replace(mix=mix), likelihood, most, also)
    return _together(list(found.values()))


def moved_points(
    item_prior: ItemPrior, answers: Answers, earlier: SettingsPoints, likelihood: Probit, most: int
) -> SettingsPoints:
    """Return `averaged_points` for more answers, from the settings that fewer of them gave.

    Models of the sources that those made improbable (`_IMPROBABLE`) are left out.
    """
    places: dict[tuple[float, float], list[int]] = {}
    for place, settings in enumerate(earlier.settings):
        places.setdefault(settings.mix, []).append(place)
    found = []
    for chosen in places.values():
        if earlier.weights[chosen].sum() > _IMPROBABLE:
            before = [earlier.settings[place] for place in chosen]
            found.append(settings_points(item_prior, answers, before[0], likelihood, most, earlier=before))
    return _together(found)


def _models(item_prior: ItemPrior, start: Settings) -> Iterator[tuple[bool, bool]]:
    """Yield whether features and links are used, in each of the models, those with the fewest sources first."""
    features = item_prior.features is not None and start.mix[0] != 0
    links = item_prior.links is not None and start.mix[1] != 0
    if features and links:
        yield from ((False, False), (True, False), (False, True))
    yield True, True


def _joined(found: dict[tuple[bool, bool], SettingsPoints]) -> list[Settings]:
    """Return the settings of features and of links that are most probable where each is the only source."""
    if len(found) < 2:
        return []
    features, links = (found[used].settings[0] for used in ((True, False), (False, True)))
    nugget = min(features.nugget, links.nugget)
    return [features._replace(beta=links.beta, iota=links.iota, nugget=nugget)]


def _together(models: list[SettingsPoints]) -> SettingsPoints:
    """Return the settings of all models, each weighed by the evidence of its model, the most probable first."""
    masses = np.array([points.log_mass for points in models])
    highest = float(masses.max())
    shares = np.exp(np.maximum(masses - highest, _LOWEST))
    weights = np.concatenate([share * points.weights for share, points in zip(shares, models, strict=True)])
    order = np.argsort(-weights, kind="stable")
    settings = [one for points in models for one in points.settings]
    return SettingsPoints(
        tuple(settings[place] for place in order),
        weights[order] / weights.sum(),
        np.concatenate([points.log_evidence for points in models])[order],
        highest + float(np.log(shares.mean())),
    )
