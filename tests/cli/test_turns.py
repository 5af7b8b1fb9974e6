"""`penchant ask`, `tell` and `undo`: the loop for scripts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from tests.cli.typed import run


def asked(study: Path, judge: str) -> str:
    question: str = json.loads(run("ask", study, "--judge", judge, "--json").out)["question"]
    return question


def test_ask_and_tell_go_round(study: Path) -> None:
    """A script asks as JSON and tells by id; the same id again changes nothing, another answer is rejected."""
    question = json.loads(run("ask", study, "--judge", "ann", "--json").out)
    assert question["judge"] == "ann"
    assert {"id", "title", "text"} == question["left"].keys()
    for _ in range(2):
        done = run("tell", study, question["question"], "left", "--id", "mine")
        assert done.out.startswith("mine: left (1 answer;")
    refused = run("tell", study, question["question"], "right", "--id", "mine")
    assert refused.status == 2
    assert refused.err.startswith("penchant:")


def test_undo_and_undo_of_the_undo(study: Path) -> None:
    """An answer is taken back, and the taking back too."""
    run("tell", study, asked(study, "me"), "left")
    undone = run("undo", study, "--id", "u")
    assert undone.out.startswith("u (0 answers")
    assert "(1 answer;" in run("undo", study, "u").out
    assert run("undo", study, "nothing").status == 2
    assert json.loads(run("undo", study, "--id", "v", "--json").out)["undo"] == "v"


def test_many_answers_are_told_at_once(study: Path) -> None:
    """Each line of the input is an answer; what was told before a wrong line is kept."""
    lines = [
        {"question": asked(study, judge), "choice": choice, "id": f"a-{judge}"}
        for judge, choice in (("ann", "left"), ("bob", "tie"))
    ]
    text = "\n\n".join(map(json.dumps, lines)) + "\n"
    done = run("tell", study, "-", "--json", input=text)
    assert [json.loads(line) for line in done.out.splitlines()] == [
        {"answer": line["id"], "question": line["question"], "choice": line["choice"]} for line in lines
    ]
    assert run("tell", study, "-", input=text).out.count("2 answers") == 2
    with CompareStudy.open(study, write=False) as kept:
        assert [answer.id for answer in kept.answers()] == ["a-ann", "a-bob"]


@pytest.mark.parametrize("line", ["left", "[]", '{"question": "q"}', '{"question": "q", "choice": 1}'])
def test_a_line_that_is_no_answer_is_named(study: Path, line: str) -> None:
    """With its number, in one line."""
    done = run("tell", study, "-", input=f"\n{line}\n")
    assert done.status == 2
    assert "line 2 of the input must be an object with question, choice and perhaps id" in done.err
    assert run("tell", study, "q").status == 2


@pytest.mark.parametrize(("more", "named"), [(["right", "--id", "z"], "a choice"), (["--id", "z"], "--id")])
def test_answers_from_the_input_take_nothing_typed(study: Path, more: list[str], named: str) -> None:
    """A choice or an id beside - is an error, and nothing is recorded."""
    line = json.dumps({"question": asked(study, "ann"), "choice": "left"})
    done = run("tell", study, "-", *more, input=line)
    assert done.status == 2
    assert f"got {named}: leave it out, or name the question instead of -" in done.err
    with CompareStudy.open(study, write=False) as kept:
        assert not list(kept.answers())
