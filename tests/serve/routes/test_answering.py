"""Questions, answers and undo over HTTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.store import SQLiteLog
from penchant.study import Answer, CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


def sent(answer: Answer) -> str:
    """The id under which a client sent an answer."""
    return answer.id.rpartition("/")[2]


def test_a_question_shows_two_items_and_how_far_it_has_come(ann: Visitor, study: CompareStudy) -> None:
    """A question carries id, title and text of both sides, the judge, and progress in words."""
    asked = ann.asked()
    assert set(asked) == {"id", "left", "right", "judge", "progress", "answered", "ahead"}
    for side in ("left", "right"):
        item = study.items[asked[side]["id"]]
        assert asked[side] == {
            "id": item.id,
            "title": item.title,
            "text": item.text,
            "format": "text",
            "fields": {},
            "picture": "",
            "size": [],
        }
    assert (asked["judge"], asked["answered"], asked["progress"]) == ("ann", 0, study.progress())


def test_a_question_stays_until_it_is_answered(ann: Visitor, bob: Visitor) -> None:
    """Asking again, as after a reload, gives the same question; another judge gets another."""
    first = ann.asked()
    assert ann.asked() == first
    assert bob.asked()["id"] != first["id"]


@pytest.mark.parametrize("choice", ["left", "right", "tie", "both_bad", "skip"])
def test_an_answer_is_kept_and_the_next_question_comes_with_the_reply(
    ann: Visitor, study: CompareStudy, choice: str
) -> None:
    """Each of the five answers is in the study when the reply comes, and the reply asks on."""
    asked = ann.asked()
    found = ann.answers("event-1", choice, asked["id"]).json()
    assert found["answer"] == {"id": "event-1", "question": asked["id"], "choice": choice}
    (kept,) = study.answers()
    assert (kept.id.rpartition("/")[2], kept.question.id, kept.choice) == ("event-1", asked["id"], choice)
    assert found["next"]["id"] != asked["id"]
    assert found["next"]["answered"] == 1
    assert found["ahead"] == []
    assert ann.asked() == {**found["next"], "ahead": []}


def test_questions_ahead_are_reserved_and_can_be_answered_in_any_order(
    ann: Visitor, bob: Visitor, study: CompareStudy
) -> None:
    """Different pairs, no other judge's; each is answered under its own id, and asking again gives the same ones."""
    asked = ann.post("/v1/questions", {"ahead": 2}).json()
    ids = [asked["id"], *(each["id"] for each in asked["ahead"])]
    assert len(set(ids)) == 3
    pairs = {frozenset(each[side]["id"] for side in ("left", "right")) for each in (asked, *asked["ahead"])}
    assert len(pairs) == 3
    assert bob.asked()["id"] not in ids
    assert ann.asked()["id"] == ids[0]
    body = {"id": "a2", "question": ids[1], "choice": "left", "ahead": 2}
    reply = ann.post("/v1/answers", body).json()
    assert reply["next"]["id"] == ids[0]
    assert [each["id"] for each in reply["ahead"]][:1] == [ids[2]]
    assert len(reply["ahead"]) == 2
    assert ann.answers("a1", "right", ids[0]).status_code == 200
    assert [(sent(kept), kept.question.id) for kept in study.answers()] == [("a2", ids[1]), ("a1", ids[0])]
    rejected(ann.post("/v1/questions", {"ahead": 6}), 422, "invalid")


def test_there_are_no_questions_ahead_that_would_repeat_a_pair(tmp_path: Path) -> None:
    """Of two items there is one pair."""
    with CompareStudy.create(tmp_path / "two.db", ["a", "b"]) as study:
        judge = Visitor(create_app(study), study.tokens.make("judge", "ann"))
        assert judge.post("/v1/questions", {"ahead": 3}).json()["ahead"] == []


