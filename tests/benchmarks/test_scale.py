"""The parts of the bench about scale that need no cluster give figures: what they import and call is there."""

from __future__ import annotations

import pytest

from benchmarks import out_of_core, scale_disk, scale_letor, scale_units
from benchmarks.case import Case

CASES = [case for part in (scale_units, out_of_core, scale_disk, scale_letor) for case in part.cases(True)]


@pytest.mark.filterwarnings("ignore:Implicitly cleaning up:ResourceWarning")  # files live as long as the call
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_a_part_is_measured(case: Case) -> None:
    """Its small version runs, and each of its figures has a value."""
    assert case.prepare is not None
    assert case.answer is not None
    found = case.answer(case.prepare()())
    assert found
    assert all(value not in (None, "") for value in found.values())
