"""Erasing: no byte of what is somebody's is left, everything else stays, and what is behind it says so."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import Conflict, InvalidInput
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from tests.study.coactive.oracle import nonzero
from tests.study.coactive.simulated import clicks, made

DAY = 86_400.0


def stored(path: Path) -> bytes:
    return b"".join(file.read_bytes() for file in sorted(path.parent.iterdir()) if file.is_file())


def test_forgetting_leaves_no_byte(path: Path) -> None:
    """Name, contexts of the user's own presentations and the user's model are gone from the file; others' stay."""
    with CoactiveStudy.create(path, seed=1, per_user=True) as study:
        for user in ("Ann of the test", "Bob of the test"):
            own, both = (
                {f"page of {user}": {"x": 1.25}, "z": {}},
                {"page of both": {"x": 1.0}, "z": {"y": 1.0}},
            )
            for context in (own, both):
                study.feedback(study.present(context, user=user), better="z")
        study.weights()
        shared, bobs, events = study.weights(), study.weights("Bob of the test"), list(study._log.events())
        study.close()  # which stores a snapshot
    with Study.open(path) as study:
        study.forget("Ann of the test")
        content = stored(path)
        assert b"Ann of the test" not in content
        assert b"Bob of the test" in content
        assert b"page of both" in content
        assert study.users == ("Bob of the test",)
        assert nonzero(study.weights()) == nonzero(shared)
        assert nonzero(study.weights("Bob of the test")) == nonzero(bobs)
        assert list(study._log.events())[: len(events)] == events
        with pytest.raises(InvalidInput, match="user must be one to whom something was presented"):
            study.weights("Ann of the test")
    assert b"Ann of the test" not in stored(path)
    with Study.open(path) as study:
        assert nonzero(study.weights()) == nonzero(shared)
        assert nonzero(study.weights("Bob of the test")) == nonzero(bobs)
        assert "from the checkpoint of event 10" in study.check()["fold of the log"].message
        assert study.check().ok


def test_a_forgotten_user_starts_anew(path: Path) -> None:
    """Under the same name there is another key, and a cold start from the shared model."""
    with made(path, per_user=True) as study:
        clicks(study, 6, users=1)
        shown = study.present(["i0", "i1"])
        study.feedback(shown, better=shown.order[1])
        assert study.weights("user 0") != study.weights()
        study.forget("user 0")
        study.present(["i0", "i1"], user="user 0")
        assert study.weights("user 0") == study.weights()
        assert study.check().ok


def test_what_was_learned_before_cannot_be_undone(path: Path) -> None:
    """Undo of feedback behind an erasure, or of an undo of it, is rejected with the reason; later feedback can be."""
    with made(path) as study:
        shown, other = study.present(["i0", "i1"], user="ann"), study.present(["i0", "i1", "i2"], user="bob")
        study.feedback(other, better="i1", event_id="early")
        study.feedback(other, better="i2", event_id="taken back")
        undo = study.undo("taken back")
        study.forget("ann")
        for event in ("early", undo):
            with pytest.raises(InvalidInput, match="must be newer than what was erased to be taken back"):
                study.undo(event)
        with pytest.raises(
            InvalidInput, match="must have its candidates, which were erased: present them again"
        ):
            study.feedback(shown, better="i1")
        before = study.weights()
        study.feedback(other, better="i2")
        study.undo()
        assert study.weights() == before
        assert study.check().ok


def test_forgetting_counts_once(path: Path) -> None:
    """The same id again changes nothing; for a user who is there it is a conflict."""
    with made(path) as study:
        for user in ("ann", "bob"):
            study.present(["i0"], user=user)
        study.forget("ann", event_id="x")
        study.forget("ann", event_id="x")
        with pytest.raises(Conflict):
            study.forget("bob", event_id="x")
        with pytest.raises(Conflict):
            study.forget("bob", event_id="created")
        assert study.users == ("bob",)


def test_old_contexts_are_erased(path: Path) -> None:
    """Contexts that only old presentations cite are gone; what was learned, and newer presentations, stay."""
    with CoactiveStudy.create(path, seed=1) as study:
        shown = [study.present({f"page {k}": {"x": float(k)}, "both": {"x": 1.0}}) for k in range(4)]
        again = study.present({"page 0": {"x": 0.0}, "both": {"x": 1.0}})
        for found in (*shown, again):
            study.feedback(found, better="both")
        weights = study.weights()
        number = study._state.presentations[shown[2].id].number
        assert study.erase(number) == 2
        assert study.erase(number) == 0
        assert (b"page 1" in stored(path), b"page 0" in stored(path), b"page 2" in stored(path)) == (
            False,
            True,
            True,
        )
        assert study.weights() == weights
        study.feedback(again, better="page 0")
        study.feedback(shown[3], better="page 3")
        with pytest.raises(InvalidInput, match="erased"):
            study.feedback(shown[1], better="page 1")
        assert study.check().ok


@pytest.mark.parametrize(("retention", "left"), [({"days": 2.0}, 2), ({"rounds": 3}, 3), (None, 5)])
def test_retention_erases_at_opening(path: Path, retention: dict[str, float] | None, left: int) -> None:
    """A study that is opened for writing erases what is older than its setting allows, and so does `retain`."""
    now = [0.0]
    with CoactiveStudy.create(path, seed=1, retention=retention, clock=lambda: now[0]) as study:
        for day in range(5):
            now[0] = day * DAY
            study.feedback(study.present({f"page {day}": {"x": 1.0}, "z": {}}), better="z")
        weights = study.weights()
    now[0] = 4.5 * DAY
    with Study.open(path, write=False, clock=lambda: now[0]) as reader:
        assert len(reader._state.citing) == 5
    with Study.open(path, clock=lambda: now[0]) as study:
        assert len(study._state.citing) == left
        assert study.weights() == weights
        assert study.retain() == 0
        assert study.retain({"rounds": 1}) == left - 1
        assert study.check().ok


def test_a_backup_is_another_study(path: Path) -> None:
    """A backup that was made before keeps what was erased later; restored, it is as it was."""
    with made(path, per_user=True) as study:
        clicks(study, 5, users=2)
        weights, users = study.weights(), study.users
        study.backup(path.with_name("backup.db"))
        study.forget("user 0")
    Study.restore(path.with_name("backup.db"), path, replace=True)
    with Study.open(path) as study:
        assert (study.weights(), study.users) == (weights, users)
        assert study.check().ok


def test_a_number_that_is_yet_to_come_erases_what_is_there(path: Path) -> None:
    """What is presented later is kept, and erased by the next erasure; the file then holds what its log cites."""
    with made(path) as study:
        study.present(["i0", "i1"])
        assert study.erase(100) == 1
        for _ in range(2):
            shown = study.present(["i0", "i2"])
            study.feedback(shown, clicked=["i2"])
            assert study.erase(200) == 1
            assert study.erase(200) == 0
            with pytest.raises(InvalidInput, match="must have its candidates, which were erased"):
                study.feedback(shown, clicked=["i0"])
        assert not study._state.citing
        study.export(path.with_suffix(".jsonl"))
        weights = study.weights()
    with CoactiveStudy.from_events(path.with_name("copy.db"), path.with_suffix(".jsonl")) as copy:
        assert copy.weights() == weights
