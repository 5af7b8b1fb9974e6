"""Reports that a client has of its own have the attribute names of a study's."""

from __future__ import annotations

import dataclasses

from penchant.client import reports
from penchant.study import item_report, predictions, race


def test_attributes_are_those_of_a_study() -> None:
    """All of them, and no others."""
    names = [
        {part.name for part in dataclasses.fields(kind)}
        for kind in (reports.ItemReport, item_report.ItemReport)
    ]
    assert names[0] == names[1]


def test_what_predictions_and_a_race_hold_is_there() -> None:
    """Under the names of the study's properties."""
    others = {"models", "left_out", "level", "answers", "skips", "both_bad", "verdict"}
    for ours, of_study in ((reports.Race, race.Race), (reports.Predictions, predictions.Predictions)):
        for part in dataclasses.fields(ours):
            assert hasattr(of_study, part.name) or part.name in others, part.name