def test_a_judge_sees_the_columns_that_the_study_shows(tmp_path: Path) -> None:
    """In their order, without empty ones; a format other than code means nothing, and tabs stay."""
    items = [
        {"id": "a", "text": "if x:\n\tgo", "format": "code", "price": 3, "maker": "secret", "kind": "b\nc"},
        {"id": "b", "format": "paperback", "price": None, "maker": "secret", "kind": ""},
    ]
    with CompareStudy.create(tmp_path / "two.db", items, show=["kind", "price"]) as study:
        asked = Visitor(create_app(study), study.tokens.make("judge", "ann")).asked()
    shown = {asked[side]["id"]: asked[side] for side in ("left", "right")}
    assert list(shown["a"]["fields"].items()) == [("kind", "b\nc"), ("price", 3)]
    assert (shown["a"]["format"], shown["a"]["text"]) == ("code", "if x:\n\tgo")
    assert (shown["b"]["format"], shown["b"]["fields"]) == ("text", {})
    assert "secret" not in str(asked)


def test_the_same_answer_again_gets_the_first_reply_and_counts_once(
    ann: Visitor, study: CompareStudy
) -> None:
    """A lost reply is asked for again under the same id: 200, the same answer, one event."""
    asked = ann.asked()["id"]
    first, again = ann.answers("event-1", "left", asked), ann.answers("event-1", "left", asked)
    assert (first.status_code, again.status_code) == (200, 200)
    assert again.json() == {**first.json(), "duplicate": True}
    assert len(study.answers()) == 1


def test_one_id_for_two_things_is_a_conflict(ann: Visitor, study: CompareStudy) -> None:
    """The same id with another choice or question, or a second answer to a question, is rejected: 409."""
    asked = ann.asked()["id"]
    following = ann.answers("event-1", "left", asked).json()["next"]["id"]
    rejected(ann.answers("event-1", "right", asked), 409, "conflict")
    rejected(ann.answers("event-1", "left", following), 409, "conflict")
    late = ann.answers("event-2", "left", asked)
    assert rejected(late, 409, "answered") == "This question was answered already: go on with the next one"
    assert late.json()["next"]["id"] == following
    assert [answer.choice for answer in study.answers()] == ["left"]


def test_many_copies_of_one_answer_at_once_count_once(ann: Visitor, study: CompareStudy) -> None:
    """Eight copies sent together: none fails but as a conflict on its way, and one event is kept."""
    asked = ann.asked()["id"]
    with ThreadPoolExecutor(8) as crowd:
        replies = list(crowd.map(lambda _: ann.answers("event-1", "left", asked), range(8)))
    assert {reply.status_code for reply in replies} == {200}
    assert [sent(answer) for answer in study.answers()] == ["event-1"]


def test_undo_takes_back_the_judges_own_last_answer_and_asks_again(
    ann: Visitor, bob: Visitor, study: CompareStudy
) -> None:
    """Bob's later answer stands; Ann's question is open again and can be answered anew."""
    asked = ann.asked()
    ann.answers("event-1", "left", asked["id"])
    bob.answers("event-2", "right")
    found = ann.post("/v1/undo", {"id": "undo-1"}).json()
    assert found["undo"] == "undo-1"
    assert found["question"]["id"] == asked["id"]
    assert (found["question"]["left"], found["question"]["answered"]) == (asked["left"], 0)
    assert [sent(answer) for answer in study.answers()] == ["event-2"]
    assert ann.answers("event-3", "tie", asked["id"]).status_code == 200


def test_the_same_undo_again_changes_nothing(ann: Visitor, study: CompareStudy) -> None:
    """An undo whose reply was lost takes back one answer, not two, and asks the same question again."""
    ann.answers("event-1", "left")
    ann.answers("event-2", "left")
    first, again = (ann.post("/v1/undo", {"id": "undo-1"}) for _ in range(2))
    assert again.json() == {**first.json(), "duplicate": True}
    assert [sent(answer) for answer in study.answers()] == ["event-1"]


def test_an_undo_that_is_taken_back_opens_no_question(ann: Visitor, study: CompareStudy) -> None:
    """The answer stands again, and its question needs none."""
    ann.answers("event-1", "left")
    ann.post("/v1/undo", {"id": "undo-1"})
    found = ann.post("/v1/undo", {"id": "undo-2", "event": "undo-1"}).json()
    assert found["question"] is None
    assert [sent(answer) for answer in study.answers()] == ["event-1"]


