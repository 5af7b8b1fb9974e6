"""Calls that change a study: recorded once, written together, and all or nothing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, Conflict, InvalidInput, UnknownItem
from penchant.study import CompareStudy, Study


def test_work_must_not_change_the_study_in_its_turn(tmp_path: Path) -> None:
    """A call from within another one's work, or from a subscriber, is rejected, and nothing waits for itself."""
    with Study.create(tmp_path / "a.db", kind="coactive", seed=1) as study:

        class Asking(dict[str, Any]):
            def values(self) -> Any:
                study.present({"b": {"x": 1.0}})
                return super().values()

        with pytest.raises(CannotStore, match="from within another call"):
            study.present(Asking(a={"x": 1.0}))
        found: list[str] = []

        def subscriber(events: object) -> None:
            found.append(study.progress())
            for change in (
                lambda: study.present({"b": {"x": 1.0}}),
                lambda: study.add_items(["tea"]),
            ):
                with pytest.raises(CannotStore, match="from within another call"):
                    change()
            found.append("rejected")

        end = study._log.subscribe(subscriber)
        study.present({"a": {"x": 1.0}})
        study.add_items(["coffee"])
        end()
        assert found[1::2] == ["rejected", "rejected"]
        assert study.revision() == study._log.last() == 3


def test_a_thread_that_holds_the_lock_can_write(tmp_path: Path) -> None:
    """It does not wait for another thread that waits for the lock."""
    with Study.create(tmp_path / "a.db", ["a", "b", "c"]) as study:
        other = Thread(target=study.ask, args=("other",))
        with study._lock:
            other.start()
            while study._requests._server is None:
                pass
            assert study.ask("me").judge == "me"
        other.join()
        assert study.revision() == study._log.last()


def test_items_that_ask_are_answered(tmp_path: Path) -> None:
    """An iterable that uses the study while it is read, before anything is recorded, may do so."""
    with Study.create(tmp_path / "a.db", ["a", "b"]) as study:

        def items() -> Iterator[str]:
            yield study.ask().left + " too"

        assert len(study.add_items(items())) == 1
        assert study.revision() == study._log.last()


def test_a_forked_process_is_told_that_the_study_is_closed(tmp_path: Path) -> None:
    """Also where a thread of the parent held the lock at that moment."""
    study = Study.create(tmp_path / "a.db", ["a", "b", "c"])
    held, release = Event(), Event()

    def hold() -> None:
        with study._lock:
            held.set()
            release.wait()

    thread = Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if not child:
        try:
            study.ask()
        except Closed:
            study.close()
            os._exit(0)
        finally:
            os._exit(1)
    status = os.waitpid(child, 0)[1]
    release.set()
    thread.join()
    study.close()
    assert status == 0


@pytest.mark.parametrize("kind", ["compare", "coactive"])
def test_what_cannot_be_written_is_not_folded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """While nothing can be written, requests do not cause the whole log to be read for each of them."""
    Study.create(tmp_path / "a.db", ["a", "b", "c"], kind=kind).close()

    def write(study: Any) -> None:
        study.present(["a", "b"]) if kind == "coactive" else study.ask("ann")

    with Study.open(tmp_path / "a.db", write=False) as reader:
        with pytest.raises(CannotStore):
            write(reader)
        assert not reader._stale
    with Study.open(tmp_path / "a.db") as study:
        folds: list[object] = []
        begin = study._begin
        monkeypatch.setattr(study, "_begin", lambda: [folds.append(1), begin()][1])
        committer = study._log._committer
        assert committer is not None
        with monkeypatch.context() as patched:
            patched.setattr(type(committer), "_attempt", lambda *_: (_ for _ in ()).throw(OSError("no disk")))
            for _ in range(4):
                with pytest.raises(CannotStore, match="no disk"):
                    write(study)
        write(study)
        assert len(folds) == 1
        assert study.revision() == study._log.last() == 3


