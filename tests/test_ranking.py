"""A ranking: who is first, and how sure that is, against sorting and counting by hand."""

from __future__ import annotations

import json
import tracemalloc
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.ranking import Ranking, Threshold
from penchant.saving import from_bytes, to_bytes

scores = st.lists(st.integers(-3, 3).map(float), min_size=1, max_size=8)
levels = st.sampled_from([0.5, 0.8, 0.9, 0.95])


@st.composite
def drawn(draw: st.DrawFn) -> tuple[list[float], Any]:
    """Scores of one to six items and up to thirty draws, with ties inside a draw."""
    n = draw(st.integers(1, 6))
    few = st.lists(st.integers(-2, 2).map(float), min_size=n, max_size=n)
    return draw(few), np.array(draw(st.lists(few, min_size=1, max_size=30)))


def ids(n: int) -> list[str]:
    return [f"item {i}" for i in range(n)]


@given(scores)
def test_items_come_best_first_and_ties_in_the_order_they_came(values: list[float]) -> None:
    """Sorted by falling score, then by index; ranks count from 1; scores alone give no ranges."""
    ranking = Ranking.from_scores(ids(len(values)), values)
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    assert ranking.items == tuple(f"item {i}" for i in order)
    assert ranking.scores.tolist() == [values[i] for i in order]
    assert ranking.ranks.tolist() == list(range(1, len(values) + 1))
    assert ranking.lower is ranking.upper is ranking.rank_low is ranking.rank_high is ranking.groups is None
    assert ranking.draws == 0


@given(drawn(), levels)
def test_rank_ranges_are_those_counted_draw_by_draw(told: tuple[list[float], Any], level: float) -> None:
    """Rank by hand in each draw, cut (1 − level)/2 of the draws off at each end, and keep the rank itself."""
    values, draws = told
    ranking = Ranking.from_scores(ids(len(values)), values, draws=draws, level=level)
    order = sorted(range(len(values)), key=lambda i: (-values[i], i))
    best = {item: sorted(1 + sum(draw > draw[item]) for draw in draws) for item in order}
    worst = {item: sorted(sum(draw >= draw[item]) for draw in draws) for item in order}
    cut = (1 - level) / 2 * (len(draws) - 1)
    low, high = int(np.floor(cut)), int(np.ceil(len(draws) - 1 - cut))
    assert ranking.rank_low is not None
    assert ranking.rank_high is not None
    assert ranking.rank_low.tolist() == [min(r, best[i][low]) for r, i in enumerate(order, start=1)]
    assert ranking.rank_high.tolist() == [max(r, worst[i][high]) for r, i in enumerate(order, start=1)]


@given(drawn(), levels)
def test_groups_and_rank_ranges_never_contradict_each_other(
    told: tuple[list[float], Any], level: float
) -> None:
    """Ranges of different groups do not overlap, and a group ends wherever that is so."""
    values, draws = told
    ranking = Ranking.from_scores(ids(len(values)), values, draws=draws, level=level)
    low, high, groups = ranking.rank_low, ranking.rank_high, ranking.groups
    assert low is not None
    assert high is not None
    assert groups is not None
    for i in range(1, len(values)):
        apart = max(high[:i]) < min(low[i:])
        assert groups[i] == groups[i - 1] + apart


def test_items_that_are_equal_in_all_draws_are_not_in_order() -> None:
    """Draws that cannot tell items apart leave them in one group, with ranges that hold all of their ranks."""
    ranking = Ranking.from_scores("abc", [0.0, 0.0, -1.0], draws=[[0.0, 0.0, -1.0]] * 50)
    assert ranking.groups is not None
    assert ranking.groups.tolist() == [1, 1, 2]
    assert (ranking.rank_low.tolist(), ranking.rank_high.tolist()) == ([1, 1, 3], [2, 2, 3])  # type: ignore[union-attr]
    assert ranking.certain() == ["a and b are ahead of all others", "c is the last"]


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ([0.0, 0.0], []),
        ([9.0, 0.0, 0.0], ["a is the best"]),
        ([9.0, 9.0, 0.0], ["a and b are ahead of all others", "c is the last"]),
        ([9.0, 5.0, 0.0, -5.0], ["a is the best", "d is the last", "the order of 4 groups is certain"]),
        ([9.0] * 6 + [0.0] * 7, ["a, b, c and 3 more are ahead of all others"]),
        ([0.3, 0.2, 0.1, 0.0, -0.1], []),
        ([0.45, 0.3, 0.15, 0.0, -0.15, -0.3, -0.45], ["a is among the best 2", "g is among the last 2"]),
    ],
)
def test_what_is_certain_is_told_first(scores: list[float], words: list[str]) -> None:
    """Who is ahead of all others and who behind, and how many groups are in a certain order."""
    items = [chr(ord("a") + place) for place in range(len(scores))]
    assert Ranking.from_scores(items, scores, variance=np.full(len(scores), 0.01)).certain() == words


