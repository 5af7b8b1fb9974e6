"""The state but for its models: items as they were, rounds that are learned, and what is erased."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.errors import CannotLoad, InvalidInput
from penchant.store import Event
from penchant.study.coactive.state import State
from tests.study.coactive.simulated import made


def test_a_gap_in_the_log_is_reported() -> None:
    """Events come one after the other, and a study begins with how it was made."""
    with pytest.raises(InvalidInput, match="event 1 must come next, got 2"):
        State().apply(Event(2, "e", "undone", 0.0, {"event": "f"}))
    with pytest.raises(CannotLoad, match="must begin with how the study was made"):
        State().check_whole()


def test_items_are_as_they_were_when_they_were_presented(path: Path) -> None:
    """Each edit is a new version; a presentation has those that stood before it."""
    with made(path) as study:
        first = study.present(["i0", "i1"])
        study.edit_item("i0", x=100.0)
        second = study.present(["i0", "i1"])
        study.edit_item("i0", x=200.0)
        state, numbers = study._state, np.array([0, 1])
        versions = [
            state.versions(numbers, state.presentations[shown.id].number) for shown in (first, second)
        ]
        values = [[state.item_versions[v].fields["x"] for v in found.tolist()] for found in versions]
        assert [row[0] for row in values] == [pytest.approx(study_x(path)), 100.0]
        assert state.item_versions[int(state.versions(numbers)[0])].fields["x"] == 200.0
        study.feedback(second, better=second.order[1])
        assert abs(study.weights()["x"]) > 50


def study_x(path: Path) -> float:
    """The x of the first item at the beginning."""
    from tests.study.coactive.simulated import items

    return float(items()[0]["x"])


def test_rounds_come_and_go_in_the_order_of_the_log(path: Path) -> None:
    """Feedback that is taken back and counts again stands at its old place, and says from where on to learn anew."""
    with made(path) as study:
        shown = study.present(["i0", "i1", "i2"])
        ids = [study.feedback(shown, better=f"i{k}").id for k in range(3)]
        rounds = study._state.rounds
        rounds.mark()
        undo = study.undo(ids[1])
        assert [given.id for given in rounds.given] == [ids[0], ids[2]]
        assert rounds.unchanged == 1
        rounds.mark()
        study.undo(undo)
        assert [given.id for given in rounds.given] == ids
        assert rounds.unchanged == 1


def test_contexts_are_counted_by_those_who_cite_them(path: Path) -> None:
    """What nobody cites any more can be erased."""
    with made(path) as study:
        for user in ("ann", "bob"):
            study.present(["i0", "i1"], user=user)
            study.present(["i0"], user=user)
        assert sorted(study._state.citing.values()) == [2, 2]
        study.forget("ann")
        assert sorted(study._state.citing.values()) == [1, 1]
        study.forget("bob")
        assert study._state.citing == {}


def test_every_id_is_known(path: Path) -> None:
    """Whatever the kind of an event, its id is taken."""
    with made(path) as study:
        shown = study.present(["i0", "i1"], event_id="p")
        study.feedback(shown, clicked=[], event_id="f")
        study.undo("f", undo_id="u")
        study.erase(100, event_id="x")
        for id in ("created", "items-0", "p", "f", "u", "x"):
            assert study._state.has_event(id)
        assert not study._state.has_event("q")
