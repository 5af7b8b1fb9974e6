"""Utilities on the command line: comparisons and a table of items in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from penchant import load
from tests.cli.typed import run


@pytest.fixture
def cars(tmp_path: Path) -> tuple[Path, Path]:
    """Thirty cars, and 150 comparisons by people who like range and battery, with noise."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "range": rng.integers(100, 500, 30),
            "battery": rng.random(30).round(3),
            "maker": ["a", "b", "c"] * 10,
        },
        index=pd.Index([f"{place:03}" for place in range(30)], name="car"),
    )
    utility = table["range"].to_numpy() / 400 + table["battery"].to_numpy()
    pairs = np.array([rng.choice(30, 2, replace=False) for _ in range(150)])
    rated = utility[pairs] + rng.normal(0, 0.2, pairs.shape)
    pairs = np.where(rated[:, :1] > rated[:, 1:], pairs, pairs[:, ::-1])
    names = table.index.to_numpy()[pairs]
    said, items = tmp_path / "comparisons.csv", tmp_path / "items.csv"
    pd.DataFrame(names, columns=["better", "worse"]).to_csv(said, index=False)
    table.to_csv(items)
    return said, items


def test_a_monotone_utility_is_fitted_proven_and_saved(cars: tuple[Path, Path]) -> None:
    """The proof is told, words are left out and named, the best car is a good one, ids keep their zeros."""
    said, items = cars
    saved, picture = said.with_name("model.penchant"), said.with_name("utility.png")
    words = ("--items", items, "--model", "monotone-gp", "--increasing", "range,battery")
    done = run("fit", said, *words, "--save", saved, "--plot", picture)
    assert done.status == 0, done.err
    assert "Left out: maker (no numbers)" in done.err
    assert "fitted to 150 pairs of 30 items" in done.out
    assert "range: slope of f_MAP at least" in done.out
    assert picture.stat().st_size > 1000
    model = load(saved)
    table = pd.read_csv(items, index_col=0, converters={0: str})
    best = table.index[model.predict(table).argmax()]
    assert f"\n{best}" in done.out
    assert run("fit", said, *words).status == 0


def test_a_preference_gp_is_fitted(cars: tuple[Path, Path]) -> None:
    """Without constraints, with settings."""
    said, items = cars
    done = run("fit", said, "--items", items, "--model", "preference-gp", "--set", "inference=laplace")
    assert done.status == 0, done.err
    assert "PreferenceGP(inference='laplace'), fitted to 150 pairs of 30 items" in done.out


def test_what_cannot_be_is_refused_in_one_line(cars: tuple[Path, Path]) -> None:
    """No items, no features named, unknown columns, constraints of a model that has none, no ids in the table."""
    said, items = cars
    gp = ("--model", "monotone-gp")
    few = said.with_name("few.csv")
    few.write_text("car,range\n000,1\n001,2\n")
    for words, told in (
        (gp, "monotone-gp needs the features of the items"),
        ((*gp, "--items", items), "increasing or decreasing must name a feature"),
        ((*gp, "--items", items, "--increasing", "colour"), "got 'colour'"),
        (
            ("--model", "preference-gp", "--items", items, "--increasing", "range"),
            "--increasing must be given",
        ),
        ((*gp, "--items", few, "--increasing", "range"), "features must have a row for each of"),
        (
            (*gp, "--items", items, "--without", "colour", "--increasing", "range"),
            "--without must name a column",
        ),
        (
            (*gp, "--items", said.with_name("items.txt"), "--increasing", "range"),
            "must be a table that ends in",
        ),
        (("--model", "ranksvm"), "--save must say where the model goes"),
    ):
        done = run("fit", said, *words)
        assert done.status == 2
        assert told in done.err
        assert len([line for line in done.err.splitlines() if line.startswith("penchant:")]) == 1
