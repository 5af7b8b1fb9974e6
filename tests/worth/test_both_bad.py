"""Both-bad answers: scores are about the real items, and the bar stands beside them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.ask import next_pair, settled
from penchant.worth import BradleyTerry, CrowdBradleyTerry, Glicko, PlackettLuce, Thurstone, WinRate

CENTRED = [
    BradleyTerry(),
    BradleyTerry(0.001),
    BradleyTerry(errors="row"),
    BradleyTerry(errors="judge"),
    Thurstone(),
    PlackettLuce(),
    CrowdBradleyTerry(),
]


def answers(n: int = 3, m: int = 300, bad: float = 0.1, seed: int = 1, unseen: int = 0) -> Preferences:
    """Answers about equal items, of which a share is both bad."""
    rng = np.random.default_rng(seed)
    left = rng.integers(n, size=m)
    right = (left + rng.integers(1, n, size=m)) % n
    outcome = rng.choice(["left", "right", "both_bad"], p=[(1 - bad) / 2, (1 - bad) / 2, bad], size=m)
    judge = [f"judge {k % 5}" for k in range(m)]
    return Preferences.from_answers(left, right, outcome, judge=judge, items=range(n + unseen))


@pytest.mark.parametrize("model", CENTRED, ids=repr)
def test_scores_are_told_from_the_real_items(model: Any) -> None:
    """They sum to 0, and their intervals are about as wide as those without the both-bad answers."""
    preferences = answers()
    ranking = model.fit(preferences).rank()
    decided = preferences[preferences.statements.sizes == 2].among([0, 1, 2])
    without = type(model)(**model.get_params()).fit(decided).rank()
    assert abs(ranking.scores.sum()) < 1e-9
    np.testing.assert_allclose(ranking.upper - ranking.lower, without.upper - without.lower, rtol=0.1)
    np.testing.assert_allclose(np.sort(ranking.scores), np.sort(without.scores), atol=0.05)
    draws = model.sample(500)[:, :3]
    np.testing.assert_allclose(draws.sum(axis=1), 0, atol=1e-8)


@pytest.mark.parametrize("model", [*CENTRED, WinRate(), Glicko()], ids=repr)
def test_the_bar_is_above_what_lost_to_it(model: Any) -> None:
    """It has an interval of its own, wider than those of items, which only the prior limits."""
    ranking = model.fit(answers()).rank()
    bar = ranking.threshold
    assert bar.above == 0
    assert bar.lower < bar.score < bar.upper
    assert bar.upper - bar.lower > 2 * (ranking.upper - ranking.lower).max()
    assert ranking.bar == bar.score == model.scores_[-1]


def test_a_weaker_prior_lets_the_bar_rise() -> None:
    """Nothing but the prior limits its height: scores of items stay, the bar and its interval do not."""
    strong, weak = (BradleyTerry(prior).fit(answers()).rank() for prior in (0.1, 0.001))
    np.testing.assert_allclose(strong.scores, weak.scores, atol=0.01)
    assert weak.bar > strong.bar + 2
    assert weak.threshold.upper - weak.threshold.lower > 2 * (strong.threshold.upper - strong.threshold.lower)


def test_items_that_nobody_saw_are_average() -> None:
    """Both-bad answers do not lift an item that no answer is about: its score is that of the average item."""
    for model in (BradleyTerry(), PlackettLuce(), CrowdBradleyTerry(), Thurstone()):
        model.fit(answers(unseen=2))
        np.testing.assert_allclose(model.scores_[3:5], 0, atol=1e-9)
        assert abs(model.scores_[:3].sum()) < 1e-9
        assert (model.variance([3, 4]) > 2 * model.variance([0, 1, 2]).max()).all()


def test_groups_stay_around_zero() -> None:
    """Of two groups that were never compared, the one with both-bad answers is not below the other for that."""
    apart = Preferences.from_pairs([(3, 4), (4, 3)], items=range(5))
    model = BradleyTerry().fit(answers()).update(apart)
    assert abs(model.scores_[:3].sum()) < 1e-9
    assert abs(model.scores_[3:5].sum()) < 1e-9


def test_features_tell_the_same() -> None:
    """With features, scores of real items sum to 0 as well, and coefficients do not depend on the level."""
    X = np.array([[1.0], [0.0], [-1.0]])
    model = BradleyTerry().fit(answers(), features=X)
    assert abs(model.scores_[:3].sum()) < 1e-9
    raised = model._prior(model.prior_).coefficients(model.scores_ + 3)
    np.testing.assert_allclose(model.coef_, raised, atol=1e-12)


def test_comparisons_stay_comparisons() -> None:
    """A both-bad answer is about two items, so that it brings no sandwich errors; a ranking among them does."""
    assert BradleyTerry().fit(answers()).errors_ == "model"
    both = answers() + Preferences.from_rankings([[0, 1, 2], [2, 1, 0]], items=range(3))
    assert BradleyTerry().fit(both).errors_ == "row"


def test_asking_does_not_see_the_bar() -> None:
    """The next pair and the stopping rule depend on differences of real items alone."""
    model = BradleyTerry().fit(answers(n=5, m=60))
    pair, found = next_pair(model), settled(model, top=2)
    assert len(model.mean) == len(model.items_) == len(model.counts_) == 5
    model.scores_ = model.scores_ + np.array([7, 7, 7, 7, 7, -3])
    assert next_pair(model) == pair
    assert settled(model, top=2).value == found.value


def test_updates_give_what_fitting_gives() -> None:
    """Answers in parts, the both-bad ones first or last, give the scores of all at once."""
    preferences = answers()
    for model in (BradleyTerry(), PlackettLuce(), CrowdBradleyTerry()):
        whole = model.fit(preferences).scores_
        parts = type(model)().fit(preferences[:40]).update(preferences[40:]).scores_
        np.testing.assert_allclose(parts, whole, atol=1e-7)
