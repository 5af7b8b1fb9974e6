"""Requests are served in order, and none is left without a result."""

from __future__ import annotations

import pytest

from penchant.errors import CannotStore, InvalidInput
from penchant.study.requests import MOST_TOGETHER, Request, Requests


def test_a_request_keeps_its_own_result_or_error() -> None:
    """An error is raised to whoever made the request, when the result is read."""

    def wrong() -> None:
        raise InvalidInput("wrong")

    good, bad = Request(lambda: 7), Request(wrong)
    good.run()
    bad.run()
    assert good.result() == 7
    with pytest.raises(InvalidInput, match="wrong"):
        bad.result()


def test_a_failed_commit_replaces_the_result() -> None:
    """What was computed is not returned where it may not be on disk; an interrupt reads as an error of writing."""
    for error, words in ((CannotStore("full"), "full"), (KeyboardInterrupt(), "interrupted")):
        request = Request(lambda: 7)
        request.run()
        request.fail(error)
        with pytest.raises(CannotStore, match=words):
            request.result()


def test_no_more_than_so_many_are_served_together() -> None:
    """The others wait for the next commit, in order."""
    requests, made = Requests(), [Request(lambda: 0) for _ in range(MOST_TOGETHER + 3)]
    for request in made:
        requests.add(request)
    assert requests.take() == made[:MOST_TOGETHER]
    assert requests.take() == made[MOST_TOGETHER:]


def test_requests_that_an_interrupted_thread_took_have_failed() -> None:
    """Their threads are woken, and the next one serves."""
    requests = Requests()
    first, second, third = (Request(lambda: 1) for _ in range(3))
    requests.add(first)
    requests.add(second)
    requests.take()
    requests.add(third)
    requests.leave(first)
    second.wait()
    third.wait()
    assert second.done
    assert not third.done
    with pytest.raises(CannotStore, match="interrupted"):
        second.result()
    assert requests.take() == [third]
