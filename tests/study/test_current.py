"""The belief of a study as it stands, and how settled it is."""

from __future__ import annotations

import time
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from penchant.study import Study, current
from penchant.study.snapshots import NAME


def answer(study: Study, count: int) -> None:
    """Answer in alphabetical order."""
    for _ in range(count):
        question = study.ask()
        study.tell(question, "left" if question.left < question.right else "right")


def test_the_belief_is_the_fold_of_the_log(tmp_path: Path) -> None:
    """After answers, undos and changes of judges, what is kept is what folding from zero gives, to the byte."""
    with Study.create(tmp_path / "s.db", [f"item {k}" for k in range(8)], seed=1) as study:
        answer(study, 60)
        for _ in range(5):
            study.undo()
        study.undo(study.answers()[7].id)
        answer(study, 9)
        kept, folded = study._current.belief(study._state), study._current.folded(study._state)
        assert kept.mean.tobytes() == folded.mean.tobytes()
        assert kept.covariance().tobytes() == folded.covariance().tobytes()


def test_settled_does_not_block(tmp_path: Path) -> None:
    """Without waiting, an evaluation is begun and the last one is returned; it says of how many answers it speaks."""
    with Study.create(tmp_path / "s.db", list("abcde"), seed=1) as study:
        answer(study, 4)
        assert study.settled(wait=False) is None
        answer(study, 2)
        first = study.settled()
        assert first is not None
        assert first.answers == 6
        answer(study, 14)
        deadline = time.monotonic() + 30
        while (found := study.settled(wait=False)) == first and time.monotonic() < deadline:
            time.sleep(0.01)
        assert found == study.settled()
        assert found is not None
        assert found.answers > first.answers


def test_turns_go_on_while_an_evaluation_is_under_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However long it takes, questions and answers do not wait for it, and no others are begun meanwhile."""
    begun, first, released = list[int](), Event(), Event()
    evaluate = current._evaluated

    def held(start: Any, answers: Any, *others: Any) -> Any:
        begun.append(len(answers))
        first.set()
        assert released.wait(60)
        return evaluate(start, answers, *others)

    monkeypatch.setattr(current, "_evaluated", held)
    with Study.create(tmp_path / "s.db", list("abcde"), seed=1) as study:
        answer(study, 5)
        assert study.settled(wait=False) is None
        assert first.wait(60)
        for _ in range(30):
            answer(study, 1)
            assert study.settled(wait=False) is None
        assert begun == [5]
        released.set()
        found = study.settled()
        assert found is not None
        assert found.answers == begun[-1] > 30
        assert len(begun) == 2


def test_a_snapshot_is_kept_on_closing(tmp_path: Path) -> None:
    """Only of answers that were learned, and never by a reader."""
    place = tmp_path / "s.db"
    with Study.create(place, list("abc"), seed=1) as study:
        pass
    with Study.open(place) as study:
        assert study._log.snapshots.get(NAME) is None
        answer(study, 5)
        study.rank()
    with Study.open(place, write=False) as study:
        found = study._log.snapshots.get(NAME)
        assert found is not None
        assert found.number == 5


def test_a_belief_that_was_started_anew_is_kept_on_closing(tmp_path: Path) -> None:
    """Also where no answer came since: the next opening need not start it again."""
    place = tmp_path / "s.db"
    with Study.create(place, list("abc"), seed=1) as study:
        answer(study, 5)
        study._log.snapshots.delete(NAME)
    with Study.open(place) as study:
        study._log.snapshots.delete(NAME)
        study.rank()
    with Study.open(place) as study:
        found = study._log.snapshots.get(NAME)
        assert found is not None
        assert found.number == 5
        study.rank()
        study._log.snapshots.delete(NAME)  # what came from it is not stored again
    with Study.open(place) as study:
        assert study._log.snapshots.get(NAME) is None


def test_a_shown_belief_does_not_change(tmp_path: Path) -> None:
    """What `belief` returned is a copy: later answers do not move it."""
    with Study.create(tmp_path / "s.db", list("abc"), seed=1) as study:
        answer(study, 5)
        belief = study.belief()
        before = belief.mean.copy()
        answer(study, 5)
        assert belief.mean == pytest.approx(before, abs=0)


def test_subscribers_hear_when_an_evaluation_has_ended(tmp_path: Path) -> None:
    """Once for each evaluation, whether somebody waited for it or not."""
    ended = Event()
    with Study.create(tmp_path / "s.db", list("abc"), seed=1) as study:
        study.subscribe_settled(ended.set)
        answer(study, 3)
        assert study.settled(wait=False) is None
        assert ended.wait(60)
        found = study.settled(wait=False)
        assert found is not None
        assert found.answers == 3
