"""Reports of a client have the attribute names of a study's."""

from __future__ import annotations

import dataclasses

import pytest

from penchant.client import reports
from penchant.study import activity, certainty, history, item_report, quality, race, upcoming


@pytest.mark.parametrize(
    ("ours", "of_study"),
    [
        (reports.Activity, activity.Activity),
        (reports.Certainty, certainty.Certainty),
        (reports.Check, quality.Check),
        (reports.Entry, history.Entry),
        (reports.ItemReport, item_report.ItemReport),
        (reports.Opponent, item_report.Opponent),
        (reports.Upcoming, upcoming.Upcoming),
    ],
)
def test_attributes_are_those_of_a_study(ours: type, of_study: type) -> None:
    """All of them, and no others."""
    names = [{part.name for part in dataclasses.fields(kind)} for kind in (ours, of_study)]
    assert names[0] == names[1]


def test_what_a_race_says_is_there() -> None:
    """Under the names of the study's properties."""
    for part in dataclasses.fields(reports.Race):
        assert hasattr(race.Race, part.name) or part.name in {"models", "left_out", "level"}


def test_checks_are_found_by_name() -> None:
    """And say whether none failed."""
    good, unknown = reports.Check("a", True, 1.0, 2.0, ""), reports.Check("b", None, None, None, "")
    checks = reports.Checks((good, unknown))
    assert (checks.ok, len(checks), list(checks), checks["b"]) == (True, 2, [good, unknown], unknown)
    assert not reports.Checks((reports.Check("c", False, None, None, ""),)).ok
