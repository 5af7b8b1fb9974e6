"""What a study has learned, over HTTP: as the study itself says it."""

from __future__ import annotations

import json

import pytest
from fastapi import FastAPI

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


@pytest.fixture
def answered(study: CompareStudy) -> CompareStudy:
    for _ in range(30):
        question = study.ask("ann")
        study.tell(question, "left" if question.left < question.right else "right")
    return study


def test_predictions_and_races_are_those_of_the_study(answered: CompareStudy, reader: Visitor) -> None:
    """As many of the last answers as are asked for."""
    found = reader.get("/v1/predictions?last=20").json()
    assert found == json.loads(answered.predictions(last=20).to_json())
    assert found["answers"] == 20
    assert sum(block["count"] for block in found["calibration"]) == 20
    race = reader.get("/v1/race?last=10").json()
    assert {model["model"] for model in race["models"]} == {"bradley-terry", "thurstone"}
    assert race["answers"] == 10


def test_certainty_ends_with_all_answers(answered: CompareStudy, reader: Visitor) -> None:
    """With a value for each number."""
    part = reader.get("/v1/certainty?seconds=0.000001").json()
    found = reader.get("/v1/certainty").json()
    assert found["answers"][-1] == 30
    assert len(found["values"]) == len(found["answers"])
    assert (len(part["answers"]), part["pending"]) == (1, len(found["answers"]) - 1)
    assert found["pending"] == 0
    rejected(reader.get("/v1/certainty?seconds=0"), 422, "invalid")


def test_what_comes_next_is_not_asked(answered: CompareStudy, reader: Visitor, ann: Visitor) -> None:
    """The log stays as it is."""
    last = answered.last_event()
    found = reader.get("/v1/upcoming").json()
    assert answered.last_event() == last
    assert found["titles"] == [found["left"], found["right"]]
    assert found["words"]


def test_the_probability_of_an_outcome(answered: CompareStudy, reader: Visitor) -> None:
    """Of three that add up to 1; one item alone has none."""
    found = reader.get("/v1/outcomes?a=Coffee&b=Water").json()
    assert found["ahead"] + found["behind"] + found["tie"] == pytest.approx(1)
    assert found["ahead"] > found["behind"]
    assert "differ" in rejected(reader.get("/v1/outcomes?a=Tea&b=Tea"), 422, "invalid")


def test_weights_with_how_steady_they_are_and_the_curve(
    shop: Visitor, watcher: Visitor, search: CoactiveStudy
) -> None:
    """Null where nothing is known; the largest weights first."""
    empty = watcher.get("/v1/learning-curve").json()
    assert empty == {"rounds": 0, "first": None, "ndcg": None, "regret": None, "blocks": []}
    for _ in range(4):
        search.feedback(search.present(["a", "b", "c"]), clicked=["c"])
    found = watcher.get("/v1/weights/report").json()
    sizes = [abs(row["weight"]) for row in found["weights"]]
    assert sizes == sorted(sizes, reverse=True)
    assert {row["feature"]: row["weight"] for row in found["weights"]} == pytest.approx(search.weights())
    curve = watcher.get("/v1/learning-curve").json()
    assert curve["rounds"] == 4
    assert curve["blocks"][-1]["last_round"] == 4


def test_a_judge_sees_none_of_it(both: FastAPI, study: CompareStudy, search: CoactiveStudy) -> None:
    """Whoever answers is not to be swayed."""
    judge = Visitor(both, study.tokens.make("judge", "ann"))
    for path in ("predictions", "race", "certainty", "upcoming", "outcomes?a=Tea&b=Milk"):
        rejected(judge.get(f"/v1/{path}"), 403, "not_a_reader")
    judge = Visitor(both, search.tokens.make("judge", "ann"))
    for path in ("weights/report", "learning-curve"):
        rejected(judge.get(f"/v1/{path}"), 403, "not_a_reader")
