"""Models fitted by category and over time: what differs, how surely, and how often that is a false alarm."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from penchant import Preferences
from penchant.errors import InvalidInput, PenchantWarning
from penchant.progress import reported_to
from penchant.worth import BradleyTerry, PlackettLuce, rank_by, rank_over
from penchant.worth.boards import holm


def votes(scores: Any, n_rows: int, seed: int) -> Preferences:
    rng = np.random.default_rng(seed)
    n = len(scores)
    left = rng.integers(n, size=n_rows)
    right = (left + 1 + rng.integers(n - 1, size=n_rows)) % n
    won = rng.random(n_rows) < 1 / (1 + np.exp(np.subtract(scores[right], scores[left])))
    return Preferences.from_answers(left, right, np.where(won, "left", "right").tolist(), items=range(n))


WORTH = np.array([1.0, 0.3, 0.0, -0.4, -0.9])


def test_an_item_that_is_better_in_one_category_is_found() -> None:
    """It alone is marked, its interval holds the true difference, and its board differs as a whole."""
    shifted = WORTH + np.array([0, 0, 0, 0, 1.2])
    prefs = votes(WORTH, 3000, 0) + votes(shifted, 900, 1)
    boards = rank_by(prefs, ["prose"] * 3000 + ["code"] * 900)
    assert boards.names == ("prose", "code")
    assert boards.answers == (3000, 900)
    frame = boards.to_frame().set_index(["board", "item"])
    row = frame.loc[("code", "4")]
    true = 1.2 * (1 - 1 / 5)
    assert row["difference_lower"] < true < row["difference_upper"]
    assert row["p_adjusted"] < 1e-6
    assert boards.p_adjusted[1] < 1e-6
    assert boards.p_adjusted[1] == boards.p_adjusted[0]
    assert frame.loc[("prose", "4"), "difference"] == pytest.approx(-row["difference"])
    assert "4 in prose" in "\n".join(boards.findings())
    assert "4 in code" not in "\n".join(boards.findings())  # the same again
    assert "▲" in repr(boards)


def test_differences_and_errors_are_those_of_two_separate_fits() -> None:
    """Centred on common items, variances added, tested as normal numbers, corrected by Holm."""
    first, second, third = (votes(WORTH, 400, seed) for seed in (2, 3, 4))
    boards = rank_by(first + second + third, ["a"] * 400 + ["b"] * 400 + ["c"] * 400)
    own, rest = BradleyTerry(0.01).fit(second), BradleyTerry(0.01).fit(first + third)
    mine = np.array(boards.shifts.board) == "b"
    np.testing.assert_allclose(boards.shifts.difference[mine], own.mean - rest.mean, atol=1e-9)
    centring = np.eye(5) - 0.2
    variance = np.diag(centring @ (own.covariance() + rest.covariance()) @ centring)
    np.testing.assert_allclose(boards.shifts.error[mine], np.sqrt(variance), atol=1e-9)
    z = boards.shifts.difference / boards.shifts.error
    np.testing.assert_allclose(boards.shifts.p, 2 * norm.sf(np.abs(z)))
    np.testing.assert_allclose(boards.shifts.p_adjusted, holm(boards.shifts.p))


def test_false_alarms_are_as_rare_as_promised() -> None:
    """Without any difference and with a small board, at most about 5 % of sets of boards have a mark (band for 30)."""
    alarms = 0
    for seed in range(30):
        prefs = votes(2 * WORTH, 460, 100 + seed)
        labels = ["large"] * 300 + ["middle"] * 100 + ["small"] * 60
        boards = rank_by(prefs, labels, model=BradleyTerry(0.1))
        alarms += bool((boards.shifts.p_adjusted < 0.05).any())
    assert alarms <= 5


def test_items_on_some_boards_only_are_compared_where_they_can_be() -> None:
    """A board ranks the items of its rows; an item that is on one board has no difference."""
    prefs = Preferences.from_pairs(
        [("a", "b"), ("b", "c"), ("c", "a")] * 20 + [("a", "b"), ("b", "a"), ("b", "d")] * 20
    )
    boards = rank_by(prefs, ["x"] * 60 + ["y"] * 60)
    assert set(boards.rankings[0].items) == {"a", "b", "c"}
    assert set(boards.shifts.item) == {"a", "b"}
    assert "–" in repr(boards)
    apart = Preferences.from_pairs([("a", "b"), ("b", "a"), ("c", "d"), ("d", "c")])
    with pytest.warns(PenchantWarning, match="never compared with one another"):
        lonely = rank_by(apart, ["x", "x", "y", "y"])
    assert np.isnan(lonely.p).all()
    assert json.loads(lonely.to_json())["boards"][0]["p"] is None


def test_a_trend_over_time_is_found() -> None:
    """An item that rises a little in each period rises for sure over all of them."""
    parts = [votes(WORTH + np.array([0, 0, 0.25 * month, 0, 0]), 500, 200 + month) for month in range(6)]
    prefs = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + parts[5]
    days = [f"2024-{month + 1:02d}-{1 + row % 28:02d} 12:30" for month in range(6) for row in range(500)]
    boards = rank_over(prefs, days, level=0.9)
    assert boards.names == tuple(f"2024-{month:02d}" for month in range(1, 7))
    assert boards.over_time
    assert boards.trend is not None
    place = boards.trend.item.index("2")
    low, high = boards.trend.interval(0.99)[place]
    assert low < 1.25 * 0.8 < high
    assert boards.trend.p_adjusted[place] < 0.001
    assert np.isnan(boards.p[0])
    assert "2 from the first period to the last: +" in repr(boards)
    assert json.loads(boards.to_json())["trend"][place]["item"] == "2"


def test_models_and_covariates_are_those_that_are_given() -> None:
    """Any model of worth; what fit takes is handed on."""
    prefs = votes(WORTH, 400, 8)
    assert "PlackettLuce" in rank_by(prefs, ["a", "b"] * 200, model=PlackettLuce()).overall.model
    plain, adjusted = rank_by(prefs, ["a", "b"] * 200), rank_by(prefs, ["a", "b"] * 200, side=True)
    assert not np.allclose(plain.rankings[0].scores, adjusted.rankings[0].scores, atol=1e-6)
    assert plain.effects == ()
    assert plain.effects_frame().empty
    frame = adjusted.effects_frame()
    assert frame["board"].tolist() == ["all", "a", "b"]
    alone = BradleyTerry().fit(prefs[np.arange(0, 400, 2)], side=True).effects_
    assert frame["estimate"][1] == pytest.approx(alone.estimate[0])
    assert "side    a" in repr(adjusted)


def test_what_a_frame_holds_for_missing_is_on_no_board() -> None:
    """Of categories and of times; whole numbers that became floats beside them are still whole."""
    prefs = votes(WORTH, 40, 3)
    for missing in (float("nan"), pd.NA, pd.NaT, None, "NaN"):
        assert set(rank_by(prefs, [1.0, 2, 2.5, missing] * 10).names) == {"1", "2", "2.5"}
        assert rank_over(prefs, [1.0, 2, 2, missing] * 10).names == ("1", "2")
    assert set(rank_by(prefs, ["none", "some"] * 20).names) == {"none", "some"}


def test_a_covariate_that_cannot_be_estimated_names_its_board() -> None:
    """The others can be."""
    prefs = replace(
        votes(WORTH, 400, 8),
        covariates=np.where(np.arange(400) < 300, np.random.default_rng(0).normal(size=400), 0.0)[:, None],
        covariate_names=("length",),
    )
    with pytest.raises(
        InvalidInput,
        match=r"covariate 'length' on b must differ .* got 0 in every row: leave it out, or leave out the rows of this",
    ):
        rank_by(prefs, ["a"] * 300 + ["b"] * 100, covariates=["length"])


def test_progress_never_goes_back_and_ends_with_the_work() -> None:
    """The fit and ranking of all rows, of each board and of the rows of all others, and what they are compared by."""
    for make, labels, total in (
        (rank_by, ["a", "b", "c"] * 100, 13),
        (rank_over, np.repeat([1, 2, 3], 100), 11),
    ):
        steps: list[tuple[int, int]] = []
        with reported_to(lambda done, total, steps=steps: steps.append((done, total))):
            make(votes(WORTH, 300, 8), labels)
        shares = [done / of for done, of in steps]
        assert shares == sorted(shares)
        assert [step for step in steps if step[1] == total] == [(step, total) for step in range(1, total + 1)]
        assert max(shares[:-2]) < 1  # those of the last part and of the whole


def test_of_many_items_those_with_the_most_answers_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Their differences are those within the same fits; the covariance of thousands is never written out."""
    monkeypatch.setattr("penchant.worth.board_fits._MOST_COMPARED", 3)
    extra = Preferences.from_pairs([(4, 0), (0, 4), (3, 1), (1, 3), (2, 4), (2, 0)], items=range(5))
    prefs = votes(WORTH, 600, 8) + extra + extra + extra
    asked: list[tuple[int, ...]] = []
    covariance = BradleyTerry.covariance

    def recorded(self: BradleyTerry, rows: Any = None, columns: Any = None) -> Any:
        found = covariance(self, rows, columns)
        asked.append(found.shape)
        return found

    monkeypatch.setattr(BradleyTerry, "covariance", recorded)
    boards = rank_by(prefs, (["a", "b", "c"] * 206)[: len(prefs)])
    assert set(asked) == {(3, 3)}
    counts = boards.overall.answers
    assert counts is not None
    most = {boards.overall.items[place] for place in np.argsort(-np.asarray(counts), kind="stable")[:3]}
    assert set(boards.shifts.item) == most
    assert boards.not_compared == 2
    assert "not up to 2 others of a board" in repr(boards)
    assert json.loads(boards.to_json())["not_compared"] == 2
    trend = rank_over(prefs, np.repeat([1, 2, 3], len(prefs) // 3)).trend
    assert trend is not None
    assert set(trend.item) == most


def test_boards_that_do_not_differ_are_counted_beyond_the_first() -> None:
    """A table of sixty boards does not end in sixty sentences that say nothing."""
    boards = rank_by(votes(WORTH, 400, 8), [f"b{row % 8}" for row in range(400)])
    lines = boards.findings(2)
    assert sum("does not differ for sure" in line for line in lines) == 2
    assert "… and 6 more do not differ for sure from all other rows" in lines
    assert sum("does not differ for sure" in line for line in boards.findings()) == 8


def test_boards_that_cannot_be_made_are_rejected() -> None:
    """One category, labels of another length, no preferences."""
    prefs = votes(WORTH, 20, 9)
    with pytest.raises(InvalidInput, match="categories must be at least two, got 1"):
        rank_by(prefs, ["a"] * 19 + [None])
    with pytest.raises(InvalidInput, match="labels must have 20 entries"):
        rank_by(prefs, ["a"])
    many = votes(WORTH, 201, 9)
    with pytest.raises(InvalidInput, match="categories must be at most 200, got 201"):
        rank_by(many, range(201))
    with pytest.raises(InvalidInput, match="preferences must be a Preferences"):
        rank_by([("a", "b")], ["x"])  # type: ignore[arg-type]


def test_boards_are_in_the_order_of_their_answers_not_of_their_rows() -> None:
    """A tie as two half wins counts once."""
    prefs = Preferences.from_pairs([("a", "b")] * 5, weight=[1, 1, 0.5, 0.5, 0.5])
    assert rank_by(prefs, ["few", "few", "halves", "halves", "halves"]).names == ("few", "halves")
