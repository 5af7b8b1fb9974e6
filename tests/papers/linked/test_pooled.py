"""Figure 4 of paper 5: several queries in one model, active against random."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.papers.linked.pooled import CLAIMS, WAYS
from penchant.papers.linked.sets import SETS
from penchant.plots import save_chart
from tests.papers.running import result_of
from tests.plots.marks import line_means, marks


@pytest.mark.parametrize("name", SETS)
def test_a_quick_run_has_everything(name: str, tmp_path: Path) -> None:
    """A verdict for each claim, MAP of all ways in each run, pictures; the model is said to hold all queries."""
    result = result_of(f"5.fig4/{name}", size="quick")
    assert set(result.verdicts) == {claim.id for claim in CLAIMS}
    assert "2 draws of" in result.data
    assert len(result.frame) == len(WAYS) * 2 * 5
    assert result.tables["tests"]["questions"].tolist() == [40]
    means = result.frame.groupby(["way", "questions"])["MAP"].mean()
    assert line_means(result.charts["MAP"]) == pytest.approx(means.to_dict())
    assert {"rule", "bar", "tick"} <= {mark.kind for mark in marks(result.charts["boxes"]) if mark.rows}
    for label, chart in result.charts.items():
        assert "mark-" in save_chart(chart, tmp_path / f"{label}.svg").read_text()


def test_numbers_are_those_of_the_frame() -> None:
    """MAP at the end, and the lead draw by draw with its error."""
    result = result_of("5.fig4/letor2-ohsumed", size="quick")
    table = result.frame.pivot(index=["way", "draw"], columns="questions", values="MAP")
    assert result.numbers["MAP at the end, active"].value == pytest.approx(table.loc["active"][40].mean())
    lead = table.loc["active"][40] - table.loc["random"][40]
    assert result.numbers["lead over random after 40 questions"].value == pytest.approx(lead.mean())
    assert result.numbers["lead over random after 40 questions"].error == pytest.approx(lead.sem())
    assert result.numbers["share of draws with a lead at the end"].value == (lead > 0).mean()


def test_a_run_is_what_its_seed_says_in_one_process_and_in_two() -> None:
    """Equal bits for the same seed, others for another."""
    one, two, other = (
        result_of("5.fig4/letor2-ohsumed", size="quick", seed=seed, jobs=jobs)
        for seed, jobs in ((0, 1), (0, 2), (1, 1))
    )
    assert one.frame.equals(two.frame)
    assert repr(one) == repr(two)
    assert not one.frame.equals(other.frame)