@pytest.mark.parametrize("id", [[], 0, "", "a\n", "x" * 201])
def test_an_id_that_no_event_can_have_is_rejected(tmp_path: Path, id: Any) -> None:
    """It is not taken for none, and no other error is raised about it."""
    with (
        Study.create(tmp_path / "a.db", ["a", "b"]) as study,
        pytest.raises(InvalidInput, match="id of an event"),
    ):
        study.tell(study.ask(), "left", event_id=id)
    with Study.create(tmp_path / "b.db", kind="coactive") as study:
        shown = study.present({"a": {"x": 1.0}}, user="ann")
        for call in (
            lambda: study.present({"a": {"x": 1.0}}, event_id=id),
            lambda: study.feedback(shown, clicked=[], event_id=id),
            lambda: study.undo(undo_id=id),
            lambda: study.forget("ann", event_id=id),
            lambda: study.erase(1, event_id=id),
        ):
            with pytest.raises(InvalidInput, match="id of an event"):
                call()


# -- calls that are made together ---------------------------------------------------------------------------


def refuse(*_: Any, **__: Any) -> None:
    raise CannotStore("the disk is gone")


def test_calls_together_are_one_commit(tmp_path: Path) -> None:
    """Each sees what those before it recorded, one that raises changes nothing of the others, all is on disk."""
    with CompareStudy.create(tmp_path / "a.db", ["a", "b", "c"], seed=1) as study:
        commits: list[list[str]] = []
        end = study.subscribe(lambda events: commits.append([event.kind for event in events]))
        done = study.together(
            [
                lambda: study.ask("ann"),
                lambda: study.tell("nothing", "left"),
                lambda: study.tell(study.ask("ann"), "left", event_id="e1"),
                lambda: study.add_items(["d"], event_id="add"),
                lambda: study.retire("a", event_id="retire"),
                lambda: (study.has_event("add"), study.retired, study.n_answers()),
            ]
        )
        assert done[0].result().judge == "ann"
        with pytest.raises(InvalidInput, match="nothing"):
            done[1].result()
        assert done[2].result().id == "e1"
        assert done[5].result() == (True, ("a",), 1)
        assert commits == [["asked", "answered", "items", "retired"]]
        end()
        study.ask("bob")
        assert len(commits) == 1
        with Study.open(tmp_path / "a.db", write=False) as other:
            assert other.has_event("e1")
            assert list(other.items) == ["a", "b", "c", "d"]


