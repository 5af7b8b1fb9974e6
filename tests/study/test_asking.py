"""Which pair a study asks about next."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.study import Study


def answer_at_random(study: Study, count: int, seed: int, judges: int = 1) -> None:
    rng = np.random.default_rng(seed)
    for number in range(count):
        question = study.ask(f"judge {number % judges}")
        study.tell(question, ("left", "right", "tie")[rng.choice(3, p=[0.45, 0.45, 0.1])])


@pytest.mark.parametrize("seed", [True, -1, 2**63, "1", 1.0])
def test_a_seed_that_is_no_whole_number_makes_no_study(tmp_path: Path, seed: Any) -> None:
    """Nothing is left behind."""
    with pytest.raises(InvalidInput, match="seed must be an integer from 0"):
        Study.create(tmp_path / "s.db", ["a", "b"], seed=seed)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("repeats", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(4))
def test_38_answers_about_30_items_leave_one_group(tmp_path: Path, seed: int, repeats: float) -> None:
    """However the judges answer, no two groups of items are left that were not compared; only then pairs come again."""
    items = [f"item {k}" for k in range(30)]
    with Study.create(tmp_path / "s.db", items, seed=seed, repeats=repeats) as study:
        answer_at_random(study, 38, seed, judges=1 + seed)
        assert len(study.preferences().components()) == 1


def test_a_pair_that_is_forbidden_later_does_not_come_again(tmp_path: Path) -> None:
    """Neither as the open question of a judge, nor among those that are repeated."""
    with Study.create(tmp_path / "s.db", list("abcd"), seed=1, repeats=0.5) as study:
        answer_at_random(study, 20, seed=3)
        asked = study.ask("ann")
        pair = {asked.left, asked.right}
        study.change(forbidden=[tuple(pair)])
        for _ in range(60):
            question = study.ask("ann")
            assert {question.left, question.right} != pair
            study.tell(question, "left")
        study.change(forbidden=[])
        assert any({(found := study.ask(f"judge {k}")).left, found.right} == pair for k in range(20))


@pytest.mark.parametrize(("judges", "ahead"), [(8, 0), (16, 0), (4, 1)])
def test_groups_are_joined_also_where_many_answer_at_once(tmp_path: Path, judges: int, ahead: int) -> None:
    """Open questions count as answered until they would join all: judges are not asked to join the same groups."""
    rng = np.random.default_rng(judges)
    with Study.create(tmp_path / "s.db", [f"item {k}" for k in range(30)], seed=judges) as study:
        open = {name: study.ask_ahead(name, 1 + ahead) for name in (f"judge {k}" for k in range(judges))}
        for _ in range(38):
            name = f"judge {rng.integers(judges)}"
            study.tell(open[name][0], ("left", "right", "both_bad")[rng.choice(3, p=[0.45, 0.45, 0.1])])
            open[name] = study.ask_ahead(name, 1 + ahead)
        assert len(study.preferences().components()) == 1


def test_a_question_that_nobody_answers_leaves_no_group_apart(tmp_path: Path) -> None:
    """Where open questions would join all groups, others are asked besides: one judge may have gone for good."""
    with Study.create(tmp_path / "s.db", list("abcdefgh"), seed=1) as study:
        gone = [study.ask(f"gone {k}") for k in range(3)]
        for _ in range(12):
            question = study.ask("here")
            assert question not in gone
            study.tell(question, "left")
        assert len(study.preferences().components()) == 1


def test_repeats_come_with_sides_swapped_to_the_same_judge(tmp_path: Path) -> None:
    """About the wanted share of questions repeats one that the judge answered, and says which."""
    with Study.create(tmp_path / "s.db", [f"item {k}" for k in range(12)], repeats=0.25, seed=1) as study:
        answer_at_random(study, 120, 1, judges=2)
        asked = [answer.question for answer in study.answers()]
        repeated = [question for question in asked if question.repeats is not None]
        for question in repeated:
            first = study.question(str(question.repeats))
            assert {first.left, first.right} == {question.left, question.right}
            assert first.judge == question.judge
        assert 15 <= len(repeated) <= 45
    with Study.create(tmp_path / "t.db", [f"item {k}" for k in range(12)], seed=1) as study:
        answer_at_random(study, 40, 1)
        assert all(answer.question.repeats is None for answer in study.answers())


def test_each_item_gets_the_least_number_of_answers(tmp_path: Path) -> None:
    """With least=4, no item has more than a few answers before all have four."""
    with Study.create(tmp_path / "s.db", [f"item {k}" for k in range(10)], least=4, seed=1) as study:
        answer_at_random(study, 22, 2)
        seen = Counter(
            item for answer in study.answers() for item in (answer.question.left, answer.question.right)
        )
        assert min(seen.values()) >= 4


def test_exposure_is_balanced(tmp_path: Path) -> None:
    """With most_ahead=2, no item gets more than two answers ahead of the one with the fewest."""
    with Study.create(tmp_path / "s.db", [f"item {k}" for k in range(9)], most_ahead=2, seed=1) as study:
        seen: Counter[str] = Counter(dict.fromkeys(study.items, 0))
        for number in range(60):
            question = study.ask()
            study.tell(question, "left" if question.left < question.right else "right")
            seen.update((question.left, question.right))
            assert max(seen.values()) - min(seen.values()) <= 3, number