def test_a_group_may_be_longer_than_any_window() -> None:
    """Three hundred equal items are one group, and one far below begins the next."""
    values = [0.0] * 300 + [-100.0] * 2
    groups = Ranking.from_scores(ids(302), values, variance=np.ones(302)).groups
    assert groups is not None
    assert groups.tolist() == [1] * 300 + [2] * 2


def test_intervals_come_from_the_variance_or_from_the_draws() -> None:
    """±1.96 standard errors where the variance is known, else the draws' quantiles; draws never widen it."""
    draws = np.random.default_rng(0).normal([0.0, 3.0], [1.0, 2.0], (4001, 2))
    by_variance = Ranking.from_scores("ab", [0, 3], variance=[1, 4], draws=draws)
    assert by_variance.lower is not None
    assert by_variance.upper is not None
    np.testing.assert_allclose(by_variance.lower, [3 - 1.959964 * 2, -1.959964], rtol=1e-6)
    np.testing.assert_allclose(by_variance.upper, [3 + 1.959964 * 2, 1.959964], rtol=1e-6)
    by_draws = Ranking.from_scores("ab", [0, 3], draws=draws)
    np.testing.assert_allclose(by_draws.lower, np.quantile(draws, 0.025, axis=0)[::-1])
    np.testing.assert_allclose(by_draws.upper, np.quantile(draws, 0.975, axis=0)[::-1])
    assert (by_draws.draws, by_variance.draws) == (4001, 4001)


def test_draws_may_be_made_on_demand() -> None:
    """``sample(n, seed)`` is asked once, with the seed given; draws given come first; variance comes last."""
    asked = []

    def sample(n_draws: int, seed: int) -> Any:
        asked.append((n_draws, seed))
        return np.tile([5.0, 4.0], (n_draws, 1))

    ranking = Ranking.from_scores("ab", [0, 1], variance=[9, 9], sample=sample, seed=4)
    assert asked == [(2000, 4)]
    assert ranking.rank_low is not None
    assert ranking.rank_high is not None
    assert (ranking.rank_low.tolist(), ranking.rank_high.tolist()) == ([1, 1], [2, 2])
    Ranking.from_scores("ab", [0, 1], draws=[[0, 1]], sample=sample)
    assert len(asked) == 1


def test_the_same_seed_gives_the_same_ranking() -> None:
    """Bit by bit; another seed may give other ranges, never another order."""
    values, variance = np.linspace(0, 1, 30), np.full(30, 0.04)
    one, same, other = (Ranking.from_scores(ids(30), values, variance=variance, seed=s) for s in (1, 1, 2))
    assert to_bytes(one) == to_bytes(same)
    assert to_bytes(one) != to_bytes(other)
    assert one.items == other.items
    again = from_bytes(to_bytes(one))
    assert isinstance(again, Ranking)
    assert repr(again) == repr(one)


