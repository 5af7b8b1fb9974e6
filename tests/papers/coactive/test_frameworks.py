"""Four frameworks of online learning in one world."""

from __future__ import annotations

from tests.papers.running import result_of


def test_who_sees_all_rewards_loses_least() -> None:
    """Experts see what every other framework sees; without noise the bandit learns from its own arm."""
    result = result_of("2.table1", size="quick")
    lost = {name: number.value for name, number in result.numbers.items() if name.startswith("regret, ")}
    assert len(lost) == 8
    for noise in ("without noise", "noise as large as the utilities"):
        own = {name: value for name, value in lost.items() if name.endswith(noise)}
        assert min(own, key=lambda name: own[name]) == f"regret, experts, {noise}"
        assert max(own, key=lambda name: own[name]) == f"regret, dueling bandits, {noise}"
