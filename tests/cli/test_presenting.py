"""`penchant present` and `feedback` on a study."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.study.coactive import CoactiveStudy
from tests.cli.test_learn import log_lines
from tests.cli.typed import run, written


def presented(study: Path, *words: object, **options: Any) -> dict[str, Any]:
    done = run("present", study, *words, "--json", **options)
    assert done.status == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def test_a_click_changes_the_next_order(search: Path) -> None:
    """All items are presented unless some are named; feedback is learned, and ends with the likely next command."""
    first = presented(search, "--user", "ann")
    assert first["order"] == ["up", "heat", "alien"]
    done = run("feedback", search, first["presentation"], "--clicked", "heat,alien")
    assert "changes the order (1 presentation, 1 with feedback; 1 round learned)" in done.out
    assert done.last == f"Next: penchant weights {search}"
    assert presented(search)["order"][0] == "heat"
    assert presented(search, "alien", "heat")["order"] == ["heat", "alien"]
    shown = run("present", search, "up", "alien")
    assert shown.out.splitlines()[1].split() == ["rank", "item", "title"]
    assert shown.last.split()[:3] == ["Next:", "penchant", "feedback"]


def test_the_commands_are_the_methods(search: Path) -> None:
    """Orders, teams, improved orders and weights are those that Python gives for the same steps."""
    other = search.with_name("python.db")
    items = [
        {"id": "up", "title": "Up", "funny": "1", "long": "0.5", "kind": "film"},
        {"id": "heat", "title": "Heat", "funny": "0", "long": "2", "kind": "film"},
        {"id": "alien", "title": "Alien", "funny": "0.2", "long": "1", "kind": "horror"},
    ]
    settings: dict[str, Any] = {"features": ["funny", "long", "kind"], "per_user": True}
    with CoactiveStudy.create(other, items, seed=1, baseline={"feature": "long"}, **settings) as study:
        for number, (form, value) in enumerate(
            [("clicked", "alien"), ("order", "heat,up"), ("better", "alien"), ("clicked", "")]
        ):
            user = f"user {number % 2}"
            shown = presented(search, "--user", user, "--interleave", "baseline", "--id", f"p{number}")
            expected = study.present(
                list(study.items), user=user, interleave="baseline", event_id=f"p{number}"
            )
            assert (shown["presentation"], shown["order"]) == (expected.id, list(expected.order))
            assert shown["teams"] == list(expected.teams or ())
            given = json.loads(run("feedback", search, f"p{number}", f"--{form}", value, "--json").out)
            ids = value if form == "better" else [id for id in value.split(",") if id]
            feedback = study.feedback(expected, **{form: ids})
            assert (given["improved"], given["changed"]) == (list(feedback.improved), feedback.changed)
        for name in (None, "user 0", "user 1"):
            words = [] if name is None else ["--user", name]
            assert json.loads(run("weights", search, *words, "--json").out)["weights"] == study.weights(name)
        shown = presented(search, "up", "heat", "--interleave", "heat,up", "--no-learn", "--id", "q")
        assert shown["learn"] is False
        assert "recorded, not learned from" in run("feedback", search, "q", "--better", "up").out


def test_ids_come_one_by_one_or_with_commas(search: Path) -> None:
    """What is neither an item nor a file is named as such."""
    assert presented(search, "heat,up", "--id", "q")["order"] == ["heat", "up"]
    for words in (["gone"], ["heat,gone"], ["gone", "--id", "q2"]):
        done = run("present", search, *words)
        assert done.status == 2
        assert f"CANDIDATES must be items of the study, or a file, got '{words[0]}'" in done.err


def test_candidates_come_from_a_file_or_the_input(search: Path) -> None:
    """With features or as ids, each line with a user and an id of its own event; a log will do."""
    lines = [
        {
            "id": "q1",
            "candidates": [{"id": "a", "features": {"funny": 1}}, {"id": "b", "features": {"new": 2}}],
        },
        {"candidates": ["heat", "up"], "user": "bob", "event_id": "mine"},
    ]
    text = "\n\n".join(map(json.dumps, lines))
    file = written(search.with_name("sets.jsonl"), text)
    found = [json.loads(line) for line in run("present", search, file, "--json").out.splitlines()]
    assert [(line["id"], line["order"]) for line in found] == [("q1", ["a", "b"]), ("3", ["heat", "up"])]
    assert found[1]["presentation"] == "mine"
    again = [json.loads(line) for line in run("present", search, "-", "--json", input=text).out.splitlines()]
    assert again[1] == found[1]
    assert again[0]["presentation"] != found[0]["presentation"]
    log = written(search.with_name("log.jsonl"), log_lines(1)[0])
    assert len(presented(search, log)["order"]) == 8
    with CoactiveStudy.open(search, write=False) as study:
        assert study.users == ("bob",)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("x", "line 2 must be JSON"),
        ("[]", "line 2 must be an object"),
        ('{"candidates": 3}', "line 2 must have candidates"),
        ('{"candidates": ["up", {"id": "a", "features": {}}]}', "line 2 must have candidates"),
        (
            '{"candidates": [{"id": "a", "features": {}}, {"id": "a", "features": {}}]}',
            "line 2 must name each",
        ),
        ('{"candidates": ["up"], "user": []}', "user of line 2 must be a text"),
        ('{"candidates": ["down"]}', "candidate 'down' must be an item of this study"),
    ],
)
def test_lines_that_cannot_be_presented_are_named(search: Path, line: str, message: str) -> None:
    """With their number and what to correct."""
    done = run("present", search, "-", input=f"\n{line}\n")
    assert done.status == 2
    assert done.err.startswith(f"penchant: {message}")


def test_much_feedback_comes_from_the_input(search: Path) -> None:
    """Each line is feedback; what came before a wrong line is kept, and the same again changes nothing."""
    ids = [presented(search)["presentation"] for _ in range(3)]
    forms: list[dict[str, Any]] = [{"clicked": ["heat"]}, {"order": ["alien", "up"]}, {"better": "up"}]
    lines = [{"presentation": id, "id": f"f{id}", **form} for id, form in zip(ids, forms, strict=True)]
    text = "\n".join(map(json.dumps, lines))
    for _ in range(2):
        done = run("feedback", search, "-", "--json", input=text)
        assert [json.loads(line)["feedback"] for line in done.out.splitlines()] == [f"f{id}" for id in ids]
    for wrong in ({}, {"presentation": ids[0]}, {"presentation": ids[0], "clicked": [], "better": "up"}):
        done = run("feedback", search, "-", input=f"{text}\n{json.dumps(wrong)}")
        assert "line 4 must be an object with presentation, one of clicked" in done.err
    with CoactiveStudy.open(search, write=False) as study:
        assert study.progress() == "3 presentations, 3 with feedback; 3 rounds learned"


def test_what_cannot_be_is_rejected(search: Path, tmp_path: Path) -> None:
    """Two forms of feedback, none, options of studies for a saved learner, and a study without candidates."""
    shown = presented(search)["presentation"]
    assert "must be one of clicked, order and better" in run("feedback", search, shown).err
    assert run("feedback", search, shown, "--clicked", "up", "--better", "up").status == 2
    assert "got both" in run("feedback", search, "-", "--clicked", "up").err
    assert "must be one of this study" in run("feedback", search, "p", "--clicked", "up").err
    log = written(tmp_path / "log.jsonl", "\n".join(log_lines(3)))
    run("learn", log, "--save", tmp_path / "model")
    assert (
        "--user must be given for a study only" in run("present", tmp_path / "model", log, "--user", "a").err
    )
    assert (
        "--no-learn must be given for a study only"
        in run("present", tmp_path / "model", log, "--no-learn").err
    )
    assert "must be one file" in run("present", tmp_path / "model").err
    piped = run("present", tmp_path / "model", "-", "--json", input=log.read_text())
    assert piped.out == run("present", tmp_path / "model", log, "--json").out
    run("new", tmp_path / "empty.db", "--coactive")
    assert "must be given for a study without items" in run("present", tmp_path / "empty.db").err
    assert "--id must be given for one set of items" in run("present", search, log, "--id", "x").err
