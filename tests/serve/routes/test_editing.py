"""Items, judges and settings over HTTP: each change once for its id, all or nothing, by the owner."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote

import pytest
from fastapi import FastAPI

from penchant.errors import CannotStore
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.conftest import ITEMS
from tests.serve.visitor import Visitor, rejected


def test_items_come_with_all_their_fields(owner: Visitor, reader: Visitor, study: CompareStudy) -> None:
    """What the owner added is what readers see, in its order; a repeat is told and adds nothing."""
    new = [{"id": "w", "title": "Wine", "text": "red", "grapes": "noir", "price": 7.5}, "Beer"]
    body = {"id": "add-1", "items": new}
    assert owner.post("/v1/items", body).json() == {"items": ["w", "Beer"], "duplicate": False}
    assert owner.post("/v1/items", body).json() == {"items": ["w", "Beer"], "duplicate": True}
    rejected(owner.post("/v1/items", {"id": "add-1", "items": ["Beer"]}), 409, "conflict")
    found = {item["id"]: item for item in reader.get("/v1/items").json()["items"]}
    assert list(found) == ["Tea", "Coffee", "Water", "Milk", "w", "Beer"]
    assert found["w"] == {
        "id": "w",
        "title": "Wine",
        "text": "red",
        "picture": "",
        "fields": {"grapes": "noir", "price": 7.5},
        "links": {},
        "retired": False,
    }
    assert study.last_event() == 3


@pytest.mark.parametrize(
    ("items", "status", "words"),
    [
        ([], 422, "items must have at least 1 item"),
        (["Beer", "Tea"], 422, "items must be new, got 'Tea' at 1"),
        (["Beer", "Beer"], 422, "items must be different, got 'Beer' at 0 and 1"),
        ([{"text": "no title"}], 422, "item 0 must have a title"),
        (
            [{"title": "Beer", "links": "Nothing"}],
            404,
            "links of item 'Beer' must lead to items of the study",
        ),
        ([5], 422, "items.0 must be a valid string, got 5"),
        ([{"title": "Beer", "price": [1]}], 422, "field 'price' of item 0 must be a text"),
        ([{"title": "Be\x00er"}], 422, "must not hold control characters"),
        ("Beer", 422, "items must be a valid array"),
    ],
)
def test_items_are_added_all_or_none(
    owner: Visitor, study: CompareStudy, items: Any, status: int, words: str
) -> None:
    """The message names the wrong one, and none of the others is there."""
    reply = owner.post("/v1/items", {"id": "add-1", "items": items})
    assert words in rejected(reply, status, "unknown" if status == 404 else "invalid")
    assert len(study.items) == 4


def test_an_item_is_edited_retired_and_brought_back(owner: Visitor, study: CompareStudy) -> None:
    """The reply is the item as it is now; each change again is a duplicate, another one under its id a conflict."""
    edit = {"id": "e1", "fields": {"title": "Green tea", "self": "green", "price": 3}}
    found = owner.patch("/v1/items/Tea", edit).json()
    assert (found["item"]["title"], found["item"]["fields"]) == ("Green tea", {"self": "green", "price": 3})
    assert owner.patch("/v1/items/Tea", edit).json() == {**found, "duplicate": True}
    rejected(owner.patch("/v1/items/Tea", {"id": "e1", "fields": {"price": 4}}), 409, "conflict")
    rejected(owner.patch("/v1/items/Milk", edit), 409, "conflict")
    removed = owner.patch("/v1/items/Tea", {"id": "e2", "fields": {"price": None}}).json()
    assert removed["item"]["fields"] == {"self": "green"}
    for number, retired in enumerate((True, False)):
        body = {"id": f"r{number}", "retired": retired}
        assert owner.patch("/v1/items/Milk", body).json()["item"]["retired"] is retired
        assert owner.patch("/v1/items/Milk", body).json()["duplicate"] is True
        rejected(owner.patch("/v1/items/Tea", body), 409, "conflict")
    assert study.retired == ()


@pytest.mark.parametrize("odd", ["a/b", "a?b#c", "50%", "ü 水", "<b>"])
def test_an_item_and_a_judge_of_any_name_are_reached(owner: Visitor, study: CompareStudy, odd: str) -> None:
    """Slashes and signs that mean something in addresses stand in the path, escaped."""
    study.add_items([odd])
    study.tell(study.ask(odd), "left")
    place = quote(odd, safe="")
    assert owner.patch(f"/v1/items/{place}", {"id": "e", "fields": {"x": 1}}).json()["item"]["id"] == odd
    found = owner.patch(f"/v1/judges/{place}", {"id": "j", "aside": True}).json()
    assert found == {"judge": odd, "aside": True, "duplicate": False}


@pytest.mark.parametrize(
    ("path", "body", "status", "words"),
    [
        ("items/Nothing", {"retired": True}, 404, "item 'Nothing' must be of this study"),
        ("items/Nothing", {"fields": {"x": 1}}, 404, "item 'Nothing' must be of this study"),
        ("items/Tea", {}, 422, "the body must hold one of fields and retired, got none"),
        (
            "items/Tea",
            {"fields": {}, "retired": True},
            422,
            "the body must hold one of fields and retired, got both",
        ),
        ("items/Tea", {"fields": {"id": "x"}}, 422, "id must stay as it is"),
        ("items/Tea", {"fields": {"x": [1]}}, 422, "must be a text, a finite number"),
        ("items/Tea", {"retired": "yes"}, 422, "retired must be a valid boolean"),
        (
            "judges/nobody",
            {"aside": True},
            404,
            "judge must be one who was asked or has answered, got 'nobody'",
        ),
        ("judges/nobody", {}, 422, "aside must be given"),
        ("settings", {"settings": {"colour": 1}}, 422, "got 'colour'"),
        ("settings", {"settings": {"self": 1}}, 422, "got 'self'"),
        ("settings", {"settings": {"event_id": "x"}}, 422, "event_id is no setting of a study"),
        ("settings", {"settings": {"top": 99}}, 422, "top must be"),
        ("settings", {"settings": {"features": 5}}, 422, "features must be a list"),
        ("settings", {"settings": {"forbidden": None}}, 422, "forbidden must be a list"),
        ("settings", {"settings": {"title": "\u202e"}}, 422, "title must not hold control characters"),
        ("settings", {"settings": []}, 422, "settings must be a valid dictionary"),
    ],
)
def test_a_change_that_cannot_be_made_is_named(
    owner: Visitor, study: CompareStudy, path: str, body: dict[str, Any], status: int, words: str
) -> None:
    """What is wrong is in the message, and nothing is recorded."""
    reply = owner.patch(f"/v1/{path}", {"id": "e1", **body})
    assert words in rejected(reply, status, "unknown" if status == 404 else "invalid")
    assert study.last_event() == 2


def test_a_judge_is_set_aside_and_taken_back(ann: Visitor, owner: Visitor, study: CompareStudy) -> None:
    """Their answers count no more, and again; the report says so."""
    ann.answers("event-1", "left")
    aside = {"id": "j1", "aside": True}
    assert owner.patch("/v1/judges/ann", aside).json() == {"judge": "ann", "aside": True, "duplicate": False}
    assert owner.patch("/v1/judges/ann", aside).json()["duplicate"] is True
    rejected(owner.patch("/v1/judges/ann", {"id": "j1", "aside": False}), 409, "conflict")
    assert study.answers() == []
    report = owner.get("/v1/judges").json()
    assert (report["judges"], report["aside"], report["level"]) == ([], ["ann"], 0.95)
    assert owner.patch("/v1/judges/ann", {"id": "j2", "aside": False}).json()["aside"] is False
    assert len(study.answers()) == 1
    report = owner.get("/v1/judges").json()
    assert ([row["judge"] for row in report["judges"]], report["aside"]) == (["ann"], [])


def test_settings_are_read_and_changed(owner: Visitor, reader: Visitor, study: CompareStudy) -> None:
    """The reply is all of them; the same change again is a duplicate, another under its id a conflict."""
    assert reader.get("/v1/settings").json()["settings"] == {"kind": "compare", **study.settings}
    body = {"id": "s1", "settings": {"title": "Hot drinks", "top": 2}}
    found = owner.patch("/v1/settings", body).json()
    assert (found["settings"]["title"], found["settings"]["goal"], found["duplicate"]) == (
        "Hot drinks",
        "top",
        False,
    )
    assert owner.patch("/v1/settings", body).json() == {**found, "duplicate": True}
    rejected(owner.patch("/v1/settings", {"id": "s1", "settings": {"title": "Other"}}), 409, "conflict")
    assert study.title == "Hot drinks"


def test_a_coactive_study_is_edited_alike(seller: Visitor, shop: Visitor, search: CoactiveStudy) -> None:
    """Items, their features and the settings that may change; apps look and change nothing."""
    body = {"id": "add-1", "items": [{"id": "d", "title": "Dune", "long": 2.0}]}
    assert seller.post("/v1/items", body).json() == {"items": ["d"], "duplicate": False}
    assert seller.post("/v1/items", body).json()["duplicate"] is True
    edit = {"id": "e1", "fields": {"long": 3.0}}
    assert seller.patch("/v1/items/d", edit).json()["item"]["fields"] == {"long": 3.0}
    assert seller.patch("/v1/items/d", edit).json()["duplicate"] is True
    assert seller.patch("/v1/items/a", {"id": "r1", "retired": True}).json()["item"]["retired"] is True
    changed = seller.patch("/v1/settings", {"id": "s1", "settings": {"title": "Films"}}).json()
    assert changed["settings"]["title"] == "Films"
    rejected(seller.patch("/v1/settings", {"id": "s2", "settings": {"per_user": True}}), 422, "invalid")
    rejected(seller.patch("/v1/settings", {"id": "s3", "settings": {"self": True}}), 422, "invalid")
    assert [item["id"] for item in shop.get("/v1/items").json()["items"]] == ["a", "b", "c", "d"]
    assert shop.get("/v1/settings").json()["settings"]["kind"] == "coactive"
    for reply in (
        shop.post("/v1/items", {"id": "x", "items": ["x"]}),
        shop.patch("/v1/items/d", edit),
        shop.patch("/v1/settings", {"id": "s", "settings": {}}),
    ):
        rejected(reply, 403, "not_the_owner")
    assert search.items["d"].fields["long"] == 3.0


def test_a_token_of_another_study_changes_nothing_here(
    both: FastAPI, seller: Visitor, study: CompareStudy
) -> None:
    """The owner of one study is a stranger to the items of the other."""
    rejected(seller.patch("/v1/items/Tea", {"id": "e1", "retired": True}), 404, "unknown")
    assert study.last_event() == 2


ODD: list[Any] = [
    *(5, -1, 1.5, True, None, "x", "", "\ud800", [], [1], [[1]], {}, {"a": 1}, {"name": []}, 10**30, [None]),
    {"name": "perceptron", "settings": 5},
    {"name": "bradley-terry", "settings": {"sd": "x"}},
    *({"feature": ["x"]}, {"weights": {"x": "y"}}, {"days": []}, {"days": 1e308}, float("nan"), "\u202e"),
]


@pytest.mark.parametrize("kind", ["compare", "coactive"])
def test_no_value_of_a_setting_or_a_field_is_a_failure_of_the_server(
    both: FastAPI, study: CompareStudy, search: CoactiveStudy, kind: str
) -> None:
    """Whatever JSON stands there, it is taken or rejected with a message, and everything can be read after it."""
    kept, item = (study, "Tea") if kind == "compare" else (search, "a")
    visitor = Visitor(both, kept.tokens.make("owner", "me"))
    names = [*kept.settings, "seed", "self", ""]
    fields = ["title", "text", "picture", "links", "id", "name", "fields", "x", "", "self", "event_id"]
    bodies = [
        *(("PATCH", "/v1/settings", {"settings": {name: odd}}) for name in names for odd in ODD),
        *(("PATCH", f"/v1/items/{item}", {"fields": {name: odd}}) for name in fields for odd in ODD),
        *(("POST", "/v1/items", {"items": [{"title": "New", name: odd}]}) for name in fields for odd in ODD),
    ]
    for number, (method, path, body) in enumerate(bodies):
        content = json.dumps({"id": f"e{number}", **body})
        reply = visitor.request(method, path, content=content, headers={"Content-Type": "application/json"})
        half = {400} if "\\ud800" in content else set()  # of a character
        assert reply.status_code in {200, 404, 409, 422} | half, (path, body, reply.text)
    for path in ("items", "settings", "events", "metrics", "study", "exports/events.jsonl"):
        assert visitor.get(f"/v1/{path}").status_code == 200, path


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "[-1e999]", '{"x": [NaN]}'])
@pytest.mark.parametrize("field", ["id", "title", "text", "picture", "links", "price"])
def test_a_number_without_end_is_no_text(
    owner: Visitor, study: CompareStudy, field: str, number: str
) -> None:
    """It is rejected, and not kept as the word for it."""
    before = study.last_event()
    added = f'{{"id": "e1", "items": [{{"title": "New", "{field}": {number}}}]}}'
    changed = f'{{"id": "e2", "fields": {{"{field}": {number}}}}}'
    kind = {"Content-Type": "application/json"}
    for method, path, body in (("POST", "/v1/items", added), ("PATCH", "/v1/items/Tea", changed)):
        rejected(owner.request(method, path, content=body, headers=kind), 422, "invalid")
    assert study.last_event() == before


def test_what_could_not_be_written_is_not_shown(
    owner: Visitor, reader: Visitor, study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a failed commit readers see the items that are on disk, and the change can be sent again."""
    body = {"id": "add-1", "items": ["Beer"]}

    def fails(*_: Any, **__: Any) -> None:
        raise CannotStore("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(study._log, "append_all", fails)
        rejected(owner.post("/v1/items", body), 503, "not_kept")
    assert len(reader.get("/v1/items").json()["items"]) == 4
    assert owner.post("/v1/items", body).json() == {"items": ["Beer"], "duplicate": False}


def test_a_file_of_items_is_read_whole_or_not_at_all(owner: Visitor, study: CompareStudy) -> None:
    """Every wrong row is named by its line, under the name of the file, and nothing of the server's own places."""
    before = list(study.items)
    text = "title,price\nJuice,3\nTea,2\n,4\nWine,7\n"
    message = rejected(
        owner.post("/v1/items/import", {"id": "f-1", "name": "C:\\menus\\bar.csv", "text": text}),
        422,
        "invalid",
    )
    assert message.startswith("bar.csv must hold rows that can be items only, got 2 other rows:\nline 3: ")
    assert "\nline 4: the item must have a title" in message
    assert "nothing was added" in message
    assert "/" not in message
    assert list(study.items) == before
    body = {"id": "f-1", "name": "bar.csv", "text": "title,price\nJuice,3\nWine,7\n"}
    assert owner.post("/v1/items/import", body).json() == {"items": ["Juice", "Wine"], "duplicate": False}
    assert owner.post("/v1/items/import", body).json() == {"items": ["Juice", "Wine"], "duplicate": True}
    assert study.items["Wine"].fields == {"price": "7"}


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("", "title\nJuice", "name must be that of a file"),
        ("a\nb.csv", "title\nJuice", "name must be that of a file"),
        ("x.csv", "", "x.csv"),
        ("x.csv", "title\n", "x.csv must hold at least one item"),
        ("x.csv", 'title\n"open', "x.csv"),
        ("x.jsonl", '{"title": ', "line 1"),
        ("../../etc/passwd", "title,title\na,b", "passwd"),
    ],
)
def test_a_file_that_cannot_be_read_is_rejected_by_its_name(
    owner: Visitor, study: CompareStudy, name: str, text: str, words: str
) -> None:
    """Never by where the server put it."""
    before = list(study.items)
    message = rejected(
        owner.post("/v1/items/import", {"id": "f", "name": name, "text": text}), 422, "invalid"
    )
    assert words in message
    assert "penchant-import" not in message
    assert list(study.items) == before


def test_a_file_may_be_large(owner: Visitor, study: CompareStudy) -> None:
    """Larger than other bodies, and with a limit."""
    text = "title\n" + "\n".join(f"Item number {number:06}" for number in range(10_000))
    reply = owner.post("/v1/items/import", {"id": "f", "name": "x.csv", "text": text})
    assert reply.status_code == 200
    assert len(study.items) == 10_000 + len(ITEMS)
    rejected(
        owner.post("/v1/items/import", {"id": "g", "name": "x.csv", "text": "x" * 5_000_000}),
        413,
        "too_large",
    )
