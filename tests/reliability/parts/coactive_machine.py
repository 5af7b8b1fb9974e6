"""A coactive study under random operations: Hypothesis' state machine in long runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tests.reliability.part import Part
from tests.reliability.parts.machine import STEPS, played
from tests.study.coactive.test_state_machine import Loop


def trial(number: int, folder: Path) -> Mapping[str, int]:
    """Play one run of fifty steps."""
    played(Loop, number)
    return {"runs": 1}


PART = Part(
    name="coactive_machine",
    claim="Whatever is presented, clicked, corrected, undone, edited, forgotten and erased, a coactive study has "
    "learned what a plain model of it has, to the last bit, for every learner.",
    unit=f"runs of {STEPS} steps",
    full=2_000,
    trial=trial,
)
