"""What models of worth share: updating, ids, the bar, intervals, scoring and saving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, NotFitted
from penchant.worth import BradleyTerry, WinRate
from penchant.worth.worth_model import WorthModel, spread

MODELS = [WinRate(), BradleyTerry(0.1)]
PAIRS = [("tea", "water"), ("tea", "coffee"), ("coffee", "water"), ("water", "tea")]

all_models = pytest.mark.parametrize("model", MODELS, ids=repr)


def fitted(model: Any, **columns: Any) -> Any:
    return type(model)(**model.get_params()).fit(Preferences.from_pairs(PAIRS, **columns))


@all_models
def test_an_unfitted_model_is_an_error(model: Any) -> None:
    """Whatever is asked of it, the message says to call fit."""
    new = type(model)()
    for ask in (
        lambda: new.mean,
        lambda: new.items_,
        lambda: new.counts_,
        new.variance,
        new.interval,
        new.rank,
        lambda: new.sample(2),
        lambda: new.win_probability("a", "b"),
        lambda: new.outcome_probability("a", "b"),
        lambda: new.difference_interval("a", "b"),
        lambda: new.score(Preferences.from_pairs(PAIRS)),
    ):
        with pytest.raises(NotFitted, match=r"must be fitted .*: call fit\(preferences\)"):
            ask()


@all_models
def test_only_preferences_are_learned_from(model: Any) -> None:
    """A list of pairs is an error that says how to make Preferences of it."""
    for learn in (type(model)().fit, type(model)().update, fitted(model).update):
        with pytest.raises(InvalidInput, match=r"must be a Preferences, got list: .*from_pairs"):
            learn(PAIRS)


@all_models
def test_new_items_are_added_behind(model: Any) -> None:
    """An update keeps the old items' places and counts, and an update of nothing learned is a fit."""
    updated = fitted(model).update(Preferences.from_pairs([("milk", "tea")]))
    assert updated.items_ == ("coffee", "tea", "water", "milk")
    assert updated.counts_.tolist() == [2, 4, 3, 1]
    first = type(model)(**model.get_params()).update(Preferences.from_pairs(PAIRS))
    np.testing.assert_allclose(first.mean, fitted(model).mean, atol=1e-9)


@all_models
def test_the_bar_is_no_item(model: Any) -> None:
    """It comes last in ``scores_``, and nothing that has a row an item shows it."""
    answers = Preferences.from_answers(["a", "a", "b"], ["b", "b", "c"], ["left", "both_bad", "left"])
    found = type(model)(**model.get_params()).fit(answers)
    assert found.items_ == ("a", "b", "c")
    for rows in (found.mean, found.variance(), found.counts_, found.interval(), found.sample(4).T):
        assert len(rows) == 3
    assert len(found.scores_) == 4
    ranking = found.rank()
    assert ranking.bar == found.scores_[-1]
    assert len(ranking) == 3


@all_models
def test_probabilities_are_of_ids(model: Any) -> None:
    """One pair gives a float, several an array; the two sides sum to 1, and outcomes without ties have none."""
    found = fitted(model)
    single = found.win_probability("tea", "water")
    assert isinstance(single, float)
    both = found.win_probability(["tea", "water"], ["water", "tea"])
    np.testing.assert_allclose(both, [single, 1 - single])
    np.testing.assert_allclose(found.outcome_probability("tea", "water"), [single, 0, 1 - single])
    assert found.outcome_probability(["tea"], ["water"]).shape == (1, 3)
    with pytest.raises(InvalidInput, match="wine"):
        found.win_probability("tea", "wine")


@all_models
def test_the_score_is_a_mean_log_probability(model: Any) -> None:
    """Ties are left out, weights count, and answers without a decision are an error."""
    found = fitted(model)
    rows = [("tea", "water"), ("water", "coffee"), ("tea", "coffee")]
    asked = Preferences.from_pairs(rows, tie=[False, False, True], weight=[3, 1, 5])
    logs = np.log([found.win_probability(*pair) for pair in rows[:2]])
    assert found.score(asked) == pytest.approx((3 * logs[0] + logs[1]) / 4)
    with pytest.raises(InvalidInput, match="at least one comparison that was decided"):
        found.score(asked[2:])


@all_models
def test_intervals_are_around_the_scores(model: Any) -> None:
    """Wider at a higher level, with rows selected by variance and sample, and none for an item and itself."""
    found = fitted(model)
    narrow, wide = found.interval(0.5), found.interval(0.95)
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    np.testing.assert_allclose(wide.mean(axis=1), found.mean, atol=1e-9)
    np.testing.assert_array_equal(found.variance([2, 0]), found.variance()[[2, 0]])
    np.testing.assert_array_equal(found.sample(3, 1, rows=[1]), found.sample(3, 1)[:, [1]])
    np.testing.assert_allclose(found.difference_interval("tea", "tea"), 0, atol=1e-12)
    low, high = found.difference_interval("tea", "water")
    assert low < found.mean[1] - found.mean[2] < high


def test_independent_differences_add_their_variances() -> None:
    """Without a joint posterior the width of a difference is that of √(V_a + V_b)."""
    model = fitted(WinRate())
    low, high = model.difference_interval("tea", "water", 0.9)
    assert (high - low) / 2 == pytest.approx(1.6449 * np.sqrt(model.variance([1, 2]).sum()), rel=1e-4)


def test_counts_have_one_name() -> None:
    """The old name still works, with the bar, and warns."""
    model = WinRate().fit(Preferences.from_answers(["a"], ["b"], ["both_bad"]))
    assert model.counts_.tolist() == [1, 1]
    with pytest.warns(DeprecationWarning, match="answers_ is called counts_ now"):
        assert len(model.answers_) == 3


@pytest.mark.parametrize("level", [0.0, 1.0, -0.5, float("nan")])
def test_a_level_is_a_probability(level: float) -> None:
    """Intervals need one between 0 and 1."""
    with pytest.raises(InvalidInput, match="level must be a number between 0 and 1"):
        fitted(BradleyTerry(0.1)).interval(level)


def test_values_are_moved_to_new_places() -> None:
    """Places that nothing moves to are 0, and the type stays."""
    found = spread(np.array([4, 5]), np.array([2, 0]), 4)
    assert found.tolist() == [5, 0, 4, 0]
    assert found.dtype == np.int64


class NetWins(WorthModel):
    """A model that overrides `variance` instead of `_variance`."""

    def _start(self, n_items: int) -> None:
        self.scores_ = np.zeros(n_items)

    def _rearrange(self, moved: Any, n_items: int) -> None:
        self.scores_ = spread(self.scores_, moved, n_items)

    def _learn(self, preferences: Preferences) -> None:
        won, lost, _ = preferences.tallies()
        self.scores_ = self.scores_ + won - lost

    def variance(self, rows: Any = None) -> Any:
        return np.full(len(self.scores_), 0.25)

    def _win_probability(self, first: Any, second: Any) -> Any:
        return 1 / (1 + np.exp(self.scores_[second] - self.scores_[first]))


def test_a_model_may_override_variance() -> None:
    """Intervals, draws and rankings then use it; a model with neither method says so."""
    model = NetWins().fit(Preferences.from_pairs(PAIRS))
    assert model.rank().items[0] == "tea"
    np.testing.assert_allclose(np.diff(model.interval()), 2 * 1.959964 * 0.5, rtol=1e-6)
    del NetWins.variance
    with pytest.raises(NotImplementedError, match="NetWins must have a method _variance"):
        model.interval()
