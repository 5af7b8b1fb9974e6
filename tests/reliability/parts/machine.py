"""A study under random operations: Hypothesis' state machine with items and judges that change, in long runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis.stateful import RuleBasedStateMachine, run_state_machine_as_test

from tests.reliability.part import Part
from tests.study.test_state_machine import Loop

STEPS = 50


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Play one run of fifty steps."""
    played(Loop, number)
    return {"runs": 1}


def played(machine: type[RuleBasedStateMachine], number: int) -> None:
    """Play one run of a state machine, which follows from its number."""
    seeded = seed(number)(type("Seeded", (machine,), {}))
    run_state_machine_as_test(
        seeded,
        settings=settings(
            max_examples=1,
            stateful_step_count=STEPS,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )


PART = Part(
    name="machine",
    claim="Whatever is asked, answered, contradicted, undone, added, retired and set aside, a study is what a "
    "plain model of it says, and every reader has the same belief to the last bit.",
    unit=f"runs of {STEPS} steps",
    full=2_000,
    trial=trial,
)
