"""Losses and calibration of stated probabilities against their definitions and scikit-learn."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.metrics import brier_score, calibration_table, log_loss

STATED = st.lists(
    st.tuples(
        st.integers(0, 1), st.sampled_from([0.0, 0.1, 0.25, 0.3, 0.5, 0.7, 0.95, 1.0]) | st.floats(0, 1)
    ),
    min_size=1,
    max_size=40,
)


@given(STATED)
def test_brier_score_is_the_mean_squared_error(stated: list[tuple[int, float]]) -> None:
    """The Brier score is the mean of (probability − outcome)²."""
    outcomes, probabilities = zip(*stated, strict=True)
    expected = sum((p - happened) ** 2 for happened, p in stated) / len(stated)
    assert brier_score(outcomes, probabilities) == pytest.approx(expected, abs=1e-15)


@given(st.lists(st.tuples(st.integers(0, 1), st.floats(0.001, 0.999)), min_size=1, max_size=40))
def test_log_loss_is_scikit_learns(stated: list[tuple[int, float]]) -> None:
    """Away from 0 and 1 the log loss equals scikit-learn's."""
    from sklearn.metrics import log_loss as peer

    outcomes, probabilities = zip(*stated, strict=True)
    assert log_loss(outcomes, probabilities) == pytest.approx(peer(outcomes, probabilities, labels=[0, 1]))


def test_what_was_called_impossible_costs_infinity() -> None:
    """Probabilities of 0 and 1 are free when right and infinitely dear when wrong."""
    assert log_loss([1, 0], [1.0, 0.0]) == 0.0
    assert log_loss([1, 0], [0.0, 0.0]) == math.inf
    assert log_loss([True, False], [0.5, 0.5]) == pytest.approx(math.log(2))


@given(STATED, st.integers(1, 12))
def test_table_is_its_definition(stated: list[tuple[int, float]], n_bins: int) -> None:
    """Each filled bin holds the mean probability, the share and the count of what fell between its edges."""
    outcomes, probabilities = zip(*stated, strict=True)
    table = calibration_table(outcomes, probabilities, n_bins=n_bins)
    assert table.count.sum() == len(stated)
    error = 0.0
    for low, high, probability, share, count in zip(
        table.low, table.high, table.probability, table.share, table.count, strict=True
    ):
        inside = [(y, p) for y, p in stated if low <= p < high or p == high == 1.0]
        assert count == len(inside) > 0
        assert probability == pytest.approx(np.mean([p for _, p in inside]), abs=1e-12)
        assert share == pytest.approx(np.mean([y for y, _ in inside]), abs=1e-12)
        error += count / len(stated) * abs(probability - share)
    assert table.expected_calibration_error == pytest.approx(error, abs=1e-12)


@given(st.integers(1, 200), st.data())
def test_interval_is_wilsons(count: int, data: st.DataObject) -> None:
    """The interval's ends are the shares at which a score test just accepts what happened."""
    wins = data.draw(st.integers(0, count))
    table = calibration_table([1] * wins + [0] * (count - wins), [0.5] * count, n_bins=1, level=0.9)
    share, z = wins / count, 1.6448536269514722
    for end in (table.share_low[0], table.share_high[0]):
        assert abs(share - end) == pytest.approx(z * math.sqrt(max(end * (1 - end), 0) / count), abs=1e-7)
    assert 0 <= table.share_low[0] <= share <= table.share_high[0] <= 1


def test_true_probabilities_are_calibrated() -> None:
    """Outcomes thrown with the stated probabilities have a small error and fall into most intervals."""
    rng = np.random.default_rng(5)
    probabilities = rng.random(20_000)
    table = calibration_table(rng.random(20_000) < probabilities, probabilities)
    assert table.expected_calibration_error < 0.02
    inside = (table.share_low <= table.probability) & (table.probability <= table.share_high)
    assert inside.sum() >= 8
    boasting = calibration_table(rng.random(20_000) < 0.5, probabilities)
    assert boasting.expected_calibration_error > 0.2


def test_table_reads_well() -> None:
    """The table tells its story in one line and as a frame, one row a filled bin."""
    table = calibration_table([0, 1, 1, 1], [0.2, 0.2, 0.9, 1.0])
    assert repr(table) == "CalibrationTable(4 probabilities in 2 bins, expected calibration error 0.1750)"
    frame = table.to_frame()
    assert list(frame.columns) == ["low", "high", "probability", "share", "share_low", "share_high", "count"]
    assert frame["count"].tolist() == [2, 2]
    assert frame["low"].tolist() == [0.2, 0.9]


@pytest.mark.parametrize("metric", [brier_score, log_loss, calibration_table])
@pytest.mark.parametrize(
    ("outcomes", "probabilities", "words"),
    [
        ([], [], "outcomes must have at least one row"),
        ([1, 0], [0.5], "probability must have 2 entries"),
        ([1, 0.5], [0.5, 0.5], "outcome of row 1 must be 0 or 1, got 0.5: leave ties and skips out"),
        ([1, 0], [0.5, 70], "probability of row 1 must lie from 0 to 1, got 70: give a share"),
        ([1, 0], [-0.1, 0.5], "probability of row 0 must lie from 0 to 1, got -0.1"),
        ([1, 0], [float("nan"), 0.5], "probability of row 0 must be a finite number"),
        ([1, float("nan")], [0.5, 0.5], "outcome of row 1 must be a finite number"),
    ],
)
def test_bad_statements_are_refused(metric, outcomes: list, probabilities: list, words: str) -> None:
    """Outcomes are 0 or 1 and probabilities shares, one each a row, or they are rejected with a message."""
    with pytest.raises(InvalidInput, match=words):
        metric(outcomes, probabilities)


@pytest.mark.parametrize("n_bins", [0, -2, 2.5, True])
def test_bad_bins_are_refused(n_bins: object) -> None:
    """The number of bins is a whole number of at least 1."""
    with pytest.raises(InvalidInput, match="n_bins must be a whole number of at least 1"):
        calibration_table([1], [0.5], n_bins=n_bins)


@pytest.mark.parametrize("level", [0, 1, 95, float("nan")])
def test_bad_levels_are_refused(level: float) -> None:
    """The level of the interval lies between 0 and 1."""
    with pytest.raises(InvalidInput, match="level must be a number between 0 and 1"):
        calibration_table([1], [0.5], level=level)