def test_rank_ranges_hold_the_true_rank_as_often_as_they_say() -> None:
    """With known normal errors, 95 % ranges hold the true rank in 90 to 100 % of 300 · 8 cases.

    They are drawn around estimates, not around the truth, and ranks are whole: hence a band, not a number.
    """
    rng = np.random.default_rng(7)
    held = []
    for run in range(300):
        truth = rng.normal(0, 1, 8)
        spread = rng.uniform(0.1, 1.0, 8)
        ranking = Ranking.from_scores(
            ids(8), truth + spread * rng.standard_normal(8), draws=None, variance=spread**2, seed=run
        )
        rank = dict(zip(np.array(ids(8))[np.argsort(-truth)].tolist(), range(1, 9), strict=True))
        true_ranks = np.array([rank[item] for item in ranking.items])
        held.append((ranking.rank_low <= true_ranks) & (true_ranks <= ranking.rank_high))  # type: ignore[operator]
    assert 0.90 <= np.mean(held) <= 1.0


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"items": [], "scores": []}, "a ranking must have at least one item, got none"),
        ({"scores": [1.0]}, "score must have 2 entries, one a row, got 1"),
        ({"scores": [1.0, np.nan]}, "score of row 1 must be a finite number, got nan"),
        ({"scores": [[1.0, 2.0]]}, "score must be one-dimensional"),
        ({"variance": [1.0]}, "variance must have 2 entries"),
        ({"variance": [1.0, np.inf]}, "variance of row 1 must be a finite number"),
        ({"variance": [1.0, -1.0]}, "variance of row 1 must not be negative, got -1"),
        ({"draws": [1.0, 2.0]}, r"draws must have shape \(n_draws, 2\), got \(2,\): one column an item"),
        ({"draws": [[1.0, 2.0, 3.0]]}, r"draws must have shape \(n_draws, 2\), got \(1, 3\)"),
        ({"draws": np.empty((0, 2))}, r"draws must have shape \(n_draws, 2\), got \(0, 2\)"),
        ({"draws": [[1.0, np.nan]]}, "draw of row 0, column 1 must be a finite number"),
        (
            {"sample": lambda n, _: np.full((n, 3), 1.0)},
            r"draws must have shape \(n_draws, 2\), got \(2000, 3\)",
        ),
        ({"sample": lambda n, _: np.full((n, 2), np.nan)}, "draw of row 0, column 0 must be a finite number"),
        ({"answers": [1]}, "answers must have 2 entries"),
        ({"answers": [1, np.nan]}, "answers of row 1 must be a finite number"),
        ({"level": 0}, "level must be a number between 0 and 1, got 0: 0.95 is usual"),
        ({"level": 1}, "level must be a number between 0 and 1"),
        ({"level": 95}, "level must be a number between 0 and 1, got 95"),
        ({"level": float("nan")}, "level must be a number between 0 and 1"),
    ],
)
def test_what_cannot_be_ranked_is_refused(told: dict[str, Any], message: str) -> None:
    """No items, wrong lengths and shapes, NaN, negative variances, a level that is no probability."""
    with pytest.raises(InvalidInput, match=message):
        Ranking.from_scores(**{"items": ["a", "b"], "scores": [1.0, 2.0], **told})


def test_inputs_stay_as_they_were() -> None:
    """Nothing that is given is changed or shared."""
    values, variance, draws = np.array([1.0, 2.0]), np.array([1.0, 1.0]), np.array([[1.0, 2.0], [2.0, 1.0]])
    before = [array.copy() for array in (values, variance, draws)]
    ranking = Ranking.from_scores("ab", values, variance=variance, draws=draws)
    assert all(np.array_equal(a, b) for a, b in zip((values, variance, draws), before, strict=True))
    values[:] = 9
    assert ranking.scores.tolist() == [2.0, 1.0]


def test_one_item_is_first() -> None:
    """Alone it is rank 1 of 1, surely, in group 1, with an interval."""
    ranking = Ranking.from_scores(["only"], [0.5], variance=[1.0], answers=[0])
    assert ranking.to_frame().drop(columns=["lower", "upper"]).to_numpy().tolist() == [
        [1, "only", 0.5, 1, 1, 1, 0]
    ]
    assert len(ranking) == 1


def test_a_frame_has_what_is_known() -> None:
    """One line an item, best first; columns that are not known are not there."""
    full = Ranking.from_scores("ab", [1, 2], variance=[1e-6, 1e-6], answers=[3, 4]).to_frame()
    assert list(full) == [
        "rank", "item", "score", "lower", "upper", "rank_low", "rank_high", "group", "answers",
    ]  # fmt: skip
    assert full["item"].tolist() == ["b", "a"]
    assert full["answers"].tolist() == [4, 3]
    assert full["group"].tolist() == full["rank_low"].tolist() == full["rank_high"].tolist() == [1, 2]
    assert list(Ranking.from_scores("ab", [1, 2]).to_frame()) == ["rank", "item", "score"]


@pytest.mark.parametrize("told", [{}, {"variance": [1, 2]}, {"draws": [[1, 2]], "answers": [7, 8]}])
def test_json_is_json(told: dict[str, Any]) -> None:
    """Any strict reader takes it (no NaN), ids in any script survive, and the rows are those of the frame."""
    ranking = Ranking.from_scores(['é"<', "日本"], [1, 2], model="Test()", **told)

    def no_constants(name: str) -> None:
        raise AssertionError(name)

    read = json.loads(ranking.to_json(), parse_constant=no_constants)
    assert (read["model"], read["level"]) == ("Test()", 0.95)
    assert read["items"] == ranking.to_frame().to_dict("records")
    assert [row["item"] for row in read["items"]] == ["日本", 'é"<']


