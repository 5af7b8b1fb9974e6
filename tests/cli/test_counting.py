"""`penchant rank` from counts: large files, and those for which memory is typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.typed import run, written

ANSWERS = (
    "left,right,outcome,judge\n" + "a,b,left,x\nb,c,tie,y\nc,a,right,x\nb,a,both_bad,y\na,c,skip,x\n" * 6
)


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    return written(tmp_path / "answers.csv", ANSWERS + "b,b,left,x\nc,b\n")


def test_counting_ranks_as_reading_does(answers: Path) -> None:
    """The same scores and intervals, and the same rows are left out."""
    read, counted = run("rank", answers, "--json"), run("rank", answers, "--json", "--memory", "2GB")
    assert counted.status == 0, counted.err
    there, here = json.loads(counted.out), json.loads(read.out)
    assert [row["item"] for row in there["items"]] == [row["item"] for row in here["items"]]
    for name in ("score", "lower", "upper"):
        found = [row[name] for row in there["items"]]
        assert found == pytest.approx([row[name] for row in here["items"]], abs=1e-6)
    rejected = [line for line in read.err.splitlines() if "line" in line or "Rejected" in line]
    assert len(rejected) == 3
    assert set(rejected) < set(counted.err.splitlines())
    assert "judges are not kept" in counted.err


def test_pairs_that_do_not_fit_are_on_disk(answers: Path) -> None:
    """The first line reports it, and a warning that there are few comparisons."""
    done = run("rank", answers, "--memory", "1")
    assert done.status == 0, done.err
    assert "different pairs on disk" in done.out.splitlines()[0]
    assert "compared too seldom" in done.err
    assert done.last == f"Next: penchant check {answers}"  # rows were rejected


def test_a_clean_file_is_drawn_next(tmp_path: Path) -> None:
    """As after reading; a warning or a rejected row leads to a check."""
    votes = written(tmp_path / "votes.csv", "winner,loser\n" + "a,b\nb,a\n" * 40)
    done = run("rank", votes, "--memory", "1GB")
    assert done.last == f"Next: penchant rank {votes} --memory 1GB --plot ranking.png"


@pytest.mark.parametrize("memory", ["1GB", "1"])
def test_ties_are_half_wins_as_in_reading(answers: Path, memory: str) -> None:
    """The same scores, the same line about them, and the same statement in JSON."""
    words = ("--ties", "half", "--prior", "1", "--json")
    read, counted = run("rank", answers, *words), run("rank", answers, *words, "--memory", memory)
    there, here = json.loads(counted.out), json.loads(read.out)
    assert there["ties"] == here["ties"]
    scores = [{row["item"]: row["score"] for row in found["items"]} for found in (there, here)]
    assert scores[0] == pytest.approx(scores[1], abs=1e-6)
    assert "Ties: 6 ties counted as half a win" in counted.err


@pytest.mark.parametrize("memory", ["1GB", "1"])
def test_who_beats_whom_is_drawn_from_counts(answers: Path, memory: str, tmp_path: Path) -> None:
    """In memory and on disk, since the model is enough."""
    place = tmp_path / "matrix.html"
    done = run("rank", answers, "--memory", memory, "--matrix", place)
    assert done.status == 0, done.err
    assert place.stat().st_size > 1000


def test_large_files_are_counted_unless_rows_are_needed(
    answers: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without being told, with a note; what cannot be counted is read as before."""
    small = run("rank", answers)
    monkeypatch.setattr("penchant.cli.ranking_request.LARGE", 1)
    done = run("rank", answers)
    assert done.out.startswith("PairCounts: ")
    assert "Note: the file is large" in done.out
    assert run("rank", answers, "--errors", "judge").out.startswith("Preferences: ")
    assert run("rank", answers, "--model", "elo").out.startswith("Preferences: ")
    orders = written(
        tmp_path / "orders.jsonl", '{"order": ["a", "b", "c"]}\n{"order": ["b", "a", "c"]}\n' * 4
    )
    assert "PlackettLuce" in run("rank", orders).out
    assert small.out.startswith("Preferences: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--memory", "many"), "--memory must be a number of bytes above 0, got 'many'"),
        (("--memory", "0"), "--memory must be a number of bytes above 0"),
        (("--memory", "1GB", "--errors", "judge"), "not be given with --errors judge"),
        (("--memory", "1GB", "--by", "judge"), "not be given with --by or --over"),
        (("--memory", "1GB", "--model", "elo"), "not be given with --model elo"),
        (("--memory", "1", "--prior", "0"), "prior must be above 0"),
        (("--memory", "1GB", "--limit", "bytes=10"), "must be at most 10"),
    ],
)
def test_what_counts_cannot_give_is_rejected(answers: Path, words: tuple[str, ...], message: str) -> None:
    """In one line, with what to do."""
    done = run("rank", answers, *words)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err
