"""``penchant consensus``: the table, JSON, CSV and the picture of one order for many voters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.typed import run, written

ELECTION = """# FILE NAME: capital.soc
# DATA TYPE: soc
# ALTERNATIVE NAME 1: Memphis
# ALTERNATIVE NAME 2: Nashville
# ALTERNATIVE NAME 3: Chattanooga
# ALTERNATIVE NAME 4: Knoxville
42: 1,2,3,4
26: 2,3,4,1
15: 3,4,2,1
17: 4,3,2,1
"""


@pytest.fixture
def election(tmp_path: Path) -> Path:
    return written(tmp_path / "capital.soc", ELECTION)


def test_the_order_is_shown_with_what_it_contradicts(election: Path) -> None:
    """The table has the rank of each method, then come the proof, the Condorcet winner and all distances."""
    done = run("consensus", election)
    assert done.status == 0, done.err
    lines = [line.split() for line in done.out.splitlines()]
    assert ["1", "Nashville", "1", "1", "1", "88", "+3"] in lines
    assert (
        "The order contradicts 207 of 600 preferences (34.5 %); proven: no order contradicts less" in done.out
    )
    assert "Condorcet winner: Nashville" in done.out
    assert ["borda", "223", "37.2", "%", "Nashville,", "Chattanooga,", "Memphis,", "…"] in lines
    assert done.last == f"Next: penchant consensus {election} --plot consensus.png"


def test_json_csv_and_picture_hold_the_same(election: Path, tmp_path: Path) -> None:
    """JSON has everything; the table goes to a file and the picture to another."""
    table, picture = tmp_path / "order.csv", tmp_path / "order.svg"
    done = run("consensus", election, "--method", "borda", "--json", "--csv", table, "--plot", picture)
    found = json.loads(done.out)
    assert found["order"] == ["Nashville", "Chattanooga", "Memphis", "Knoxville"]
    assert (found["distance"], found["bound"], found["proven"]) == (223, 207, False)
    assert found["pairwise"][0] == [0, 68, 58, 68]
    assert table.read_text().splitlines()[:2] == [
        "rank,item,kemeny,cohen,borda,copeland,borda_score,copeland_score",
        "1,Nashville,1,1,1,1,88,3",
    ]
    assert "4 items in one order for 100 voters" in picture.read_text()


def test_unranked_items_can_come_last(tmp_path: Path) -> None:
    """The option is passed on, and the convention is stated."""
    votes = written(tmp_path / "votes.jsonl", '{"order": ["a"]}\n{"order": ["a"]}\n{"order": ["b", "a"]}\n')
    assert json.loads(run("consensus", votes, "--json").out)["order"] == ["b", "a"]
    done = run("consensus", votes, "--unranked", "last", "--top", "1")
    assert "1  a" in done.out
    assert "… and 1 more" in done.out
    assert "an item that a voter does not rank comes after those that the voter ranks" in done.out


def test_errors_name_the_options(election: Path) -> None:
    """A method that is none, and a file that is not there."""
    assert run("consensus", election, "--method", "plurality").status == 2
    done = run("consensus", election, "--csv", "-", "--json")
    assert done.err == "penchant: --json and --csv - must not both be printed, got both: give --csv a file\n"
