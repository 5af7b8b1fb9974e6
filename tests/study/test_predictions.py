"""Predictions of a study against the answers that came."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import log_loss
from penchant.study.predictions import LEAST_ANSWERS, LEAST_PROBABILITY, Predictions


def simulated(n: int, *, sureness: float = 1.0, ties: float = 0.0, seed: int = 0) -> Predictions:
    """Predictions whose log odds are ``sureness`` times the true ones."""
    rng = np.random.default_rng(seed)
    odds = rng.normal(0, 1.5, n)
    true, stated = (1 / (1 + np.exp(-scale * odds)) for scale in (1.0, sureness))
    outcomes = np.where(rng.random(n) < ties, 2, (rng.random(n) > true).astype(int))
    probabilities = np.stack([(1 - ties) * stated, (1 - ties) * (1 - stated), np.full(n, ties)], axis=1)
    return Predictions.of(probabilities, outcomes)


@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=2, max_size=50))
def test_without_ties_the_log_loss_is_that_of_the_metrics(rows: list[tuple[float, bool]]) -> None:
    """Left and right are the two outcomes of a stated probability."""
    stated = np.array([probability for probability, _ in rows])
    left = np.array([happened for _, happened in rows])
    found = Predictions.of(
        np.stack([stated, 1 - stated, 0 * stated], axis=1), np.where(left, "left", "right")
    )
    assert found.log_loss == pytest.approx(log_loss(left.astype(int), stated))
    each = [log_loss([happened], [probability]) for probability, happened in rows]
    assert found.standard_error == pytest.approx(np.std(each, ddof=1) / np.sqrt(len(rows)))


def test_the_baselines_are_constant_predictions() -> None:
    """A coin that knows the share of ties, and the shares of all three: their log losses over these answers."""
    outcomes = [0] * 30 + [1] * 50 + [2] * 20
    found = Predictions.of(np.full((100, 3), 1 / 3), outcomes)
    for stated, baseline in (([0.4, 0.4, 0.2], found.coin), ([0.3, 0.5, 0.2], found.shares)):
        assert baseline == pytest.approx(-np.log(stated)[outcomes].mean())
    assert found.shares < found.coin
    assert Predictions.of([[0.5, 0.5, 0]] * 2, [0, 1]).coin == pytest.approx(np.log(2))


def test_the_expected_loss_is_that_of_right_probabilities() -> None:
    """Predictions that are right meet it, and it is that of a coin where all pairs are even."""
    found = simulated(4000, ties=0.2)
    assert abs(found.log_loss - found.expected) < 3 * found.standard_error
    even = Predictions.of([[0.5, 0.5, 0.0]] * 4, [0, 1, 0, 1])
    assert even.expected == pytest.approx(np.log(2))


def test_both_bad_and_skip_are_left_out_and_counted() -> None:
    """Their probabilities are not read, and the figures are those of the other answers."""
    nothing = [np.nan] * 3
    found = Predictions.of(
        [[0.5, 0.3, 0.2], nothing, [0.2, 0.7, 0.1], nothing, nothing],
        ["tie", "skip", "right", "both_bad", "skip"],
    )
    assert (len(found), found.both_bad, found.skips) == (2, 1, 2)
    assert found.log_loss == pytest.approx(-(np.log(0.2) + np.log(0.7)) / 2)
    assert repr(found).startswith("2 predicted answers, without 1 both-bad answer and 2 skips\n")
    assert list(found.to_frame()["outcome"]) == ["tie", "right"]


def test_an_outcome_called_impossible_costs_a_finite_loss() -> None:
    """A tie under a model without a tie parameter counts as one of the least probability, and is counted."""
    found = Predictions.of([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0]], ["tie", "left"])
    assert found.losses.tolist() == pytest.approx([-np.log(LEAST_PROBABILITY), np.log(2)])
    assert found.impossible == 1


def test_calibration_is_of_the_favourite_and_covers_the_true_share() -> None:
    """Right probabilities lie in nearly all intervals, every bin is above one half, and ties are not counted."""
    found = simulated(4000, ties=0.25)
    table = found.calibration(n_bins=20)
    assert table.count.sum() == (found.outcomes < 2).sum()
    assert table.low.min() >= 0.5
    assert ((table.share_low <= table.probability) & (table.probability <= table.share_high)).mean() >= 0.8
    assert Predictions.of([[0.1, 0.1, 0.8]], ["tie"]).calibration() is None


@pytest.mark.parametrize(
    ("sureness", "verdict"),
    [
        (1.0, "better than a coin: .*; calibrated"),
        (1.6, "better than a coin: .*; too sure"),
        (0.5, "better than a coin: .*; too cautious"),
        (0.0, "not yet better than a coin"),
        (-1.0, "worse than a coin: .*; too sure"),
    ],
)
def test_the_verdict_says_what_predictions_are_worth(sureness: float, verdict: str) -> None:
    """It compares with a coin and names the direction in which probabilities are wrong."""
    found = simulated(1500, sureness=sureness)
    assert re.match(verdict, found.verdict)
    assert found.verdict in repr(found)


def test_the_test_of_calibration_has_its_level() -> None:
    """Spiegelhalter's z of right probabilities is standard normal."""
    z = np.array([simulated(200, seed=seed).calibration_z for seed in range(400)])
    assert abs(z.mean()) < 0.2
    assert 0.9 < z.std() < 1.1


