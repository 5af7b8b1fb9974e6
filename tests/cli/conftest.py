"""A study of four drinks, and graded documents as a table and as LETOR."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.cli.typed import run, written

DRINKS = "title,text\nTea,green\nCoffee,black\nWater,\nMilk,\n"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    items = written(tmp_path / "items.csv", DRINKS)
    done = run("new", tmp_path / "drinks.db", items, "--title", "Drinks")
    assert done.status == 0, done.err
    assert "4 items" in done.out
    return tmp_path / "drinks.db"


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Twenty queries of six documents whose grade follows the first feature; the third is noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3)).round(4)
    grades = (X[:, 0] > -0.5).astype(int) + (X[:, 0] > 0.7)
    frame = pd.DataFrame(X, columns=["match", "age", "noise"])
    frame.insert(0, "grade", grades)
    frame.insert(0, "qid", np.arange(120) // 6 + 1)
    frame.insert(0, "title", [f"document {row}" for row in range(120)])
    frame.to_csv(tmp_path / "train.csv", index=False)
    return tmp_path / "train.csv"


@pytest.fixture
def documents(table: Path) -> Path:
    """The same as LETOR."""
    rows = pd.read_csv(table).itertuples()
    lines = (f"{row.grade} qid:{row.qid} 1:{row.match:.4f} 2:{row.age:.4f} 3:{row.noise:.4f}" for row in rows)
    file = table.with_suffix(".letor")
    file.write_text("\n".join(lines) + "\n")
    return file


FILMS = "id,title,funny,long,kind\nup,Up,1,0.5,film\nheat,Heat,0,2,film\nalien,Alien,0.2,1,horror\n"


@pytest.fixture
def search(tmp_path: Path) -> Path:
    """A coactive study of three films, with a model for each user."""
    items = written(tmp_path / "films.csv", FILMS)
    typed = ["--features", "funny,long,kind", "--per-user", "--baseline", "feature=long", "--seed", 1]
    done = run("new", tmp_path / "search.db", "--coactive", items, *typed)
    assert done.status == 0, done.err
    assert "3 items, no presentations yet" in done.out
    return tmp_path / "search.db"
