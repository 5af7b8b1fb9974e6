"""What a study reports, here and over HTTP."""

from __future__ import annotations

import json

import pytest

from penchant import client, study, study_reports
from penchant.study_reports import Certainty, Check, Checks


@pytest.mark.parametrize(
    "name", ["Activity", "Certainty", "Check", "Checks", "Entry", "Opponent", "Upcoming"]
)
def test_a_client_returns_what_a_study_returns(name: str) -> None:
    """The class is the same, under the name by which a client has it."""
    assert getattr(client, name) is getattr(study_reports, name)
    if name in study.__all__:
        assert getattr(study, name) is getattr(study_reports, name)


def test_checks_are_found_by_name() -> None:
    """And say whether none failed."""
    good, unknown = Check("a", True, 1.0, 2.0, ""), Check("b", None, None, None, "")
    checks = Checks((good, unknown))
    assert (checks.ok, len(checks), list(checks), checks["b"]) == (True, 2, [good, unknown], unknown)
    assert [check.result for check in checks] == ["pass", "–"]
    assert not Checks((Check("c", False, None, None, ""),)).ok


def test_a_curve_is_a_table_and_json() -> None:
    """One row a number of answers."""
    curve = Certainty("order", 0.9, (10, 20), (0.6, 0.8), (0.02, 0.01))
    assert curve.to_frame()["answers"].tolist() == [10, 20]
    assert json.loads(curve.to_json())["values"] == [0.6, 0.8]
