"""The description of the interface is true: who may ask, every reply and its shape, and examples that work."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI

from penchant.serve import create_app
from penchant.study import CompareStudy
from penchant.study.tokens import ROLES
from tests.serve.prepared import JUDGE, Prepared, prepared

ERROR = {"$ref": "#/components/schemas/ErrorOut"}
WRITES = {"post", "patch", "delete"}
ASKED: dict[str, tuple[str, str]] = {
    "/v1/questions": ("compare", "judge"),
    "/v1/answers": ("compare", "judge"),
    "/v1/undo": ("compare", "judge"),
    "/v1/presentations": ("coactive", "app"),
    "/v1/feedback": ("coactive", "app"),
    "/v1/weights": ("coactive", "reader"),
    "/v1/interleaving": ("coactive", "reader"),
    "/v1/simulation": ("coactive", "reader"),
    "/v1/weights/report": ("coactive", "reader"),
    "/v1/learning-curve": ("coactive", "reader"),
}
"""Who sends the examples of a path, where it is not the owner of a study of comparisons."""
QUERIES = {"/v1/why": "?a=Tea&b=Milk", "/v1/outcomes": "?a=Tea&b=Milk"}


@pytest.fixture
def world(tmp_path: Path) -> Iterator[Prepared]:
    with prepared(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def shared_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    """For requests that change nothing on which another reply depends."""
    with prepared(tmp_path_factory.mktemp("world")) as made:
        yield made


def document() -> dict[str, Any]:
    """Return the description; it does not depend on the study."""
    with tempfile.TemporaryDirectory() as folder, CompareStudy.create(f"{folder}/x.db", ["a", "b"]) as study:
        return dict(create_app(study).openapi())


DOCUMENT = document()
OPERATIONS = [(method, path) for path, methods in DOCUMENT["paths"].items() for method in methods]


def operation(method: str, path: str) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT["paths"][path][method]
    return found


def schema_of_body(method: str, path: str) -> dict[str, Any] | None:
    """Return the schema of the body of an operation, None where it takes none."""
    body = operation(method, path).get("requestBody")
    if body is None:
        return None
    (name,) = {content["schema"]["$ref"].rpartition("/")[2] for content in body["content"].values()}
    found: dict[str, Any] = DOCUMENT["components"]["schemas"][name]
    return found


def example_bodies() -> list[Any]:
    return [
        pytest.param(method, path, example, id=f"{method} {path} {number}")
        for method, path in OPERATIONS
        for number, example in enumerate((schema_of_body(method, path) or {"examples": [None]})["examples"])
        if path != "/v1/changes"  # it never ends; its own tests read it
    ]


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_names_its_security(method: str, path: str) -> None:
    """A token, but for health, which anybody may ask, and for feedback, which a page may give without."""
    bearer: list[dict[str, list[str]]] = [{"HTTPBearer": []}]
    expected = {"/v1/health": None, "/v1/feedback": [*bearer, {}]}.get(path, bearer)
    assert operation(method, path).get("security") == expected


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_reply_has_a_schema(method: str, path: str) -> None:
    """Every error has the one shape, but for an answered question, which has the next one too."""
    replies = operation(method, path)["responses"]
    always = {"200", "400", "403", "405", "421", "429", "500", "503"}
    assert always | ({"401"} if path != "/v1/health" else set()) <= set(replies)
    assert ("507" in replies) == (method in WRITES)
    for status, reply in replies.items():
        ((kind, content),) = reply["content"].items()
        assert content["schema"], (status, kind)
        assert reply["description"]
        if status != "200":
            assert kind == "application/json"
            assert content["schema"] == ERROR or (path, status) == ("/v1/answers", "409")


def test_every_reference_leads_somewhere() -> None:
    """No schema is named that the document does not hold, and none is held that nothing names."""
    named = set(re.findall(r"#/components/schemas/(\w+)", str(DOCUMENT)))
    assert named == set(DOCUMENT["components"]["schemas"])


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_body_has_examples_and_no_other_fields(method: str, path: str) -> None:
    """A reader of the description sees what to send, and what is not described is rejected."""
    schema = schema_of_body(method, path)
    assert (schema is not None) == (method in {"post", "patch"})
    if schema is not None:
        assert schema["examples"]
        assert schema["additionalProperties"] is False


@pytest.mark.parametrize(("method", "path", "example"), example_bodies())
def test_every_example_is_answered_with_200(world: Prepared, method: str, path: str, example: Any) -> None:
    """What the description shows works as it is shown, and a change that comes again is a duplicate."""
    kind, role = ASKED.get(path, ("compare", "owner"))
    visitor = world.visitor(kind, role)
    if path == "/v1/undo":
        body = schema_of_body("post", "/v1/answers") or {}
        assert visitor.post("/v1/answers", body["examples"][0]).status_code == 200
    values = {
        "item": "Tea",
        "name": JUDGE,
        "file": "events.jsonl",
        "picture": world.picture,
        "token_id": world.token_id("compare", "app"),
    }
    place = re.sub(r"\{(\w+)\}", lambda found: values[found[1]], path) + QUERIES.get(path, "")
    options: dict[str, Any] = {} if example is None else {"json": example}
    reply = visitor.request(method.upper(), place, **options)
    assert reply.status_code == 200, reply.text
    (described,) = operation(method, path)["responses"]["200"]["content"]
    assert reply.headers["Content-Type"].partition(";")[0] == described
    if method in {"post", "patch"} and "duplicate" in reply.json():
        assert reply.json()["duplicate"] is False
        assert visitor.request(method.upper(), place, **options).json()["duplicate"] is True


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_names_the_roles_that_it_lets_in(
    shared_world: Prepared, method: str, path: str
) -> None:
    """All others get 403, and those that are named do not; health and feedback need none."""
    found = re.search(r"Roles: ([a-z, ]+)\.$", operation(method, path)["description"])
    if path in ("/v1/health", "/v1/feedback"):
        assert found is None
        return
    assert found is not None
    values = {"item": "nothing", "name": "nobody", "file": "none.csv", "token_id": "t-0", "picture": "0"}
    place = re.sub(r"\{(\w+)\}", lambda part: values[part[1]], path)
    headers = {"Last-Event-ID": "x"} if path == "/v1/changes" else {}  # it would never end
    let_in = {
        role
        for role in ROLES
        for visitor in [shared_world.visitor("compare", role)]
        for reply in [visitor.request(method.upper(), place, json={}, headers=headers)]
        if reply.status_code != 403
    }
    assert let_in == set(found[1].split(", "))


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_parameter_says_what_it_is(method: str, path: str) -> None:
    """Nobody has to guess the names of files, or where an id comes from."""
    for parameter in operation(method, path).get("parameters", []):
        assert parameter["description"]


def test_the_description_is_made_once(app: FastAPI) -> None:
    """Whoever asks again gets the same one."""
    assert app.openapi() is app.openapi()
    assert app.openapi()["info"]["title"] == "Penchant"


def test_the_page_about_serving_lists_every_operation() -> None:
    """And none that is gone."""
    page = Path(__file__).parents[2] / "docs" / "serving.md"
    listed = re.findall(r"^\| `([A-Z]+) (/v1/\S+)` \|", page.read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted((method.upper(), path) for method, path in OPERATIONS)
