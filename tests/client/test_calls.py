"""Each call as the request that the interface describes."""

from __future__ import annotations

import json
from urllib.parse import unquote

import pytest

from penchant.client import calls
from penchant.client.results import Event, Item, Presentation, Question
from penchant.errors import InvalidInput
from penchant.study import Question as StudyQuestion
from tests.client.fake import ITEMS

TEA, MILK = (Item(**ITEMS[name]) for name in ("tea", "milk"))
ASKED = Question("q-1", "tea", "milk", "ann", TEA, MILK)


def sent(call: calls.Call) -> tuple[str, str, object, dict]:
    body = None if call.content is None else json.loads(call.content)
    return call.method, call.path, body, dict(call.params)


@pytest.mark.parametrize(
    ("call", "method", "path", "body"),
    [
        (calls.ask(), "POST", "/v1/questions", {}),
        (
            calls.tell(ASKED, "tie", "e"),
            "POST",
            "/v1/answers",
            {"id": "e", "question": "q-1", "choice": "tie"},
        ),
        (
            calls.turn("q-1", "skip", "e"),
            "POST",
            "/v1/answers",
            {"id": "e", "question": "q-1", "choice": "skip"},
        ),
        (calls.undo(None, None, "u"), "POST", "/v1/undo", {"id": "u"}),
        (calls.undo("f-1", "bo", "u"), "POST", "/v1/undo", {"id": "u", "event": "f-1", "user": "bo"}),
        (calls.rank(), "GET", "/v1/ranking", None),
        (calls.settled(), "GET", "/v1/settled", None),
        (calls.verdict(), "GET", "/v1/ranking", None),
        (calls.judges(), "GET", "/v1/judges", None),
        (calls.aside("a/b", True, "e"), "PATCH", "/v1/judges/a%2Fb", {"id": "e", "aside": True}),
        (
            calls.present(("a", "b"), None, True, None, "e"),
            "POST",
            "/v1/presentations",
            {"id": "e", "candidates": ["a", "b"], "learn": True},
        ),
        (
            calls.present({"a": {"x": 1}}, "bo", False, ("a",), "e"),
            "POST",
            "/v1/presentations",
            {"id": "e", "candidates": {"a": {"x": 1}}, "user": "bo", "learn": False, "interleave": ["a"]},
        ),
        (
            calls.feedback(Presentation("p", ("a",)), "a", None, None, "e"),
            "POST",
            "/v1/feedback",
            {"id": "e", "presentation": "p", "clicked": ["a"]},
        ),
        (
            calls.feedback("p", (), None, None, "e"),
            "POST",
            "/v1/feedback",
            {"id": "e", "presentation": "p", "clicked": []},
        ),
        (
            calls.feedback("p", None, ("b", "a"), None, "e"),
            "POST",
            "/v1/feedback",
            {"id": "e", "presentation": "p", "order": ["b", "a"]},
        ),
        (
            calls.feedback("p", None, None, "b", "e"),
            "POST",
            "/v1/feedback",
            {"id": "e", "presentation": "p", "better": "b"},
        ),
        (calls.interleaving(), "GET", "/v1/interleaving", None),
        (calls.study(), "GET", "/v1/study", None),
        (calls.items(), "GET", "/v1/items", None),
        (
            calls.add_items(["tea", {"title": "milk"}, Item("a", "A", links={"b": 1.0})], "e"),
            "POST",
            "/v1/items",
            {
                "id": "e",
                "items": [
                    "tea",
                    {"title": "milk"},
                    {"id": "a", "title": "A", "text": "", "links": {"b": 1.0}},
                ],
            },
        ),
        (
            calls.edit_item("tea", {"title": "T", "price": None}, "e"),
            "PATCH",
            "/v1/items/tea",
            {"id": "e", "fields": {"title": "T", "price": None}},
        ),
        (calls.settings(), "GET", "/v1/settings", None),
        (calls.change({"top": 3}, "e"), "PATCH", "/v1/settings", {"id": "e", "settings": {"top": 3}}),
        (calls.export("a.CSV", "answers"), "GET", "/v1/exports/answers.csv", None),
        (calls.export("a.jsonl", "presentations"), "GET", "/v1/exports/presentations.jsonl", None),
        (calls.changes(), "GET", "/v1/changes", None),
    ],
)
def test_each_call_is_the_request_of_the_interface(
    call: calls.Call, method: str, path: str, body: object
) -> None:
    """Method, path and body."""
    assert sent(call)[:3] == (method, path, body)


