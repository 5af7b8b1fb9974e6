"""Requests that are turned away."""

from __future__ import annotations

import json

import pytest

from penchant.serve.rejection import Rejection, reply_bytes


@pytest.mark.parametrize(("seconds", "header"), [(0.01, "1"), (1, "2"), (29.6, "30")])
def test_whoever_comes_again_in_time_is_served(seconds: float, header: str) -> None:
    """Retry-After is a whole number of seconds, never too early."""
    error = Rejection(429, "too_many", "too many came", "wait", retry_after=seconds)
    assert error.response().headers["Retry-After"] == header
    assert int(header) >= seconds


def test_without_a_time_there_is_no_header() -> None:
    """Nothing changes by waiting."""
    assert "Retry-After" not in Rejection(413, "too_large", "it is too long", "send less").response().headers


def test_bytes_are_a_whole_reply() -> None:
    """The one shape of errors, of its length, on a connection that closes."""
    head, _, body = reply_bytes(Rejection(503, "busy", "all is full", "wait", retry_after=1)).partition(
        b"\r\n\r\n"
    )
    lines = head.decode().lower().split("\r\n")
    assert lines[0] == "http/1.1 503 service unavailable"
    assert {"connection: close", "retry-after: 2", f"content-length: {len(body)}"} < set(lines)
    assert json.loads(body)["error"]["code"] == "busy"
