"""Who wins a team draft, and an interval that holds however often it is looked at."""

from __future__ import annotations

from itertools import pairwise
from math import isnan, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.coactive import Interleaving, draft_winner
from penchant.coactive.interleaving import _TILTS, log_evidence, share_interval
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders import team_draft

COUNTS = st.integers(0, 400)


@given(
    teams=st.lists(st.integers(0, 1), min_size=1, max_size=8),
    data=st.data(),
)
def test_the_winner_added_more_of_what_was_clicked(teams, data) -> None:
    """Counted one by one; repeated clicks count once, and the teams exchanged the other wins."""
    clicked = data.draw(st.lists(st.integers(0, len(teams) - 1), max_size=8))
    first = sum(teams[item] == 0 for item in set(clicked))
    second = sum(teams[item] == 1 for item in set(clicked))
    assert draft_winner(teams, clicked) == (first > second) - (first < second)
    assert draft_winner([1 - team for team in teams], clicked) == -draft_winner(teams, clicked)


def test_it_takes_a_team_draft() -> None:
    """The order with the clicked item wins."""
    _, teams = team_draft(np.array([0, 1, 2]), np.array([2, 1, 0]), [True, True])
    assert draft_winner(teams, [0]) == 1
    assert draft_winner(teams, [2]) == -1
    assert draft_winner(teams, []) == 0


def test_clicks_must_be_on_items() -> None:
    """An item that is none, and teams that are none, are rejected."""
    for teams, clicked, error in (
        ([0, 1], [2], UnknownItem),
        ([0, 1], [-1], InvalidInput),
        ([0, 1], [0.5], InvalidInput),
        ([0, 2], [0], InvalidInput),
        ([[0, 1]], [0], InvalidInput),
    ):
        with pytest.raises(error):
            draft_winner(teams, clicked)


@given(wins=COUNTS, losses=COUNTS, level=st.sampled_from([0.5, 0.9, 0.95, 0.999]))
def test_the_interval_holds_the_share_and_mirrors(wins: int, losses: int, level: float) -> None:
    """It is around the share, wider for a higher level, and the mirror image where wins and losses change places."""
    found = Interleaving.of(wins, losses, level=level)
    low, high = found.interval
    assert 0 <= low <= high <= 1
    if wins + losses:
        assert low <= found.share <= high
    np.testing.assert_allclose(share_interval(losses, wins, level=level), (1 - high, 1 - low), atol=1e-9)
    wider = share_interval(wins, losses, level=(1 + level) / 2)
    assert wider[0] <= low
    assert wider[1] >= high
    assert found.winner == (low > 0.5) - (high < 0.5)


@given(wins=st.integers(0, 30), losses=st.integers(0, 30))
def test_the_interval_is_where_the_evidence_is_small(wins: int, losses: int) -> None:
    """Compared with the evidence against each of many shares, from its formula in plain sums."""
    n, (low, high) = wins + losses, share_interval(wins, losses)
    for share in np.linspace(0.01, 0.99, 25):
        terms = [np.exp(x * wins) / (1 - share + share * np.exp(x)) ** n for x in _TILTS]
        evidence = sum(terms) / len(terms)
        np.testing.assert_allclose(log_evidence(wins, n, share), np.log(evidence), atol=1e-9)
        assert (low - 1e-9 <= share <= high + 1e-9) or evidence >= 20 * (1 - 1e-9)
        assert not (low + 1e-9 < share < high - 1e-9) or evidence <= 20 * (1 + 1e-9)


@pytest.mark.parametrize("kind", ["fair", "rare", "rising", "answering"])
def test_it_misses_seldom_however_often_it_is_looked_at(kind: str) -> None:
    """Looked at after each of 400 rounds, it ever misses the mean win probability in at most a share 1 − level of runs.

    Also where the probability rises as a learner learns, and where it answers to what was won before.
    """
    alpha, runs, rounds = 0.2, 1500, 400
    rng = np.random.default_rng(3)
    wins, total = np.zeros(runs), np.zeros(runs)
    missed = np.zeros(runs, dtype=bool)
    for t in range(1, rounds + 1):
        p = {
            "fair": np.full(runs, 0.5),
            "rare": np.full(runs, 0.03),
            "rising": np.full(runs, 0.2 + 0.6 * t / rounds),
            "answering": np.where(wins * 2 >= t, 0.2, 0.8),
        }[kind]
        wins += rng.random(runs) < p
        total += p
        missed |= log_evidence(wins, np.full(runs, t), total / t) >= -log(alpha)
    assert missed.mean() <= alpha + 3 * np.sqrt(alpha * (1 - alpha) / runs)


def test_it_finds_who_wins() -> None:
    """A share of 0.6 is told from 1/2 within some hundred rounds, and the width falls."""
    widths = [np.diff(share_interval(6 * n, 4 * n))[0] for n in (1, 10, 100, 1000, 10_000)]
    assert all(later < earlier for earlier, later in pairwise(widths))
    assert Interleaving.of(360, 240).winner == 1
    assert Interleaving.of(24, 36).winner == 0
    assert Interleaving.of(240, 360).winner == -1


def test_before_the_first_decided_round_nothing_is_known() -> None:
    """The share is not a number, and the interval holds everything."""
    found = Interleaving.of(0, 0, 3)
    assert isnan(found.share)
    assert found.interval == (0.0, 1.0)
    assert found.winner == 0
    assert repr(found) == "Interleaving(0 won, 0 lost, 3 ties: 95 % interval 0.00 to 1.00)"
    assert found.to_frame().shape == (1, 7)


def test_counts_and_level_are_checked() -> None:
    """Counts are whole numbers from 0, the level lies between 0 and 1."""
    for wrong in ({"wins": -1}, {"losses": 0.5}, {"ties": True}, {"level": 1.0}):
        with pytest.raises(InvalidInput):
            Interleaving.of(**{"wins": 1, "losses": 1, **wrong})
