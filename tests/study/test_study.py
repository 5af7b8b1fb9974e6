"""A study is opened as what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.errors import InvalidInput, WrongKind
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
