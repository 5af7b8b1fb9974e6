"""One item of a study: whom it met, its answers and its history."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import UnknownItem
from penchant.study import Study


def test_a_report_counts_what_the_answers_say(tmp_path: Path) -> None:
    """Whichever side the item was on; what was taken back counts nothing."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        wins = 0
        for choice in ("left", "right", "tie", "both_bad", "skip", "left", "right", "left"):
            question = study.ask("ann")
            study.tell(question, choice)
            wins += (choice == "left" and question.left == "a") or (
                choice == "right" and question.right == "a"
            )
        report = study.item_report("a")
        assert sum(opponent.won for opponent in report.opponents) == wins
        others = {opponent.item: opponent for opponent in report.opponents}
        mirrored = {opponent.item: opponent for opponent in study.item_report("b").opponents}
        assert (others["b"].won, others["b"].lost) == (mirrored["a"].lost, mirrored["a"].won)
        assert report.answers == sum(o.won + o.lost + o.tied + o.both_bad for o in report.opponents)
        numbers = {entry.id: entry.number for entry in study.history()}
        assert [entry.number for entry in report.last] == [numbers[entry.id] for entry in report.last]
        study.undo(report.last[0].id)
        assert len(study.item_report("a").last) == len(report.last) - 1
        with pytest.raises(UnknownItem):
            study.item_report("x")


def test_a_report_has_the_history_of_its_item(tmp_path: Path) -> None:
    """The newest first, and nothing of other items."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        study.edit_item("a", title="A")
        study.edit_item("b", title="B")
        study.retire("a")
        report = study.item_report("a")
        assert [entry.kind for entry in report.changes] == ["retired", "edited", "items"]
        assert [entry.words for entry in report.changes] == ["retired", "edited", "added"]
        assert report.retired
        assert report.item.title == "A"


def test_a_report_does_not_read_the_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Which events changed an item is in the state: a long log does not make it slow."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        study.retire("a")
        study.bring_back("a")
        expected = [
            (event.number, event.id, event.kind, event.time)
            for event in study.events()
            if event.kind in ("items", "retired", "returned")
        ]
        monkeypatch.setattr(study._log, "events", None)
        found = study.item_report("a").changes
        assert [(entry.number, entry.id, entry.kind, entry.time) for entry in found] == expected[::-1]
