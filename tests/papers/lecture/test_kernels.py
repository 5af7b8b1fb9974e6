"""The lecture's dual problem on its own example, and rankings that are not linear."""

from __future__ import annotations

import pytest

from tests.papers.running import result_of


def test_primal_and_dual_agree_on_the_lectures_preferences() -> None:
    """And all three are put in order; a kernel on differences cannot have a peak, one on objects can."""
    result = result_of("3.kernels", size="quick")
    assert result.numbers["primal less dual, of the primal"].value == pytest.approx(0, abs=1e-4)
    assert result.numbers["training preferences in order"].value == 3
    assert result.numbers["peak: kernel on objects, pair accuracy"].value > 0.85
    assert result.verdicts["3.kernels, kernel on objects"] == "holds"
    table = result.tables["the lecture's example"]
    assert table["linear"][:3].min() > table["linear"][3:].max() - 3
    assert len(table) == 6
