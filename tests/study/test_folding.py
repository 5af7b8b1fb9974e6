"""The state of a study against its log, folded again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.study import Study
from penchant.study.folding import StateCopy, check_fold


@pytest.fixture
def study(tmp_path: Path) -> Any:
    with Study.create(tmp_path / "s.db", list("abcd"), seed=1) as study:
        for number in range(12):
            study.tell(study.ask(f"j{number % 2}"), ("left", "right", "tie", "skip")[number % 4])
        study.undo()
        study.set_aside("j1")
        study.retire("d")
        yield study


def copy_of(study: Study) -> StateCopy:
    return StateCopy.of(study._state, study._current.belief(study._state))


def test_a_study_is_the_fold_of_its_log(study: Study) -> None:
    """Answers, an undo, a judge set aside and a retired item included; later events are not looked at."""
    found = copy_of(study)
    study.tell(study.ask("j0"), "left")
    check = check_fold(found, study._log.events())
    assert check.passed
    assert check.message == f"state and belief are those of {found.number} events, folded again, to the byte"


def test_a_belief_of_another_machine_may_be_near(study: Study) -> None:
    """Across machines last digits differ: that passes, and the report says by how much."""
    found = copy_of(study)
    found.mean[0] += 2e-10
    check = check_fold(found, study._log.events())
    assert check.passed
    assert check.message.endswith("folded again, the belief within 2e-10")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        (lambda copy: copy.parts["answers"].pop(), "other answers"),
        (lambda copy: copy.parts["retired items"].clear(), "other retired items"),
        (lambda copy: copy.mean.__setitem__(0, copy.mean[0] + 1e-6), "other belief"),
        (lambda copy: copy.variance.__setitem__(0, np.nan), "other belief"),
    ],
)
def test_what_differs_is_named(study: Study, wrong: Any, named: str) -> None:
    """Whatever the running study has that its log does not give."""
    found = copy_of(study)
    wrong(found)
    check = check_fold(found, study._log.events())
    assert check.passed is False
    assert named in check.message


def test_a_log_that_is_shorter_is_named(study: Study) -> None:
    """The number of events is compared, and beliefs over other items differ."""
    check = check_fold(copy_of(study), list(study._log.events())[:-1])
    assert check.passed is False
    assert "number of events" in check.message
