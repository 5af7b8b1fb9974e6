"""Items, judges and settings of a study change while it runs; each change is an event."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from penchant.errors import Conflict, InvalidInput, UnknownItem
from penchant.gp import MonotoneGP
from penchant.preferences import Preferences
from penchant.study import Study

DRINKS = ("tea", "coffee", "water", "milk", "juice")


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    with Study.create(tmp_path / "drinks.db", DRINKS, seed=3) as made:
        yield made


def answer(study: Study, count: int, judge: str = "ann") -> None:
    """Answer in alphabetical order."""
    for _ in range(count):
        question = study.ask(judge)
        study.tell(question, "left" if question.left < question.right else "right")


def reopened(study: Study) -> dict[str, Any]:
    """Return what a second reader of the file finds."""
    with Study.open(study._log.path, write=False) as other:
        return {
            "items": other.items,
            "retired": other.retired,
            "aside": other.aside,
            "settings": other.settings,
            "ranking": other.rank().to_json(),
        }


def current(study: Study) -> dict[str, Any]:
    return {
        "items": study.items,
        "retired": study.retired,
        "aside": study.aside,
        "settings": study.settings,
        "ranking": study.rank().to_json(),
    }


def test_a_new_item_is_asked_about_soon(study: Study) -> None:
    """An item that is added has the fewest answers, and so comes next; the ranking has it."""
    answer(study, 20)
    study.add_items([{"id": "wine", "title": "Wine", "grapes": "red"}, "beer"])
    question = study.ask("ann")
    assert {question.left, question.right} == {"wine", "beer"}
    study.tell(question, "left")
    assert set(study.rank().items) == {*DRINKS, "wine", "beer"}
    assert study.items["wine"].fields == {"grapes": "red"}
    assert reopened(study) == current(study)


def test_an_item_is_edited(study: Study) -> None:
    """Title, text and fields change; the id and the answers stay."""
    answer(study, 6)
    before = study.rank().to_json()
    study.edit_item("tea", title="Green tea", origin="hill")
    assert study.items["tea"].title == "Green tea"
    assert study.rank().to_json() == before
    assert reopened(study) == current(study)


def test_a_field_is_edited_under_any_name(study: Study) -> None:
    """In a mapping a field may be called as a parameter is; a name that is no text becomes one."""
    study.edit_item("tea", {"event_id": "e9", "changes": 1, "self": 2, 3: "three"})
    assert study.items["tea"].fields == {"event_id": "e9", "changes": 1, "self": 2, "3": "three"}
    assert study._state.has_event("e9") is False
    assert reopened(study) == current(study)


def test_a_retired_item_is_neither_asked_about_nor_ranked(study: Study) -> None:
    """Its open question is not asked either; brought back, it is as if nothing had happened."""
    answer(study, 12)
    before = study.rank().to_json()
    question = study.ask("ann")
    study.retire(question.left, question.left)
    assert study.retired == (question.left,)
    assert question.left not in study.rank().items
    for _ in range(12):
        other = study.ask("ann")
        assert question.left not in (other.left, other.right)
        study.tell(other, "skip")
    assert reopened(study) == current(study)
    study.bring_back(question.left)
    assert study.rank().to_json() == before


def test_a_judge_is_set_aside_and_taken_back_exactly(study: Study) -> None:
    """Without a judge the ranking is that of the other judges alone; taken back, it is the first one to the bit."""
    answer(study, 10)
    with Study.create(study._log.path.with_name("other.db"), DRINKS, seed=3) as alone:
        answer(alone, 10)
        expected = alone.rank().to_json()
    for _ in range(8):
        question = study.ask("bob")
        study.tell(question, "right" if question.left < question.right else "left")
    both = study.rank().to_json()
    study.set_aside("bob")
    assert study.rank().to_json() == expected
    assert study.aside == ("bob",)
    assert reopened(study) == current(study)
    study.take_back("bob")
    assert study.rank().to_json() == both


def test_settings_change(study: Study) -> None:
    """Wording, goal and model are settings; each change is kept, and no change is no event."""
    answer(study, 8)
    study.change(title="Drinks", question="Which tastes better?", instructions="Take\nyour time.", top=2)
    assert (study.title, study.top, study.settings["goal"]) == ("Drinks", 2, "top")
    study.change(top=None)
    assert study.settings["goal"] == "order"
    study.change(top=2)
    study.change(goal="order")
    assert study.top is None
    study.change(model="thurstone", least=3)
    assert "Thurstone" in repr(study.model())
    number = study.revision()
    study.change(title="Drinks")
    assert study.revision() == number
    assert reopened(study) == current(study)


def test_imported_answers_count_and_can_be_taken_back(study: Study) -> None:
    """Answers of a file count like others, and one undo takes the file back."""
    before = study.rank().to_json()
    event = study.import_answers(
        Preferences.from_pairs([("milk", "tea"), ("tea", "water")] * 3), source="old.csv"
    )
    assert study.rank().items[0] == "milk"
    assert study.progress().startswith("6 answers")
    assert reopened(study) == current(study)
    study.undo(event)
    assert study.rank().to_json() == before


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda study: study.add_items(["tea"]), "items must be new, got 'tea'"),
        (lambda study: study.add_items([]), "at least 1 new item"),
        (
            lambda study: study.add_items([{"id": "x", "title": "X", "links": "nothing"}]),
            "must lead to items",
        ),
        (lambda study: study.edit_item("wine", title="x"), "item 'wine' must be of this study"),
        (lambda study: study.edit_item("tea", id="x"), "id must stay as it is"),
        (lambda study: study.retire("wine"), "item 'wine' must be of this study"),
        (lambda study: study.retire(*DRINKS[:4]), "at least 2 items must stay in a study, got 1"),
        (lambda study: study.set_aside("zoe"), "judge must be one who was asked or has answered, got 'zoe'"),
        (lambda study: study.change(top=5), "top must be a whole number from 1 to 4"),
        (lambda study: study.change(goal="top"), "top must be a number with the goal 'top', got none"),
        (lambda study: study.change(goal="exact", top=2), "goal must be 'top' with top 2, got 'exact'"),
        (lambda study: study.change(colour="red"), "setting must be one of title, question"),
        (lambda study: study.change(features=["price"]), "price"),
        (lambda study: study.change(model="preference-gp"), "features must name the features"),
    ],
)
def test_changes_that_cannot_be_are_rejected(study: Study, change: Any, words: str) -> None:
    """The message names what is wrong, and nothing is written."""
    number = study.revision()
    with pytest.raises((InvalidInput, UnknownItem), match=words):
        change(study)
    assert study.revision() == number


def test_forbidden_pairs_may_be_of_retired_items(tmp_path: Path) -> None:
    """They are kept, changed and asked for again; a pair to ask about stays, and the log folds to the same."""
    with Study.create(tmp_path / "s.db", list("abcd"), forbidden=[("a", "b")], seed=1) as study:
        study.retire("a")
        settings = study.change(forbidden=[("a", "b"), ("c", "d")], event_id="more")
        assert settings["forbidden"] == [["a", "b"], ["c", "d"]]
        study.change(forbidden=[("d", "c"), ("b", "a")], event_id="more")
        pairs = [("b", "c"), ("c", "d"), ("b", "d")]
        with pytest.raises(
            InvalidInput, match="must leave a pair of items that are not retired to ask about"
        ):
            study.change(forbidden=pairs)
        with pytest.raises(InvalidInput, match="must hold pairs of two different items"):
            study.change(forbidden=[("a", "z")])
        with pytest.raises(InvalidInput, match="top must be a whole number from 1 to 2"):
            study.change(top=3)
        assert reopened(study) == current(study)
        study.bring_back("a")
        study.change(forbidden=pairs)
        assert reopened(study) == current(study)


def test_features_are_checked_with_those_of_all_items(tmp_path: Path) -> None:
    """One new item is enough; a word where others have numbers, and an empty cell, are rejected."""
    cars = [{"title": title, "price": price} for title, price in (("a", "20"), ("b", "30"), ("c", "25"))]
    with Study.create(tmp_path / "s.db", cars, features=["price"]) as study:
        study.add_items([{"title": "d", "price": "20"}])
        study.edit_item("a", price="31")
        with pytest.raises(InvalidInput, match="feature 'price' of item 'e' must be a number"):
            study.add_items([{"title": "e", "price": "cheap"}])
        with pytest.raises(InvalidInput, match="feature 'price' of item 'b' must have a value"):
            study.edit_item("b", price=None)
        assert [item.fields["price"] for item in study.items.values()] == ["31", "30", "25", "20"]


def test_one_imported_answer_is_taken_back_without_a_question(study: Study) -> None:
    """An imported answer has no question that could be asked again, and its id cannot be given to another answer."""
    event = study.import_answers(Preferences.from_pairs([("milk", "tea"), ("tea", "water")]))
    study.undo(f"{event}:0")
    assert [answer.id for answer in study.answers()] == [f"{event}:1"]
    question = study.ask("ann")
    assert study.question(question.id) == question
    with pytest.raises(Conflict, match="belongs to another answer"):
        study.tell(question, "left", event_id=f"{event}:1")


def test_items_that_the_model_cannot_use_are_not_added(tmp_path: Path) -> None:
    """The model is tried with the new items before anything is written."""
    cars = [{"id": name, "title": name, "kind": kind} for name, kind in (("a", "x"), ("b", "y"), ("c", "z"))]
    model = MonotoneGP(increasing=("kind=y",))
    with Study.create(tmp_path / "cars.db", cars, features=["kind"], model=model) as study:
        number = study.revision()
        with pytest.raises(InvalidInput, match="kind=y"):
            study.edit_item("b", kind="x")
        assert study.revision() == number
        study.rank()


@pytest.mark.parametrize(
    "wrong",
    [
        lambda study: study.retire(["tea"]),
        lambda study: study.set_aside([]),
        lambda study: study.undo(["tea"]),
    ],
)
def test_lists_are_rejected_where_names_are_wanted(study: Study, wrong: Any) -> None:
    """An easy mistake gets a clear error."""
    with pytest.raises(InvalidInput, match="got list"):
        wrong(study)
