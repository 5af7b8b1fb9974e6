"""The bodies of reports."""

from __future__ import annotations

import dataclasses

import pytest
from pydantic import BaseModel, ValidationError

from penchant.serve import report_messages as messages
from penchant.study_reports import Activity, Certainty, Check, Entry, Opponent, Upcoming


@pytest.mark.parametrize(
    ("body", "of_study"),
    [
        (messages.ActivityOut, Activity),
        (messages.CertaintyOut, Certainty),
        (messages.CheckOut, Check),
        (messages.EntryOut, Entry),
        (messages.OpponentOut, Opponent),
        (messages.UpcomingOut, Upcoming),
    ],
)
def test_fields_are_those_of_a_study(body: type[BaseModel], of_study: type) -> None:
    """Nothing is lost on the way."""
    assert set(body.model_fields) == {part.name for part in dataclasses.fields(of_study)}


def test_a_file_has_a_name_and_a_text() -> None:
    """And nothing else."""
    with pytest.raises(ValidationError):
        messages.FileIn.model_validate({"id": "a", "name": "x.csv", "text": "", "path": "/etc"})
