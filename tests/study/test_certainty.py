"""How certainty grows with the number of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.study import Study

WORTH = {name: -number for number, name in enumerate("abcdef")}


@pytest.fixture
def study(tmp_path: Path) -> Any:
    with Study.create(tmp_path / "s.db", list(WORTH), seed=1) as study:
        for _ in range(50):
            question = study.ask("ann")
            study.tell(question, "left" if WORTH[question.left] > WORTH[question.right] else "right")
        yield study


def test_certainty_grows_with_answers_that_agree(study: Any) -> None:
    """Up to all answers, where it is what settled says."""
    found = study.certainty(points=5)
    assert len(found.answers) == len(found.values) == len(found.errors) == 5
    assert found.answers[-1] == 50
    assert (found.goal, found.level) == ("order", 0.9)
    assert found.values[-1] > found.values[0] + 0.1
    assert found.values[-1] == pytest.approx(study.settled().value, abs=0.1)
    assert list(found.to_frame().columns) == ["answers", "value", "error"]
    assert json.loads(found.to_json())["answers"] == list(found.answers)


def test_without_answers_there_is_no_curve(tmp_path: Path, study: Any) -> None:
    """And the number of points has limits."""
    with Study.create(tmp_path / "empty.db", ["a", "b"]) as empty:
        assert empty.certainty().answers == ()
    with pytest.raises(InvalidInput, match="points"):
        study.certainty(points=0)


def test_retired_items_do_not_count(study: Any) -> None:
    """The order of the others is what is to be found."""
    whole = study.certainty(points=1).values
    study.retire("c", "d")
    assert study.certainty(points=1).values != whole
