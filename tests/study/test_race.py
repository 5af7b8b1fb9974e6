"""Races of models on the same answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.checks import Floats
from penchant.errors import InvalidInput
from penchant.study.race import ADDED, LEAST_ANSWERS, TIGHTEST, Race, anytime_interval


def widths(x: Floats, alpha: float) -> tuple[Floats, Floats]:
    """Return the mean and the half width of `anytime_interval` after each of the differences, by running sums."""
    t = np.arange(1, len(x) + 1)
    mean = np.cumsum(x) / t
    squares = np.maximum(np.cumsum(x * x) - t * mean**2, 0)
    largest = np.maximum(np.maximum.accumulate(x) - mean, mean - np.minimum.accumulate(x))
    variance = (squares + ADDED * largest**2) / np.maximum(t - 1, 1)
    rho2 = (-2 * np.log(alpha) + np.log(-2 * np.log(alpha)) + 1) / TIGHTEST
    factor = 2 * (t * rho2 + 1) / (t * t * rho2) * np.log(np.sqrt(t * rho2 + 1) / alpha)
    return mean, np.sqrt(variance * factor)


def test_the_interval_is_that_of_the_formula() -> None:
    """After any number of differences, the interval equals the one by running sums."""
    x = np.random.default_rng(0).exponential(1.0, 300)
    mean, width = widths(x, 0.05)
    for t in (LEAST_ANSWERS, 120, 300):
        low, high = anytime_interval(x[:t], 0.05)
        assert (low, high) == pytest.approx((mean[t - 1] - width[t - 1], mean[t - 1] + width[t - 1]))


def losses_of_two(rng: np.random.Generator, n: int, first: float, second: float) -> tuple[Floats, Floats]:
    """Differences of log losses of two models that scale the true log odds, and what was to be expected of each."""
    odds = rng.normal(0, 1.5, n)
    true, a, b = (1 / (1 + np.exp(-scale * odds)) for scale in (1.0, first, second))
    happened = rng.random(n) < true
    found = np.where(happened, np.log(b / a), np.log((1 - b) / (1 - a)))
    return found, true * np.log(b / a) + (1 - true) * np.log((1 - b) / (1 - a))


@pytest.mark.parametrize(("first", "second"), [(1.3, 0.75), (1.6, 1.0)])
def test_intervals_hold_at_all_times_at_once(first: float, second: float) -> None:
    """In at most 5 % of races is the true mean difference excluded after any of 50 to 2,000 answers."""
    rng = np.random.default_rng(3)
    wrong = 0
    for _ in range(1000):
        found, expected = losses_of_two(rng, 2000, first, second)
        mean, width = widths(found, 0.05)
        truth = np.cumsum(expected) / np.arange(1, 2001)
        wrong += bool((np.abs(mean - truth) > width)[LEAST_ANSWERS - 1 :].any())
    assert wrong <= 50


def test_a_better_model_is_found_ahead() -> None:
    """The right probabilities against ones that are too sure: the verdict names both and the difference."""
    found, _ = losses_of_two(np.random.default_rng(0), 2000, 2.0, 1.0)
    base = np.random.default_rng(1).exponential(0.5, 2000)
    race = Race.of({"sure": base + found, "right": base})
    assert race.models == ("right", "sure")
    assert race.behind == (False, True)
    low, high = anytime_interval(found, 0.05)
    assert race.verdict == f"right is ahead of sure by {found.mean():.3f} ({low:.3f} to {high:.3f})"
    assert race.intervals[1].tolist() == pytest.approx([low, high])


def test_equal_models_have_no_difference_yet() -> None:
    """The interval of a model against itself is 0 to 0, and names keep their order."""
    same = np.random.default_rng(0).exponential(0.5, 200)
    race = Race.of({"b": same, "a": same})
    assert race.models == ("b", "a")
    assert race.verdict == "no difference yet"
    assert race.intervals.tolist() == [[0, 0], [0, 0]]


def test_more_models_widen_the_intervals() -> None:
    """The leader is chosen by the same answers, so the level is shared among all pairs of models."""
    rng = np.random.default_rng(0)
    losses = {name: rng.exponential(0.5, 200) for name in "abcd"}
    race = Race.of(losses)
    difference = race.losses[1] - race.losses[0]
    assert race.intervals[1].tolist() == pytest.approx(list(anytime_interval(difference, 0.05 / 6)))


@given(st.integers(0, 60), st.integers(1, 4))
def test_every_race_can_be_shown(answers: int, models: int) -> None:
    """With few answers figures are missing, and text, frame and JSON say so."""
    rng = np.random.default_rng(answers)
    race = Race.of({f"m{k}": rng.exponential(0.5, answers) for k in range(models)}, left_out=3)
    state = json.loads(race.to_json())
    assert [row["model"] for row in state["models"]] == list(race.models) == list(race.to_frame()["model"])
    assert (state["models"][0]["lower"] is None) == (answers < LEAST_ANSWERS)
    assert state["verdict"] == race.verdict == repr(race).splitlines()[-1]
    assert "3 left out" in repr(race)
    if models > 1:
        assert ("not enough answers" in race.verdict) == (answers < LEAST_ANSWERS)


def test_wrong_losses_are_rejected() -> None:
    """Models that predicted different numbers of answers were not in the same race."""
    with pytest.raises(InvalidInput, match=r"^models must be at least one, got none: name some$"):
        Race.of({})
    with pytest.raises(InvalidInput, match=r"^loss of b must have 2 entries, one a row, got 1"):
        Race.of({"a": [0.1, 0.2], "b": [0.1]})
    with pytest.raises(InvalidInput, match=r"^loss of a of row 0 must be a finite number, got inf"):
        Race.of({"a": [np.inf]})
    with pytest.raises(InvalidInput, match=r"^alpha must be a number between 0 and 1, got 0"):
        anytime_interval([1.0], 0)
