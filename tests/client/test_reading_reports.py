"""Reports as a client makes them of replies; compared with those of a study in `test_routes`."""

from __future__ import annotations

import math

import pytest

from penchant.client import reading_reports as reading
from penchant.client.reports import Entry


def test_figures_that_do_not_exist_are_nan() -> None:
    """Null in JSON."""
    row = {"model": "a", "log_loss": 0.5, "difference": 0.0, "lower": None, "upper": None, "behind": False}
    race = reading.race_of({"models": [row], "answers": 3, "left_out": 0, "level": 0.95, "verdict": ""})
    assert race.models == ("a",)
    assert all(map(math.isnan, race.intervals[0]))
    curve = reading.curve_of({"rounds": 0, "first": None, "ndcg": None, "regret": None, "blocks": []})
    assert math.isnan(curve.first)
    assert curve.rounds == 0


def test_an_event_in_words() -> None:
    """Whether it stands may be unknown."""
    row = {"number": 1, "id": "c", "kind": "created", "time": 0.5, "who": "", "words": "x", "stands": None}
    assert reading.history_of({"entries": [row], "last": 1}) == [Entry(1, "c", "created", 0.5, "", "x")]


@pytest.mark.parametrize(
    "read",
    [
        reading.checks_of,
        reading.predictions_of,
        reading.race_of,
        reading.certainty_of,
        reading.upcoming_of,
        reading.outcome_of,
        reading.history_of,
        reading.activity_of,
        reading.item_report_of,
        reading.weight_report_of,
        reading.curve_of,
    ],
)
@pytest.mark.parametrize("body", [None, [], "text", 7, {"items": 3}])
def test_another_form_is_an_error_that_the_caller_knows(read: object, body: object) -> None:
    """Never a result that is half there."""
    with pytest.raises((KeyError, TypeError, ValueError, AttributeError)):
        read(body)  # type: ignore[operator]
