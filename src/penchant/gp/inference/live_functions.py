"""Start beliefs that learn one answer at a time from utilities that are functions of features."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from penchant.belief import LOGISTIC_NOISE, LiveBelief
from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.columns import Columns
from penchant.gp.inference.feature_utility import TrainingData
from penchant.gp.inference.function_mixture import FittedPrior, FunctionMixture, FunctionParts, KernelPrior
from penchant.gp.inference.likelihood import Bools
from penchant.gp.inference.live_data import (
    LEAST_ANSWERS,
    LiveData,
    check_item_count,
    first_compared,
    item_features,
    learned_part,
)
from penchant.gp.kernels import Kernel, Linear, SquaredExponential
from penchant.online.dense_state import MOST_ITEMS
from penchant.preferences import Preferences
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.monotone_gp import MonotoneGP
    from penchant.gp.preference_gp import PreferenceGP

LEARNED_ITEMS = 200
"""A `PreferenceGP` learns its hyperparameters from the answers between so many items, the first that were compared."""
FITTED_ITEMS = 500
"""A `MonotoneGP` is fitted to the answers between so many items."""
_RANGE, _NOISE, _SCALE = 1.0, 0.25, 0.5
"""Of the prior of a `MonotoneGP`: what the range of all constrained features is worth, the rating noise beside it, and
the standard deviation of the rest."""


class _Given:
    """The arguments of ``live``, checked."""

    def __init__(self, model: object, preferences: Preferences, features: Any, links: Any) -> None:
        name = type(model).__name__
        if links is not None:
            raise InvalidInput.of("links", f"be None for {name}", type(links).__name__, "use LinkedGP")
        if features is None:
            raise InvalidInput.of(
                "features", f"be given for {name}", "None", "give a DataFrame with the ids as its index"
            )
        self.data = LiveData.of(preferences)
        check_item_count(name, self.data.n_items, MOST_ITEMS)
        self.rows, self.names = item_features(features, preferences)
        self.columns = Columns(len(self.names), Columns.of(features).names)

    def training(self, answers: Answers) -> TrainingData:
        """Return the rows and ``answers`` between them."""
        return TrainingData(self.columns, self.rows, self.data.items, answers)

    def differ(self, answers: Answers) -> Bools:
        """Return which answers compare two items whose features differ."""
        first, second = np.append(self.rows, [self.rows[0]], axis=0)[answers.pairs].transpose(1, 0, 2)
        items = (answers.pairs < self.data.n_items).all(axis=1)
        return np.asarray(items & (first != second).any(axis=1))


def preference_belief(
    model: PreferenceGP, preferences: Preferences, *, features: Any, links: Any
) -> LiveBelief:
    """Return the belief of `PreferenceGP.live`."""
    given = _Given(model, preferences, features, links)
    data = given.data
    if callable(model.mean):
        raise InvalidInput.of(
            "mean", "be None or weights to learn answer by answer", "a function", "give weights"
        )
    model._check_settings()
    answers = data.answers[given.differ(data.answers)]
    with one_thread():
        kernel, threshold = _learned_kernel(model, given, answers)
        weights = np.zeros(len(given.names)) if model.mean is None else np.asarray(model.mean, float)
        prior = KernelPrior(kernel, weights, np.zeros(len(weights)), ("",) * len(weights))
        covariance = prior.matrix(given.rows)
        noise = model.noise if model.likelihood == "probit" else LOGISTIC_NOISE * model.noise
        return FunctionMixture.started(
            data,
            covariance,
            FunctionParts(prior, given.rows, given.names),
            mean=prior.mean(given.rows),
            noise=noise,
            tie=data.tie_parameter(threshold, noise),
            bar_variance=float(covariance.diagonal().mean()),
            model=repr(model),
        )


def _learned_kernel(model: PreferenceGP, given: _Given, answers: Answers) -> tuple[Kernel, float]:
    """Return the kernel and the threshold of ties: learned from enough answers, or else those at the start."""
    if len(answers) >= LEAST_ANSWERS and model.optimizer is not None:
        return model._most_probable(given.training(learned_part(answers, LEARNED_ITEMS)))
    return model._first_kernel(given.rows, given.columns, quiet=True), float(model.indifference or 0.0)


def monotone_belief(model: MonotoneGP, preferences: Preferences, *, features: Any, links: Any) -> LiveBelief:
    """Return the belief of `MonotoneGP.live`."""
    given = _Given(model, preferences, features, links)
    data = given.data
    answers = data.answers
    fits = given.differ(answers) & ~answers.tie
    fits &= np.isin(answers.pairs, first_compared(answers[fits], FITTED_ITEMS)).all(axis=1)
    with one_thread():
        if fits.sum() < LEAST_ANSWERS:
            prior, noise = _monotone_prior(model, given)
            return _started(given, prior, noise, repr(model), answers)
        fitted = type(model)(**model.get_params())._fit(given.training(answers[fits]), quiet=True)
        return _started(given, FittedPrior(fitted), fitted.noise_, repr(model), answers[~fits])


def _started(
    given: _Given, prior: KernelPrior | FittedPrior, noise: float, model: str, remaining: Answers
) -> LiveBelief:
    mean, covariance = prior.mean(given.rows), prior.matrix(given.rows)
    return FunctionMixture.started(
        given.data,
        covariance,
        FunctionParts(prior, given.rows, given.names),
        mean=mean,
        noise=noise,
        tie=given.data.tie_parameter(0.0, noise),
        bar_variance=float(covariance.diagonal().mean() + mean.var()),
        model=model,
        remaining=remaining,
    )


def _monotone_prior(model: MonotoneGP, given: _Given) -> tuple[KernelPrior, float]:
    """Return the prior of a utility that rises along the increasing features, and the rating noise.

    The mean is linear: from the worst to the best corner of the box it rises by 1, equally along each constrained
    feature. The weight of each feature is uncertain, with a standard deviation as large as that rise, and so is the
    rest of the utility, with lengthscales of half the sides of the box.
    """
    direction, settings = model._direction(given.columns), model._given(given.columns)
    _, lift, box = model._lifted_box(given.columns, given.rows)
    width = box[:, 1] - box[:, 0]
    rise = _RANGE / np.abs(direction).sum()
    weights = direction * rise / width
    scale = _SCALE if settings["scale"] is None else float(settings["scale"])
    lengthscale: Floats = width / 2 if settings["lengthscale"] is None else settings["lengthscale"]
    kernel = Linear(tuple((rise / width) ** 2), None) + SquaredExponential(
        tuple(lengthscale), scale**2, None, None
    )
    noise = _NOISE if settings["noise"] is None else float(settings["noise"])
    return KernelPrior(kernel, weights, box.mean(axis=1), lift.names), noise
