"""Bootstrap intervals: against a loop that draws and fits by hand, by rows and by judges."""

from __future__ import annotations

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.worth import BradleyTerry, Elo, WinRate, bootstrap
from tests.contract.model import judged


def test_intervals_are_percentiles_of_fits_to_drawn_rows() -> None:
    """Rows are drawn with replacement and keep their order; the scores are those of all rows."""
    prefs = judged(80)
    ranking = bootstrap(Elo(k=16), prefs, times=40, level=0.9, seed=3)
    rng = np.random.default_rng(3)
    drawn = [Elo(k=16).fit(prefs[np.sort(rng.integers(80, size=80))]).scores_ for _ in range(40)]
    low, high = np.quantile(drawn, [0.05, 0.95], axis=0)
    scores = Elo(k=16).fit(prefs).scores_
    order = [int(item) for item in ranking.items]
    np.testing.assert_allclose(ranking.scores, scores[order])
    np.testing.assert_allclose(ranking.lower, np.minimum(low, scores)[order])
    np.testing.assert_allclose(ranking.upper, np.maximum(high, scores)[order])
    assert ranking.draws == 40
    assert "bootstrap of 40 draws by row" in ranking.model


def test_judges_are_drawn_with_all_their_rows() -> None:
    """Ten judges who each repeat one answer are ten answers, not a thousand: intervals are wider."""
    rows = [("a", "b") if judge < 7 else ("b", "a") for judge in range(10) for _ in range(20)]
    names = [f"j{judge}" for judge in range(10) for _ in range(20)]
    prefs = Preferences.from_pairs(rows, judge=names)
    by_row, by_judge = (bootstrap(WinRate(), prefs, times=100, by=by) for by in ("row", "judge"))
    assert (by_judge.upper - by_judge.lower > 2 * (by_row.upper - by_row.lower)).all()
    unnamed = Preferences.from_pairs(rows[:60], judge=[*names[:40], *[None] * 20])
    assert bootstrap(WinRate(), unnamed, times=20, by="judge").draws == 20


def test_both_halves_of_a_tie_are_drawn_together() -> None:
    """Ties alone leave the score where it is; halves drawn one by one would not."""
    ties = Preferences.from_pairs([("a", "b")] * 30, tie=[True] * 30)
    ranking = bootstrap(BradleyTerry(prior=1), ties, times=20, half_ties=True)
    np.testing.assert_allclose([ranking.lower, ranking.upper], 0, atol=1e-9)
    apart = bootstrap(BradleyTerry(prior=1), ties.ties_as_half_wins(), times=20)
    assert (apart.upper - apart.lower > 0.1).all()


def test_the_bar_has_an_interval_and_progress_is_reported() -> None:
    """Both-bad answers have a bar with an interval; each fit is reported."""
    prefs = Preferences.from_answers(
        ["a", "b", "a"] * 9, ["b", "c", "c"] * 9, ["left", "both_bad", "left"] * 9
    )
    seen: list[tuple[int, int]] = []
    ranking = bootstrap(BradleyTerry(0.1), prefs, times=20, progress=lambda *step: seen.append(step))
    assert seen[-1] == (20, 20)
    assert ranking.threshold.lower <= ranking.threshold.score <= ranking.threshold.upper


def test_wrong_arguments_are_named() -> None:
    """Too few draws, an unknown unit, and judges that are not there are rejected."""
    prefs = judged(10)
    for wrong, message in (
        ({"times": 5}, "times must be a whole number from 20"),
        ({"by": "day"}, "by must be one of row, judge"),
        ({"by": "judge"}, "by must be 'row' where no row names a judge"),
    ):
        with pytest.raises(InvalidInput, match=message):
            bootstrap(Elo(), prefs, **wrong)
    with pytest.raises(InvalidInput, match=r"model must be a model of penchant\.worth, got int"):
        bootstrap(3, prefs)
    with pytest.raises(InvalidInput, match="at least one row to draw from"):
        bootstrap(Elo(), prefs[:0])
