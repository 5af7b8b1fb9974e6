"""The current ranking: that of the study, computed when an answer came or went and not otherwise."""

from __future__ import annotations

import json

import pytest

from penchant.serve.live import LiveRanking
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor


def test_the_ranking_is_the_studys_own(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """Numbers over HTTP are those in Python, with titles, the number of answers and progress added."""
    for number in range(6):
        ann.answers(f"event-{number}", "left")
    found = owner.get("/v1/ranking").json()
    own = json.loads(study.rank().to_json())
    titles = [row.pop("title") for row in found["items"]]
    assert titles == [study.items[row["item"]].title for row in found["items"]]
    assert {name: found[name] for name in own} == own
    assert (found["study"], found["progress"], found["answers"]) == ("Drinks", study.progress(), 6)
    study.settled()
    assert tuple(owner.get("/v1/ranking").json()["verdict"]) == study.verdict()


def test_the_ranking_follows_every_answer_and_every_undo(ann: Visitor, owner: Visitor) -> None:
    """What is kept between two looks is forgotten as soon as an answer comes or goes."""
    nothing = owner.get("/v1/ranking").json()
    ann.answers("event-1", "left")
    one = owner.get("/v1/ranking").json()
    assert one == owner.get("/v1/ranking").json()
    assert one["items"] != nothing["items"]
    ann.post("/v1/undo", {"id": "undo-1"})
    assert owner.get("/v1/ranking").json() == nothing


def test_it_is_computed_once_for_any_number_of_looks(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Several pages may ask every two seconds; only an answer makes the study rank again."""
    ranked = []
    rank = CompareStudy.rank
    monkeypatch.setattr(CompareStudy, "rank", lambda self: ranked.append(1) or rank(self))
    live = LiveRanking(study)
    for _ in range(3):
        live.to_json()
    assert len(ranked) == 1
    study.tell(study.ask("ann"), "left")
    assert live.to_json()["answers"] == 1
    assert len(ranked) == 2