def test_the_best_few() -> None:
    """``top(k)`` gives at most as many ids as there are."""
    ranking = Ranking.from_scores("abc", [1, 3, 2])
    assert [ranking.top(k) for k in (0, 1, 2, 9)] == [(), ("b",), ("b", "c"), ("b", "c", "a")]
    with pytest.raises(InvalidInput, match="k must not be negative, got -1"):
        ranking.top(-1)


def test_the_table_is_readable() -> None:
    """A line an item under a heading; a range of one rank is one number; answers have thousands."""
    ranking = Ranking.from_scores(
        ["a", "long name", "c"], [0, 5, 4.9], variance=[0.01] * 3, answers=[5, 12345, 7], level=0.9
    )
    assert repr(ranking).splitlines() == [
        "rank  item       score  90 % interval  ranks  group  answers",
        "   1  long name  5.00   4.84 to 5.16   1–2        1   12,345",
        "   2  c          4.90   4.74 to 5.06   1–2        1        7",
        "   3  a          0.00   -0.16 to 0.16  3          2        5",
    ]
    assert repr(Ranking.from_scores([7], [1])) == "rank  item  score\n   1  7     1.00"


def test_a_long_table_is_cut() -> None:
    """Twenty items are shown and the rest is counted, in words that say where they are."""
    lines = repr(Ranking.from_scores(ids(1021), np.zeros(1021))).splitlines()
    assert len(lines) == 22
    assert lines[-1] == "… and 1,001 more: to_frame() has them all"
    assert len(repr(Ranking.from_scores(ids(20), np.zeros(20))).splitlines()) == 21


def test_a_notebook_shows_a_picture_and_the_text() -> None:
    """The bundle holds the table as plain text and, beside it, a chart that needs no network."""
    ranking = Ranking.from_scores(["tea", "milk"], [1, 3], variance=[1, 1])
    bundle = ranking._repr_mimebundle_(include=None, exclude=None)
    assert bundle["text/plain"] == repr(ranking)
    assert bundle["image/svg+xml"].startswith("<svg")
    assert "1  milk" in bundle["image/svg+xml"]
    assert set(bundle) == {"text/plain", "image/svg+xml"}


def test_twenty_thousand_items_fit() -> None:
    """The draws are limited so that a long list costs well under a gigabyte (peak below 500 MB)."""
    n = 20_000
    tracemalloc.start()
    try:
        ranking = Ranking.from_scores(ids(n), np.arange(n) / 10, variance=np.ones(n))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert ranking.draws == 1000
    assert (ranking.rank_low <= ranking.ranks).all()  # type: ignore[operator]
    assert (ranking.ranks <= ranking.rank_high).all()  # type: ignore[operator]
    assert peak < 500e6


def test_nothing_is_shown_as_less_than_nothing() -> None:
    """A score that rounds to zero from below has no sign."""
    rows = Ranking.from_scores(["a", "b"], np.array([-1e-12, -0.002]), variance=np.zeros(2)).rows()
    assert [row["score"] for row in rows] == ["0.00", "0.00"]
    assert rows[0]["95 % interval"] == "0.00 to 0.00"


def test_a_bar_is_apart_from_the_items() -> None:
    """Its score and interval are on the scale of the scores, with how many items are above; no row is its own."""
    ranking = Ranking.from_scores(
        "abc", [0, 1, 2], variance=[1] * 3, level=0.9, bar=0.5, bar_interval=(-2.79, 3.79)
    )
    assert ranking.threshold == Threshold(0.5, -2.79, 3.79, 2)
    assert ranking.bar == 0.5
    assert len(ranking.to_frame()) == 3
    assert json.loads(ranking.to_json())["threshold"]["above"] == 2
    assert ranking.notes()[0].startswith(
        "the bar of both-bad answers is at 0.50 (90 % interval: -2.79 to 3.79), 2 of 3 items score above it: "
    )
    assert repr(ranking).splitlines()[-1] == ranking.notes()[0]
    assert Ranking.from_scores("abc", [0, 1, 2]).threshold is None
    assert Ranking.from_scores("abc", [0, 1, 2], bar=3).threshold == Threshold(3.0)