def test_ties_alone_are_not_compared_with_a_coin() -> None:
    """A coin that knows that all are ties is never wrong, and worse than that is no verdict."""
    found = Predictions.of([[0.1, 0.1, 0.8]] * LEAST_ANSWERS, ["tie"] * LEAST_ANSWERS)
    assert found.verdict.startswith("not to be compared with a coin, all answers are ties: log loss 0.223")
    assert found.verdict.endswith("coin 0.000")


def test_few_answers_give_no_verdict() -> None:
    """Nor figures where they do not exist, and JSON holds null for them."""
    none = Predictions.of([], [])
    state = json.loads(none.to_json())
    assert state["log_loss"] is None
    assert state["calibration"] == []
    assert "not enough answers" in none.verdict
    assert "not enough answers" in simulated(LEAST_ANSWERS - 1).verdict
    assert "not enough answers" not in simulated(LEAST_ANSWERS).verdict
    assert np.isnan(Predictions.of([[0.5, 0.5, 0]], [0]).calibration_z)


def test_json_holds_the_figures() -> None:
    """And one object for each bin of the calibration."""
    found = simulated(300)
    state = json.loads(found.to_json())
    assert state["log_loss"] == found.log_loss
    assert state["verdict"] == found.verdict
    assert sum(row["count"] for row in state["calibration"]) == 300


@pytest.mark.parametrize(
    ("probabilities", "outcomes", "message"),
    [
        (
            [[0.5, 0.5, 0]],
            [0, 1],
            r"^probabilities must have 2 rows, one an answer, got 1: give one for each$",
        ),
        (
            [[0.5, 0.5, 0]],
            ["both"],
            r"^outcome of row 0 must be one of left, right, .*, got 'both': correct the row$",
        ),
        ([[0.5, 0.5, 0]], [5], r"^outcome of row 0 must be one of .*, or its index, got 5: correct the row$"),
        (
            [[0, 0, 0], [0.5, 0.6, 0]],
            [4, 0],
            r"^probabilities of row 1 must be from 0 and add up to 1, got 0.5, 0.6, 0: give those of left",
        ),
        ([[np.nan, 0.5, 0.5]], [0], r"must be a finite number, got nan"),
    ],
)
def test_input_that_is_no_prediction_is_rejected(
    probabilities: object, outcomes: object, message: str
) -> None:
    """The message names the row."""
    with pytest.raises(InvalidInput, match=message):
        Predictions.of(probabilities, outcomes)
