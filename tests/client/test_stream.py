"""Server-sent events, line by line."""

from __future__ import annotations

import pytest

from penchant.client.results import Change
from penchant.client.stream import ChangeStream
from penchant.errors import InvalidInput


def fed(stream: ChangeStream, text: str) -> list[Change]:
    return [change for line in text.split("\n") if (change := stream.feed(line)) is not None]


def test_messages_comments_and_other_events() -> None:
    """Only events called change are changes; comments and unknown fields say nothing."""
    stream = ChangeStream()
    text = (
        'retry: 1000\n\n: no change\n\nid: 3\nevent: change\ndata: {"revision": 3,\ndata: "kinds": ["asked"]}\n\n'
        'event: other\ndata: {"revision": 4}\n\ndata: {"revision": 5}\n\n'
        'id:9\nevent:change\ndata:{"revision":9,"kinds":null}\n\n'
    )
    assert fed(stream, text) == [Change(3, ("asked",)), Change(9)]
    assert stream.headers()["Last-Event-ID"] == "9"


def test_what_was_cut_off_comes_again() -> None:
    """An id counts once its message is complete; the next connection starts from a clean line."""
    stream = ChangeStream(after=2)
    assert fed(stream, 'id: 5\nevent: change\ndata: {"rev') == []
    stream.begin()
    assert stream.headers()["Last-Event-ID"] == "2"
    assert fed(stream, 'id: 5\nevent: change\ndata: {"revision": 5, "kinds": []}\n\n') == [Change(5)]


@pytest.mark.parametrize("data", ["", "{", "[]", '{"other": 1}', "7", '{"revision": "x"}'])
def test_messages_of_another_form_are_passed_over(data: str) -> None:
    """A later version may send more; nothing of it is taken for a change."""
    assert fed(ChangeStream(), f"event: change\ndata: {data}\n\n") == []


def test_the_first_request_names_what_is_known() -> None:
    """Nothing, or a revision."""
    assert "Last-Event-ID" not in ChangeStream().headers()
    assert ChangeStream(after=0).headers()["Last-Event-ID"] == "0"
    with pytest.raises(InvalidInput, match="after"):
        ChangeStream(after=-1)


def test_an_id_that_no_header_could_carry_is_left_out() -> None:
    """A hostile server cannot write headers of the next request."""
    stream = ChangeStream()
    fed(stream, "id: 1\r\x0b\nevent: x\ndata: 1\n\n")
    assert "Last-Event-ID" not in stream.headers()
