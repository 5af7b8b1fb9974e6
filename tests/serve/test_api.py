"""The interface under /v1: the loop's own words, over HTTP."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.store import SQLiteLog
from penchant.study import Answer, CompareStudy
from tests.serve.visitor import Visitor, rejected


def sent(answer: Answer) -> str:
    """The id under which a client sent an answer."""
    return answer.id.rpartition("/")[2]


def test_a_question_shows_two_items_and_how_far_it_has_come(ann: Visitor, study: CompareStudy) -> None:
    """A question carries id, title and text of both sides, the judge, and progress in words."""
    asked = ann.asked()
    assert set(asked) == {"id", "left", "right", "judge", "progress", "answered"}
    for side in ("left", "right"):
        item = study.items[asked[side]["id"]]
        assert asked[side] == {"id": item.id, "title": item.title, "text": item.text}
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
    assert ann.asked() == found["next"]


def test_the_same_answer_again_gets_the_first_reply_and_counts_once(
    ann: Visitor, study: CompareStudy
) -> None:
    """A lost reply is asked for again under the same id: 200, the same answer, one event."""
    asked = ann.asked()["id"]
    first, again = ann.answers("event-1", "left", asked), ann.answers("event-1", "left", asked)
    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json() == again.json()
    assert len(study.answers()) == 1


def test_one_id_for_two_things_is_a_conflict(ann: Visitor, study: CompareStudy) -> None:
    """The same id with another choice or question, or a second answer to a question, is rejected: 409."""
    asked = ann.asked()["id"]
    following = ann.answers("event-1", "left", asked).json()["next"]["id"]
    rejected(ann.answers("event-1", "right", asked), 409, "conflict")
    rejected(ann.answers("event-1", "left", following), 409, "conflict")
    late = ann.answers("event-2", "left", asked)
    assert rejected(late, 409, "answered") == "This one was answered already: here is the next."
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
    assert first.json() == again.json()
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


def test_health_tells_everybody_that_it_runs_and_nothing_else(stranger: Visitor) -> None:
    """No token is needed, and nothing is given away."""
    reply = stranger.get("/v1/health")
    assert (reply.status_code, reply.json()) == (200, {"status": "ok", "writable": True, "problem": None})


def test_the_owner_makes_links_for_judges(owner: Visitor, app: FastAPI) -> None:
    """The link carries the name and a token that asks questions in that name."""
    found = owner.post("/v1/judges", {"name": "  Zoë & Co "}).json()
    assert found["judge"] == "Zoë & Co"
    address, _, fragment = found["link"].partition("#")
    assert address == "http://127.0.0.1:8000/"
    assert fragment.startswith("judge=Zo%C3%AB%20%26%20Co&token=")
    assert Visitor(app, fragment.rpartition("token=")[2]).asked()["judge"] == "Zoë & Co"


@pytest.mark.parametrize("name", ["", "   ", "a" * 101, "a\nb", "\x00", "‮evil"])
def test_a_judge_needs_a_name(owner: Visitor, name: str) -> None:
    """Empty, endless and unprintable names are rejected with a message."""
    rejected(owner.post("/v1/judges", {"name": name}), 422, "invalid")


def test_the_owner_lists_and_revokes_tokens(owner: Visitor, ann: Visitor, study: CompareStudy) -> None:
    """The list says whose, when made and when used; a revoked token stops working at once."""
    ann.asked()
    known = {token["name"]: token for token in owner.get("/v1/tokens").json()}
    assert set(known) == {"me", "ann"}
    assert set(known["ann"]) == {"id", "role", "name", "made", "used", "expires"}
    assert known["ann"]["role"] == "judge"
    assert known["ann"]["used"] >= known["ann"]["made"]
    headers = {"Content-Type": "application/json"}
    assert owner.request("DELETE", f"/v1/tokens/{known['ann']['id']}", headers=headers).status_code == 200
    rejected(ann.post("/v1/questions", {}), 401, "wrong_token")
    rejected(owner.request("DELETE", "/v1/tokens/t-0", headers=headers), 404, "unknown")


def test_the_owner_makes_tokens_of_any_role(owner: Visitor, app: FastAPI) -> None:
    """The token in the reply works in its role until its days are over; a role that does not exist is named."""
    made = owner.post("/v1/tokens", {"role": "reader", "name": "board", "days": 1.0}).json()
    assert made["link"].endswith(f"/owner#token={made['token']}")
    assert made["expires"] == pytest.approx(made["made"] + 86400)
    board = Visitor(app, made["token"])
    assert board.get("/v1/ranking").status_code == 200
    rejected(board.post("/v1/questions", {}), 403, "not_a_judge")
    rejected(board.get("/v1/tokens"), 403, "not_the_owner")
    assert "role must be" in rejected(owner.post("/v1/tokens", {"role": "king", "name": "x"}), 422, "invalid")
    assert "days must be" in rejected(
        owner.post("/v1/tokens", {"role": "app", "name": "x", "days": -1.0}), 422, "invalid"
    )
