"""Bradley–Terry: the peers' numbers, honest intervals, and many items."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from penchant import Preferences
from penchant.worth import BradleyTerry, paired
from tests.worth.simulated import comparisons, coverage

GOLDEN = json.loads((Path(__file__).parent / "golden" / "bradley_terry.json").read_text())["cases"]


@pytest.mark.parametrize("case", GOLDEN, ids=lambda case: f"{len(case['choix'])} items")
@pytest.mark.parametrize("peer", ["choix", "evalica"])
def test_it_agrees_with_its_peers(case: dict[str, list[float]], peer: str) -> None:
    """On ordinary data, maximum likelihood is what choix and evalica say it is, to eight digits."""
    model = BradleyTerry(prior=0).fit(Preferences.from_pairs(np.array(case["pairs"])))
    np.testing.assert_allclose(model.scores_, case[peer], atol=1e-8)


def test_two_items_by_hand() -> None:
    """Seven to three is log(7/3), and its variance 1/7 + 1/3."""
    model = BradleyTerry(prior=0).fit(Preferences.from_pairs([("a", "b")] * 7 + [("b", "a")] * 3))
    assert model.scores_[0] - model.scores_[1] == pytest.approx(np.log(7 / 3))
    low, high = model.difference_interval("a", "b")
    assert (high - low) / 2 == pytest.approx(1.959964 * np.sqrt(1 / 7 + 1 / 3), rel=1e-6)


def test_davidson_by_hand() -> None:
    """Two items with 5, 3 and 4 answers: the three probabilities are the three shares."""
    pairs, tie = [(0, 1)] * 5 + [(1, 0)] * 3 + [(0, 1)] * 4, [False] * 8 + [True] * 4
    model = BradleyTerry(prior=0).fit(Preferences.from_pairs(pairs, tie=tie))
    np.testing.assert_allclose(model.outcome_probability(0, 1), [5 / 12, 4 / 12, 3 / 12], atol=1e-7)


def test_intervals_hold_what_they_promise() -> None:
    """With 24 items and 12 answers each, 95 % intervals hold 93–97 % of the worths in 120 runs (2,880 intervals)."""
    worth = np.random.default_rng(5).normal(size=24)
    held = coverage(BradleyTerry().fit, worth, lambda truth, seed: comparisons(truth, 144, seed), n_runs=120)
    assert 0.93 <= held <= 0.97


def test_many_items_are_solved_by_conjugate_gradients() -> None:
    """Items beyond the direct solver have no slope left either, whether few or most of the pairs were compared."""
    for n_items, n_rows in ((400, 3000), (300, 60_000)):
        worth = np.random.default_rng(1).normal(size=n_items)
        preferences = comparisons(worth, n_rows, seed=2, ties=0.5)
        model = BradleyTerry(0.1).fit(preferences)
        said = preferences.comparisons()
        first, _, second = model.outcome_probability(said.better, said.worse).T
        surprise = np.where(said.tie, 0, 1) - (first - second)
        slope = np.bincount(said.better, surprise, n_items) - np.bincount(said.worse, surprise, n_items)
        np.testing.assert_allclose(slope / 2, 0.1 * model.scores_, atol=2e-8)


def test_many_items_need_no_square_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    """Above the limit variances are drawn: they agree with those of the inverse, and the method says how well."""
    monkeypatch.setattr(paired, "DENSE_ITEMS", 500)
    n_items = 800
    worth = np.random.default_rng(3).normal(size=n_items)
    model = BradleyTerry().fit(comparisons(worth, 20 * n_items, seed=4))
    assert "conjugate gradients" in model.posterior().method
    exact = np.linalg.inv(model._hessian().matrix())
    exact = np.diag(exact) - 2 * exact.mean(axis=0) + exact.mean()
    ratio = np.sqrt(model.variance() / exact)
    assert np.abs(ratio - 1).mean() < 0.01
    assert np.abs(ratio - 1).max() < 0.05
    low, high = model.difference_interval(0, 1)
    assert low < model.scores_[0] - model.scores_[1] < high


def test_a_hundred_thousand_comparisons_twice_is_weight_two() -> None:
    """Aggregation by sorting and by weights agree to the last bit."""
    preferences = comparisons(np.zeros(500), 100_000, seed=6, ties=0.3)
    said = preferences.comparisons()
    pairs = np.column_stack([said.better, said.worse])
    weighted = Preferences.from_pairs(pairs, tie=said.tie, weight=np.full(len(pairs), 2.0))
    twice = BradleyTerry().fit(preferences + preferences)
    model = BradleyTerry().fit(weighted)
    np.testing.assert_array_equal(model.totals_, twice.totals_)
    np.testing.assert_array_equal(model.scores_, twice.scores_)
