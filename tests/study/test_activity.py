"""What each judge did."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penchant.study import Study

WORTH = {name: -number for number, name in enumerate("abcde")}


@pytest.fixture
def study(tmp_path: Path) -> Any:
    clock = [1e9]
    with Study.create(tmp_path / "s.db", list(WORTH), seed=1, repeats=0.3, clock=lambda: clock[0]) as study:
        for judge, seconds, count in (("lefty", 2.0, 24), ("expert", 8.0, 40)):
            for _ in range(count):
                question = study.ask(judge)
                clock[0] += seconds
                better = "left" if WORTH[question.left] > WORTH[question.right] else "right"
                study.tell(question, "left" if judge == "lefty" else better)
        yield study


def test_pace_sides_agreement_and_repeats(study: Any) -> None:
    """The most answers first; who always says left contradicts themselves when asked again."""
    expert, lefty = study.activity()
    assert (expert.judge, expert.answers, lefty.judge, lefty.answers) == ("expert", 40, "lefty", 24)
    assert (expert.seconds, lefty.seconds) == (8.0, 2.0)
    assert lefty.left_share == 1.0
    assert expert.agreement is not None
    assert lefty.agreement is not None
    assert expert.agreement > 0.9 > lefty.agreement
    assert expert.repeats == expert.repeats_same > 0
    assert lefty.repeats > 0 == lefty.repeats_same
    assert expert.last > lefty.last > 1e9


def test_a_judge_who_was_set_aside_is_still_listed(study: Any) -> None:
    """With the same numbers; what was taken back does not count."""
    before = study.activity()[1]
    study.set_aside("lefty")
    after = study.activity()[1]
    assert (after.aside, before.aside) == (True, False)
    assert (after.answers, after.left_share, after.repeats) == (
        before.answers,
        before.left_share,
        before.repeats,
    )
    study.undo(next(answer.id for answer in study.answers() if answer.question.judge == "expert"))
    assert study.activity()[0].answers == 39


def test_nobody_has_no_row(tmp_path: Path) -> None:
    """Before the first answer there is nothing to say."""
    with Study.create(tmp_path / "s.db", ["a", "b"]) as study:
        assert study.activity() == ()
