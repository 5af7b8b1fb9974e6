"""The same work on many seeds: in their order, the same with any number of processes, errors as they are."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.parallel import each


def product(seed: int, matrix: np.ndarray) -> float:
    return float((np.random.default_rng(seed).standard_normal((len(matrix), len(matrix))) @ matrix).sum())


def refuse(seed: int) -> float:
    raise InvalidInput(f"seed must be another, got {seed}: choose one")


def test_two_processes_find_to_the_last_bit_what_one_finds() -> None:
    """In the order of the tasks, with a sign of life for each."""
    tasks = [(seed, np.ones((300, 300))) for seed in range(6)]
    steps: list[tuple[int, int]] = []
    alone = each(product, tasks, progress=lambda *step: steps.append(step))
    assert each(product, tasks, jobs=2) == alone
    assert steps == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_a_task_refuses_is_said_as_it_is(jobs: int) -> None:
    """Also from a process of its own."""
    with pytest.raises(InvalidInput, match="seed must be another, got 3"):
        each(refuse, [(3,)], jobs=jobs)


def test_no_process_is_refused() -> None:
    """At least one works."""
    with pytest.raises(InvalidInput, match="jobs must be a whole number of at least 1, got 0"):
        each(product, [], jobs=0)
