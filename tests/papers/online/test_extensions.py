"""Paper 1's third extension."""

from __future__ import annotations

from tests.papers.running import result_of


def test_two_losses_and_two_rates_stay_below_the_bound() -> None:
    """Each loss has a chart with the bound of the fixed rate; weights of both signs sum to at most one."""
    result = result_of("1.extension3/synthetic-web", size="quick")
    assert set(result.charts) == {"(θ − M)²", "θ²"}
    assert result.verdicts["1.exponentiated-convex-bound"] == "holds"
    assert result.verdicts["1.convex-combination"] == "holds"
    for rate in ("fixed rate", "variable rate"):
        late = result.numbers[f"θ², {rate}, last tenth / first round"]
        assert 0 < late.value < 1
