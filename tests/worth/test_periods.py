"""Times divided into periods."""

from __future__ import annotations

from collections import Counter
from datetime import date, datetime, timedelta

import pytest

from penchant.errors import InvalidInput
from penchant.worth.periods import periods_of


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (3, ["2024-01-01", "2024-01-02", "2024-01-03"]),
        (70, ["2024-01", "2024-02", "2024-03"]),
        (600, ["2024 Q1", "2024 Q2", "2024 Q3", "2024 Q4", "2025 Q1", "2025 Q2", "2025 Q3"]),
        (365 * 9, [str(year) for year in range(2024, 2033)]),
        (365 * 40, ["2020s", "2030s", "2040s", "2050s", "2060s"]),
    ],
)
def test_dates_are_divided_by_the_calendar(days: int, expected: list[str]) -> None:
    """By the smallest unit that gives at most twelve periods."""
    dates = [date(2024, 1, 1) + timedelta(days=day) for day in range(days)]
    labels, names = periods_of(dates)
    assert names == expected
    assert labels[0] == expected[0]
    assert periods_of([day.isoformat() for day in dates]) == (labels, names)
    assert (
        periods_of([datetime(day.year, day.month, day.day, 12) for day in dates[:3]])[0]
        == periods_of(dates[:3])[0]
    )


def test_numbers_are_periods_or_are_divided_into_parts_of_one_size() -> None:
    """Few values are a period each; many are divided so that each has about as many rows."""
    assert periods_of([3, 1, 2, 1])[1] == ["1", "2", "3"]
    labels, names = periods_of(range(1000), 4)
    assert names == ["0 to 249", "250 to 499", "500 to 749", "750 to 999"]
    assert set(Counter(labels).values()) == {250}
    assert len(periods_of(range(1000))[1]) == 12
    assert periods_of([1] * 90 + [2, 3, 4], 4)[1] == ["1", "2 to 4"]
    assert len(periods_of(["2024-01-01", "2024-01-02", "2024-01-03"], 2)[1]) == 2


def test_days_may_be_written_without_hyphens() -> None:
    """If all of them are; other numbers of eight digits are numbers."""
    assert periods_of([20231231, "20240101"])[1] == ["2023-12-31", "2024-01-01"]
    assert periods_of([20231231, 20231331])[1] == ["20231231", "20231331"]


def test_rows_without_a_time_are_in_no_period() -> None:
    """None, NaN and empty texts."""
    assert periods_of([2, None, 1]) == (["2", "", "1"], ["1", "2"])
    assert periods_of(["2024-01-01", " ", float("nan")]) == (["2024-01-01", "", ""], ["2024-01-01"])


def test_other_texts_are_rejected() -> None:
    """The row is named."""
    with pytest.raises(
        InvalidInput, match="time of row 1 must be a number or a date like 2024-12-31, got 'soon'"
    ):
        periods_of(["2024-01-01", "soon"])
    with pytest.raises(InvalidInput, match="times must be at least one"):
        periods_of([])
    with pytest.raises(InvalidInput, match="periods must be a whole number of at least 2"):
        periods_of([1, 2], 1)
