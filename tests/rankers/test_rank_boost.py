"""RankBoost beside the pseudocode of the lecture, followed pair by pair and stump by stump."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import PenchantWarning
from penchant.rankers import RankBoost
from penchant.rankers.solvers import levels, stumps

ROUNDING = 1e-12


def boosted_by_the_book(
    X: Any, pairs: Any, weight: Any, n_rounds: int, smoothing: float = 0.0
) -> tuple[list[tuple[int, float, int, float]], list[float], list[float]]:
    """Stumps, Z and edges: x is the worse and x' the better object, so that every y is +1."""
    m = sum(weight)
    D = [w / m for w in weight]
    found, all_z, edges = [], [], []
    for _ in range(n_rounds):
        tried = []
        for stump in every_stump(X, pairs):
            signs = [int(h(stump, X[better])) - int(h(stump, X[worse])) for better, worse in pairs]
            right = sum(d for d, sign in zip(D, signs, strict=True) if sign > 0)
            wrong = sum(d for d, sign in zip(D, signs, strict=True) if sign < 0)
            tried.append((stump, signs, right, wrong))
        largest = max((right - wrong for _, _, right, wrong in tried), default=0.0)
        if largest <= ROUNDING:
            break
        stump, signs, right, wrong = next(t for t in tried if t[2] - t[3] >= largest - ROUNDING)
        s = min(1 / (2 * m), 1 / 2) if smoothing == 0 and wrong == 0 else smoothing
        alpha = 0.5 * math.log((right + s) / (wrong + s))
        D = [d * math.exp(-alpha * sign) for d, sign in zip(D, signs, strict=True)]
        z = sum(D)
        D = [d / z for d in D]
        found.append((*stump, alpha))
        all_z.append(z)
        edges.append((right - wrong) / 2)
    return found, all_z, edges


def every_stump(X: Any, pairs: Any) -> list[tuple[int, float, int]]:
    """All stumps in the order in which ties break, with thresholds between values that are in some pair."""
    rows = sorted({row for pair in pairs for row in pair})
    made = []
    for feature in range(len(X[0])):
        values = sorted({X[row][feature] for row in rows})
        for low, high in pairwise(values):
            made += [(feature, (low + high) / 2, sign) for sign in (1, -1)]
    return made


def h(stump: tuple[int, float, int], x: Any) -> bool:
    feature, threshold, sign = stump
    return bool((x[feature] > threshold) == (sign > 0))


def implied_pairs(grades: Any, qid: Any) -> list[tuple[int, int]]:
    rows = range(len(grades))
    return [(b, w) for b in rows for w in rows if qid[b] == qid[w] and grades[b] > grades[w]]


