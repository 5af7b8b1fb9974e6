"""The leaderboard example: a short one runs over HTTP, and its figures are what they say."""

from __future__ import annotations

import csv
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from examples.leaderboard.__main__ import main
from examples.leaderboard.board import _doubtful, _is_enough
from examples.leaderboard.judges import COIN, JUDGES, READERS
from examples.leaderboard.models import MODELS
from penchant.ask import Settled
from penchant.study import CompareStudy
from penchant.worth.judges import Judges

MOST = 8


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Eight answers of each judge, by the command."""
    place = tmp_path_factory.mktemp("board")
    assert main(["--most", str(MOST), "--out", str(place)]) == 0
    return place


def test_a_short_leaderboard_leaves_study_exports_figures_and_picture(folder: Path) -> None:
    """Every judge has answered, nothing is lost, and the owner's files agree with the study."""
    figures = json.loads((folder / "figures.json").read_text())
    assert figures["answers"] == figures["counted"] == MOST * len(JUDGES)
    assert {row["judge"] for row in figures["judges"]} == {judge.name for judge in JUDGES}
    assert {row["model"] for row in figures["board"]} == set(MODELS)
    assert not figures["aside"]
    with CompareStudy.open(folder / "board.db", write=False) as study:
        assert study.n_answers() == figures["answers"]
        assert [row["model"] for row in figures["board"]] == list(study.rank().items)
    with (folder / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [sum(row["judge"] == judge.name for row in rows) for judge in JUDGES] == [MOST] * len(JUDGES)
    assert figures["exports"]["ranking.csv"] == len(MODELS)
    assert (folder / "leaderboard.png").read_bytes().startswith(b"\x89PNG")


def test_the_reasons_add_up(folder: Path) -> None:
    """They explain the difference of the first two."""
    figures = json.loads((folder / "figures.json").read_text())
    why = figures["why"]
    assert [why["a"], why["b"]] == [row["model"] for row in figures["board"][:2]]
    assert sum(weight for _, weight in why["reasons"]) == pytest.approx(why["difference"], abs=1e-3)


def test_a_study_that_is_there_is_not_overwritten(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The message says what to do."""
    assert main(["--out", str(folder)]) == 2
    assert "remove it, or give another --out" in capsys.readouterr().err


def report(reliability: float, answers: int) -> Judges:
    """A report in which the readers are as reliable as one another, and the coin as told."""
    names = (COIN.name, *(judge.name for judge in READERS))
    values = np.array([reliability, *[1.0] * len(READERS)])
    same = np.full(len(names), 0.2)
    counts = np.full(len(names), answers)
    return Judges(names, counts, values, same, np.zeros(len(names)), same, 0.95, "crowd")


@pytest.mark.parametrize("cautious", [False, True])
def test_the_owner_sets_aside_who_answers_at_random(cautious: bool) -> None:
    """After enough answers; a cautious owner only where that is sure."""
    assert _doubtful(report(0.1, 50), 50, cautious=cautious)["judge"] == COIN.name
    assert _doubtful(report(0.1, 49), 50, cautious=cautious) is None
    assert (_doubtful(report(0.3, 50), 50, cautious=cautious) is None) == cautious
    assert _doubtful(report(0.7, 50), 50, cautious=cautious) is None


def test_it_is_enough_when_the_order_is_sure_and_judges_are_known() -> None:
    """At two looks with different answers; not before it was evaluated, nor while a judge has few answers."""
    before = Settled("exact", 0.99, 0.001, 0.95, 0, (0, 0), None, 0.4, 280)
    sure = replace(before, answers=300)
    unsure = replace(sure, value=0.9)
    assert _is_enough(before, sure, report(1.0, 50), 50)
    assert not _is_enough(before, sure, report(1.0, 40), 50)
    assert not _is_enough(before, unsure, report(1.0, 50), 50)
    assert not _is_enough(unsure, sure, report(1.0, 50), 50)
    assert not _is_enough(sure, sure, report(1.0, 50), 50)
    assert not _is_enough(None, sure, report(1.0, 50), 50)
    assert not _is_enough(before, None, report(1.0, 50), 50)
