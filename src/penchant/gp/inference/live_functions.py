"""Start beliefs that learn one answer at a time from utilities that are functions of features."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from penchant.belief import LOGISTIC_NOISE, LiveBelief
from penchant.errors import InvalidInput
from penchant.gp.inference.answers import Answers, PairCounts
from penchant.gp.inference.columns import Columns
from penchant.gp.inference.evidence import Evidence, Search, learn_hyperparameters
from penchant.gp.inference.feature_utility import TrainingData
from penchant.gp.inference.function_mixture import FunctionMixture, FunctionParts, KernelPrior
from penchant.gp.inference.hyperprior import RESIDUAL, VARIANCE, Hyperprior, Units, thresholds, variances
from penchant.gp.inference.kernel_points import KernelPoint, posterior_points, prior_points
from penchant.gp.inference.likelihood import Bools, Probit
from penchant.gp.inference.linear_mean_evidence import LENGTHSCALE_SD, LENGTHSCALES, USUAL_LENGTHSCALE
from penchant.gp.inference.live_data import (
    LEAST_ANSWERS,
    LiveData,
    check_item_count,
    item_features,
    learned_part,
)
from penchant.gp.inference.tie_threshold import threshold_of
from penchant.gp.kernels import Linear, SquaredExponential, WhiteNoise
from penchant.online.dense_state import MOST_ITEMS
from penchant.preferences import Preferences
from penchant.threads import one_thread

if TYPE_CHECKING:
    from penchant.gp.monotone_gp import MonotoneGP
    from penchant.gp.preference_gp import PreferenceGP

LEARNED_ITEMS = 200
"""Hyperparameters are learned from the first answers, about so many items at most."""
FEW_ITEMS = 300
MOST_COMPONENTS, MOST_COMPONENTS_OF_MANY = 9, 3
"""The belief is a mixture over so many kernels at most, for up to `FEW_ITEMS` and for more."""
_RISE = 1.0
"""The prior mean of a `MonotoneGP` rises by this from the worst to the best corner of the box."""
_LINEAR, _SMOOTH = 0.5, 0.25
"""The usual parts of the variance of a utility that are linear in the features, and smooth beside that."""
_WITHIN = 1e-4, 1e4
"""The bounds of the learned variances of a `MonotoneGP`, in units of their usual values."""


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
        self.most_components = MOST_COMPONENTS if self.data.n_items <= FEW_ITEMS else MOST_COMPONENTS_OF_MANY

    def training(self, answers: Answers) -> TrainingData:
        """Return the rows and ``answers`` between them."""
        return TrainingData(self.columns, self.rows, self.data.items, answers)

    def differ(self, answers: Answers) -> Bools:
        """Return which answers compare two items whose features differ."""
        first, second = np.append(self.rows, [self.rows[0]], axis=0)[answers.pairs].transpose(1, 0, 2)
        items = (answers.pairs < self.data.n_items).all(axis=1)
        return np.asarray(items & (first != second).any(axis=1))


class _Learned(NamedTuple):
    """The kernels of a belief, and the threshold of ties, None where it was neither given nor learned.

    ``answered`` is whether the weights of the kernels are those after the answers, and not before them.
    """

    points: list[KernelPoint]
    threshold: float | None
    answered: bool = True


def preference_belief(
    model: PreferenceGP, preferences: Preferences, *, features: Any, links: Any
) -> LiveBelief:
    """Return the belief of `PreferenceGP.live`."""
    given = _Given(model, preferences, features, links)
    if callable(model.mean):
        raise InvalidInput.of(
            "mean", "be None or weights to learn answer by answer", "a function", "give weights"
        )
    model._check_settings()
    noise = model.noise if model.likelihood == "probit" else LOGISTIC_NOISE * model.noise
    weights = np.zeros(len(given.names)) if model.mean is None else np.asarray(model.mean, float)
    with one_thread():
        learned = _preference_kernels(model, given)
        priors = [KernelPrior.of(point.kernel, weights) for point in learned.points]
        return _started(given, priors, learned, noise, repr(model))


def _preference_kernels(model: PreferenceGP, given: _Given) -> _Learned:
    """Return kernels from the posterior of the hyperparameters, or from their prior before enough answers."""
    answers = given.data.answers[given.differ(given.data.answers)]
    if model.optimizer is None:
        kernel = model._first_kernel(given.rows, given.columns, quiet=True)
        return _Learned([KernelPoint(kernel, 1.0)], model.indifference)
    if len(answers) >= LEAST_ANSWERS:
        search = model._mode_search(given.training(learned_part(answers, LEARNED_ITEMS)))
        learned = search.likelihood.threshold if search.evidence.learn_threshold else None
        threshold = learned if model.indifference is None else model.indifference
        return _Learned(posterior_points(search, given.most_components), threshold)
    kernel = model._first_kernel(given.rows, given.columns, quiet=True)
    prior = kernel.prior(Units.of(given.rows, model.noise))
    points = prior_points(kernel, prior, given.rows, given.most_components)
    return _Learned(points, model.indifference, answered=False)


def monotone_belief(model: MonotoneGP, preferences: Preferences, *, features: Any, links: Any) -> LiveBelief:
    """Return the belief of `MonotoneGP.live`."""
    given = _Given(model, preferences, features, links)
    with one_thread():
        start = _MonotoneStart.of(model, given)
        learned = start.kernels(given)
        priors = [replace(start.prior, kernel=point.kernel) for point in learned.points]
        return _started(given, priors, learned, start.noise, repr(model))


def _started(
    given: _Given, priors: list[KernelPrior], learned: _Learned, noise: float, model: str
) -> LiveBelief:
    mean = priors[0].mean(given.rows)
    covariances = np.stack([prior.matrix(given.rows) for prior in priors])
    threshold = learned.threshold
    if threshold is None:
        likelihood = Probit(float(np.sqrt(2) * noise))
        answers = learned_part(given.data.between, LEARNED_ITEMS)
        threshold = threshold_of(answers, covariances[0], mean, likelihood)
    return FunctionMixture.started(
        given.data,
        covariances,
        FunctionParts(priors, given.rows, given.names),
        mean=mean,
        noise=noise,
        tie=threshold / noise if threshold else None,
        weights=tuple(point.weight for point in learned.points),
        bar_variance=np.diagonal(covariances, axis1=1, axis2=2).mean(axis=1) + mean.var(),
        model=model,
        learned=learned.answered,
    )


@dataclass(frozen=True, eq=False)
class _MonotoneStart:
    """The prior of a utility that is expected to rise along the increasing features.

    The mean is linear: from the worst to the best corner of the box it rises by 1, equally along each constrained
    feature. Around it there are three parts: the weights of the features, a smooth function of them, and one of each
    item that its features do not explain. Their variances are uncertain, with weak priors in units of the noise; the
    usual sd of a weight is as large as its mean.

    Attributes
    ----------
    prior : KernelPrior
        Of features that are scaled to the box, with usual hyperparameters.
    hyperprior : Hyperprior
    noise : float
        The rating noise.
    """

    prior: KernelPrior
    hyperprior: Hyperprior
    noise: float

    @classmethod
    def of(cls, model: MonotoneGP, given: _Given) -> Self:
        """Return the prior; settings that were given are in units in which the sizes of weights sum to 1."""
        direction, settings = model._direction(given.columns), model._given(given.columns)
        _, lift, box = model._lifted_box(given.columns, given.rows)
        width = box[:, 1] - box[:, 0]
        constrained = direction != 0
        in_units = settings["scale"] is not None or settings["noise"] is not None
        rise = 1 / (1 / width[constrained]).sum() if in_units else _RISE / constrained.sum()
        origin = box.mean(axis=1)
        squares = float(((lift(given.rows) - origin) / width).var(axis=0).sum())
        noise = settings["noise"]
        if noise is None:  # with it the usual sd of a weight is the rise
            noise = float(rise * np.sqrt(squares / (_LINEAR * VARIANCE)))
        usual = VARIANCE * noise**2
        scale = settings["scale"]
        smooth = _SMOOTH * usual if scale is None else float(scale) ** 2
        lengthscale = settings["lengthscale"]
        shares = np.full(len(width), USUAL_LENGTHSCALE) if lengthscale is None else lengthscale / width
        linear, own = _LINEAR * usual / squares, RESIDUAL * usual
        kernel = (
            Linear(linear, _bounds(linear))
            + SquaredExponential(
                tuple(shares),
                smooth,
                LENGTHSCALES if lengthscale is None else None,
                _bounds(smooth) if scale is None else None,
            )
            + WhiteNoise(own, _bounds(own))
        )
        hyperprior = Hyperprior.joined(
            variances(np.zeros(1), linear),
            Hyperprior.independent(np.log(shares), LENGTHSCALE_SD),
            variances(np.zeros(2), 1.0),
        )
        hyperprior.centre[-2:] = np.log([smooth, own])
        return cls(KernelPrior(kernel, direction * rise, origin, width, lift.names), hyperprior, noise)

    def kernels(self, given: _Given) -> _Learned:
        """Return kernels from the posterior of the hyperparameters, or from their prior before enough answers."""
        kernel, data = self.prior.kernel, given.data
        if len(data.between) < LEAST_ANSWERS:
            scaled = self.prior.scaled(given.rows)
            points = prior_points(kernel, self.hyperprior, scaled, given.most_components)
            return _Learned(points, None, answered=False)
        answers = learned_part(data.between, LEARNED_ITEMS)
        items, places = np.unique(answers.pairs, return_inverse=True)
        pairs = places.reshape(-1, 2).astype(np.int64)
        counts = PairCounts.of(pairs, len(items), weight=answers.weight, tie=answers.tie)
        rows = given.rows[items]
        tied = bool(answers.tie.any())
        evidence = Evidence(self.prior.scaled(rows), counts, self.prior.mean(rows), tied)
        likelihood, hyperprior = Probit(float(np.sqrt(2) * self.noise)), self.hyperprior
        if tied:
            ties = thresholds(likelihood.scale)
            hyperprior = Hyperprior.joined(hyperprior, ties)
            likelihood = replace(likelihood, threshold=float(np.exp(ties.centre[0])))
        found = learn_hyperparameters(evidence, kernel, likelihood, "ep", prior=hyperprior)
        search = Search(evidence, *found, "ep", hyperprior)
        threshold = search.likelihood.threshold if tied else None
        return _Learned(posterior_points(search, given.most_components), threshold)


def _bounds(usual: float) -> tuple[float, float]:
    least, most = _WITHIN
    return least * usual, most * usual