@pytest.mark.parametrize("kind", ["compare", "coactive"])
def test_calls_together_whose_commit_fails_all_fail(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The state is that of the file, and the same calls then succeed."""
    with Study.create(tmp_path / "a.db", ["a", "b", "c"], kind=kind) as study:
        calls = [
            lambda: study.add_items(["d"], event_id="add"),
            lambda: study.change(title="New", event_id="change"),
            lambda: study.progress(),
        ]
        with monkeypatch.context() as patch:
            patch.setattr(study._log, "append_all", refuse)
            for done in study.together(calls):
                with pytest.raises(CannotStore, match="the disk is gone"):
                    done.result()
        assert study.revision() == 2
        assert (list(study.items), study.title, study.has_event("add")) == (["a", "b", "c"], "a", False)
        for done in study.together(calls):
            done.result()
        assert (list(study.items), study.title, study.has_event("add")) == (["a", "b", "c", "d"], "New", True)


def test_calls_together_must_not_be_nested(tmp_path: Path) -> None:
    """Inside one of them `together` is an error of that call, and the others go on."""
    with CompareStudy.create(tmp_path / "a.db", ["a", "b", "c"]) as study:
        done = study.together([lambda: study.together([]), lambda: study.ask("ann")])
        with pytest.raises(CannotStore, match="must not be changed from within another call"):
            done[0].result()
        assert done[1].result().judge == "ann"


def test_events_are_read_after_a_number(tmp_path: Path) -> None:
    """As the log has them; the last number is that of the file."""
    with CompareStudy.create(tmp_path / "a.db", ["a", "b", "c"]) as study:
        study.tell(study.ask("ann"), "left", event_id="e1")
        kinds = [event.kind for event in study.events()]
        assert kinds == ["created", "items", "asked", "answered"]
        assert [event.number for event in study.events(2)] == [3, 4]
        assert [event.number for event in study.events(1, 2)] == [2]
        assert study.last_event() == study.revision() == 4
        assert (study.has_event("e1"), study.has_event("e2")) == (True, False)


# -- changes under an id ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["compare", "coactive"])
def test_a_change_under_an_id_is_made_once(tmp_path: Path, kind: str) -> None:
    """The same again records nothing, another under its id is a conflict; of both kinds of studies alike."""
    with Study.create(tmp_path / "a.db", ["a", "b", "c", "d"], kind=kind) as study:
        changes = {
            "add": (lambda **id: study.add_items(["e"], **id), lambda **id: study.add_items(["f"], **id)),
            "edit": (
                lambda **id: study.edit_item("a", {"x": 1.0}, **id),
                lambda **id: study.edit_item("a", {"x": 2.0}, **id),
            ),
            "retire": (lambda **id: study.retire("a", **id), lambda **id: study.retire("b", **id)),
            "return": (lambda **id: study.bring_back("a", **id), lambda **id: study.bring_back("b", **id)),
            "change": (
                lambda **id: study.change(title="T", **id),
                lambda **id: study.change(title="U", **id),
            ),
        }
        for number, (name, (same, other)) in enumerate(changes.items(), start=3):
            first = same(event_id=name)
            assert same(event_id=name) == first
            assert study.last_event() == number, name
            with pytest.raises(Conflict, match=f"event '{name}' is in the log already"):
                other(event_id=name)
            with pytest.raises(Conflict, match="event 'created' is in the log already"):
                same(event_id="created")
            assert study.last_event() == number, name


def test_a_judge_is_set_aside_and_taken_back_once_for_an_id(tmp_path: Path) -> None:
    """Of another judge it is a conflict; a judge who is not known is an unknown one."""
    with CompareStudy.create(tmp_path / "a.db", ["a", "b", "c"]) as study:
        for judge in ("ann", "bob"):
            study.ask(judge)
        for name, change in (("aside", study.set_aside), ("back", study.take_back)):
            change("ann", event_id=name)
            number = study.last_event()
            change("ann", event_id=name)
            assert study.last_event() == number
            with pytest.raises(Conflict, match=f"event '{name}'"):
                change("bob", event_id=name)
            with pytest.raises(UnknownItem, match="judge must be one who was asked or has answered"):
                change("zoe", event_id=f"{name}-2")


def test_many_items_under_one_id_come_back_as_they_were_sent(tmp_path: Path) -> None:
    """Items that take several events are one change: the same again is recognised, one item less is another."""
    items = [{"title": f"item {number}", "text": "x" * 100_000} for number in range(6)]
    with CompareStudy.create(tmp_path / "a.db", ["a", "b"]) as study:
        added = study.add_items(items, event_id="add")
        number = study.last_event()
        assert number > 3
        assert study.add_items(items, event_id="add") == added
        with pytest.raises(Conflict, match="event 'add'"):
            study.add_items(items[:-1], event_id="add")
        assert study.last_event() == number


def test_a_study_is_known_by_how_it_was_made(tmp_path: Path) -> None:
    """Its copies are the same study; one that was made alike at another time is not."""
    with Study.create(tmp_path / "a.db", ["x", "y"], seed=1) as first:
        before = first.identity
        first.tell(first.ask("ann"), "left")
        first.backup(tmp_path / "copy.db")
    with Study.open(tmp_path / "copy.db") as copy:
        assert copy.identity == before
    with Study.create(tmp_path / "b.db", ["x", "y"], title="a", seed=1) as second:
        assert second.identity != before
