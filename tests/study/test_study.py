"""A study is opened as what it is."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from penchant.errors import CannotStore, Closed, InvalidInput, WrongKind
from penchant.store import SQLiteLog
from penchant.study import CompareStudy, Study
from penchant.study.coactive import CoactiveStudy


def test_a_study_is_of_the_kind_that_its_log_names(tmp_path: Path) -> None:
    """`create`, `open` and `from_events` return a study of the right class, whichever class they are called on."""
    made = Study.create(tmp_path / "a.db", ["a", "b"], kind="compare")
    made.export(tmp_path / "a.jsonl")
    made.close()
    for study in (
        made,
        Study.open(tmp_path / "a.db"),
        CompareStudy.open(tmp_path / "a.db", write=False),
        Study.from_events(tmp_path / "b.db", tmp_path / "a.jsonl"),
    ):
        assert type(study) is CompareStudy
        study.close()


def test_an_unknown_kind_is_rejected(tmp_path: Path) -> None:
    """The message names the kinds, and no file is made."""
    with pytest.raises(
        InvalidInput, match="kind must be 'compare' or 'coactive', got 'rank': choose one of these"
    ):
        Study.create(tmp_path / "a.db", ["a", "b"], kind="rank")
    assert not (tmp_path / "a.db").exists()


def test_an_empty_log_is_no_study(tmp_path: Path) -> None:
    """The message says how to make one."""
    SQLiteLog.create(tmp_path / "a.db").close()
    with pytest.raises(InvalidInput, match=r"make it with Study\.create"):
        Study.open(tmp_path / "a.db")


def test_a_study_of_another_kind_is_named_with_what_it_is_used_by(tmp_path: Path) -> None:
    """Its class does not open it; the error names the file, the kinds, and the methods of the one that it is."""
    for kind, methods, other in (
        ("coactive", "present and feedback", CompareStudy),
        ("compare", "ask and tell", CoactiveStudy),
    ):
        path = tmp_path / f"{kind}.db"
        Study.create(path, ["a", "b"], kind=kind).close()
        assert Study.kind_of(path) == kind
        with pytest.raises(
            WrongKind, match=f"{kind}.db must be a study .*, got {kind}: .* {methods}"
        ) as error:
            other.open(path)
        assert error.value.received == kind


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
