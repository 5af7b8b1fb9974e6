"""What a record tells."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.coactive import ItemMap, PreferencePerceptron, QuadraticLoss, RankingMap, convex_regret
from penchant.errors import InvalidInput
from penchant.simulate import StrictItem, StrictRanking, play
from tests.simulate.tables import movies, web


def test_the_frame_is_tidy_and_its_regrets_are_averages() -> None:
    """A row for each run and round asked for, with averages over all rounds up to it."""
    record = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(), web(30, 4), runs=3)
    loss = QuadraticLoss(100.0)
    frame = record.frame(at=[1, 10, 30], loss=loss)
    assert frame[["run", "t"]].to_numpy().tolist() == [[run, t] for run in range(3) for t in (1, 10, 30)]
    assert not frame.isna().any().any()
    row = frame[(frame.run == 1) & (frame.t == 10)].iloc[0]
    lost = record.best_utility[1, :10] - record.presented_utility[1, :10]
    assert row.regret == pytest.approx(lost.mean())
    assert row.dcg_regret == pytest.approx((record.best_dcg - record.presented_dcg)[1, :10].mean())
    curve = convex_regret(record.presented_utility[1], record.best_utility[1], loss)
    assert row.convex_regret == pytest.approx(curve[9])
    assert row.presented_utility == record.presented_utility[1, 9]
    assert len(record.frame()) == 90


def test_items_have_no_dcg() -> None:
    """A record of items tells utilities alone."""
    record = play(PreferencePerceptron(ItemMap(), 4), StrictItem(), movies(20, 4))
    assert not [name for name in record.frame() if "dcg" in name]


def test_a_strict_users_record_tells_their_alpha() -> None:
    """The estimate from the log is at least the α that the user promised, and one that gives all shows it."""
    setting = web(200, 4)
    for alpha in (0.2, 1.0):
        record = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(alpha), setting, runs=2)
        assert record.informativeness().strict >= alpha - 1e-6


@pytest.mark.parametrize("at", [[0], [31], [], [1.5], 3])
def test_rounds_that_were_not_played_are_refused(at: object) -> None:
    """Rounds count from 1 to the last."""
    record = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(), web(30, 4), runs=1)
    with pytest.raises(InvalidInput, match="rounds from 1 to 30"):
        record.frame(at=at)


def test_short_lists_leave_places_empty() -> None:
    """Behind the end of a list of fewer documents than count stands −1."""
    setting = web(40, 4)
    record = play(PreferencePerceptron(RankingMap(), 4), StrictRanking(), setting, runs=1)
    empty = (record.presented[0] == -1).sum()
    assert empty == np.maximum(0, 5 - np.diff(setting.starts)).sum() > 0
