"""The log of a study in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.preferences import Preferences
from penchant.study import Study
from penchant.study.history import title_of
from penchant.study.items import Item
from penchant.study_reports import Entry


def words(entries: list[Entry]) -> list[str]:
    return [entry.words for entry in entries]


@pytest.fixture
def study(tmp_path: Path) -> Any:
    with Study.create(tmp_path / "s.db", [{"id": "t", "title": "Tea"}, "Milk", "Water"], seed=1) as study:
        yield study


def test_every_kind_of_event_has_words(study: Any) -> None:
    """Titles instead of ids, the judge, and whether what can be taken back counts."""
    question = study.ask("ann")
    answer = study.tell(
        question, "left" if question.left == "t" else "right" if question.right == "t" else "tie"
    )
    undo = study.undo()
    study.undo(undo)
    study.add_items(["Juice"])
    study.edit_item("t", title="Green tea")
    study.retire("Water")
    study.bring_back("Water")
    study.set_aside("ann")
    study.take_back("ann")
    study.change(title="Drinks")
    study.import_answers(Preferences.from_answers(["t"], ["Milk"], ["left"], items=list(study.items)))
    found = study.history(limit=100)
    assert [entry.number for entry in found] == list(range(found[0].number, 0, -1))
    assert {entry.kind for entry in found} == {
        "created", "items", "asked", "answered", "undone", "edited", "retired", "returned", "set_aside",
        "taken_back", "changed", "imported",
    }  # fmt: skip
    by_kind = {entry.kind: entry for entry in found}
    assert by_kind["changed"].words == "settings changed: title"
    assert by_kind["edited"].words == "item edited: Green tea"
    assert by_kind["retired"].words == "1 item retired: Water"
    assert by_kind["answered"].who == by_kind["set_aside"].who == "ann"
    assert by_kind["answered"].stands is True
    restored, taken_back = (entry for entry in found if entry.kind == "undone")
    assert restored.words.startswith("restored: ")
    assert taken_back.words.startswith("taken back: ")
    assert (restored.stands, taken_back.stands) == (True, False)
    assert answer.id == by_kind["answered"].id
    assert by_kind["created"].stands is None


def test_pages_follow_one_another(study: Any) -> None:
    """The oldest of a page is where the next one goes on; together they are the whole log."""
    for _ in range(5):
        study.tell(study.ask("ann"), "skip")
    pages, before = [], None
    while page := study.history(before=before, limit=3):
        pages += page
        before = page[-1].number
    assert [entry.number for entry in pages] == list(range(study.last_event(), 0, -1))
    assert study.history(before=1) == []


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": 1001}, {"before": 0}, {"before": "x"}])
def test_a_page_has_limits(study: Any, wrong: dict[str, Any]) -> None:
    """Anything else is named."""
    with pytest.raises(InvalidInput, match=next(iter(wrong))):
        study.history(**wrong)


def test_many_items_are_counted(tmp_path: Path) -> None:
    """Three are named."""
    with Study.create(tmp_path / "many.db", [f"item {n}" for n in range(9)]) as study:
        assert words(study.history())[0] == "9 items added: item 0, item 1, item 2 and 6 more"


def test_an_item_without_a_title_is_named_by_its_id() -> None:
    """Also one that the study does not have, with escapes for what would be hidden."""
    assert title_of({"a": Item("a", "")}, "a") == "a"
    assert title_of({}, "gone\x07") == r"gone\x07"
