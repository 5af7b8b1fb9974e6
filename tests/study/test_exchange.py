"""A study into files and out of files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from penchant.errors import Conflict, InvalidInput, UnknownItem
from penchant.preferences import Preferences
from penchant.store import Event
from penchant.study import Study

DRINKS = ["tea", "milk", "water", "=juice"]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    """A study with answers of two judges, one taken back, imported ones and one judge set aside."""
    study = Study.create(tmp_path / "s.db", DRINKS, seed=1, repeats=0.3)
    study.import_answers(
        Preferences.from_pairs([("tea", "milk"), ("water", "milk")], weight=[2, 0.5], judge=["ann", "zoe"]),
        source="old.csv",
    )
    for judge in ("ann", "bob", "ann", "bob", "ann", "carol"):
        study.tell(study.ask(judge), "left" if judge == "ann" else "tie")
    study.undo(judge="bob")
    study.set_aside("carol")
    return study


def test_a_study_made_of_its_events_is_the_same(study: Study, tmp_path: Path) -> None:
    """It has the same events with their times, ranks to the same bytes, and goes on by itself."""
    with study:
        study.export(tmp_path / "events.jsonl")
        with Study.from_events(tmp_path / "copy.db", tmp_path / "events.jsonl") as copy:
            assert list(copy._log.events()) == list(study._log.events())
            assert copy.rank().to_json() == study.rank().to_json()
            assert copy.settings == study.settings
            assert copy.aside == ("carol",)
            ours, theirs = study.ask("dan"), copy.ask("dan")
            assert (ours.left, ours.right) == (theirs.left, theirs.right)
        with Study.from_events(tmp_path / "again.db", list(study._log.events())) as again:
            assert again.rank().to_json() == study.rank().to_json()
        with pytest.raises(Exception, match=r"copy\.db"):
            Study.from_events(tmp_path / "copy.db", tmp_path / "events.jsonl")


def test_events_that_are_wrong_leave_no_file(study: Study, tmp_path: Path) -> None:
    """All of them are checked before the file is made."""
    with study:
        events = list(study._log.events())
    with pytest.raises(InvalidInput, match="event 2"):
        Study.from_events(tmp_path / "copy.db", [events[0], *events[2:]])
    assert not (tmp_path / "copy.db").exists()


def test_all_answers_are_exported(study: Study, tmp_path: Path) -> None:
    """With who, when and whether they count; cells that a spreadsheet would run are protected."""
    with study:
        for name in ("a.csv", "a.jsonl"):
            study.export(tmp_path / name, what="answers")
        live = {answer.id for answer in study.answers()}
    rows = [json.loads(line) for line in (tmp_path / "a.jsonl").read_text().splitlines()]
    assert len(rows) == 8
    assert [row["imported"] for row in rows] == [True] * 2 + [False] * 6
    assert [row["weight"] for row in rows[:3]] == [2, 0.5, 1]
    assert {row["id"] for row in rows if row["live"]} == live
    assert [row["judge"] for row in rows if not row["live"]] == ["bob", "carol"]
    assert all(row["asked"] <= row["answered"] for row in rows)
    with (tmp_path / "a.csv").open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert [cell["left"].lstrip("'") for cell in cells] == [row["left"] for row in rows]
    assert not any(cell["left"].startswith("=") or cell["right"].startswith("=") for cell in cells)


def test_the_ranking_is_exported(study: Study, tmp_path: Path) -> None:
    """As the ranking of Python has it, numbers in full."""
    parquet = pytest.importorskip("pyarrow.parquet")
    with study:
        expected = json.loads(study.rank().to_json())["items"]
        study.export(tmp_path / "r.parquet", what="ranking")
        with pytest.raises(InvalidInput, match="what must be one of events, answers, ranking"):
            study.export(tmp_path / "r.csv", what="all")
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == expected


def test_imported_answers_count_and_are_taken_back_together(tmp_path: Path) -> None:
    """An unknown item brings nothing in."""
    answers = Preferences.from_pairs([("tea", "milk")] * 9 + [("milk", "water")] * 9)
    with Study.create(tmp_path / "s.db", DRINKS[:3]) as study:
        event = study.import_answers(answers, source="old.csv")
        assert study.rank().items == ("tea", "milk", "water")
        assert study.n_answers() == 18
        study.undo(event)
        assert study.n_answers() == 0
        with pytest.raises(UnknownItem, match="'juice'"):
            study.import_answers(Preferences.from_pairs([("tea", "milk"), ("juice", "tea")]))
        assert study.n_answers() == 0


def test_a_study_starts_from_answers(tmp_path: Path) -> None:
    """The file appears with them or not at all."""
    answers = Preferences.from_pairs([("tea", "milk"), ("milk", "water")])
    with Study.create(tmp_path / "s.db", DRINKS[:3], answers=answers) as study:
        assert study.n_answers() == 2
    with pytest.raises(UnknownItem):
        Study.create(tmp_path / "n.db", DRINKS[:2], answers=answers)
    assert not (tmp_path / "n.db").exists()


def test_one_undo_takes_a_large_import_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An import of several events is one: any of their ids names it, and undoing the undo restores all of it."""
    monkeypatch.setattr("penchant.study.items.PART_SIZE", 200)
    answers = Preferences.from_pairs([("tea", "milk"), ("milk", "water")] * 20, judge=["ann", "bob"] * 20)
    with Study.create(tmp_path / "s.db", DRINKS[:3], seed=1) as study:
        study.tell(study.ask("ann"), "left")
        event = study.import_answers(answers, source="old.csv")
        parts = [entry.id for entry in study._log.events() if entry.kind == "imported"]
        assert len(parts) > 2
        assert parts[0] == event
        before = study.rank().to_json()
        undone = study.undo(parts[1], undo_id="u1")
        assert study.n_answers() == 1
        for part in parts:
            assert study.undo(part, undo_id="u1") == "u1"
            with pytest.raises(Conflict, match="taken back already"):
                study.undo(part)
        study.undo(undone)
        assert study.n_answers() == 41
        assert study.rank().to_json() == before
        with pytest.raises(InvalidInput, match="must be 'ann''s own"):
            study.undo(event, judge="ann")  # some answers are bob's
        study.undo(f"{event}:0")
        study.undo(event)
        assert study.n_answers() == 1
    with Study.open(tmp_path / "s.db") as study:
        assert study.n_answers() == 1
        assert study.check()["fold of the log"].passed


