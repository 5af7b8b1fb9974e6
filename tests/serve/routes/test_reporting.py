"""Reports over HTTP: what the study itself says, for those who may look."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


def test_why_is_the_studys_own_explanation(ann: Visitor, reader: Visitor, study: CompareStudy) -> None:
    """The reasons add up to the difference, each with its weight; the most that are wanted are returned."""
    for number in range(8):
        ann.answers(f"event-{number}", "left")
    found, own = reader.get("/v1/why?a=Tea&b=Milk&most=2").json(), study.why("Tea", "Milk", most=2)
    assert found["difference"] == pytest.approx(own.difference)
    assert (found["a"], found["b"], found["titles"]) == ("Tea", "Milk", ["Tea", "Milk"])
    assert len(found["answers"]) <= 3
    assert sum(reason["weight"] for reason in found["answers"]) == pytest.approx(found["difference"])


def test_why_of_a_coactive_study_is_by_features(
    shop: Visitor, watcher: Visitor, search: CoactiveStudy
) -> None:
    """Of the shared model, or of a user's own."""
    shown = search.present(["a", "b", "c"], user="ann")
    search.feedback(shown, clicked=["c"])
    found = watcher.get("/v1/why?a=c&b=a&user=ann").json()
    assert found["difference"] > 0
    assert {reason["what"] for reason in found["features"]}
    assert found["difference"] == pytest.approx(search.why("c", "a", user="ann").difference)


@pytest.mark.parametrize(
    ("query", "status", "code", "words"),
    [
        ("a=Tea&b=Nothing", 404, "unknown", "Nothing"),
        ("a=Tea&b=Tea", 422, "invalid", "b must differ from a"),
        ("a=Tea", 422, "invalid", "b must be given"),
        ("a=Tea&b=Milk&most=0", 422, "invalid", "most must be greater than or equal to 1, got '0'"),
        ("a=Tea&b=Milk&most=1001", 422, "invalid", "most must"),
        ("a=Tea&b=Milk&most=x", 422, "invalid", "most must"),
        ("a=Tea&b=Milk&user=ann", 422, "invalid", "user must be left out where items are compared"),
    ],
)
def test_a_query_that_means_nothing_is_named(
    reader: Visitor, query: str, status: int, code: str, words: str
) -> None:
    """The parameter and its limit are in the message."""
    assert words in rejected(reader.get(f"/v1/why?{query}"), status, code)


def test_a_user_to_whom_nothing_was_presented_has_no_weights(watcher: Visitor) -> None:
    """The name is in the message, as it was sent."""
    for path in ("weights?user=zoe", "why?a=a&b=b&user=zoe"):
        assert "got 'zoe'" in rejected(watcher.get(f"/v1/{path}"), 422, "invalid")


@pytest.mark.parametrize("level", ["0", "1", "nan", "x", "-1"])
def test_the_level_of_an_interval_lies_between_0_and_1(watcher: Visitor, level: str) -> None:
    """Anything else is named."""
    assert "level must" in rejected(watcher.get(f"/v1/interleaving?level={level}"), 422, "invalid")


def test_before_anything_was_presented_there_is_no_share(watcher: Visitor, search: CoactiveStudy) -> None:
    """Null, which every program reads, and the widest interval; the weights are all 0."""
    assert watcher.get("/v1/interleaving").json() == {
        "wins": 0,
        "losses": 0,
        "ties": 0,
        "share": None,
        "interval": [0.0, 1.0],
        "level": 0.95,
    }
    assert watcher.get("/v1/weights").json() == {"user": None, "weights": search.weights()}


def test_how_settled_it_is_comes_when_it_is_known(ann: Visitor, reader: Visitor, study: CompareStudy) -> None:
    """Null at first; later the number of answers, in words too."""
    assert reader.get("/v1/settled").json() == {"settled": None}
    for number in range(8):
        ann.answers(f"event-{number}", "left")
    study.settled()
    found = reader.get("/v1/settled").json()["settled"]
    assert found["words"].endswith(".")
    assert {"enough", "answers"} <= set(found)


def test_a_judge_sees_no_report(both: FastAPI, study: CompareStudy, search: CoactiveStudy) -> None:
    """Whoever answers is not to be swayed by what others answered."""
    for kept, paths in (
        (study, ("ranking", "settled", "why?a=Tea&b=Milk", "items", "settings", "metrics", "changes")),
        (search, ("weights", "interleaving", "why?a=a&b=b")),
    ):
        judge = Visitor(both, kept.tokens.make("judge", "ann"))
        for path in paths:
            rejected(judge.get(f"/v1/{path}"), 403, "not_a_reader")
