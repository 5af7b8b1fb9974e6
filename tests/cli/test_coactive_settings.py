"""The options with which a coactive study is set up and changed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.study import read_items
from penchant.study.coactive import CoactiveStudy
from penchant.study.coactive.settings import DEFAULTS
from tests.cli.conftest import FILMS
from tests.cli.typed import run, written


def settings(study: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("settings", study, "--json").out)
    return found


def test_every_setting_has_an_option(tmp_path: Path) -> None:
    """What is typed is what the study has, the same as from Python."""
    items = written(tmp_path / "films.csv", FILMS)
    typed = [
        "--title",
        "Films",
        "--learner",
        "second-order",
        "--set",
        "gamma=0.5",
        "--map",
        "ranking",
        "--depth",
        3,
    ]
    typed += ["--features", "funny,long", "--names", "funny,long", "--scale", "--per-user", "--retention", 30]
    done = run(
        "new", tmp_path / "typed.db", items, "--coactive", *typed, "--baseline", "perceptron", "--seed", 3
    )
    assert done.status == 0, done.err
    assert "Kept, not learned from: kind" in done.out
    from penchant.coactive import Scaling

    rows = [{"funny": 1.0, "long": 0.5}, {"funny": 0.0, "long": 2.0}, {"funny": 0.2, "long": 1.0}]
    names = ["funny", "long"]
    with CoactiveStudy.create(
        tmp_path / "python.db",
        read_items(items),
        seed=3,
        title="Films",
        learner={"name": "second-order", "gamma": 0.5},
        map="ranking",
        depth=3,
        features=names,
        names=names,
        scaling=Scaling.of(rows),
        per_user=True,
        retention=30,
        baseline="perceptron",
    ) as study:
        assert settings(tmp_path / "typed.db") == study.settings
    typed_names = {"learner", "map", "depth", "names", "features", "scaling", "per_user", "baseline"}
    assert DEFAULTS.keys() == typed_names | {"retention", "title", "log"}


def test_title_baseline_and_retention_can_be_changed(search: Path) -> None:
    """Others stay as the study was made, and the message says what to do."""
    done = run(
        "change",
        search,
        "--title",
        "New",
        "--baseline",
        '{"weights": {"funny": 1}}',
        "--retention",
        "rounds=9",
    )
    assert done.last == f"Next: penchant present {search}"
    found = settings(search)
    assert (found["title"], found["retention"]) == ("New", {"rounds": 9})
    assert found["baseline"] == {"weights": {"funny": 1.0}}
    run("change", search, "--retention", "none", "--baseline", "given")
    assert (settings(search)["retention"], settings(search)["baseline"]) == (None, "given")
    assert "--learner must stay as the study was made" in run("change", search, "--learner", "convex").err
    assert "--goal must be left out" in run("change", search, "--goal", "top").err
    assert "change needs a setting" in run("change", search).err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--baseline", "best"], "--baseline must be given, feature=NAME, one of perceptron"),
        (["--retention", "long"], "--retention must be a number of days, rounds=N or none"),
        (["--retention", "weeks=3"], "--retention must be a number of days, rounds=N or none"),
        (["--learner", "svm"], "--learner must be one of perceptron"),
        (["--learner", "convex"], "--names must name the features that convex learns from"),
        (["--set", "speed=3"], "--set must be NAME=VALUE with one of batch"),
        (["--scale"], "--scale must be given with ITEMS"),
        (["--answers", "x.csv"], "--answers must be left out for a study that presents orders"),
    ],
)
def test_what_cannot_be_typed_is_named(tmp_path: Path, words: list[str], message: str) -> None:
    """With the option, and no file is made."""
    done = run("new", tmp_path / "new.db", "--coactive", *words)
    assert done.status == 2
    assert done.err.startswith(f"penchant: {message}")
    assert list(tmp_path.iterdir()) == []


def test_items_are_added_and_retired(search: Path) -> None:
    """As in a study that compares; a retired one is not presented."""
    more = written(search.with_name("more.csv"), "id,title,funny\nduck,Duck Soup,3\n")
    assert "4 items now" in run("items", "add", search, more).out
    assert "3 items can be presented" in run("items", "retire", search, "heat").out
    assert "heat" not in json.loads(run("present", search, "--json").out)["order"]
    assert "4 items can be presented" in run("items", "return", search, "heat").out
    run("items", "edit", search, "duck", "funny=4")
    found = {item["id"]: item for item in json.loads(run("items", search, "--json").out)}
    assert found["duck"]["fields"]["funny"] == "4"
    assert "answers" not in found["duck"]
    run("new", search.with_name("none.db"), "--coactive")
    assert "no items" in run("items", search.with_name("none.db")).out
