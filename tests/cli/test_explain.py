"""`penchant why`, `predictions` and `race`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant.study import CompareStudy
from tests.cli.test_study import run as run_with_input
from tests.cli.typed import run


@pytest.fixture
def answered(study: Path) -> Path:
    run_with_input("compare", study, input="left\nright\nleft\nleft\nright\nleft\n" * 3)
    return study


def test_reasons_are_those_of_python(answered: Path) -> None:
    """The weights add up to the difference of the two scores."""
    with CompareStudy.open(answered, write=False) as study:
        expected = study.why("Tea", "Milk")
    found = json.loads(run("why", answered, "Tea", "Milk", "--json").out)
    assert found == json.loads(expected.to_json())
    weights = [reason["weight"] for kind in ("answers", "links", "features") for reason in found[kind]]
    assert sum(weights) == pytest.approx(found["difference"], abs=1e-9)
    done = run("why", answered, "Tea", "Milk", "--most", 1)
    assert done.out.startswith("Tea ")
    assert run("why", answered, "Tea", "Juice").status == 2


def test_models_race_on_the_answers_of_a_study(answered: Path) -> None:
    """The log losses are those of Python; a model that no study has is rejected."""
    models = ["thurstone", "bradley-terry"]
    words = [word for name in models for word in ("--model", name)]
    found = json.loads(run("race", answered, *words, "--json").out)
    with CompareStudy.open(answered, write=False) as study:
        assert found == json.loads(study.race(models).to_json())
    assert json.loads(run("race", answered, *words, "--last", 5, "--json").out)["answers"] == 5
    done = run("race", answered, *words)
    best = found["models"][0]["model"]
    own = best == "bradley-terry"
    assert (
        done.last
        == f"Next: penchant {'rank' if own else 'change'} {answered}{'' if own else f' --model {best}'}"
    )
    assert run("race", answered, "--model", "glicko").status == 2
    twice = json.loads(run("race", answered, "--model", "thurstone", "--model", "thurstone", "--json").out)
    assert [row["model"] for row in twice["models"]] == ["thurstone"]


def test_predictions_are_those_of_python(answered: Path) -> None:
    """The figures and the table are those of `Study.predictions`."""
    with CompareStudy.open(answered, write=False) as study:
        expected = study.predictions()
        few = study.predictions(last=5, level=0.8)
    assert json.loads(run("predictions", answered, "--json").out) == json.loads(expected.to_json())
    words = ["--last", 5, "--level", 0.8]
    assert json.loads(run("predictions", answered, *words, "--json").out) == json.loads(few.to_json())
    done = run("predictions", answered)
    assert done.out.startswith(f"{expected!r}\n")
    assert done.last == f"Next: penchant race {answered}"
    assert "--level must be" in run("predictions", answered, "--level", 2).err