def test_a_question_of_a_study_will_do() -> None:
    """Its id is what counts."""
    asked = StudyQuestion("q-1", "tea", "milk", "ann")
    assert sent(calls.tell(asked, "tie", "e"))[2] == sent(calls.tell("q-1", "tie", "e"))[2]


def test_parameters_of_reads() -> None:
    """What is not given is not sent."""
    assert calls.why("a", "b", 3, None).params == {"a": "a", "b": "b", "most": "3"}
    assert calls.weights("bo").params == {"user": "bo"}
    assert calls.weights(None).params == {}
    assert calls.events(7).params == {"after": "7", "limit": "1000"}


def test_every_write_has_an_id_of_its_own() -> None:
    """Two calls have two ids, and each body the id that the call names."""
    first, second = (calls.tell("q-1", "left", None) for _ in range(2))
    assert first.id != second.id
    assert [json.loads(call.content)["id"] for call in (first, second)] == [first.id, second.id]
    assert len(first.id) == 32


def test_several_items_have_several_ids() -> None:
    """One id for one item, numbered ones for several."""
    assert [call.id for call in calls.retire(["a"], True, "e")] == ["e"]
    assert [call.id for call in calls.retire(["a", "b"], True, "e")] == ["e:0", "e:1"]
    assert len({call.id for call in calls.retire(["a", "b"], False, None)}) == 2
    assert [sent(call)[2]["retired"] for call in calls.retire(["a"], False, None)] == [False]


@pytest.mark.parametrize("id", ["", "a b", "ä", "a/b", "x" * 101, 7])
def test_an_id_that_the_server_would_reject_is_rejected_here(id: object) -> None:
    """With the limit in the message."""
    with pytest.raises(InvalidInput, match="event_id must have 1 to 100"):
        calls.tell("q-1", "left", id)


@pytest.mark.parametrize("name", ["..", ".", "a/../b", "a?b#c", "ä ö", "%2F"])
def test_any_name_is_one_part_of_the_path(name: str) -> None:
    """Dots, slashes and question marks in an id lead nowhere else."""
    path = calls.edit_item(name, {}, None).path
    part = path.removeprefix("/v1/items/")
    assert unquote(part) == name
    assert not set("/?#.") & set(part)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: calls.tell("q-1", "LEFT", None),
        lambda: calls.feedback("p", None, None, None, None),
        lambda: calls.feedback("p", ["a"], ["a"], None, None),
        lambda: calls.why("a", "b", 0, None),
        lambda: calls.add_items("tea", None),
        lambda: calls.edit_item("", {}, None),
        lambda: calls.events(-1),
        lambda: calls.export("a.jsonl", "secrets"),
        lambda: calls.export("a.csv.gz", "answers"),
    ],
)
def test_what_is_wrong_is_rejected_before_it_is_sent(wrong: object) -> None:
    """A message here costs no request."""
    with pytest.raises(InvalidInput):
        wrong()


def test_where_the_log_ends() -> None:
    """An empty part ends it, and a short one that reaches the last event."""
    page = [Event(number, "", "", 0.0, {}) for number in range(1, calls.PAGE + 1)]
    assert calls.last_page([], 0)
    assert calls.last_page(page[:3], 3)
    assert not calls.last_page(page[:3], 9)
    assert not calls.last_page(page, calls.PAGE)