def assert_same(model: RankBoost, book: tuple[Any, Any, Any]) -> None:
    found, z, edges = book
    assert [stump[:3] for stump in model.stumps_] == [stump[:3] for stump in found]
    np.testing.assert_allclose([s[3] for s in model.stumps_], [s[3] for s in found], rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(model.z_, z, rtol=1e-8)
    np.testing.assert_allclose(model.edges_, edges, rtol=1e-7, atol=1e-11)


def always_compiled() -> Any:
    return mock.patch.multiple(stumps, _COMPILED_FROM=0), mock.patch.multiple(levels, _COMPILED_FROM=0)


@st.composite
def graded(draw: st.DrawFn, weights: bool = False) -> tuple[Any, Any, Any, Any]:
    """Few values, few grades and few queries, so that ties are common; at least one pair."""
    n = draw(st.integers(2, 9))
    d = draw(st.integers(1, 3))
    cells = st.lists(st.integers(0, 3).map(float), min_size=d, max_size=d)
    X = draw(st.lists(cells, min_size=n, max_size=n))
    grades = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    qid = draw(st.lists(st.integers(0, 2), min_size=n, max_size=n))
    grades[:2], qid[:2] = [1, 0], [0, 0]
    some = st.sampled_from([0.5, 1.0, 2.0, 3.0])
    weight = draw(st.lists(some, min_size=n, max_size=n)) if weights else [1.0] * n
    return X, grades, qid, weight


pytestmark = pytest.mark.filterwarnings("ignore:no threshold:penchant.errors.PenchantWarning")


@given(graded(weights=True), st.sampled_from([0.0, 0.0, 0.1]))
def test_graded_rows_follow_the_pseudocode(data: Any, smoothing: float) -> None:
    """On grades it finds the stumps, weights, Z and edges of the pseudocode run over all implied pairs."""
    X, grades, qid, weight = data
    pairs = implied_pairs(grades, qid)
    book = boosted_by_the_book(X, pairs, [weight[b] * weight[w] for b, w in pairs], 6, smoothing)
    model = RankBoost(6, smoothing=smoothing).fit(X, grades, qid=qid, sample_weight=weight)
    assert_same(model, book)


@given(graded(), st.data())
def test_stated_pairs_follow_the_pseudocode(data: Any, more: st.DataObject) -> None:
    """On stated pairs, contradicting and repeated ones among them, it does what the pseudocode says."""
    X = data[0]
    row = st.integers(0, len(X) - 1)
    pair = st.tuples(row, row).filter(lambda pair: pair[0] != pair[1])
    pairs = more.draw(st.lists(pair, min_size=1, max_size=12))
    weight = more.draw(st.lists(st.sampled_from([1.0, 2.0, 0.25]), min_size=len(pairs), max_size=len(pairs)))
    assert_same(RankBoost(6).fit_pairs(X, pairs, weight=weight), boosted_by_the_book(X, pairs, weight, 6))


@given(graded(weights=True))
def test_the_compiled_loops_follow_the_pseudocode(data: Any) -> None:
    """The loops for large data find the same as the pseudocode."""
    X, grades, qid, weight = data
    pairs = implied_pairs(grades, qid)
    book = boosted_by_the_book(X, pairs, [weight[b] * weight[w] for b, w in pairs], 5)
    in_stumps, in_sums = always_compiled()
    with in_stumps, in_sums:
        model = RankBoost(5).fit(X, grades, qid=qid, sample_weight=weight)
    assert_same(model, book)


@given(graded(weights=True), st.sampled_from([0.0, 0.05, 1.0]))
def test_the_bounds_hold(data: Any, smoothing: float) -> None:
    """R ≤ ∏Z = the mean exponential loss, and without smoothing ∏Z ≤ exp(−2Σγ²) ≤ exp(−2γ²T)."""
    X, grades, qid, weight = data
    model = RankBoost(8, smoothing=smoothing).fit(X, grades, qid=qid, sample_weight=weight)
    scores = model.predict(X)
    pairs = implied_pairs(grades, qid)
    mass = np.array([weight[b] * weight[w] for b, w in pairs])
    margin = np.array([scores[b] - scores[w] for b, w in pairs])
    assert model.risk_ == pytest.approx(mass[margin <= 0].sum() / mass.sum(), rel=1e-12)
    assert model.bound_ == pytest.approx(mass @ np.exp(-margin) / mass.sum(), rel=1e-9)
    assert model.risk_ <= model.bound_ * (1 + 1e-12)
    if smoothing == 0:
        assert model.bound_ <= model.bound_edges_ * (1 + 1e-12)
    if len(model.edges_):
        weakest = np.exp(-2 * model.edges_.min() ** 2 * len(model.edges_))
        assert model.bound_edges_ <= model.bound_least_edge_ * (1 + 1e-12)
        assert model.bound_least_edge_ == pytest.approx(weakest, rel=1e-12)


def test_z_is_what_its_formula_says() -> None:
    """Z = ε⁰ + 2√(ε⁺ε⁻) in every round with errors and without smoothing."""
    rng = np.random.default_rng(0)
    X, grades = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    model = RankBoost(10).fit(X, grades)
    alpha = np.array([stump[3] for stump in model.stumps_])
    # From α = ½ log(ε⁺/ε⁻) and 2γ = ε⁺ − ε⁻.
    wrong = 2 * model.edges_ / np.expm1(2 * alpha)
    right = wrong + 2 * model.edges_
    np.testing.assert_allclose(model.z_, 1 - right - wrong + 2 * np.sqrt(right * wrong), rtol=1e-9)


def test_grades_are_their_implied_pairs() -> None:
    """Fitting grades is fitting every pair of different grades inside a query, once, at any size."""
    rng = np.random.default_rng(1)
    X, grades, qid = rng.normal(size=(2500, 3)), rng.integers(0, 4, 2500), rng.integers(0, 300, 2500)
    by_grades = RankBoost(20).fit(X, grades, qid=qid)
    same_query = qid[:, None] == qid
    pairs = np.argwhere(same_query & (grades[:, None] > grades))
    by_pairs = RankBoost(20).fit_pairs(X, pairs)
    assert [stump[:3] for stump in by_grades.stumps_] == [stump[:3] for stump in by_pairs.stumps_]
    np.testing.assert_allclose(by_grades.predict(X), by_pairs.predict(X), rtol=1e-9)
    assert by_grades.risk_ == by_pairs.risk_
    assert by_grades.bound_ == pytest.approx(by_pairs.bound_, rel=1e-9)


def test_ties_go_to_the_lowest_feature_then_threshold_then_plus() -> None:
    """Of equally good stumps the first is taken: feature 1 over its copy 2, and the lower threshold."""
    useless = np.zeros(4)
    column = np.array([3.0, 0.0, 2.0, 1.0])
    model = RankBoost(1).fit_pairs(np.column_stack([useless, column, column, -column]), [(0, 1), (0, 3)])
    assert model.stumps_[0][:3] == (1, 2.0, 1)
    # Row 3 is in no pair, so that its value makes no threshold.
    model = RankBoost(1).fit_pairs(column[:, None], [(0, 1), (2, 1)])
    assert model.stumps_[0][:3] == (0, 1.0, 1)
    model = RankBoost(1).fit_pairs([[0.0], [1.0], [2.0]], [(1, 0), (1, 2)])
    assert model.stumps_[0][:3] == (0, 0.5, 1)


def test_it_stops_where_no_stump_has_an_edge() -> None:
    """Of two pairs that contradict each other nothing is learned; it says so, and scores are 0."""
    with pytest.warns(PenchantWarning, match="no threshold .* all scores are 0"):
        model = RankBoost().fit_pairs([[1.0], [2.0]], [(0, 1), (1, 0)])
    assert model.stumps_ == []
    assert model.predict([[5.0]]).tolist() == [0.0]
    assert (model.risk_, model.bound_, model.bound_edges_, model.bound_least_edge_) == (1.0, 1.0, 1.0, 1.0)
    assert model.feature_importances_.tolist() == [0.0]


def test_constant_features_are_never_chosen() -> None:
    """A feature with one value has no threshold."""
    with pytest.warns(PenchantWarning, match="no threshold"):
        assert RankBoost().fit(np.ones((4, 2)), [0, 1, 2, 3]).stumps_ == []
    model = RankBoost(3).fit([[7.0, 0.0], [7.0, 1.0]], [0, 1])
    assert {stump[0] for stump in model.stumps_} == {1}


def test_a_round_without_errors_is_smoothed_by_half_a_pair() -> None:
    """With ε⁻ = 0, s = 1/(2m): α = ½ log((ε⁺ + s)/s), and later rounds go on from there."""
    model = RankBoost(1).fit([[1.0], [2.0], [3.0]], [0, 1, 1])
    assert model.stumps_ == [(0, 1.5, 1, pytest.approx(0.5 * math.log((1 + 1 / 4) / (1 / 4))))]
    model = RankBoost(1).fit_pairs([[1.0], [2.0]], [(1, 0)], weight=[0.01])
    assert model.stumps_[0][3] == pytest.approx(0.5 * math.log(1.5 / 0.5))


def test_separable_data_for_many_rounds() -> None:
    """Where scores grow past what exponentials can hold, D stays right: all stumps are the same, Z too."""
    X, grades = np.arange(60.0)[:, None], np.repeat([0, 1], 30)
    model = RankBoost(800).fit(X, grades)
    assert model.predict(X).max() > 2000
    assert {stump[:3] for stump in model.stumps_} == {(0, 29.5, 1)}
    np.testing.assert_allclose(model.z_, math.sqrt(1 / (1 + 2 * 900)), rtol=1e-9)
    in_stumps, in_sums = always_compiled()
    with in_stumps, in_sums:
        compiled = RankBoost(800).fit(X, grades)
    np.testing.assert_allclose(compiled.predict(X), model.predict(X), rtol=1e-9)
