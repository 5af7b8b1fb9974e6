"""Graded documents, from LETOR and from tables."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from penchant.saving import load
from tests.cli.test_rankers import MODELS
from tests.cli.typed import run


@pytest.mark.parametrize("model", MODELS)
def test_a_table_gives_what_letor_gives_and_keeps_its_names(model: str, table: Path, documents: Path) -> None:
    """Columns of numbers are features, words are left out and named; the model knows its columns in any order."""
    saved, other = table.with_name("by_table"), table.with_name("by_letor")
    done = run("fit", "ranker", table, "--model", model, "--save", saved)
    assert done.status == 0, done.err
    assert done.err == "Left out: title (no numbers)\n"
    assert load(saved).feature_names_in_.tolist() == ["match", "age", "noise"]  # type: ignore[attr-defined]
    run("fit", "ranker", documents, "--model", model, "--save", other)
    mixed = table.with_name("mixed.tsv")
    pd.read_csv(table)[["noise", "age", "qid", "match"]].to_csv(mixed, sep="\t", index=False)
    done = run("predict", saved, mixed)
    assert [float(line) for line in done.out.splitlines()] == pytest.approx(
        [float(line) for line in run("predict", other, documents).out.splitlines()]
    )
    assert done.err == ""
    assert "Next" not in run("predict", saved, mixed, "--out", table.with_name("out.txt")).out


def test_columns_are_named(table: Path) -> None:
    """Other names of columns are told once, and the next command repeats them."""
    renamed, saved = table.with_name("renamed.csv"), table.with_name("model")
    frame = pd.read_csv(table).rename(columns={"grade": "stars", "qid": "search"}).drop(columns="title")
    frame.assign(row=range(len(frame))).to_csv(renamed, index=False)
    words = ["--grade", "stars", "--query", "search"]
    done = run("fit", "ranker", renamed, "--save", saved, *words, "--without", "row")
    assert done.last == f"Next: penchant evaluate {saved} UNSEEN.csv {' '.join(words)}"
    assert load(saved).n_features_in_ == 3  # type: ignore[attr-defined]
    done = run("evaluate", saved, renamed, *words)
    assert done.status == 0, done.err
    assert "20 queries" in done.out
    assert (
        "must have a column 'grade', got search, stars,"
        in run("fit", "ranker", renamed, "--save", saved, "--force").err
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must hold at least one row, got an empty file"),
        ("grade,qid\n1,2\n", "at least one column of numbers"),
        ("grade,qid,x\n", "must have rows"),
        ("grade,x\n1,0.5\n1,0.25\n", "got none in 1 queries of 2 samples"),
        ("grade,qid,x\n1,1,\n0,1,2\n", "contains NaN"),
    ],
)
def test_tables_that_cannot_be_used_are_rejected(text: str, message: str, tmp_path: Path) -> None:
    """Nothing in it, no features, no rows, one grade, missing values: each is said."""
    file = tmp_path / "bad.csv"
    file.write_text(text)
    done = run("fit", "ranker", file, "--save", tmp_path / "model")
    assert done.status == 2
    assert message in done.err
    assert not (tmp_path / "model").exists()


def test_a_long_table_without_queries_is_one_list_and_reported_once(tmp_path: Path) -> None:
    """The note on the missing column says it; the warning of the library would say it again."""
    file = tmp_path / "one.csv"
    pd.DataFrame({"grade": np.arange(1_200) % 3, "x": np.arange(1_200) % 7}).to_csv(file, index=False)
    done = run("fit", "ranker", file, "--save", tmp_path / "model")
    assert done.err.splitlines() == [
        "Note: no column 'qid': all rows are taken for one query (--query names the column)"
    ]
