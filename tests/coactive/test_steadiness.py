"""Steadiness of weights and drift of their direction, compared with all rounds kept."""

from __future__ import annotations

from math import isnan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import WeightTracker
from penchant.errors import InvalidInput
from penchant.saving import from_bytes, to_bytes

VALUES = st.sampled_from([0.0, 0.0, 1.0, -2.0, 0.3, 1e200, -1e-200])
RUNS = st.lists(st.lists(VALUES, min_size=4, max_size=4), max_size=20)


def followed(rows, widths=None) -> WeightTracker:
    tracker = WeightTracker()
    for number, row in enumerate(rows):
        tracker.add(np.array(row)[: 4 if widths is None else widths[number]])
    return tracker


def slow_direction(row) -> np.ndarray:
    scaled = np.array(row) / (max(map(abs, row)) or 1.0)
    return scaled / (np.linalg.norm(scaled) or 1.0)


@given(rows=RUNS)
def test_mean_and_deviation_are_those_of_all_rounds(rows) -> None:
    """With the round's number as its weight."""
    if not rows:
        return
    report = followed(rows).report("abcd", np.array(rows[-1]))
    directions = np.array([slow_direction(row) for row in rows])
    weights = np.arange(1.0, len(rows) + 1)
    mean = np.average(directions, axis=0, weights=weights)
    variance = np.average((directions - mean) ** 2, axis=0, weights=weights)
    np.testing.assert_allclose(report.deviations, np.sqrt(variance), atol=1e-7)
    np.testing.assert_allclose(report.shares, directions[-1], atol=1e-12)
    for found, m, v in zip(report.steadiness, mean, variance, strict=True):
        assert isnan(found) or 0 <= found <= 1
        if m * m + v > 1e-12:
            np.testing.assert_allclose(found, m * m / (m * m + v), atol=1e-6)


@given(rows=RUNS)
def test_drift_is_the_angle_since_about_half_of_the_rounds(rows) -> None:
    """Since the largest of rounds 1, 2, 4, … that is at most half of them."""
    report = followed(rows).report("abcd", np.array(rows[-1] if rows else [0.0] * 4))
    since = max((2**power for power in range(8) if 2 * 2**power <= len(rows)), default=0)
    assert report.since == since
    if not since or not any(rows[-1]) or not any(rows[since - 1]):
        assert isnan(report.angle)
        return
    cosine = slow_direction(rows[-1]) @ slow_direction(rows[since - 1])
    np.testing.assert_allclose(np.cos(np.radians(report.angle)), cosine, atol=1e-12)


def test_a_weight_that_holds_is_steady_and_one_that_turns_is_not() -> None:
    """Shares that never change have a steadiness of 1; signs that alternate, near 0; what was always 0 has none."""
    rows = [[2.0, (-1.0) ** t, 0.0, 0.0] for t in range(200)]
    report = followed(rows).report("abcd", np.array(rows[-1]))
    assert report.steadiness[0] == pytest.approx(1.0)
    assert report.steadiness[1] < 0.01
    assert isnan(report.steadiness[2])
    assert report.to_frame()["feature"].tolist()[:2] == ["a", "b"]


@given(rows=RUNS, widths=st.lists(st.integers(1, 4), min_size=20, max_size=20))
def test_a_feature_that_joins_was_0_before(rows, widths) -> None:
    """Following grows with the features, as if they had been there with weight 0."""
    widths = sorted(widths)
    padded = [[*row[:width], *[0.0] * (4 - width)] for row, width in zip(rows, widths, strict=False)]
    last = np.array(padded[-1] if padded else [0.0] * 4)
    first, second = (tracker.report("abcd", last) for tracker in (followed(rows, widths), followed(padded)))
    for name in ("deviations", "steadiness", "shares"):
        np.testing.assert_allclose(getattr(first, name), getattr(second, name), atol=1e-12)
    np.testing.assert_allclose(first.angle, second.angle)


@given(rows=RUNS, cut=st.integers(0, 20))
def test_in_two_parts_is_as_at_once(rows, cut: int) -> None:
    """Saved and loaded between rounds, the bytes at the end are the same; a copy goes its own way."""
    first = followed(rows[:cut])
    before = to_bytes(first)
    first.copy().add(np.ones(4))
    assert to_bytes(first) == before
    second = from_bytes(before)
    for row in rows[cut:]:
        second.add(np.array(row))
    assert to_bytes(second) == to_bytes(followed(rows))


def test_weights_must_fit() -> None:
    """Fewer weights than before, a matrix, and other names are rejected; nothing changes."""
    tracker = followed([[1.0, 2.0, 3.0, 4.0]])
    before = to_bytes(tracker)
    for wrong in (np.ones(3), np.ones((2, 4))):
        with pytest.raises(InvalidInput, match="weights must be"):
            tracker.add(wrong)
    with pytest.raises(InvalidInput, match="names must be 4, one a weight"):
        tracker.report("abc", np.ones(4))
    with pytest.raises(InvalidInput, match="names must be 4, one a weight"):
        tracker.report("abc", np.ones(3))
    assert to_bytes(tracker) == before