def test_a_study_that_starts_from_many_answers_can_take_them_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The answers of `Study.create` are one import too."""
    monkeypatch.setattr("penchant.study.items.PART_SIZE", 100)
    answers = Preferences.from_pairs([("tea", "milk"), ("milk", "water")] * 9)
    with Study.create(tmp_path / "s.db", DRINKS[:3], answers=answers) as study:
        study.undo("imported-2")
        assert study.n_answers() == 0


GADGETS = [{"id": f"g{k}", "title": f"G{k}", "price": k, "links": {f"g{(k + 1) % 4}": 1.0}} for k in range(4)]


def _changed_item(**changes: object) -> dict[str, object]:
    return {"item": {"id": "g0", "title": "G0", "text": "", "fields": [["price", 0]], **changes}}


@pytest.mark.parametrize(
    ("kind", "content", "words"),
    [
        ("edited", _changed_item(links={"nobody": 1.0}), "links of an item must lead to items of this study"),
        ("edited", _changed_item(links={"g1": 1e308}), "an item must have the parts known here"),
        ("edited", _changed_item(title="x\x1b[2J"), "an item must have the parts known here"),
        ("edited", _changed_item(fields=[]), "items must have values of all features"),
        ("edited", _changed_item(fields=[["price", "cheap"]]), "items must have values of all features"),
        ("edited", _changed_item(fields=[["price", 1e300]]), "items must have values of all features"),
        (
            "items",
            {"items": [{"id": "n", "title": "N", "text": ""}]},
            "items must have values of all features",
        ),
        (
            "items",
            {"items": [{"id": "n", "title": "N", "text": "", "fields": [["price", 1]], "links": {"z": 1}}]},
            "links of an item must lead",
        ),
        ("changed", {"settings": {"features": ["colour"]}}, "items must have values of all features"),
        ("changed", {"settings": {"goal": "top", "top": 4}}, "its setting 'top' must be one known here"),
        ("changed", {"settings": {"forbidden": 7}}, "its setting 'forbidden' must be one known here"),
        (
            "imported",
            {"source": "", "sides": 0, "answers": [["g0", "g1", "left", "ann", 1e308]]},
            "its answer 0 must be",
        ),
        (
            "imported",
            {"source": "", "sides": 0, "answers": [["g0", "g1", "left", "a\x07", 1]]},
            "its answer 0 must be",
        ),
        ("asked", {"left": "g0", "right": "g1", "judge": "a\u202e"}, "its judge must have a name"),
        ("set_aside", {"judge": "zoe"}, "its judge must be one who was asked"),
    ],
)
def test_tampered_events_are_rejected(
    tmp_path: Path, kind: str, content: dict[str, object], words: str
) -> None:
    """What a study itself would not write is rejected with the event's line, and no file is made."""
    with Study.create(tmp_path / "s.db", GADGETS, features=["price"], seed=1) as study:
        study.tell(study.ask("ann"), "left")
        study.export(tmp_path / "events.jsonl")
        number = study.revision() + 1
    event = {"number": number, "id": "x", "kind": kind, "version": 1, "time": 1e9, "content": content}
    with (tmp_path / "events.jsonl").open("a") as file:
        file.write(json.dumps(event) + "\n")
    named = rf"events.jsonl(:{number})?: event {number} of the log cannot be read: {words}"
    with pytest.raises(InvalidInput, match=named):
        Study.from_events(tmp_path / "copy.db", tmp_path / "events.jsonl")
    assert not (tmp_path / "copy.db").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"features": ["colour"]}, "event 2 of the log cannot be read: items must have values"),
        ({"model": {"name": "bradley-terry", "settings": {}}}, "its setting 'model' must be one known here"),
        ({"top": 10**12, "goal": "top"}, "those that its settings name"),
        ({"forbidden": {"a": "b"}}, "its setting 'forbidden' must be one known here"),
        ({"noise": -1.0}, "event 2: noise must be"),
        ({"prior": "strong"}, "event 2: prior must be"),
    ],
)
def test_tampered_settings_are_rejected(tmp_path: Path, settings: dict[str, object], words: str) -> None:
    """Settings from which no model can start are rejected, whatever kind of model it is."""
    utility = "noise" in settings
    given = {"features": ["price"], "model": "preference-gp"} if utility else {"model": "bradley-terry"}
    items = [{**item, "links": {}} for item in GADGETS]
    with Study.create(tmp_path / "s.db", items, seed=1, **given) as study:
        events = list(study._log.events())
    first = json.loads(json.dumps(events[0].content))
    for name, value in settings.items():
        within = first["settings"] if name in first["settings"] else first["settings"]["model"]["settings"]
        within[name] = value
    with pytest.raises(InvalidInput, match=words):
        Study.from_events(tmp_path / "copy.db", [events[0]._replace(content=first), *events[1:]])
    assert not (tmp_path / "copy.db").exists()


def test_top_is_below_the_number_of_items_that_stay(tmp_path: Path) -> None:
    """A retirement that leaves no more items than the top is rejected in Python and in the log."""
    with Study.create(tmp_path / "s.db", DRINKS, top=3) as study:
        with pytest.raises(InvalidInput, match="more items than the top 3 must stay"):
            study.retire("tea")
        events = list(study._log.events())
    retired = Event(len(events) + 1, "r", "retired", 1e9, {"items": ["tea"]}, 1)
    with pytest.raises(
        InvalidInput, match=r"event 3 of the log cannot be read: .* more than the top must stay"
    ):
        Study.from_events(tmp_path / "copy.db", [*events, retired])