def test_the_bar_may_be_drawn_with_the_items() -> None:
    """One more column of draws is the bar's, which then has its interval from them; without a bar it is rejected."""
    draws = np.random.default_rng(0).normal([0, 1, 5], [1, 1, 0.1], (4000, 3))
    bar = Ranking.from_scores("ab", [0, 1], draws=draws, bar=5.0).threshold
    assert bar is not None
    assert (bar.lower, bar.upper) == pytest.approx((4.8, 5.2), abs=0.02)
    with pytest.raises(InvalidInput, match="draws must have shape"):
        Ranking.from_scores("ab", [0, 1], draws=draws)


@given(drawn(), st.booleans(), st.booleans(), st.booleans())
def test_a_ranking_comes_back_from_its_json_to_the_last_bit(
    case: tuple[list[float], Any], sure: bool, counted: bool, barred: bool
) -> None:
    """With intervals or without, with counts or weights, with a bar or none."""
    values, draws = case
    ranking = Ranking.from_scores(
        ids(len(values)),
        np.array(values) / 3,
        draws=draws / 7 if sure else None,
        answers=np.arange(len(values)) / (1 if counted else 3),
        bar=0.1 if barred else None,
        model="m",
        caveats=["one"],
    )
    text = ranking.to_json()
    for again in (Ranking.from_json(text), Ranking.from_json({**json.loads(text), "more": 1})):
        assert again.to_json() == text
        assert to_bytes(again) == to_bytes(ranking)


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", "7", '{"items": []}', '{"items": [{"item": "a"}], "threshold": null}'],
)
def test_another_json_is_no_ranking(text: str) -> None:
    """Nor is one whose parts contradict each other."""
    with pytest.raises(InvalidInput, match="a ranking must be what to_json gives"):
        Ranking.from_json(text)
    whole = json.loads(Ranking.from_scores("ab", [1, 0]).to_json())
    whole["items"].reverse()
    with pytest.raises(InvalidInput, match="scores must fall"):
        Ranking.from_json(whole)


def test_scores_go_on_other_scales_and_back_through_json() -> None:
    """400 points of Elo are odds of ten to one; a probability is that of beating the average; order and ranges stay."""
    ranking = Ranking.from_scores(
        ["a", "b", "c"], [np.log(10), 0.0, -np.log(10)], variance=[0.1, 0.1, 0.1], scale="log odds", bar=-3.0
    )
    elo = ranking.on_scale("elo")
    np.testing.assert_allclose(elo.scores, [1400, 1000, 600])
    anchored = ranking.on_scale("elo", anchor={"a": 2000})
    np.testing.assert_allclose(anchored.scores, [2000, 1600, 1200])
    assert anchored.lower is not None
    assert elo.lower is not None
    np.testing.assert_allclose(anchored.lower - elo.lower, 600)
    chance = ranking.on_scale("probability")
    np.testing.assert_allclose(chance.scores, [10 / 11, 0.5, 1 / 11])
    assert chance.threshold is not None
    assert chance.threshold.score == pytest.approx(1 / (1 + np.exp(3)))
    for other in (elo, anchored, chance):
        assert other.items == ranking.items
        np.testing.assert_array_equal(other.groups, ranking.groups)  # type: ignore[arg-type]
        assert Ranking.from_json(other.to_json()).to_json() == other.to_json()
    np.testing.assert_allclose(ranking.on_scale("log odds", anchor=("b", 1.0)).scores[1], 1.0)
    assert "90.9 %" in repr(chance)
    assert ranking.unit == "score (log odds)"


def test_scales_that_do_not_fit_are_rejected() -> None:
    """Scores of another kind, an unknown item, an anchor of a probability."""
    plain = Ranking.from_scores(["a", "b"], [1.0, 0.0])
    with pytest.raises(InvalidInput, match="scores must be log odds to be put on another scale"):
        plain.on_scale("elo")
    ranking = Ranking.from_scores(["a", "b"], [1.0, 0.0], scale="log odds")
    with pytest.raises(InvalidInput, match="anchor must be an item of the ranking, got 'c'"):
        ranking.on_scale("elo", anchor=("c", 1000))
    with pytest.raises(InvalidInput, match="anchor must not be given for probabilities"):
        ranking.on_scale("probability", anchor=("a", 0.5))
    with pytest.raises(InvalidInput, match="anchor must be one item and its rating"):
        ranking.on_scale("elo", anchor={"a": 1, "b": 2})
    with pytest.raises(InvalidInput, match="scores must be log odds to be put on another scale, got elo"):
        ranking.on_scale("elo").on_scale("probability")
