"""Figure 1 of paper 5: six linked papers, what is believed of them and what is asked."""

from __future__ import annotations

from pathlib import Path

from penchant.papers.linked.six_papers import CLAIMS
from penchant.plots import save_chart
from tests.papers.running import result_of


def test_the_illustration_is_the_papers(tmp_path: Path) -> None:
    """After b ≻ e the pairs bc and bf are asked; after b ≻ f the order is b a c d e f; six pictures."""
    seen: list[tuple[int, int]] = []
    result = result_of("5.fig1", progress=lambda done, of: seen.append((done, of)))
    assert seen == [(1, 1)]
    assert result.tables["utilities"].iloc[-1].tolist()[2:] == ["bacfde", "bacdef"]
    assert len(result.charts) == 6
    assert len(result.frame) == 18
    one = save_chart(result.charts["prior covariance"], tmp_path / "links.svg").read_text()
    assert "Links, and the prior covariance" in one


def test_all_claims_hold_but_that_three_pairs_have_the_smallest_losses() -> None:
    """They are smaller than those of a and b with unlinked papers, but pairs at the end of the ranking weigh less."""
    verdicts = result_of("5.fig1").verdicts
    assert len(verdicts) == len(CLAIMS)
    apart = {claim: verdict for claim, verdict in verdicts.items() if verdict != "holds"}
    assert apart == {"5.smaller-losses": "holds in part"}


def test_the_seed_only_changes_what_is_drawn() -> None:
    """The belief has no chance in it."""
    one, other = result_of("5.fig1", seed=0), result_of("5.fig1", seed=1)
    assert one.numbers == other.numbers
    assert one.charts["prior"].to_dict() != other.charts["prior"].to_dict()
