"""Presentations and feedback over HTTP: in all forms, once for each id, and without a token once for each page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from httpx import Response

from penchant.errors import InvalidInput
from penchant.serve import create_app
from penchant.serve.routes.presenting import Table
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from tests.serve.conftest import SHOP
from tests.serve.visitor import Visitor, rejected

FORMS: list[Any] = [
    ["a", "b", "c"],
    {"x": {"dark": 1.0, "new": True}, "y": {"kind": "film"}},
    {"ids": ["x", "y"], "features": ["dark", "long"], "rows": [[1.0, 0], [0, 2]]},
]


def presented(visitor: Visitor, id: str = "r1", **more: Any) -> dict[str, Any]:
    """Present the films, and return the reply."""
    reply = visitor.post("/v1/presentations", {"id": id, "candidates": ["a", "b", "c"], **more})
    assert reply.status_code == 200, reply.text
    return dict(reply.json())


def clicks(visitor: Visitor, presentation: str, *clicked: str, id: str = "f1") -> Response:
    return visitor.post("/v1/feedback", {"id": id, "presentation": presentation, "clicked": list(clicked)})


@pytest.mark.parametrize("candidates", FORMS)
def test_candidates_of_each_form_are_put_in_order(
    shop: Visitor, search: CoactiveStudy, candidates: Any
) -> None:
    """Ids of items, features by id, and a table; the presentation is on disk when the reply comes."""
    body = {"id": "r1", "candidates": candidates, "user": "ann"}
    found = shop.post("/v1/presentations", body).json()
    ids = candidates if isinstance(candidates, list) else candidates.get("ids", list(candidates))
    assert sorted(found["order"]) == sorted(ids)
    assert (found["teams"], found["learn"], found["duplicate"]) == (None, True, False)
    with Study.open(search._log.place, write=False) as other:
        assert other.has_event(found["id"])
    assert shop.post("/v1/presentations", body).json() == {**found, "duplicate": True}
    assert search.n_presentations == 1


def test_a_table_and_features_by_name_are_learned_alike(shop: Visitor, search: CoactiveStudy) -> None:
    """The same candidates in either form get the same order, before and after a click."""
    table, by_name = FORMS[2], {"x": {"dark": 1.0}, "y": {"long": 2.0}}
    first = shop.post("/v1/presentations", {"id": "r1", "candidates": table}).json()
    assert clicks(shop, first["id"], "y").json()["order"] == ["y", "x"]
    for number, form in enumerate((table, by_name)):
        found = shop.post("/v1/presentations", {"id": f"again-{number}", "candidates": form}).json()
        assert found["order"] == ["y", "x"]


@pytest.mark.parametrize(
    "other",
    [
        {"candidates": ["a", "b"]},
        {"candidates": FORMS[1]},
        {"user": "bob"},
        {"learn": False},
        {"interleave": "baseline"},
    ],
)
def test_one_id_for_two_presentations_is_a_conflict(shop: Visitor, other: dict[str, Any]) -> None:
    """The same id with anything else in the body is 409; another app may use the id."""
    presented(shop)
    body = {"id": "r1", "candidates": ["a", "b", "c"], **other}
    rejected(shop.post("/v1/presentations", body), 409, "conflict")


def test_another_token_has_ids_of_its_own(shop: Visitor, seller: Visitor) -> None:
    """What two tokens present under the same id are two presentations, whose own ids cannot be guessed."""
    first, second = presented(shop), presented(seller)
    assert first["id"] != second["id"]
    assert first["id"].startswith("p-")
    assert len(first["id"]) == 42
    assert second["duplicate"] is False


@pytest.mark.parametrize(
    ("candidates", "status", "words"),
    [
        (None, 422, "candidates must be a list of ids or an object, got None"),
        (5, 422, "candidates must be a list of ids or an object, got 5"),
        ([], 422, "candidates must hold at least one candidate"),
        ({}, 422, "candidates must hold at least one candidate"),
        (["a", "a"], 422, "candidates must hold each candidate once, got 'a' twice"),
        ([1], 422, "candidate 0 must be the id of an item, got 1"),
        (["zzz"], 404, "candidate 'zzz' must be an item of this study"),
        ({"x": 5}, 422, "candidate 'x' must be an object of features, got 5"),
        ({"x": [1.0]}, 422, "candidate 'x' must be an object of features, got [1.0]"),
        ({"x": {"f": None}}, 422, "feature 'f' of candidate 'x' must be a number"),
        ({"x": {"f": float("nan")}}, 422, "feature 'f' of candidate 'x' must be a number"),
        ({"x": {"f": 10**400}}, 422, "feature 'f' of candidate 'x' must be a number"),
        ({"ids": [1], "features": ["f"], "rows": [[1]]}, 422, "candidates.ids must be texts"),
        ({"ids": ["x"], "features": [2], "rows": [[1]]}, 422, "candidates.features must be texts"),
        (
            {"ids": ["x"], "features": ["f"], "rows": []},
            422,
            "candidates.rows must be 1 rows, one for each id",
        ),
        ({"ids": ["x"], "features": ["f"], "rows": [[1, 2]]}, 422, "must be a list of 1 numbers, got 2"),
        (
            {"ids": ["x"], "features": ["f"], "rows": [5]},
            422,
            "must be a list of 1 numbers, got something else",
        ),
        ({"ids": ["x"], "features": ["f"], "rows": [["1"]]}, 422, "must hold numbers only"),
        (
            {"ids": ["x"], "features": ["f"], "rows": [[10**400]]},
            422,
            "candidates.rows must hold numbers within",
        ),
        ({"ids": ["x"], "features": ["f", "f"], "rows": [[1, 2]]}, 422, "must be different texts"),
        ({"ids": [], "features": [], "rows": []}, 422, "candidates must be a matrix"),
    ],
)
def test_candidates_that_mean_nothing_are_named(
    shop: Visitor, search: CoactiveStudy, candidates: Any, status: int, words: str
) -> None:
    """Every wrong form is told what it must be, in the words of the body, and nothing is kept."""
    reply = shop.sends("/v1/presentations", json.dumps({"id": "r1", "candidates": candidates}))
    assert words in rejected(reply, status, "unknown" if status == 404 else "invalid")
    assert search.n_presentations == 0


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"interleave": 5}, "interleave must be a valid array, got 5"),
        ({"interleave": "other"}, "interleave must"),
        ({"interleave": {"a": 1, "b": 2, "c": 3}}, "interleave must be a valid array"),
        ({"interleave": ["a", 1, "c"]}, "interleave.1 must be a valid string, got 1"),
        ({"interleave": ["a"]}, "interleave must hold each of the 3 candidates once"),
        ({"user": ""}, "user must be a name"),
        ({"user": 5}, "user must be a valid string"),
        ({"learn": 1}, "learn must be a valid boolean"),
        ({"more": 1}, "more is no field of this request"),
    ],
)
def test_what_goes_with_candidates_is_checked(shop: Visitor, more: dict[str, Any], words: str) -> None:
    """Nothing is converted, and the field that is wrong is named."""
    body = {"id": "r1", "candidates": ["a", "b", "c"], **more}
    assert words in rejected(shop.post("/v1/presentations", body), 422, "invalid")


def test_two_orders_are_interleaved(shop: Visitor, watcher: Visitor) -> None:
    """The reply names for each place the order that added it, and a click on either side is counted."""
    found = presented(shop, interleave=["c", "b", "a"])
    assert sorted(set(found["teams"])) == [0, 1]
    assert presented(shop, interleave=["c", "b", "a"])["duplicate"] is True
    clicks(shop, found["id"], found["order"][found["teams"].index(0)])
    counted = watcher.get("/v1/interleaving?level=0.9").json()
    assert (counted["wins"], counted["losses"], counted["ties"]) == (1, 0, 0)
    assert (counted["share"], counted["level"]) == (1.0, 0.9)


def test_feedback_is_learned_and_the_next_order_follows(shop: Visitor, watcher: Visitor) -> None:
    """Clicks, an order and a better candidate: what was made of it comes back, and the weights have moved."""
    found = presented(shop)
    assert found["order"] == ["a", "b", "c"]
    learned = clicks(shop, found["id"], "c").json()
    assert learned == {
        "id": "f1",
        "presentation": found["id"],
        "order": ["c", "a", "b"],
        "changed": True,
        "learned": True,
        "late": False,
        "duplicate": False,
    }
    assert presented(shop, "r2")["order"][0] == "c"
    assert watcher.get("/v1/weights").json()["weights"]["dark"] < 0
    order = shop.post("/v1/feedback", {"id": "f2", "presentation": found["id"], "order": ["b", "a", "c"]})
    assert order.json()["order"] == ["b", "a", "c"]
    better = shop.post("/v1/feedback", {"id": "f3", "presentation": found["id"], "better": "a"})
    assert better.json()["order"] == ["a", "b", "c"]


def test_feedback_on_what_is_not_learned_from_says_so(shop: Visitor, watcher: Visitor) -> None:
    """A presentation with learn false keeps its clicks and changes no weight."""
    found = presented(shop, learn=False)
    assert found["learn"] is False
    assert clicks(shop, found["id"], "c").json()["learned"] is False
    assert set(watcher.get("/v1/weights").json()["weights"].values()) == {0.0}


def test_the_same_feedback_again_counts_once(shop: Visitor, search: CoactiveStudy) -> None:
    """Another content under the id, or the id of a presentation's feedback for another one, is 409."""
    found, other = presented(shop), presented(shop, "r2")
    first = clicks(shop, found["id"], "c").json()
    assert clicks(shop, found["id"], "c").json() == {**first, "duplicate": True}
    rejected(clicks(shop, found["id"], "b"), 409, "conflict")
    rejected(clicks(shop, other["id"], "c"), 409, "conflict")
    assert search.n_rounds == 1


