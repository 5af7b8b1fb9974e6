"""`penchant items`: list, add, edit, retire and return the items of a study."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from penchant.study.pictures import Citation
from tests.cli.typed import run, written
from tests.study.drawn import drawn_at


def listed(study: Path) -> list[dict[str, object]]:
    done = run("items", "list", study, "--json")
    assert done.status == 0, done.err
    found: list[dict[str, object]] = json.loads(done.out)
    return found


def test_items_are_listed(study: Path) -> None:
    """As a table, and as JSON with what each has and how many answers."""
    first = listed(study)[0]
    assert first == {"id": "Tea", "title": "Tea", "text": "green", "answers": 0, "retired": False}
    done = run("items", "list", study)
    assert "Coffee" in done.out
    assert done.last == f"Next: penchant rank {study}"


def test_items_are_added(study: Path) -> None:
    """From a file or the input, with new ids only."""
    more = written(study.parent / "more.csv", "title,price\nJuice,3\n")
    done = run("items", "add", study, more)
    assert done.out.splitlines()[0] == "Juice: added; 5 items now"
    assert run("items", "add", study, "-", "--json", input="Cocoa\n").out == '{"added": ["Cocoa"]}\n'
    assert [item["id"] for item in listed(study)][-2:] == ["Juice", "Cocoa"]
    again = run("items", "add", study, more)
    assert again.status == 2
    assert "items must be new, got 'Juice'" in again.err


def test_items_are_edited(study: Path) -> None:
    """Own parts and columns change; an empty value removes a column."""
    run("items", "edit", study, "Tea", "title=Green tea", "price=3", "kind=hot")
    done = run("items", "edit", study, "Tea", "kind=", "text=", "--json")
    assert json.loads(done.out) == {"id": "Tea", "title": "Green tea", "text": "", "fields": {"price": "3"}}
    for words, message in ((["Tea", "title"], "must be NAME=VALUE"), (["Nothing", "title=x"], "Nothing")):
        wrong = run("items", "edit", study, *words)
        assert wrong.status == 2
        assert message in wrong.err


@pytest.mark.parametrize("name", ["event_id", "changes", "self", "fields", "item"])
def test_a_column_may_have_any_name(tmp_path: Path, name: str) -> None:
    """Names that parameters have in Python are those of columns here, in both kinds of studies."""
    items = written(tmp_path / "items.csv", f"id,title,x,{name}\na,A,1,e1\nb,B,2,e2\n")
    for kind in ([], ["--coactive"]):
        file = tmp_path / f"names{len(kind)}.db"
        features = ["--features", "x"] if kind else []
        assert run("new", file, *kind, items, *features).status == 0
        done = run("items", "edit", file, "a", f"{name}=e9")
        assert (done.status, done.out.splitlines()[0]) == (0, f"a: {name} changed")
        fields = listed(file)[0]["fields"]
        assert isinstance(fields, dict)
        assert fields[name] == "e9"


def test_the_id_of_an_item_stays(study: Path) -> None:
    """A new id is an error that says what to do."""
    done = run("items", "edit", study, "Tea", "id=Chai")
    assert done.status == 2
    assert "id must stay as it is, got another: add a new item and retire this one" in done.err


def test_items_are_retired_and_returned(study: Path) -> None:
    """A retired item is neither asked about nor ranked until it returns."""
    done = run("items", "retire", study, "Tea", "Milk")
    assert done.out.splitlines()[0] == "Tea, Milk: retired; 2 items are asked about"
    assert "retired" in run("items", study).out
    with CompareStudy.open(study, write=False) as opened:
        assert set(opened.rank().items) == {"Coffee", "Water"}
    too_many = run("items", "retire", study, "Coffee")
    assert (too_many.status, too_many.err.count("\n")) == (2, 1)
    assert run("items", "return", study, "Tea", "--json").out == '{"back": ["Tea"]}\n'
    assert [item["id"] for item in listed(study) if item["retired"]] == ["Milk"]


@pytest.mark.parametrize("command", ["retire", "return"])
def test_unknown_items_are_named(study: Path, command: str) -> None:
    """An id of no item is an error in one line."""
    done = run("items", command, study, "Juice")
    assert done.status == 2
    assert "'Juice'" in done.err


def test_a_new_field_is_reported_as_new(study: Path) -> None:
    """A misspelt part does not pass for a change of it."""
    done = run("items", "edit", study, "Tea", "titel=Chai", "title=Chai")
    assert done.out.startswith("Tea: title changed, new field titel\n")
    assert run("items", "edit", study, "Tea", "titel=Tea").out.startswith("Tea: titel changed\n")


def test_pictures_are_files_beside_the_table_or_where_one_stands(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A path in a table is relative to the table, a typed one to the folder that one is in; an address is rejected."""
    (study.parent / "more").mkdir()
    drawn_at(study.parent / "more" / "cup.png")
    more = written(study.parent / "more" / "more.csv", "title,picture\nCup,cup.png\n")
    monkeypatch.chdir(study.parent)
    assert run("items", "add", study, more).status == 0
    assert run("items", "edit", study, "Tea", "picture=more/cup.png").status == 0
    with CompareStudy.open(study, write=False) as opened:
        cited = Citation.of(opened.items["Cup"].picture)
        assert cited is not None
        assert Citation.of(opened.items["Tea"].picture) == cited
        assert opened.picture(cited.hash) is not None
    assert run("items", "edit", study, "Tea", "picture=").status == 0
    assert "picture" not in listed(study)[0]
    wrong = run("items", "edit", study, "Tea", "picture=https://example.org/cup.png")
    assert wrong.status == 2
    assert "must be a file on this computer" in wrong.err


def test_a_new_study_has_pictures(tmp_path: Path) -> None:
    """What is no picture is named, and no file is left behind."""
    drawn_at(tmp_path / "cup.gif", kind="GIF")
    (tmp_path / "mug.svg").write_text("<svg/>")
    table = written(tmp_path / "cups.csv", "title,picture\nCup,cup.gif\nMug,mug.svg\n")
    wrong = run("new", tmp_path / "cups.db", table)
    assert wrong.status == 2
    assert "the picture of item 'Mug' must be a PNG, JPEG, WebP or GIF file" in wrong.err
    assert not (tmp_path / "cups.db").exists()
    table = written(tmp_path / "cups.csv", "title,picture\nCup,cup.gif\nMug,\n")
    assert run("new", tmp_path / "cups.db", table).status == 0
    assert run("export", tmp_path / "cups.db", tmp_path / "cups.jsonl").status == 0
    assert run("import", tmp_path / "copy.db", tmp_path / "cups.jsonl").status == 0
    with CompareStudy.open(tmp_path / "copy.db", write=False) as opened:
        cited = Citation.of(opened.items["Cup"].picture)
        assert cited is not None
        assert opened.picture(cited.hash) is not None
