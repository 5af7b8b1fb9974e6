"""Results of a client have the attribute names of a study's."""

from __future__ import annotations

import dataclasses

import pytest

from penchant.client import results
from penchant.store import Event
from penchant.study import answers, items, why
from penchant.study.coactive import presentations


@pytest.mark.parametrize(
    ("ours", "of_study", "left_out"),
    [
        (results.Question, answers.Question, {"time", "repeats"}),
        (results.Answer, answers.Answer, {"weight", "time", "place", "imported", "sides"}),
        (results.Turn, answers.Turn, {"ahead"}),
        (results.Presentation, presentations.Presentation, set()),
        (results.Feedback, presentations.Feedback, set()),
        (results.Item, items.Item, set()),
        (results.Why, why.Why, set()),
        (results.Event, Event, set()),
    ],
)
def test_attributes_are_those_of_a_study(ours: type, of_study: type, left_out: set[str]) -> None:
    """What a server sends has the name that it has in a study; times and places stay there."""

    def names(kind: type) -> set[str]:
        if dataclasses.is_dataclass(kind):
            return {part.name for part in dataclasses.fields(kind)}
        return set(kind._fields)

    assert names(of_study) - names(ours) == left_out


def test_results_do_not_change() -> None:
    """They can be shared among threads."""
    about = results.About("t", "compare", "", "", "", 1, "judge", "ann")
    with pytest.raises(dataclasses.FrozenInstanceError):
        about.title = "other"
