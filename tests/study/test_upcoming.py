"""The question that comes next, and why."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.study import Study


def answered(study: Study, count: int, judge: str = "ann") -> None:
    for _ in range(count):
        question = study.ask(judge)  # type: ignore[attr-defined]
        study.tell(question, "left" if question.left < question.right else "right")  # type: ignore[attr-defined]


def test_it_is_the_question_that_is_asked(tmp_path: Path) -> None:
    """For several numbers of answers; looking changes nothing."""
    with Study.create(tmp_path / "s.db", list("abcdef"), seed=1) as study:
        for _ in range(25):
            last = study.last_event()
            found = study.upcoming("ann")
            assert study.last_event() == last
            question = study.ask("ann")
            assert {found.left, found.right} == {question.left, question.right}
            assert sum(found.probability) == pytest.approx(1)
            study.tell(question, "left" if question.left < question.right else "right")


def test_each_reason(tmp_path: Path) -> None:
    """Few answers first, then what says most, for the goal of the study; and repeats where they are wanted."""
    with Study.create(tmp_path / "s.db", list("abcd"), seed=1) as study:
        first = study.upcoming()
        assert first.reason == "few_answers"
        assert "no answer so far; every item gets 2 first" in first.words
        answered(study, 20)
        assert study.upcoming().reason == "close"
        study.change(top=1)
        assert "first 1" in study.upcoming().words
        study.change(top=None, repeats=0.5)
        reasons = set()
        for _ in range(20):
            reasons.add(study.upcoming("ann").reason)
            answered(study, 1)
        assert reasons == {"repeat", "close"}


def test_groups_are_connected_first(tmp_path: Path) -> None:
    """Where answers leave two groups, the pair that joins them comes next."""
    with Study.create(tmp_path / "s.db", list("abcd"), seed=1) as study:
        from penchant.preferences import Preferences

        pairs = Preferences.from_answers(
            ["a", "a", "c", "c"], ["b", "b", "d", "d"], ["left"] * 4, items=list("abcd")
        )
        study.import_answers(pairs)
        found = study.upcoming()
        assert found.reason == "not_connected"
        assert len({found.left, found.right} & {"a", "b"}) == 1


def test_the_probability_is_that_of_an_outcome(tmp_path: Path) -> None:
    """From one item's side and from the other's."""
    with Study.create(tmp_path / "s.db", list("abcd"), seed=1) as study:
        answered(study, 20)
        ahead, behind, tie = study.outcome_probability("a", "d")
        assert ahead > 0.6 > behind
        assert ahead + behind + tie == pytest.approx(1)
        assert study.outcome_probability("d", "a") == pytest.approx((behind, ahead, tie))