@pytest.mark.parametrize(
    ("body", "status", "code", "words"),
    [
        ({"clicked": ["c"], "order": ["c"]}, 422, "invalid", "one of clicked, order and better"),
        ({}, 422, "invalid", "one of clicked, order and better, got none"),
        ({"clicked": ["zzz"]}, 404, "unknown", "clicked must name candidates of the presentation, got 'zzz'"),
        ({"clicked": "c"}, 422, "invalid", "clicked must be a valid array"),
        ({"order": ["c", "c"]}, 422, "invalid", "order must hold each candidate once"),
        ({"better": ["c"]}, 422, "invalid", "better must be a valid string"),
        ({"id": None, "clicked": []}, 422, "invalid", "id must be given"),
        ({"presentation": "p-none", "clicked": []}, 404, "unknown", "got an unknown one"),
    ],
)
def test_feedback_that_means_nothing_is_named(
    shop: Visitor, search: CoactiveStudy, body: dict[str, Any], status: int, code: str, words: str
) -> None:
    """The field and its limit are in the message; nothing is learned."""
    whole = {"id": "f1", "presentation": presented(shop)["id"], **body}
    assert words in rejected(shop.post("/v1/feedback", whole), status, code)
    assert search.revision() == 3


def test_feedback_is_for_apps_and_the_owner(
    both: FastAPI, shop: Visitor, seller: Visitor, watcher: Visitor, search: CoactiveStudy
) -> None:
    """A reader and a judge give none; without a token and from no allowed page it is 401."""
    found = presented(shop)["id"]
    judge = Visitor(both, search.tokens.make("judge", "ann"))
    for visitor in (watcher, judge):
        rejected(clicks(visitor, found, "c"), 403, "not_an_app")
        rejected(visitor.post("/v1/presentations", {"id": "r", "candidates": ["a"]}), 403, "not_an_app")
    rejected(clicks(Visitor(both), found, "c"), 401, "no_token")
    rejected(clicks(Visitor(both, "wrong"), found, "c"), 401, "wrong_token")
    assert clicks(seller, found, "c").status_code == 200


