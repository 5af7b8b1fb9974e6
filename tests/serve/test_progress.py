"""What judges read about how far they and the study are."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.ask import Settled
from penchant.serve.progress import Progress, needs, progress_of
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy


def nearly(left: int, value: float = 0.5) -> Settled:
    return Settled("order", value, 0.0, 0.9, left, (left, left), None, 0.1)


@pytest.mark.parametrize(
    ("left", "words"),
    [
        (0, "every answer helps"),
        (3, "A few more answers"),
        (11, "About 20 more answers"),
        (90, "About 90 more answers"),
        (130, "About 150 more answers"),
        (5000, "every answer helps"),
    ],
)
def test_what_is_left_is_named_roughly_and_never_frightens(left: int, words: str) -> None:
    """Rounded up to tens and fifties; a few are not counted, and very many are not named."""
    assert words in needs(nearly(left))
    assert "5000" not in needs(nearly(left))


def test_a_settled_study_needs_nothing() -> None:
    """It says so."""
    assert needs(nearly(0, 0.99)) == "The study has all the answers that it needs."


def test_progress_is_that_of_the_judge(study: CompareStudy) -> None:
    """Their answers that count, the number that was agreed, and whether the study is settled."""
    study.change(answers_each=3)
    study.tell(study.ask("ann"), "left")
    ann, bob = progress_of(study, "ann"), progress_of(study, "bob")
    assert (ann.answered, bob.answered, progress_of(study, None).answered) == (1, 0, 0)
    assert (ann.answers_each, ann.settled) == (3, False)


def test_a_study_becomes_settled(tmp_path: Path) -> None:
    """Once the stopping rule says so."""
    with CompareStudy.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        for _ in range(40):
            asked = study.ask("ann")
            study.tell(asked, "left" if asked.left < asked.right else "right")
        study.settled()
        assert progress_of(study, "ann").settled


def test_a_study_of_orders_has_no_judges(search: CoactiveStudy) -> None:
    """And nothing to say to them."""
    assert progress_of(search, None) == Progress()
