"""Files come whole, and their errors in the one shape."""

from __future__ import annotations

import pytest

from tests.serve.visitor import Visitor, rejected

FILE = "/static/look.css"


@pytest.mark.parametrize(
    "part", ["bytes=0-1", "bytes=999999999-", "bytes=0-0,2-2,99999999-", "lines=1", "bytes=x"]
)
def test_a_part_of_a_file_is_the_whole(stranger: Visitor, part: str) -> None:
    """Ranges that cannot be served are no errors without a shape."""
    whole = stranger.get(FILE)
    reply = stranger.get(FILE, headers={"Range": part})
    assert (reply.status_code, reply.content) == (200, whole.content)
    assert "Accept-Ranges" not in reply.headers


def test_a_file_that_was_seen_is_not_sent_again(stranger: Visitor) -> None:
    """The tag of a file is asked for again, and answered without it."""
    tag = stranger.get(FILE).headers["ETag"]
    reply = stranger.get(FILE, headers={"If-None-Match": tag})
    assert (reply.status_code, reply.content) == (304, b"")


@pytest.mark.parametrize(
    "name", ["", "none.css", "%00", "..%2fserver.py", "%2e%2e/server.py", "x" * 5000, "%ff"]
)
def test_what_is_no_file_has_the_one_shape(stranger: Visitor, name: str) -> None:
    """Whatever the name is, and nothing outside of the folder is a file."""
    rejected(stranger.get(f"/static/{name}"), 404, "not_found")
