"""`penchant settings` and `change`, and the options that set a study up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from penchant.study import CompareStudy
from tests.cli.typed import run, written

CARS = "title,range,price,shape\nA,310,20,van\nB,420,30,coupe\nC,250,15,van\nD,500,44,saloon\n"


def settings(study: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run("settings", study, "--json").out)
    return found


@pytest.fixture
def cars(tmp_path: Path) -> Path:
    return written(tmp_path / "cars.csv", CARS)


def test_every_setting_has_an_option(cars: Path) -> None:
    """What is typed is what the study has, the same as from Python."""
    never = written(cars.parent / "never.csv", "one,two\nA,B\n")
    typed = ["--title", "Cars", "--question", "Which?", "--instructions", "Look.", "--top", 2, "--least", 3]
    typed += ["--features", "range, price", "--feature", "shape", "--repeats", 0.1, "--most-ahead", 5]
    typed += ["--increasing", "range", "--decreasing", "price", "--set", "noise=0.5", "--forbidden", never]
    typed += ["--show", "shape, price", "--answers-each", 30]
    done = run("new", cars.parent / "typed.db", cars, *typed, "--seed", 3, "--json")
    assert done.status == 0, done.err
    from penchant.gp import MonotoneGP
    from penchant.study import read_items

    with CompareStudy.create(
        cars.parent / "python.db",
        read_items(cars),
        title="Cars",
        question="Which?",
        instructions="Look.",
        top=2,
        least=3,
        features=["range", "price", "shape"],
        repeats=0.1,
        most_ahead=5,
        model=MonotoneGP(increasing=["range"], decreasing=["price"], noise=0.5),
        forbidden=[("A", "B")],
        show=["shape", "price"],
        answers_each=30,
        seed=3,
    ) as study:
        assert json.loads(done.out)["settings"] == study.settings
    assert settings(cars.parent / "typed.db") == settings(cars.parent / "python.db")


def test_settings_are_changed(study: Path) -> None:
    """Those that are typed change, the others stay."""
    before = settings(study)
    done = run("change", study, "--top", 2, "--title", "Hot drinks")
    assert done.out.splitlines()[:-1] == ["title: Hot drinks", "goal: top", "top: 2"]
    assert settings(study) == {**before, "top": 2, "title": "Hot drinks", "goal": "top"}
    assert run("change", study, "--top", 2).out.splitlines()[0] == "nothing changed"
    changed = run("change", study, "--goal", "order", "--json")
    assert json.loads(changed.out)["top"] is None
    assert "Hot drinks" in run("settings", study).out


def test_a_setting_of_the_model_changes_alone(study: Path) -> None:
    """The other settings of the model stay; another model has its own."""
    run("change", study, "--set", "prior=0.5")
    run("change", study, "--set", "errors=row")
    model = settings(study)["model"]
    assert (model["settings"]["prior"], model["settings"]["errors"]) == (0.5, "row")
    run("change", study, "--model", "thurstone")
    assert settings(study)["model"]["name"] == "thurstone"
    assert settings(study)["model"]["settings"]["prior"] == "learned"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "change needs a setting"),
        (["--goal", "best"], "--goal must be one of order, exact, top, got 'best'"),
        (["--set", "colour=1"], "--set must be NAME=VALUE with one of"),
        (["--model", "glicko"], "--model must be one of"),
        (["--increasing", "range"], "--increasing must be given with monotone-gp only"),
        (["--features", "weight"], "--features must name fields of the items"),
        (["--forbidden", "no-such.csv"], "no-such.csv"),
    ],
)
def test_a_wrong_setting_is_named_as_it_was_typed(study: Path, words: list[str], message: str) -> None:
    """One line, status 2, nothing changed."""
    before = settings(study)
    done = run("change", study, *words)
    assert (done.status, done.err.count("\n")) == (2, 1)
    assert message in done.err
    assert settings(study) == before
