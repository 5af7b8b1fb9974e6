"""Hyperparameters of the linked process together with the threshold of ties."""

from __future__ import annotations

import numpy as np

from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.inference.tie_threshold import threshold_of
from penchant.gp.linked import source_average
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.posterior import Progress
from penchant.gp.linked.settings_points import SettingsPoints
from penchant.gp.linked.source_average import averaged_points
from penchant.gp.linked.tuning import Tuned, tuned

_ROUNDS = 2


def tuned_with_threshold(
    item_prior: ItemPrior,
    answers: Answers,
    start: Settings,
    progress: Progress | None = None,
    *,
    quiet: bool = False,
) -> Tuned:
    """Return the result of `tuned`, in whose settings the threshold of ties fits the answers.

    The threshold and the other hyperparameters are maximised in turn, twice, from the threshold at which equal items
    tie as often as the answers do, which is too low where items differ. Without ties, it is that of `threshold_of`.
    """
    settings = start._replace(threshold=first_threshold(answers))
    if not answers.tie.any():
        return tuned(
            item_prior, answers, settings, Probit(1.0, settings.threshold), 0, 0, progress, quiet=quiet
        )
    for _ in range(_ROUNDS):
        likelihood = Probit(1.0, settings.threshold)
        found = tuned(item_prior, answers, settings, likelihood, 0, 0, progress, quiet=quiet)
        settings = found.settings
        settings = settings._replace(threshold=fitting_threshold(item_prior, answers, settings))
    return found._replace(settings=settings)


def learned_points(item_prior: ItemPrior, answers: Answers, start: Settings, most: int) -> SettingsPoints:
    """Return the result of `averaged_points`, in whose settings the threshold of ties fits the answers.

    A threshold above 0 in ``start`` is kept.
    """
    fixed = bool(start.threshold) or not answers.tie.any()
    threshold = start.threshold or first_threshold(answers)
    for _ in range(1 if fixed else _ROUNDS):
        given = start._replace(threshold=threshold)
        points = averaged_points(item_prior, answers, given, Probit(1.0, threshold), most)
        if not fixed:
            threshold = fitting_threshold(item_prior, answers, points.settings[0])
    return points._replace(settings=tuple(one._replace(threshold=threshold) for one in points.settings))


def moved_points(
    item_prior: ItemPrior, answers: Answers, start: Settings, earlier: SettingsPoints, most: int
) -> SettingsPoints:
    """Return the settings that more answers give, from those that fewer of them gave.

    The threshold is learned anew where some answers are ties, and stays where none are.
    """
    threshold = earlier.settings[0].threshold
    if not start.threshold and answers.tie.any():
        threshold = fitting_threshold(item_prior, answers, earlier.settings[0])
    settings = tuple(one._replace(threshold=threshold) for one in earlier.settings)
    return source_average.moved_points(
        item_prior, answers, earlier._replace(settings=settings), Probit(1.0, threshold), most
    )


def first_threshold(answers: Answers) -> float:
    """Return the threshold at which equal items tie as often as the answers do; without ties, the expected one."""
    if not answers.tie.any():
        return threshold_of(answers, np.empty((0, 0)), np.empty(0), Probit(1.0))
    share = float((answers.weight * answers.tie).sum() / answers.weight.sum())
    return Probit(1.0).threshold_for(min(share, 0.99))


def fitting_threshold(item_prior: ItemPrior, answers: Answers, settings: Settings) -> float:
    """Return the most probable threshold under the prior of these settings, rounded to four digits."""
    items, places = np.unique(answers.pairs, return_inverse=True)
    among = Answers(places.reshape(-1, 2).astype(np.int64), answers.weight, answers.tie)
    covariance = item_prior.prior(settings).block(items)
    likelihood = Probit(1.0, settings.threshold)
    found = threshold_of(among, covariance, np.zeros(len(items)), likelihood)
    # Digits beyond these are noise, and differ from one processor to another.
    return float(f"{found:.4g}")
