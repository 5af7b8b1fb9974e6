"""Limits, and what counts against them."""

from __future__ import annotations

from dataclasses import fields

import pytest

from penchant.errors import InvalidInput
from penchant.serve.errors import ErrorReply
from penchant.serve.limits import Bodies, Limits, Rates, Streams


@pytest.mark.parametrize("name", [entry.name for entry in fields(Limits)])
@pytest.mark.parametrize("value", [0, -1, float("nan"), "8", None, True])
def test_a_limit_is_a_number_above_nothing(name: str, value: object) -> None:
    """Each is rejected by its name."""
    with pytest.raises(InvalidInput, match=rf"^{name} must be"):
        Limits(**{name: value})


def test_the_table_has_a_line_for_each_limit() -> None:
    """With its value and what it limits."""
    lines = Limits().table().splitlines()
    assert len(lines) == 1 + len(fields(Limits))
    assert "65,536" in next(line for line in lines if line.startswith("body_bytes"))


def test_a_body_is_limited_by_its_route() -> None:
    """Presentations and items may be large."""
    limits = Limits()
    assert limits.body("POST", "/v1/presentations") == limits.body("POST", "/v1/items") == 4 * 1024**2
    assert limits.body("PATCH", "/v1/items/tea") == limits.body("POST", "/v1/answers") == 64 * 1024


def test_sixty_four_judges_behind_one_address_are_served() -> None:
    """A judge who answers three times a second, each with two requests, is far from any limit of the defaults."""
    limits = Limits()
    rates = Rates(limits.address_rate, limits.address_burst)
    times = [second + turn / 3 for second in range(5) for turn in range(3)]
    assert all(rates.wait("office", now) == 0 for now in times for _ in range(64 * 2))


def test_a_rate_lets_through_what_it_says() -> None:
    """A burst at once, then one each time that the bucket has refilled by one; the wait is as long as it says."""
    rates = Rates(10, 5)
    assert [rates.wait("ann", 0.0) for _ in range(5)] == [0] * 5
    wait = rates.wait("ann", 0.0)
    assert wait == pytest.approx(0.1)
    assert rates.wait("ann", wait / 2) > 0
    assert rates.wait("ann", wait) == 0
    served = sum(rates.wait("ann", wait + step / 1000) == 0 for step in range(10_000))
    assert served == pytest.approx(100, abs=1)


def test_a_rest_gives_the_whole_burst_again_and_no_more() -> None:
    """Time that passed unused does not pile up."""
    rates = Rates(10, 5)
    for now in (0.0, 1000.0):
        assert sum(rates.wait("ann", now) == 0 for _ in range(20)) == 5


def test_keys_do_not_pile_up() -> None:
    """Memory exhaustion by made-up tokens: the keys that were used last are kept, and still limited."""
    rates = Rates(0.001, 1, keys=10)
    assert rates.wait("ann", 0.0) == 0
    for number in range(1000):
        rates.wait(number, 0.0)
        assert rates.wait("ann", 0.0) > 0
    assert len(rates._full) <= 11


def test_streams_have_limits() -> None:
    """Stream exhaustion: by one token 429, by all 503, both with the time to come again; one that ends makes room."""
    streams = Streams(Limits(streams=3, token_streams=2))
    streams.enter("t-1")
    streams.enter("t-1")
    with pytest.raises(ErrorReply, match="at most 2 streams may be open with one token") as one:
        streams.enter("t-1")
    streams.enter("t-2")
    with pytest.raises(ErrorReply, match="at most 3 streams may be open") as all_of_them:
        streams.enter("t-3")
    assert [error.value.status for error in (one, all_of_them)] == [429, 503]
    assert all(error.value.response().headers["Retry-After"] for error in (one, all_of_them))
    streams.leave("t-1")
    streams.enter("t-3")
    for token in ("t-1", "t-2", "t-3"):
        streams.leave(token)
    assert streams.count == 0
    assert not streams._open, "tokens do not pile up"


def test_bodies_that_are_done_with_make_room() -> None:
    """Memory exhaustion: what is rejected is not counted."""
    bodies = Bodies(10)
    bodies.hold(8)
    with pytest.raises(ErrorReply, match="at most 10 bytes"):
        bodies.hold(3)
    bodies.hold(2)
    bodies.free(10)
    assert bodies.held == 0