def test_there_may_be_nothing_to_take_back(ann: Visitor, bob: Visitor) -> None:
    """Undo without an answer of one's own is rejected with a message."""
    bob.answers("event-1", "left")
    rejected(ann.post("/v1/undo", {"id": "undo-1"}), 422, "invalid")


ODD = [
    "a/b",
    "..",
    "../../v1/health",
    "50%",
    "%2F",
    "a?b#c",
    "q:1",
    "ü 水",
    "👩‍🚀",
    "'; --",
    "<b>",
    "\\",
    "x" * 100,
]
"""Ids that mean something in addresses, queries and markup."""


@pytest.mark.parametrize("odd", ODD)
def test_any_stored_id_works(tmp_path: Path, odd: str) -> None:
    """Questions, items and judges of imported events may have any id; it comes back as it is on every route."""
    event_id = odd if odd.isprintable() else "q-1"
    items = [{"id": f"{odd}{k}", "title": f"{odd}{k}"} for k in range(3)]
    CompareStudy.create(tmp_path / "s.db", items, seed=1).close()
    with SQLiteLog.open(tmp_path / "s.db") as log:
        asked = {"left": f"{odd}0", "right": f"{odd}1", "judge": odd}
        log.append_all([(event_id, "asked", asked, 1)])
    with CompareStudy.open(tmp_path / "s.db") as study:
        app = create_app(study)
        judge = Visitor(app, study.tokens.make("judge", odd))
        owner = Visitor(app, study.tokens.make("owner", "me"))
        first = judge.asked()
        assert (first["id"], first["judge"]) == (event_id, odd)
        assert (first["left"]["id"], first["right"]["id"]) == (f"{odd}0", f"{odd}1")
        reply = judge.answers("e-1", "left", event_id)
        assert reply.json()["answer"] == {"id": "e-1", "question": event_id, "choice": "left"}
        assert judge.answers("e-1", "left", event_id).json()["answer"] == reply.json()["answer"]
        assert judge.post("/v1/undo", {"id": "u-1"}).json()["question"]["id"] == event_id
        assert judge.answers("e-2", "right", event_id).status_code == 200
        ranked = [row["item"] for row in owner.get("/v1/ranking").json()["items"]]
        assert sorted(ranked) == sorted(item["id"] for item in items)
        made = owner.post("/v1/judges", {"name": odd}).json()
        assert made["judge"] == odd
        names = {token["id"]: token["name"] for token in owner.get("/v1/tokens").json()}
        assert names[made["id"]] == odd
        assert owner.request("DELETE", f"/v1/tokens/{made['id']}", json={}).status_code == 200
        unknown = owner.request("DELETE", f"/v1/tokens/{quote(odd, safe='')}", json={})
        assert unknown.status_code in (404, 405, 422)
        assert set(unknown.json()) == {"error"}


def test_many_judges_at_once_are_each_answered(app: FastAPI, study: CompareStudy) -> None:
    """Answers that come together, some twice and some that are wrong, each count once or not at all."""
    judges = {f"judge-{n}": Visitor(app, study.tokens.make("judge", f"judge-{n}")) for n in range(12)}
    asked = {name: judge.asked()["id"] for name, judge in judges.items()}

    def answering(name: str) -> list[int]:
        body = {"id": "e", "question": asked[name], "choice": "left"}
        wrong = [{**body, "choice": "up"}, {**body, "question": "q-none"}]
        sent = [("POST", "/v1/answers", each) for each in (body, wrong[0], body, wrong[1])]
        return [reply.status_code for reply in judges[name].at_once(sent)]

    with ThreadPoolExecutor(12) as crowd:
        found = list(crowd.map(answering, judges))
    assert found == [[200, 422, 200, 404]] * 12
    assert sorted(answer.question.judge for answer in study.answers()) == sorted(judges)


