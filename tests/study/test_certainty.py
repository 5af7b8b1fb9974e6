"""How certainty grows with the number of answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.study import Study
from penchant.study.certainty import coarse_first, counts_of
from penchant.study.starting import ModelStart

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
    found = study.certainty(points=6)
    assert len(found.answers) == len(found.values) == len(found.errors) == 6
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


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """From how many answers beliefs were started."""
    found: list[int] = []
    start = ModelStart.__call__

    def counted(self: ModelStart, answers: Any) -> Any:
        found.append(len(answers))
        return start(self, answers)

    monkeypatch.setattr(ModelStart, "__call__", counted)
    return found


def test_points_are_computed_once(study: Any, started: list[int]) -> None:
    """Later answers, and an undo behind a point, leave it as it is; one before it does not."""
    first = study.certainty(points=8)
    once = list(started)
    assert set(first.answers) - {50} <= set(once)
    assert study.certainty(points=8) == first
    assert started == once
    question = study.ask("ann")
    study.tell(question, "tie")
    study.undo()
    study.tell(question, "left")
    more = study.certainty(points=8)
    kept = dict(zip(first.answers[:-1], first.values[:-1], strict=True))
    assert {count: dict(zip(more.answers, more.values, strict=True))[count] for count in kept} == kept
    assert not set(kept) & set(started[len(once) :])
    del started[:]
    study.undo(study.answers()[first.answers[1]].id)
    study.certainty(points=8)
    assert not {*first.answers[:2]} & set(started)
    assert {*first.answers[2:-1]} <= set(started)


def test_a_curve_that_takes_long_comes_in_parts(study: Any) -> None:
    """Each call computes at least one point; the last one has them all."""
    whole = study.certainty(points=6)
    with Study.open(study._log.path, write=False) as again:
        parts = [again.certainty(points=6, seconds=1e-9) for _ in range(len(whole.answers))]
    assert [part.pending for part in parts] == list(range(len(whole.answers) - 1, -1, -1))
    assert parts[0].answers == (50,)
    assert parts[-1].answers == whole.answers
    assert parts[-1].values[:-1] == pytest.approx(whole.values[:-1])


@pytest.mark.parametrize("points", [1, 2, 3, 7, 12, 50])
def test_numbers_of_answers_stay_as_answers_come(points: int) -> None:
    """At most so many, the last one all of them; those of a longer study are among those of a shorter one."""
    before: list[int] = []
    for total in (1, 5, 6, 40, 41, 97, 1000, 17_000, 50_000):
        found = counts_of(total, 6, points)
        assert len(found) <= points
        assert found == sorted(set(found))
        assert found[-1] == total
        assert {count for count in found[:-1] if before and count < before[-1]} <= set(before)
        assert sorted(coarse_first(found)) == found
        before = found
