"""A study into files and out of files."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from penchant.errors import InvalidInput, UnknownItem
from penchant.preferences import Preferences
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
        (event,) = study.import_answers(answers, source="old.csv")
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