def beacon(app: FastAPI, origin: str | None, presentation: str, clicked: str) -> Response:
    """Give feedback as a page of ``origin`` does while it is closed: as text, and without a token."""
    headers = {"Content-Type": "text/plain;charset=UTF-8", **({} if origin is None else {"Origin": origin})}
    body = json.dumps({"presentation": presentation, "clicked": [clicked]})
    return Visitor(app).request("POST", "/v1/feedback", content=body, headers=headers)


def test_a_page_of_an_allowed_site_gives_feedback_once(
    both: FastAPI, shop: Visitor, search: CoactiveStudy
) -> None:
    """The presentation's own id is the permission: once, the same again changes nothing, another is a conflict."""
    found = presented(shop)["id"]
    first = beacon(both, SHOP, found, "c").json()
    assert (first["id"], first["presentation"], first["order"]) == (found, found, ["c", "a", "b"])
    assert beacon(both, SHOP.upper(), found, "c").json()["duplicate"] is True
    error = rejected(beacon(both, SHOP, found, "b"), 409, "conflict")
    assert "once for each presentation" in error
    assert error.endswith("send what comes later with the token of an app")
    assert search.n_rounds == 1
    assert clicks(shop, found, "b").status_code == 200, "the app may give more"


@pytest.mark.parametrize("origin", ["https://other.example", "null", ""])
def test_a_page_of_another_site_gives_none(both: FastAPI, shop: Visitor, origin: str) -> None:
    """Knowing the id of a presentation is not enough from elsewhere."""
    rejected(beacon(both, origin, presented(shop)["id"], "c"), 403, "wrong_origin")


