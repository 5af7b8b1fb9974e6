"""Covariates of rows: built, selected, joined, turned with their row, saved."""

from __future__ import annotations

import re

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.saving import from_bytes, to_bytes
from penchant.worth import BradleyTerry


def answers() -> Preferences:
    return Preferences.from_answers(
        ["a", "b", "c", "a", "b"],
        ["b", "c", "a", "c", "a"],
        ["left", "right", "tie", "both_bad", "skip"],
        covariates={"length": [1, 2, 3, 4, 5], "lists": [0.5, 0, 0, 1, 1]},
    )


def test_answers_give_left_less_right_and_rows_hold_better_less_worse() -> None:
    """The right one won row 1: its sign turns. A both-bad answer has none, a skip is gone."""
    prefs = answers()
    assert prefs.covariate_names == ("length", "lists")
    assert prefs.covariates is not None
    assert prefs.covariates[:, 0].tolist() == [1, -2, 3, 0]
    assert prefs.to_frame()["covariate length"].tolist() == [1, -2, 3, 0, 0]


def test_pairs_give_better_less_worse() -> None:
    """As they are."""
    prefs = Preferences.from_pairs([("a", "b"), ("b", "c")], covariates={"x": [2, -1]})
    assert prefs.covariates is not None
    assert prefs.covariates.tolist() == [[2], [-1]]


def test_rows_keep_their_covariates() -> None:
    """In subsets, sums, saved files and without other columns; sums match them by name."""
    prefs = answers()
    assert prefs[[1]].covariates is not None
    assert prefs[[1]].covariates.tolist() == [[-2, 0]]
    other = Preferences.from_pairs([("c", "b")], covariates={"lists": [7], "length": [8]})
    both = prefs + other
    assert both.covariates is not None
    assert both.covariates[-1].tolist() == [8, 7]
    assert from_bytes(to_bytes(prefs)) == prefs
    assert prefs.without("covariates").covariate_names == ()
    assert prefs != prefs.without("covariates")
    assert prefs.without("covariates") != prefs
    assert "covariates" not in prefs.without("covariates").__save_state__()


def test_rows_with_and_without_covariates_are_not_joined() -> None:
    """No number stands for one that is not known."""
    with pytest.raises(
        InvalidInput, match=re.escape("covariates must have the same names in all rows, got 'length'")
    ):
        answers() + Preferences.from_pairs([("c", "b")])
    assert len(answers() + Preferences.from_pairs([], items=["a", "b", "c"])) == 4


def test_equal_rows_are_those_with_equal_covariates() -> None:
    """A tie that names its items in the other order has the opposite difference, and counts as the same."""
    prefs = Preferences.from_pairs(
        [("a", "b"), ("b", "a"), ("a", "b"), ("a", "b")],
        tie=[True, True, True, False],
        covariates={"x": [1, -1, 2, 1]},
    ).deduplicated()
    assert prefs.weight is not None
    assert prefs.weight.tolist() == [2, 1, 1]
    assert prefs.covariates is not None
    assert prefs.covariates[:, 0].tolist() == [1, 2, 1]


def test_ties_become_two_half_wins_with_opposite_covariates() -> None:
    """Weight, side and covariate of both halves; decided and both-bad rows stay."""
    prefs = answers().ties_as_half_wins()
    frame = prefs.to_frame()
    assert frame[["better", "worse"]].values.tolist() == [
        ["a", "b"],
        ["c", "b"],
        ["c", "a"],
        ["a", "c"],
        ["(bar)", "a"],
        ["(bar)", "c"],
    ]
    assert frame["weight"].tolist() == [1, 1, 0.5, 0.5, 1, 1]
    assert frame["covariate length"].tolist() == [1, -2, 3, -3, 0, 0]
    assert prefs.better_on_left is not None
    assert prefs.better_on_left.tolist() == [1, 0, 1, 0, -1]
    assert prefs.n_ties == 0
    assert prefs.n_answers == answers().n_answers
    untied = Preferences.from_pairs([("a", "b")])
    assert untied.ties_as_half_wins() == untied
    with pytest.raises(InvalidInput, match="ties must be ties of two items to be half wins"):
        Preferences.from_rankings([["a", ["b", "c"]]]).ties_as_half_wins()


def test_half_wins_give_the_scores_of_leaderboards_that_count_so() -> None:
    """Zermelo's iteration on a matrix of wins with half a win for each tie ends at the same scores (evalica, Elo)."""
    rng = np.random.default_rng(3)
    left = rng.integers(4, size=300)
    right = (left + 1 + rng.integers(3, size=300)) % 4
    outcome = rng.choice(["left", "right", "tie"], size=300, p=[0.5, 0.3, 0.2])
    wins = np.zeros((4, 4))
    for a, b, answer in zip(left, right, outcome, strict=True):
        wins[a, b] += {"left": 1.0, "right": 0.0, "tie": 0.5}[answer]
        wins[b, a] += {"left": 0.0, "right": 1.0, "tie": 0.5}[answer]
    strength = np.ones(4)
    for _ in range(2000):
        met = (wins + wins.T) / np.add.outer(strength, strength)
        strength = wins.sum(axis=1) / met.sum(axis=1)
        strength /= np.exp(np.log(strength).mean())
    prefs = Preferences.from_answers(left, right, outcome.tolist(), items=range(4)).ties_as_half_wins()
    model = BradleyTerry(prior=0).fit(prefs)
    np.testing.assert_allclose(model.mean, np.log(strength), atol=1e-8)
    assert model.tie_ is None


@pytest.mark.parametrize(
    ("covariates", "message"),
    [
        ({"x": [1.0, float("nan")]}, "covariate 'x' of row 1 must be a finite number, got nan"),
        ({"x": [1.0]}, "covariate 'x' must have 2 entries, one a row, got 1"),
        ({"x": ["long", "short"]}, "covariate 'x' must be numbers"),
        ({"": [1.0, 2.0]}, "name of a covariate must be text"),
        ([[1.0], [2.0]], "covariates must be a mapping of names to numbers"),
    ],
)
def test_covariates_that_cannot_be_used_are_named(covariates: object, message: str) -> None:
    """By name and row."""
    with pytest.raises(InvalidInput, match=re.escape(message)):
        Preferences.from_pairs([("a", "b"), ("b", "c")], covariates=covariates)  # type: ignore[arg-type]
    assert np.shape(Preferences.from_pairs([("a", "b")], covariates={}).covariates) == ()
