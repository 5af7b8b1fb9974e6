"""History, activity, items and checks over HTTP, for the owner alone."""

from __future__ import annotations

from dataclasses import asdict

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


def test_the_history_in_pages(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """The newest first, in the words of the study; an answer that was taken back does not stand."""
    for number in range(3):
        ann.answers(f"event-{number}", "left")
    ann.post("/v1/undo", {"id": "undo-1", "event": "event-1"})
    found = owner.get("/v1/history?limit=3").json()
    assert found["last"] == study.last_event()
    assert found["entries"] == [asdict(entry) for entry in study.history(limit=3)]
    before = found["entries"][-1]["number"]
    older = owner.get(f"/v1/history?before={before}&limit=100").json()["entries"]
    assert [entry["number"] for entry in older] == list(range(before - 1, 0, -1))
    answers = [entry for entry in [*found["entries"], *older] if entry["kind"] == "answered"]
    assert [entry["stands"] for entry in answers] == [True, False, True]


def test_the_owner_takes_back_and_restores_any_answer(
    ann: Visitor, owner: Visitor, study: CompareStudy
) -> None:
    """By the ids of the history: an undo, and the undo of the undo."""
    ann.answers("event-1", "left")
    answer = next(e for e in owner.get("/v1/history").json()["entries"] if e["kind"] == "answered")
    assert owner.post("/v1/undo", {"id": "u-1", "event": answer["id"]}).status_code == 200
    assert study.n_answers() == 0
    undo = owner.get("/v1/history?limit=1").json()["entries"][0]
    assert (undo["kind"], undo["stands"]) == ("undone", True)
    assert owner.post("/v1/undo", {"id": "u-2", "event": undo["id"]}).status_code == 200
    assert study.n_answers() == 1


def test_what_judges_did(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """As the study counts it."""
    for number in range(4):
        ann.answers(f"event-{number}", "left")
    found = owner.get("/v1/activity").json()["judges"]
    assert found == [asdict(activity) for activity in study.activity()]
    assert (found[0]["judge"], found[0]["answers"], found[0]["left_share"]) == ("ann", 4, 1.0)


def test_one_item(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """With all its fields, whom it met and when it came; an id may hold a slash."""
    study.add_items([{"id": "a/b", "title": "Both", "price": 3}])
    for number in range(9):
        ann.answers(f"event-{number}", "left")
    found = owner.get("/v1/items/a%2Fb").json()
    assert found["item"]["fields"] == {"price": 3}
    assert found["answers"] == study.item_report("a/b").answers
    assert [entry["kind"] for entry in found["changes"]] == ["items"]
    met = {opponent["item"] for opponent in owner.get("/v1/items/Tea?most=1").json()["opponents"]}
    assert met <= set(study.items)


def test_the_checks_of_both_kinds(owner: Visitor, seller: Visitor, study: CompareStudy) -> None:
    """Each with its result; what lacks data is neither passed nor failed."""
    found = owner.get("/v1/checks").json()
    own = {check.name: check.passed for check in study.check()}
    assert {check["name"]: check["passed"] for check in found["checks"]} == own
    assert None in own.values()
    assert seller.get("/v1/checks").json()["ok"] is True


def test_names_are_for_the_owner(
    reader: Visitor, watcher: Visitor, search: CoactiveStudy, ann: Visitor
) -> None:
    """Readers see no judge, no user, and no single answer."""
    for path in ("history", "activity", "checks", "items/Tea"):
        rejected(reader.get(f"/v1/{path}"), 403, "not_the_owner")
        rejected(ann.get(f"/v1/{path}"), 403, "not_the_owner")
    rejected(watcher.get("/v1/history"), 403, "not_the_owner")