def test_a_program_without_a_token_gives_none(both: FastAPI, shop: Visitor, search: CoactiveStudy) -> None:
    """Nor does a page of the server itself."""
    found = presented(shop)["id"]
    for headers in ({}, {"Origin": "http://127.0.0.1:8000"}):
        body = {"presentation": found, "clicked": ["c"]}
        rejected(Visitor(both).post("/v1/feedback", body, headers=headers), 401, "no_token")
    assert search.n_rounds == 0


@pytest.mark.parametrize("id", ["p-" + "0" * 40, "p-" + "0" * 39, "easy", "http/t-1/r1"])
def test_a_page_cannot_guess_a_presentation(both: FastAPI, search: CoactiveStudy, id: str) -> None:
    """One that is unknown is 404, and so is one whose id a program chose, which could be guessed."""
    if "0" not in id:
        search.present(["a", "b"], event_id=id)
    rejected(beacon(both, SHOP, id, "b"), 404, "unknown")


def test_presentations_and_feedback_at_once_each_count_once(shop: Visitor, search: CoactiveStudy) -> None:
    """Copies of many requests that come together: one event each, and every reply has the same content."""
    body = {"candidates": ["a", "b", "c"]}
    asked = [("POST", "/v1/presentations", {"id": f"r{n % 10}", **body}) for n in range(30)]
    made = [reply.json() for reply in shop.at_once(asked)]
    assert sorted(found["duplicate"] for found in made) == [False] * 10 + [True] * 20
    ids = {found["id"] for found in made}
    assert len(ids) == search.n_presentations == 10
    sent = [
        ("POST", "/v1/feedback", {"id": f"f{n % 10}", "presentation": found["id"], "clicked": ["c"]})
        for n, found in enumerate(made)
    ]
    found = shop.at_once(sent)
    assert {reply.status_code for reply in found} == {200}
    assert sum(not reply.json()["duplicate"] for reply in found) == 10
    assert search.last_event() == 2 + 20


def test_late_feedback_says_so(tmp_path: Path) -> None:
    """An hour after the presentation it is learned all the same."""
    now = [1e9]
    with CoactiveStudy.create(tmp_path / "s.db", ["a", "b"], clock=lambda: now[0]) as study:
        visitor = Visitor(create_app(study), study.tokens.make("app", "shop"))
        found = visitor.post("/v1/presentations", {"id": "r", "candidates": {"x": {"f": 1}, "y": {"g": 1}}})
        now[0] += 3600
        assert clicks(visitor, found.json()["id"], "y").json()["late"] is True


def test_a_table_is_a_matrix_under_names() -> None:
    """Its ids are the index and its features the columns, as a study reads pandas tables."""
    table = Table.of({"ids": ["x", "y"], "features": ["f", "g"], "rows": [[1, 2], [3, 4.5]]})
    assert (table.index, table.columns) == (["x", "y"], ["f", "g"])
    assert table.to_numpy().tolist() == [[1.0, 2.0], [3.0, 4.5]]
    with pytest.raises(InvalidInput, match="the row of candidate 'y' must be a list of 1 numbers, got 2"):
        Table.of({"ids": ["x", "y"], "features": ["f"], "rows": [[1], [3, 4]]})