def test_a_judge_takes_back_the_answer_that_they_name(
    ann: Visitor, bob: Visitor, study: CompareStudy
) -> None:
    """By the id under which it was sent; an answer of somebody else or of nobody is 404."""
    ann.answers("event-1", "left")
    ann.answers("event-2", "left")
    bob.answers("event-3", "left")
    undo = {"id": "undo-1", "event": "event-1"}
    first = ann.post("/v1/undo", undo).json()
    assert (first["undo"], first["duplicate"]) == ("undo-1", False)
    assert ann.post("/v1/undo", undo).json() == {**first, "duplicate": True}
    rejected(ann.post("/v1/undo", {**undo, "event": "event-2"}), 409, "conflict")
    rejected(ann.post("/v1/undo", {"id": "undo-2", "event": "event-1"}), 409, "conflict")
    rejected(ann.post("/v1/undo", {"id": "undo-3", "event": "event-3"}), 404, "unknown")
    rejected(ann.post("/v1/undo", {"id": "undo-4", "user": "ann"}), 422, "invalid")
    assert [sent(answer) for answer in study.answers()] == ["event-2", "event-3"]
    again = ann.post("/v1/undo", {"id": "undo-5", "event": "undo-1"})
    assert again.status_code == 200, "an undo can be taken back too"
    assert len(study.answers()) == 3


def test_the_owner_takes_back_any_event(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """By its id in the log, which the list of events has; one must be named."""
    ann.answers("event-1", "left")
    (event,) = (
        event["id"] for event in owner.get("/v1/events").json()["events"] if event["kind"] == "answered"
    )
    assert owner.post("/v1/undo", {"id": "u1", "event": event}).json() == {
        "undo": "u1",
        "duplicate": False,
        "question": None,
    }
    assert study.answers() == []
    rejected(owner.post("/v1/undo", {"id": "u2"}), 422, "invalid")
    rejected(owner.post("/v1/undo", {"id": "u3", "event": "nothing"}), 404, "unknown")
    rejected(owner.post("/v1/undo", {"id": "u4", "event": "created"}), 422, "invalid")


def test_an_app_takes_back_feedback(
    both: FastAPI, shop: Visitor, seller: Visitor, search: CoactiveStudy
) -> None:
    """That which it names, or the last one of a user; a reader and a judge take back none."""
    for number, user in enumerate(("ann", "bob")):
        body = {"id": f"r{number}", "candidates": ["a", "b", "c"], "user": user}
        shown = shop.post("/v1/presentations", body).json()["id"]
        shop.post(
            "/v1/feedback", {"id": f"f{number}", "presentation": shown, "clicked": [["c"], ["b"]][number]}
        )
    undo = {"id": "u1", "user": "ann"}
    assert shop.post("/v1/undo", undo).json() == {"undo": "u1", "duplicate": False, "question": None}
    assert shop.post("/v1/undo", undo).json()["duplicate"] is True
    rejected(shop.post("/v1/undo", {**undo, "user": "bob"}), 409, "conflict")
    rejected(shop.post("/v1/undo", {"id": "u2", "event": "f0"}), 409, "conflict")
    rejected(shop.post("/v1/undo", {"id": "u3", "event": "f9"}), 404, "unknown")
    rejected(shop.post("/v1/undo", {"id": "u4", "event": "f1", "user": "ann"}), 422, "invalid")
    rejected(shop.post("/v1/undo", {"id": "u5", "user": "nobody"}), 422, "invalid")
    assert shop.post("/v1/undo", {"id": "u6", "event": "f1"}).status_code == 200
    rejected(seller.post("/v1/undo", {"id": "u7"}), 422, "invalid")
    assert search.n_rounds == 0
    judge, reader = (Visitor(both, search.tokens.make(role, role)) for role in ("judge", "reader"))
    rejected(judge.post("/v1/undo", {"id": "u8"}), 422, "wrong_kind")
    rejected(reader.post("/v1/undo", {"id": "u9"}), 403, "not_allowed")
