"""Settings that stand for the posterior of the hyperparameters: own parts of items, several modes, and weights."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.checks import Floats
from penchant.gp import LinkedGP
from penchant.gp.inference.answers import Answers
from penchant.gp.inference.likelihood import Probit
from penchant.gp.linked import settings_points as module
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.gp.linked.settings_points import SettingsPoints, settings_points

N = 40
SETTINGS = Settings.checked(LinkedGP(threshold=1e-3).get_params())
FEATURES = np.random.default_rng(8).normal(size=(N, 2))
PRIOR = ItemPrior.of(FEATURES, None, None, None)
LIKELIHOOD = Probit(1.0, 1e-3)


def answers(utility: Floats, count: int, seed: int = 0) -> Answers:
    """Answers about random pairs."""
    rng = np.random.default_rng(seed)
    pairs = np.array([rng.choice(N, 2, replace=False) for _ in range(count)])
    lead = utility[pairs[:, 0]] - utility[pairs[:, 1]] + rng.normal(size=count)
    pairs[lead < 0] = pairs[lead < 0][:, ::-1]
    return Answers(pairs, np.ones(count), np.zeros(count, dtype=bool))


def found(utility: Floats, count: int = 400, most: int = 7, prior: ItemPrior = PRIOR) -> SettingsPoints:
    return settings_points(prior, answers(utility, count), SETTINGS, LIKELIHOOD, most)


def test_weights_add_up_and_the_most_probable_settings_come_first() -> None:
    """There are at most as many points as asked for; what is not learned stays."""
    for most in (3, 7):
        points = found(FEATURES[:, 0], most=most)
        assert 1 <= len(points.settings) <= most
        assert points.weights.sum() == pytest.approx(1.0)
        assert points.weights[0] == points.weights.max()
        assert len(points.log_evidence) == len(points.settings)
        assert all(one.threshold == 1e-3 and one.mix == (1.0, 1.0) for one in points.settings)


def test_own_parts_of_items_are_found() -> None:
    """Items that differ beside their features have a large nugget; others have a small one."""
    own = 1.5 * np.random.default_rng(1).normal(size=N)
    with_own, without = found(FEATURES[:, 0] + own), found(2 * FEATURES[:, 0])
    nuggets = [points.weights @ [one.nugget for one in points.settings] for points in (with_own, without)]
    assert nuggets[0] > 0.5
    assert nuggets[1] < 0.2


def test_links_are_learned_too() -> None:
    """With features and links there are five hyperparameters, and fewer directions than that."""
    ring = np.roll(np.eye(N), 1, axis=0)
    points = found(FEATURES[:, 0], 150, most=3, prior=ItemPrior.of(FEATURES, ring + ring.T, None, None))
    assert len(points.settings) <= 3
    assert all(one.beta > 0 and one.iota > 0 and one.nugget > 0 for one in points.settings)


def test_a_second_mode_is_a_point_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends elsewhere, nearly as high, adds the mode with its share of the mass."""
    ends = iter([(-100.0, np.log([2.0, 1.5, 0.1])), (-100.5, np.log([0.2, 3.0, 0.01]))])
    monkeypatch.setattr(module, "_search", lambda density, first: next(ends))
    points = found(np.zeros(N), 60)
    scales = sorted(one.scale for one in points.settings)
    assert 2.0 in scales
    assert 0.2 in scales
    assert points.weights.min() > 0.005


def test_a_mode_of_little_mass_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten units of the log density lower is nothing."""
    ends = iter([(-100.0, np.log([2.0, 1.5, 0.1])), (-110.0, np.log([0.2, 3.0, 0.01]))])
    monkeypatch.setattr(module, "_search", lambda density, first: next(ends))
    assert 0.2 not in [one.scale for one in found(np.zeros(N), 60).settings]


def test_the_result_is_a_function_of_the_arguments() -> None:
    """Two calls give the same settings and weights."""
    once, again = found(FEATURES[:, 0], 100), found(FEATURES[:, 0], 100)
    assert once.settings == again.settings
    assert once.weights.tobytes() == again.weights.tobytes()
