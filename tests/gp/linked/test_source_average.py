"""Bayesian model averaging over which of features and links matter."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from penchant.gp.linked import source_average
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.settings_points import SettingsPoints, settings_points
from penchant.gp.linked.source_average import averaged_points, moved_points
from penchant.gp.linked.tuning import LogPosterior
from tests.gp.linked.test_settings_points import FEATURES, LIKELIHOOD, PRIOR, SETTINGS, N, answers

RING = np.roll(np.eye(N), 1, axis=0)
BOTH = ItemPrior.of(FEATURES, RING + RING.T, None, None)
MODELS = {(0.0, 0.0), (1.0, 0.0), (0.0, 1.0), (1.0, 1.0)}


def share(points: SettingsPoints, source: int) -> float:
    """Return the probability that a source matters."""
    return float(points.weights @ [one.mix[source] != 0 for one in points.settings])


def test_all_subsets_of_the_sources_are_models() -> None:
    """The weights of all settings add up to 1, the most probable come first, and each model has its own settings."""
    points = averaged_points(BOTH, answers(np.zeros(N), 60), SETTINGS, LIKELIHOOD, 3)
    assert {one.mix for one in points.settings} == MODELS
    assert points.weights.sum() == pytest.approx(1.0)
    assert (np.diff(points.weights) <= 0).all()
    assert len(points.settings) == len(points.log_evidence) <= 3 * len(MODELS)


def test_the_source_that_says_nothing_is_found() -> None:
    """Of utilities that are linear in the features the links are improbable; of those that change slowly along the ring
    the features are."""
    along = 2.0 * np.sin(np.arange(N) / N * 2 * np.pi)
    by_features = averaged_points(BOTH, answers(1.5 * FEATURES[:, 0], 300), SETTINGS, LIKELIHOOD, 3)
    by_links = averaged_points(BOTH, answers(along, 300), SETTINGS, LIKELIHOOD, 3)
    assert share(by_features, 0) > 0.95
    assert share(by_features, 1) < 0.5
    assert share(by_links, 1) > 0.95
    assert share(by_links, 0) < 0.5


def test_the_evidence_of_a_model_is_an_integral() -> None:
    """That of the model without features and links is a sum over a grid of its one hyperparameter, within 0.2."""
    given, neither = (
        answers(1.5 * np.random.default_rng(2).normal(size=N), 300),
        SETTINGS._replace(mix=(0.0, 0.0)),
    )
    points = settings_points(PRIOR, given, neither, LIKELIHOOD, 3)
    density = LogPosterior(PRIOR, given, neither, LIKELIHOOD, own=True)
    assert density.names == ("nugget",)
    grid = np.linspace(*density.bounds()[0], 100)
    heights = [density.at(np.array([log]))[0] for log in grid]
    expected = logsumexp(heights) + np.log(grid[1] - grid[0]) + density.log_constant
    assert points.log_mass == pytest.approx(expected, abs=0.2)


def test_prior_densities_integrate_to_one() -> None:
    """With the constant, the prior density of the logarithms of two hyperparameters sums to 1 on a grid."""
    one = answers(np.zeros(N), 20)
    density = LogPosterior(PRIOR, one, SETTINGS, LIKELIHOOD, own=False)
    assert density.names == ("scale", "lengthscale")
    (low, high), (least, most) = density.bounds()
    scales, lengths = np.linspace(low, high, 60), np.linspace(least, most, 60)
    logs = [
        density._log_prior(density._parts(density.settings(np.array(at))), np.array(at))[0]
        for at in np.stack(np.meshgrid(scales, lengths), axis=-1).reshape(-1, 2)
    ]
    step = (scales[1] - scales[0]) * (lengths[1] - lengths[0])
    assert np.exp(logsumexp(logs) + density.log_constant) * step == pytest.approx(1.0, abs=0.05)


def test_own_parts_alone_have_the_prior_of_utilities() -> None:
    """Without features and links, utilities of sd 2 and few answers: the spread is at least 1, not about a third."""
    given = answers(2.0 * np.random.default_rng(2).normal(size=N), 60)
    points = settings_points(PRIOR, given, SETTINGS._replace(mix=(0.0, 0.0)), LIKELIHOOD, 3)
    assert points.settings[0].nugget > 1.0


def test_more_answers_move_the_settings() -> None:
    """From the settings of 40 answers, the most probable one after 400 is that of a search from the beginning; models
    that were improbable are left out."""
    given = answers(1.5 * FEATURES[:, 0], 400)
    first = averaged_points(BOTH, given[:40], SETTINGS, LIKELIHOOD, 3)
    moved, anew = (
        moved_points(BOTH, given, first, LIKELIHOOD, 3),
        averaged_points(BOTH, given, SETTINGS, LIKELIHOOD, 3),
    )
    assert moved.settings[0].mix == anew.settings[0].mix
    assert moved.settings[0].scale == pytest.approx(anew.settings[0].scale, rel=0.5)
    assert moved.log_mass == pytest.approx(anew.log_mass, abs=2.0)
    links = np.array([one.mix == (0.0, 1.0) for one in first.settings])
    weights = np.where(links, 1e-9, first.weights)
    without = moved_points(BOTH, given, first._replace(weights=weights), LIKELIHOOD, 3)
    assert {one.mix for one in without.settings} == MODELS - {(0.0, 1.0)}


def test_one_source_is_one_model(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without links, or with a weight of 0 for them, the result is that of `settings_points`."""
    given = answers(FEATURES[:, 0], 100)
    alone = settings_points(PRIOR, given, SETTINGS, LIKELIHOOD, 3)
    averaged = averaged_points(PRIOR, given, SETTINGS, LIKELIHOOD, 3)
    assert averaged.settings == alone.settings
    assert averaged.log_mass == pytest.approx(alone.log_mass)
    calls: list[Any] = []

    def counted(item_prior: ItemPrior, *arguments: Any) -> SettingsPoints:
        calls.append(arguments[1].mix)
        return alone

    monkeypatch.setattr(source_average, "settings_points", counted)
    averaged_points(BOTH, given, SETTINGS._replace(mix=(1.0, 0.0)), LIKELIHOOD, 3)
    assert calls == [(1.0, 0.0)]


def test_modes_of_single_sources_are_starts_of_both(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search with both sources begins at the scale and lengthscale of one and at beta and iota of the other."""
    received: dict[tuple[float, float], Any] = {}

    def recorded(
        prior: ItemPrior, given: Any, start: Settings, like: Any, most: int, also: Any
    ) -> SettingsPoints:
        received[start.mix] = list(also)
        found = start._replace(scale=2.0 + start.mix[0], beta=5.0 + start.mix[1], nugget=0.1 + start.mix[0])
        return SettingsPoints((found,), np.ones(1), np.zeros(1), 0.0)

    monkeypatch.setattr(source_average, "settings_points", recorded)
    averaged_points(BOTH, answers(np.zeros(N), 10), SETTINGS, LIKELIHOOD, 3)
    (start,) = received.pop((1.0, 1.0))
    assert (start.scale, start.beta, start.nugget) == (3.0, 6.0, 0.1)
    assert not any(received.values())
