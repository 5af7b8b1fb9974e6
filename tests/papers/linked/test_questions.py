"""Figure 2 of paper 5: precision by questions, its tests and verdicts."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.papers.linked.players import ACTIVE, PLAYERS
from penchant.papers.linked.questions import CLAIMS
from penchant.papers.linked.sets import SETS
from penchant.plots import save_chart
from tests.conftest import DATA
from tests.papers.running import result_of
from tests.plots.marks import line_means, marks


@pytest.mark.parametrize("name", SETS)
def test_a_quick_run_has_everything(name: str, tmp_path: Path) -> None:
    """A verdict for each claim, all players at every ten questions, tests at the last one, pictures."""
    result = result_of(f"5.fig2/{name}", size="quick")
    assert set(result.verdicts) == {claim.id for claim in CLAIMS[name]}
    assert result.data.startswith(f"a made-up stand-in for {name}: ")
    assert set(result.frame["name"]) == set(PLAYERS)
    assert sorted(set(result.frame["questions"])) == [0, 10, 20, 30, 40]
    assert result.tables["tests"]["questions"].tolist() == [40, 40]
    assert result.frame["average precision"].between(0, 1).all()
    means = result.frame.groupby(["name", "questions"])["average precision"].mean().to_dict()
    drawn = line_means(result.charts["models"]) | line_means(result.charts["ways to ask"])
    named = {key: mean for key, mean in means.items() if key in drawn}
    assert len(named) >= 40  # a few players have another name in a chart
    assert {key: drawn[key] for key in named} == pytest.approx(named)
    boxes = [mark for mark in marks(result.charts["boxes"]) if mark.kind == "tick"]
    assert [[row["at"] for row in mark.rows] for mark in boxes] == [[0, 10, 20, 30, 40]] * len(boxes)
    for label, chart in result.charts.items():
        assert "mark-" in save_chart(chart, tmp_path / f"{label}.svg").read_text()


def test_numbers_are_those_of_the_frame() -> None:
    """MAP at the end is the mean over queries; leads are differences query by query."""
    result = result_of("5.fig2/letor2-ohsumed", size="quick")
    last = result.frame[result.frame["questions"] == 40].pivot(index="query", columns="name")
    last = last["average precision"]
    assert result.numbers["MAP at the end, Glicko"].value == pytest.approx(last["Glicko"].mean())
    lead = last[ACTIVE] - last["Glicko"]
    assert result.numbers["smallest lead over Glicko"].value == pytest.approx(lead.mean())
    assert result.numbers["smallest lead over Glicko"].error == pytest.approx(lead.sem())


def test_a_run_is_what_its_seed_says() -> None:
    """Equal bits for the same seed, others for another."""
    one, again, other = (result_of("5.fig2/letor2-ohsumed", size="quick", seed=seed) for seed in (0, 0, 1))
    assert one.frame.equals(again.frame)
    assert repr(one) == repr(again)
    assert not one.frame.equals(other.frame)


@pytest.mark.needs("data:letor2-ohsumed")
def test_ohsumed_runs_end_to_end() -> None:
    """The first six queries: answers help everybody who generalises."""
    result = result_of("5.fig2/letor2-ohsumed", size="quick", data=DATA)
    assert result.data.startswith("letor2-ohsumed: 6 queries")
    start = result.frame[(result.frame["questions"] == 0) & (result.frame["name"] == ACTIVE)]
    assert result.numbers[f"MAP at the end, {ACTIVE}"].value > start["average precision"].mean() + 0.05


@pytest.mark.needs("data:citation-graphs")
def test_a_citation_graph_runs_end_to_end() -> None:
    """Three classes at random, 120 papers each."""
    result = result_of("5.fig2/citation-graphs", size="quick", data=DATA)
    assert result.data.startswith("citation-graphs: 13 queries of 120 papers")
    lead = result.numbers["smallest lead over Glicko"]
    assert lead.value > 0
