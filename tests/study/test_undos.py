"""Undos of undos: what each takes back, and what counts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penchant.study.undos import Undos


def test_a_second_undo_of_the_same_event_changes_nothing() -> None:
    """Until both of them are taken back."""
    undos = Undos()
    assert undos.add("u1", "a") == ("a", False)
    assert undos.add("u2", "a") is None
    assert undos.add("u3", "u1") is None
    assert not undos.stands("a")
    assert undos.add("u4", "u2") == ("a", True)
    assert undos.stands("a")


def test_undos_of_undos_are_about_the_same_event() -> None:
    """Every second one restores it."""
    undos = Undos()
    for number, target in enumerate(["a", "u1", "u2", "u3"], 1):
        undos.add(f"u{number}", target)
        assert undos.root(f"u{number}") == "a"
        assert undos.restores(f"u{number}") == (number % 2 == 0)
        assert undos.stands("a") == (number % 2 == 0)
    assert undos.root("a") == "a"


@given(st.lists(st.integers(0, 20), max_size=20))
def test_what_stands_is_what_no_standing_undo_takes_back(targets: list[int]) -> None:
    """As computed from the last undo back to the first."""
    undos, changes = Undos(), {"e0": True}
    for number, target in enumerate(targets, 1):
        changed = undos.add(f"e{number}", f"e{target % number}")
        if changed is not None:
            changes[changed[0]] = changed[1]
    standing = {f"e{number}": True for number in range(len(targets) + 1)}
    for number in range(len(targets), 0, -1):
        if standing[f"e{number}"]:
            standing[undos[f"e{number}"]] = False
    assert {event: undos.stands(event) for event in standing} == standing
    assert changes["e0"] == standing["e0"]
