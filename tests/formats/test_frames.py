"""Tables in memory are read as files are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import read_file, read_frame
from penchant.worth import BradleyTerry

ARENA: dict[str, list[Any]] = {
    "model_a": ["gpt", "llama", "claude", "claude", "gpt"],
    "model_b": ["llama", "claude", "gpt", "gpt", "claude"],
    "winner": ["model_a", "model_b", "tie", "tie (bothbad)", "model_b"],
    "len_a": [100, 30, 40, 10, 20],
    "len_b": [50, 80.5, 60, 60, None],
    "judge": ["u1", "u2", "u1", None, "u3"],
    "category": ["code", "maths", "code", "code", "maths"],
}


def test_an_arena_frame_needs_no_names() -> None:
    """Items, outcomes and judges are found by the names of their columns, in a frame as in a mapping."""
    prefs = Preferences.from_frame(pd.DataFrame(ARENA))
    expected = Preferences.from_answers(
        ARENA["model_a"],
        ARENA["model_b"],
        ["left", "right", "tie", "both_bad", "right"],
        judge=ARENA["judge"],
    )
    assert prefs == expected
    assert Preferences.from_frame(ARENA) == expected


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_frame_gives_what_its_file_gives(ending: str, tmp_path: Path) -> None:
    """Covariates, labels and the row that lacks a number included, in every format."""
    frame, file = pd.DataFrame(ARENA), tmp_path / f"votes.{ending}"
    if ending == "csv":
        frame.to_csv(file, index=False)
    elif ending == "parquet":
        frame.to_parquet(file)
    else:
        file.write_text(
            "\n".join(json.dumps(row) for row in frame.to_dict(orient="records")).replace("NaN", "null")
        )
    asked = {"covariates": ["length=len_a-len_b"], "labels": ["category"]}
    read, framed = read_file(file, **asked), read_frame(frame, **asked)
    assert framed.preferences == read.preferences
    assert framed.preferences.covariate_names == ("length",)
    assert framed.preferences.covariates is not None
    assert framed.preferences.covariates.ravel().tolist() == [50, 50.5, -20, 0]
    assert (
        framed.labels["category"].tolist()
        == read.labels["category"].tolist()
        == ["code", "maths", "code", "code"]
    )
    assert [str(row.reason) for row in framed.refusals] == ["len_b must be a number, got ''"]
    assert dict(framed.columns) == dict(read.columns)


def test_rows_that_cannot_be_used_are_left_out_with_a_warning() -> None:
    """The first is named by its position."""
    with pytest.warns(
        PenchantWarning, match="1 row was left out, the first is row 4: len_b must be a number"
    ):
        prefs = Preferences.from_frame(ARENA, covariates=["len_a-len_b"])
    assert len(prefs) == 4


def test_columns_can_be_named_and_items_given() -> None:
    """Roles that are named take precedence over recognition."""
    games = pd.DataFrame({"home": ["a", "b"], "guest": ["b", "c"], "goals": [2, 1], "goals_of_guest": [1, 1]})
    prefs = Preferences.from_frame(
        games,
        left="home",
        right="guest",
        left_score="goals",
        right_score="goals_of_guest",
        items=["c", "b", "a", "d"],
    )
    assert prefs.items == ("c", "b", "a", "d")
    assert prefs.n_ties == 1
    flags = pd.DataFrame(
        {"winner": [1, 2], "loser": [2, 3], "tie": np.array([True, False]), "weight": [1.0, 2.0]}
    )
    assert Preferences.from_frame(flags).weight is not None
    assert Preferences.from_frame(flags).items == ("1", "2", "3")


def test_frames_that_say_nothing_are_rejected_with_the_line_to_type() -> None:
    """Unknown columns, half of a pair, cells of no kind, and a model that is given a frame."""
    with pytest.raises(InvalidInput, match="columns must say who was preferred, got 'category'"):
        Preferences.from_frame({"category": ["x"]})
    with pytest.raises(InvalidInput, match="better must be given together with worse"):
        Preferences.from_frame(ARENA, better="model_a")
    with pytest.raises(InvalidInput, match="cells must be text or numbers"):
        Preferences.from_frame({"winner": [["a"], "b"], "loser": ["b", "c"]})
    with pytest.raises(TypeError, match="unexpected keyword argument 'colour'"):
        read_frame(ARENA, colour="x")
    with pytest.raises(InvalidInput, match=r"build one with Preferences\.from_frame\(frame\)"):
        BradleyTerry().fit(pd.DataFrame(ARENA))  # type: ignore[arg-type]
