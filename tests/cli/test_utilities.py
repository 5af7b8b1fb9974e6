"""Utilities on the command line: comparisons and a table of items in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

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
    answers, items = tmp_path / "comparisons.csv", tmp_path / "items.csv"
    pd.DataFrame(names, columns=["better", "worse"]).to_csv(answers, index=False)
    table.to_csv(items)
    return answers, items


def test_a_monotone_utility_is_fitted_proven_and_saved(cars: tuple[Path, Path]) -> None:
    """The proof is told, words are left out and named, the best car is a good one, ids keep their zeros."""
    answers, items = cars
    saved, picture = answers.with_name("model.penchant"), answers.with_name("utility.svg")
    words = ("--items", items, "--model", "monotone-gp", "--increasing", "range,battery")
    done = run("fit", "utility", answers, *words, "--save", saved, "--plot", picture)
    assert done.status == 0, done.err
    assert "Left out: maker (no numbers)" in done.err
    assert "fitted to 150 pairs of 30 items" in done.out
    assert "range: the utility rises by at least" in done.out
    drawn = picture.read_text(encoding="utf-8")
    assert all(f"mark-{kind} role-mark" in drawn for kind in ("rect", "rule", "symbol"))
    model: Any = load(saved)
    table = pd.read_csv(items, index_col=0, converters={0: str})
    best = table.index[model.predict(table).argmax()]
    assert f"\n{best}" in done.out
    assert run("fit", "utility", answers, *words).status == 0


def test_a_preference_gp_is_fitted(cars: tuple[Path, Path]) -> None:
    """Without constraints, with settings."""
    answers, items = cars
    done = run(
        "fit", "utility", answers, "--items", items, "--model", "preference-gp", "--set", "inference=laplace"
    )
    assert done.status == 0, done.err
    assert "PreferenceGP(inference='laplace'), fitted to 150 pairs of 30 items" in done.out


def test_what_cannot_be_is_rejected_in_one_line(cars: tuple[Path, Path]) -> None:
    """No items, no features named, unknown columns, constraints of a model that has none, no ids in the table."""
    answers, items = cars
    gp = ("--model", "monotone-gp")
    few = answers.with_name("few.csv")
    few.write_text("car,range\n000,1\n001,2\n")
    for words, message in (
        (gp, "a utility needs the features of the items"),
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
            (*gp, "--items", answers.with_name("items.txt"), "--increasing", "range"),
            "must be a table that ends in",
        ),
    ):
        done = run("fit", "utility", answers, *words)
        assert done.status == 2
        assert message in done.err
        assert len([line for line in done.err.splitlines() if line.startswith("penchant:")]) == 1


@pytest.mark.parametrize("model", ["preference-gp", "monotone-gp"])
def test_a_saved_utility_is_applied_and_judged(cars: tuple[Path, Path], model: str) -> None:
    """Utilities with their sd as CSV, in the order of the table; comparisons foretold better than by a coin."""
    answers, items = cars
    saved, scores = answers.with_name("model.penchant"), answers.with_name("scores.csv")
    extra = ("--increasing", "range,battery") if model == "monotone-gp" else ()
    done = run("fit", "utility", answers, "--items", items, "--model", model, "--save", saved, *extra)
    assert done.last == f"Next: penchant evaluate {saved} UNSEEN.csv --items {items}"
    assert run("predict", saved, items, "--out", scores).status == 0
    table = pd.read_csv(scores, index_col="item", converters={"item": str})
    features = pd.read_csv(items, index_col=0, converters={0: str}).drop(columns="maker")
    utility: Any = load(saved)
    mean, deviation = utility.predict(features, return_std=True)
    assert table.index.tolist() == features.index.tolist()
    np.testing.assert_allclose(table.to_numpy(), np.column_stack([mean, deviation]))
    found = json.loads(run("evaluate", saved, answers, "--items", items, "--json").out)
    assert found["count"] == 150
    assert found["accuracy"] > 0.75
    assert found["log_loss"] < 0.6
    result = run("evaluate", saved, answers, "--items", items).out
    assert f"right     {100 * found['accuracy']:.1f}" in result


def test_a_utility_is_judged_by_comparisons_only(cars: tuple[Path, Path]) -> None:
    """Features, pairs with a better item, and no picture of ranked documents: rejected with a message."""
    answers, items = cars
    saved, ties = answers.with_name("model.penchant"), answers.with_name("ties.csv")
    ties.write_text("left,right,outcome\n000,001,tie\n", encoding="utf-8")
    assert (
        run("fit", "utility", answers, "--items", items, "--model", "preference-gp", "--save", saved).status
        == 0
    )
    for words, message in (
        ((answers,), "a utility needs the features of the items"),
        ((ties, "--items", items), "must hold a pair of a better and a worse item, got none"),
        ((answers, "--items", items, "--plot", "x.png"), "--plot must be given with rankers only"),
    ):
        done = run("evaluate", saved, *words)
        assert done.status == 2
        assert message in done.err
