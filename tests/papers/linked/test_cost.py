"""Figure 3 of paper 5: what learning costs, and what the cheap way loses."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.papers.linked.cost import CLAIMS, WAYS
from penchant.papers.linked.sets import SETS
from penchant.plots import save_chart
from tests.papers.running import result_of
from tests.plots.marks import line_means


@pytest.mark.parametrize("name", SETS)
def test_a_quick_run_has_everything(name: str, tmp_path: Path) -> None:
    """A verdict for each claim, times that only grow, pictures of the means of the frame."""
    result = result_of(f"5.fig3/{name}", size="quick")
    assert set(result.verdicts) == {claim.id for claim in CLAIMS}
    assert result.tables["time"]["way"].tolist() == [*WAYS]
    for _, rows in result.frame.groupby(["way", "run"]):
        assert (np.diff(rows["learning seconds"]) >= 0).all()
        assert (rows["learning seconds"] <= rows["seconds"]).all()
    assert "time of one answer after 30, full / incremental" in result.numbers
    means = result.frame.groupby(["way", "questions"])["average precision"].mean()
    assert line_means(result.charts["MAP"]) == pytest.approx(means.to_dict())
    assert {way for way, _ in line_means(result.charts["CPU time"])} == set(WAYS)
    for label, chart in result.charts.items():
        assert "mark-line role-mark" in save_chart(chart, tmp_path / f"{label}.svg").read_text()


def test_precision_is_the_same_for_the_same_seed() -> None:
    """Times differ, what was learned does not."""
    one, again, other = (result_of("5.fig3/letor2-ohsumed", size="quick", seed=seed) for seed in (0, 0, 1))
    assert one.frame["average precision"].equals(again.frame["average precision"])
    assert not one.frame["average precision"].equals(other.frame["average precision"])


def test_the_cheap_way_ranks_nearly_as_well() -> None:
    """The incremental update loses less than 0.05 of average precision on a made-up query."""
    result = result_of("5.fig3/letor2-ohsumed", size="quick")
    assert abs(result.numbers["MAP, mean over all points, incremental − full"].value) < 0.05
