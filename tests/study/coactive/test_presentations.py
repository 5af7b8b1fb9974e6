"""The orders that feedback on a presentation asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.checks import Ints
from penchant.orders import prepend
from penchant.study.coactive.presentations import Given, Shown, as_list, prepended

ORDERS = st.permutations(range(6))
FEEDBACK = st.lists(
    st.tuples(
        st.sampled_from(("clicked", "order", "better")), st.lists(st.integers(0, 5), unique=True, max_size=3)
    ),
    max_size=12,
)


def shown_with(order: list[int], feedback: list[tuple[str, list[int]]]) -> Shown:
    shown = Shown("p", 1, 0.0, "hash", np.array(order), None, True, None, None)
    for number, (what, value) in enumerate(feedback, 2):
        shown.given.append(Given(f"f{number}", number, 0.0, shown, what, tuple(value)))
    return shown


@given(ORDERS, st.lists(st.integers(0, 5)))
def test_prepended_is_prepend(order: list[int], first: list[int]) -> None:
    """The fast one is the one that is public."""
    assert prepended(np.array(order), first).tolist() == prepend(order, first)


@given(ORDERS, st.lists(st.lists(st.integers(0, 5), max_size=3), min_size=1, max_size=4))
def test_a_stream_of_clicks_is_all_clicks_together(order: list[int], stream: list[list[int]]) -> None:
    """Each step begins where the last one ended, and the last one ends at the order that all clicks ask for."""
    shown = shown_with(order, [("clicked", clicks) for clicks in stream])
    now = order
    for given_feedback in shown.given:
        before, after = shown.step(given_feedback)
        assert before.tolist() == now
        now = after.tolist()
    everything = [index for clicks in stream for index in clicks]
    assert now == prepend(order, everything) == shown.improved().tolist()
    assert shown.clicks() == list(dict.fromkeys(everything))


@given(ORDERS, FEEDBACK, st.sets(st.integers(0, 11)))
def test_steps_do_not_depend_on_what_was_asked_before(
    order: list[int], feedback: list[tuple[str, list[int]]], taken_back: set[int]
) -> None:
    """What is remembered of a stream changes no step, also where feedback is taken back."""
    shown, fresh = shown_with(order, feedback), shown_with(order, feedback)
    for given_feedback in shown.given:
        shown.step(given_feedback)
    for place in taken_back & set(range(len(feedback))):
        shown.given[place].standing = fresh.given[place].standing = False
    shown.changed()
    for ours, theirs in zip(shown.given, fresh.given, strict=True):
        if ours.standing:
            fresh.changed()
            assert [part.tolist() for part in shown.step(ours)] == [
                part.tolist() for part in fresh.step(theirs)
            ]


def test_an_order_is_put_before_what_stands() -> None:
    """Clicks, then an order, then clicks again: each is put before the order as it stands then."""
    shown = shown_with([0, 1, 2, 3], [("clicked", [2]), ("order", [3]), ("clicked", [1]), ("better", [0])])
    steps = [shown.step(given_feedback)[1].tolist() for given_feedback in shown.given]
    assert steps == [[2, 0, 1, 3], [3, 2, 0, 1], [1, 3, 2, 0], [0, 1, 3, 2]]


def test_one_id_is_a_list_of_one() -> None:
    """A text is one id and no list of letters."""
    assert (as_list("abc"), as_list(("a", "b")), as_list(3)) == (["abc"], ["a", "b"], [3])


def test_a_long_stream_of_clicks_costs_the_same_for_each() -> None:
    """However often the step of the last feedback is asked for, in two forms, earlier clicks are not read again."""
    calls = []

    def first(order: Ints, clicks: Sequence[int]) -> Ints:
        calls.append(len(clicks))
        return prepended(order, clicks)

    def second(order: Ints, clicks: Sequence[int]) -> Ints:
        return first(order, clicks)

    shown = Shown("p", 1, 0.0, "c", np.arange(3), None, True, None, None)
    for number in range(100):
        shown.given.append(Given(f"f{number}", number + 2, 0.0, shown, "clicked", (number % 3, 2)))
        for _ in range(2):
            for swap in (first, second):
                shown.step(shown.given[-1], swap)
    assert max(calls) <= 3
    assert len(calls) < 4 * 100
