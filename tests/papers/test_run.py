"""The options of a run, and its tasks on any number of processes."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.errors import InvalidInput
from penchant.papers.run import Run


def product(seed: int, matrix: np.ndarray) -> float:
    return float((np.random.default_rng(seed).standard_normal((len(matrix), len(matrix))) @ matrix).sum())


def rejected(seed: int) -> float:
    raise InvalidInput(f"seed must be another, got {seed}: choose one")


def test_two_processes_find_to_the_last_bit_what_one_finds() -> None:
    """In the order of the tasks, with a sign of life for each."""
    tasks = [(seed, np.ones((300, 300))) for seed in range(6)]
    steps: list[tuple[int, int]] = []
    alone = Run(progress=lambda *step: steps.append(step)).each(product, tasks)
    assert Run(jobs=2).each(product, tasks) == alone
    assert steps == [(done, 6) for done in range(1, 7)]


@pytest.mark.parametrize("jobs", [1, 2])
def test_the_error_of_a_task_is_raised_unchanged(jobs: int) -> None:
    """Also from a process of its own."""
    with pytest.raises(InvalidInput, match="seed must be another, got 3"):
        Run(jobs=jobs).each(rejected, [(3,)])


def test_no_process_is_rejected() -> None:
    """At least one works."""
    with pytest.raises(InvalidInput, match="jobs must be a whole number of at least 1, got 0"):
        Run(jobs=0).each(product, [])


def test_tasks_that_stay_in_this_process_still_check_jobs() -> None:
    """An invalid number of processes is an error whatever the tasks."""
    with pytest.raises(InvalidInput, match="jobs must be a whole number of at least 1, got 0"):
        Run(jobs=0).each(product, [], alone=True)


def test_an_unknown_option_is_an_error() -> None:
    """There are five of them."""
    with pytest.raises(TypeError, match="unexpected keyword argument 'sizes'"):
        Run(sizes="quick")  # type: ignore[call-arg]
