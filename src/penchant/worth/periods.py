"""Divide times into periods: by the calendar, by value, or into parts with about as many rows each."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from itertools import pairwise
from typing import Any

import numpy as np

from penchant.checks import shown, whole
from penchant.errors import InvalidInput

MOST_PERIODS = 12
"""How many periods there are at most unless their number is given."""

_COMPACT = re.compile(r"(?:1[89]|2[01])\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
"""Days written as 20241231."""
_MISSING = {"", "nan", "nat", "<na>"}
_CALENDAR: tuple[Callable[[date], str], ...] = (
    date.isoformat,
    lambda day: f"{day.year:04d}-{day.month:02d}",
    lambda day: f"{day.year:04d} Q{(day.month + 2) // 3}",
    lambda day: f"{day.year:04d}",
    lambda day: f"{day.year // 10 * 10:04d}s",
)


def periods_of(when: Iterable[Any], n_periods: int | None = None) -> tuple[list[str], list[str]]:
    """Return the period of each time, and all periods in their order.

    Parameters
    ----------
    when : iterable of dates, of texts that begin with one (2024-12-31 or 20241231), or of numbers
        Rows that are unlabelled (`is_unlabelled`) are in no period, which is "".
    n_periods : int, optional
        Into how many parts with about as many rows each to divide. Without it, dates are divided by day, month,
        quarter, year or decade, whichever is the first to give at most 12 periods, and numbers by value or into 12
        parts.

    Examples
    --------
    >>> periods_of(["2023-11-02", "2024-01-15", "2024-01-16"])
    (['2023-11-02', '2024-01-15', '2024-01-16'], ['2023-11-02', '2024-01-15', '2024-01-16'])
    >>> periods_of([1, 2, 3, 4], n_periods=2)
    (['1 to 2', '1 to 2', '3 to 4', '3 to 4'], ['1 to 2', '3 to 4'])
    """
    if n_periods is not None:
        whole("periods", n_periods, 2, remedy="give how many periods to compare")
    every = list(when)
    rows = [row for row, time in enumerate(every) if not is_unlabelled(time)]
    if not rows:
        raise InvalidInput.of("times", "be at least one", "none", "give one for each row")
    labels, names = _periods([every[row] for row in rows], rows, n_periods)
    found = dict(zip(rows, labels, strict=True))
    return [found.get(row, "") for row in range(len(every))], names


def is_unlabelled(label: Any) -> bool:
    """Return whether a category or a time is None, empty, or what tables write for a value that is missing.

    Examples
    --------
    >>> [is_unlabelled(label) for label in (None, float("nan"), " ", "NaN", "none", 0)]
    [True, True, True, True, False, False]
    """
    return label is None or str(label).strip().lower() in _MISSING


def _periods(times: list[Any], rows: list[int], n_periods: int | None) -> tuple[list[str], list[str]]:
    numbers = _numbers(times)
    keys: list[Any] = list(map(_day, times, rows)) if numbers is None else numbers
    if n_periods is None and numbers is None:
        for named in _CALENDAR:
            labels = list(map(named, keys))
            if len(set(labels)) <= MOST_PERIODS:
                return labels, sorted(set(labels))
        n_periods = MOST_PERIODS
    different = sorted(set(keys))
    if n_periods is None and len(different) <= MOST_PERIODS:
        return list(map(_name, keys)), list(map(_name, different))
    return _parts(keys, different, n_periods or MOST_PERIODS)


def _parts(keys: list[Any], different: list[Any], n_periods: int) -> tuple[list[str], list[str]]:
    """Divide between different values so that each part has about as many rows."""
    place = {key: number for number, key in enumerate(different)}
    rows = np.bincount([place[key] for key in keys], minlength=len(different)).cumsum()
    ends = np.searchsorted(rows, len(keys) * np.arange(1, n_periods) / n_periods - 0.5) + 1
    bounds = sorted({0, *(int(end) for end in ends if end < len(different)), len(different)})
    spans = list(pairwise(bounds))
    names = [_span(different[start], different[stop - 1]) for start, stop in spans]
    part = np.repeat(np.arange(len(spans)), [stop - start for start, stop in spans])
    return [names[part[place[key]]] for key in keys], names


def _numbers(times: list[Any]) -> list[float] | None:
    if all(_COMPACT.fullmatch(str(time).strip()) for time in times):
        return None  # days, if the calendar has them
    try:
        values = [float(time) for time in times if not isinstance(time, bool)]
    except (TypeError, ValueError):
        return None
    return values if len(values) == len(times) and all(map(np.isfinite, values)) else None


def _day(time: Any, row: int) -> date:
    if isinstance(time, datetime):
        return time.date()
    if isinstance(time, date):
        return time
    try:
        text = str(time).strip()[:10]
        return (
            date(int(text[:4]), int(text[4:6]), int(text[6:])) if text.isdigit() else date.fromisoformat(text)
        )
    except ValueError:
        raise InvalidInput.of(
            f"time of row {row}",
            "be a number or a date like 2024-12-31",
            shown(time),
            "correct or remove the row",
        ) from None


def _name(key: Any) -> str:
    return key.isoformat() if isinstance(key, date) else f"{key:.15g}"


def _span(first: Any, last: Any) -> str:
    return _name(first) if first == last else f"{_name(first)} to {_name(last)}"
