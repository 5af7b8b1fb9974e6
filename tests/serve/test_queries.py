"""Query parameters that a route does not know are rejected with those that it does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from penchant.serve.errors import ErrorReply
from penchant.serve.queries import check_query
from tests.serve.prepared import Prepared, prepared
from tests.serve.test_every_error import PLACES, Sender
from tests.serve.test_openapi import OPERATIONS, operation
from tests.serve.visitor import Visitor, rejected


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Prepared]:
    with prepared(tmp_path_factory.mktemp("world")) as made:
        yield made


@pytest.mark.parametrize(("method", "path"), OPERATIONS)
def test_every_operation_rejects_what_it_does_not_know(world: Prepared, method: str, path: str) -> None:
    """The hint names just the parameters that the description names; nothing is done."""
    before = world.compare.last_event(), world.coactive.last_event()
    reply = Sender(world, method, path).send(place=f"{PLACES.get(path, path)}?Nothing=1")
    message = rejected(reply, 422, "invalid")
    named = [
        entry["name"] for entry in operation(method, path).get("parameters", []) if entry["in"] == "query"
    ]
    assert "got 'Nothing'" in message
    assert message.endswith(f"it takes {', '.join(named)}" if named else "this request takes none")
    assert (world.compare.last_event(), world.coactive.last_event()) == before


def test_a_parameter_is_given_once(world: Prepared) -> None:
    """Which of two would count is nothing to guess."""
    reader = world.visitor("compare", "reader")
    assert reader.get("/v1/why?a=Tea&b=Milk&most=3").status_code == 200
    assert "a must be given once" in rejected(reader.get("/v1/why?a=Tea&b=Milk&a=Water"), 422, "invalid")


@pytest.mark.parametrize("query", [b"%6fther=1", b"other", b"=", b"a=1&other=%ff", b"\xff=1", b"x" * 5000])
def test_names_are_read_as_the_application_reads_them(query: bytes) -> None:
    """Escaped, without a value, empty or long."""
    with pytest.raises(ErrorReply) as caught:
        check_query(query, ["a"])
    assert len(caught.value.message) < 200


def test_pages_may_be_opened_with_anything_behind_them(stranger: Visitor) -> None:
    """Mail programs and chats add parameters to links."""
    assert stranger.get("/?from=mail").status_code == 200
    assert stranger.get("/static/look.css?1").status_code == 200
