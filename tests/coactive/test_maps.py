from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import coo_array, csr_array

from penchant.coactive import FeatureMap, ItemMap, PreferencePerceptron, RankingMap
from penchant.coactive.maps import descending, quick_order
from penchant.errors import InvalidInput, UnknownItem
from penchant.saving import from_bytes, to_bytes
from tests.coactive.slow_learners import slow_order, slow_phi

SMALL = st.integers(-2, 2)


@st.composite
def contexts(draw: Any) -> Any:
    """Few features of few values, so that scores tie often and without rounding."""
    n_documents, n_features = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    row = st.lists(SMALL, min_size=n_features, max_size=n_features)
    X = np.array(draw(st.lists(row, min_size=n_documents, max_size=n_documents)), dtype=float)
    return X, np.array(draw(row), dtype=float)


@given(contexts(), st.integers(1, 6), st.sampled_from(["natural", "base2"]))
def test_presenting_is_the_best_of_all_orders(drawn: Any, depth: int, log: Any) -> None:
    """No order of all rows has a larger wᵀφ, and of equal scores the lower index comes first."""
    X, w = drawn
    ranking = RankingMap(depth, log=log)
    found = ranking.argmax(w, X)
    assert found.tolist() == slow_order(w, X)
    best = max(w @ ranking.joint(X, list(order)) for order in permutations(range(len(X))))
    assert w @ ranking.joint(X, found) >= best - 1e-12


@given(contexts(), st.integers(1, 6), st.integers(0, 10**6))
def test_the_ranking_map_is_equation_21(drawn: Any, depth: int, seed: int) -> None:
    """φ is the sum over the first places by 1 / log(i + 1), in either logarithm, dense and sparse."""
    X, _ = drawn
    rng = np.random.default_rng(seed)
    order, other = rng.permutation(len(X)), rng.permutation(len(X))
    for log, function in (("natural", math.log), ("base2", math.log2)):
        ranking = RankingMap(depth, log=log)  # type: ignore[arg-type]
        expected = slow_phi(X, order, depth, function)
        for form in (X, csr_array(X), coo_array(X), X.astype(np.float32)):
            np.testing.assert_allclose(ranking.joint(form, order), expected, atol=1e-12)
            np.testing.assert_allclose(
                ranking.difference(form, order, other),
                expected - slow_phi(X, other, depth, function),
                atol=1e-12,
            )


def test_equal_orders_differ_by_exactly_nothing() -> None:
    """Where the places that count are the same the difference is 0 to the last bit."""
    X = np.random.default_rng(0).normal(size=(9, 40))
    order, tail = np.arange(9), np.array([0, 1, 2, 3, 4, 8, 7, 6, 5])
    assert not RankingMap().difference(X, order, order).any()
    assert not RankingMap().difference(X, tail, order).any()


@given(contexts())
def test_the_item_map_takes_the_first_best_row(drawn: Any) -> None:
    """The item is the lowest index of the largest score, dense and sparse."""
    X, w = drawn
    best = int(np.argmax(X @ w))
    assert ItemMap().argmax(w, X) == ItemMap().argmax(w, csr_array(X)) == best
    assert type(ItemMap().argmax(w, X)) is int
    for form in (X, csr_array(X)):
        np.testing.assert_array_equal(ItemMap().joint(form, best), X[best])
        np.testing.assert_array_equal(ItemMap().difference(form, best, 0), X[best] - X[0])


@pytest.mark.parametrize(
    ("order", "words"),
    [
        ([0, 1], "must have 3 entries"),
        ([0, 1, 1], "got 1 2 times"),
        ([0, 1, 3], "whole number from 0 to 2, got 3"),
        ([0, 1, -1], "whole number from 0 to 2, got -1"),
        (np.array([0, 1, -1]), "whole number from 0 to 2, got -1"),
        (np.array([0, 1, 1]), "got 1 2 times"),
        ([0, 1, 0.5], "whole number"),
        ([0, 1, np.nan], "finite number"),
        ("abc", "must be"),
        (None, "must be"),
        ([[0, 1, 2]], "one-dimensional"),
    ],
)
def test_what_is_no_order_of_the_candidates_is_refused(order: Any, words: str) -> None:
    """Too short, repeated, unknown, fractional, missing: each in words, as feedback and as presented."""
    X = np.ones((3, 2))
    with pytest.raises(InvalidInput, match=rf"feedback.*{words}"):
        RankingMap().difference(X, order, [0, 1, 2])
    with pytest.raises(InvalidInput, match=rf"presented.*{words}"):
        RankingMap().difference(X, [0, 1, 2], order)


def test_unknown_items_are_refused() -> None:
    """A row that is not there, a fraction, a truth value, a text."""
    for item in (3, -1, True):
        with pytest.raises(UnknownItem, match=rf"feedback must be a row from 0 to 2, got {item}"):
            ItemMap().difference(np.ones((3, 2)), item, 0)
    for item in (0.0, "a", None, [1]):
        with pytest.raises(InvalidInput, match="presented must be the index of a row"):
            ItemMap().difference(np.ones((3, 2)), 0, item)


@pytest.mark.parametrize("depth", [0, -1, 2.5, True, None, "5"])
def test_a_depth_is_a_whole_number(depth: Any) -> None:
    """A depth below 1, or none, is rejected."""
    with pytest.raises(InvalidInput, match="depth must be a whole number of at least 1"):
        RankingMap(depth)


def test_other_logarithms_are_refused() -> None:
    """There are two."""
    with pytest.raises(InvalidInput, match="log must be one of natural, base2"):
        RankingMap(log="base10")  # type: ignore[arg-type]


def test_maps_are_saved_and_compared_by_their_settings() -> None:
    """Loaded, a map equals what was saved, and its settings are checked again."""
    for one in (RankingMap(), RankingMap(3, log="base2"), ItemMap()):
        assert from_bytes(to_bytes(one)) == one
    assert RankingMap(3) != RankingMap(4)


@pytest.mark.parametrize("form", [np.asarray, csr_array])
@pytest.mark.parametrize("outside_form", [np.asarray, csr_array])
def test_results_from_outside_join_the_candidates(form: Any, outside_form: Any) -> None:
    """They stand last in what was presented, and feedback may put them first."""
    X, outside = np.arange(12.0).reshape(6, 2), np.array([[9.0, 9.0], [8.0, 7.0]])
    both, presented = RankingMap().join(form(X), [5, 4, 3, 2, 1, 0], outside_form(outside))
    dense = both if isinstance(both, np.ndarray) else both.toarray()
    np.testing.assert_array_equal(dense, np.vstack([X, outside]))
    assert isinstance(both, np.ndarray) == (form is np.asarray)
    assert presented.tolist() == [5, 4, 3, 2, 1, 0, 6, 7]
    learner = PreferencePerceptron(RankingMap(), 2).update(both, presented, [6, 5, 4, 3, 2, 1, 0, 7])
    expected = slow_phi(dense, [6, 5, 4, 3, 2]) - slow_phi(dense, [5, 4, 3, 2, 1])
    np.testing.assert_allclose(learner.weights, expected, atol=1e-12)
    both, item = ItemMap().join(form(X), 2, outside_form(outside))
    assert (both.shape, item) == ((8, 2), 2)


def test_results_from_outside_must_have_the_same_features() -> None:
    """Other columns, NaN, and a presented object that was not one are rejected."""
    with pytest.raises(InvalidInput, match="must have the 2 features of the candidates, got 3"):
        RankingMap().join(np.ones((2, 2)), [0, 1], np.ones((1, 3)))
    with pytest.raises(InvalidInput, match="finite"):
        ItemMap().join(np.ones((2, 2)), 0, [[np.nan, 1.0]])
    with pytest.raises(InvalidInput, match="presented"):
        RankingMap().join(np.ones((2, 2)), [0, 0], np.ones((1, 2)))


class Sign(FeatureMap):
    """Lemma 3's map, φ(x, y) = yx with y = ±1, as a user would write it: two methods and no more."""

    def joint(self, context: Any, obj: Any) -> Any:
        return obj * np.asarray(context)

    def argmax(self, weights: Any, context: Any) -> Any:
        return 1 if weights @ context >= 0 else -1


def test_a_map_needs_two_methods() -> None:
    """A subclass with joint and argmax can be learned with; one without them cannot be made."""
    learner = PreferencePerceptron(Sign(), 2)
    learner.update([1.0, 0.0], learner.present([1.0, 0.0]), -1)
    assert learner.weights.tolist() == [-2.0, 0.0]

    class Half(FeatureMap):
        def joint(self, context: Any, obj: Any) -> Any:
            return np.zeros(1)

    with pytest.raises(TypeError, match="abstract"):
        Half()  # type: ignore[abstract]


def test_a_depth_beyond_all_documents_costs_nothing() -> None:
    """A map from a file may say any depth; only as many discounts are made as there are documents."""
    deep, all_places = RankingMap(10**15), RankingMap(3)
    X = np.arange(6.0).reshape(3, 2)
    assert deep.joint(X, [2, 0, 1]).tolist() == all_places.joint(X, [2, 0, 1]).tolist()
    assert (
        deep.difference(X, [0, 1, 2], [2, 1, 0]).tolist()
        == all_places.difference(X, [0, 1, 2], [2, 1, 0]).tolist()
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 1000), n=st.sampled_from([1, 5, 256, 257, 600]), ties=st.booleans())
def test_large_orders_are_those_of_small_ones(seed: int, n: int, ties: bool) -> None:
    """However many candidates there are, ties go to the lowest index, and an order is checked."""
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, n // 2 + 1, size=n).astype(float) if ties else rng.normal(size=n)
    order = descending(scores)
    assert order.tolist() == sorted(range(n), key=lambda row: (-scores[row], row))
    assert quick_order("order", order, n) is order
    for wrong in (
        np.where(order == 0, n, order),
        np.where(order == 0, -1, order),
        np.full(n, n // 2) - (n == 1),
    ):
        with pytest.raises(InvalidInput):
            quick_order("order", wrong, n)


@pytest.mark.parametrize("feature_map", [RankingMap(depth=3), ItemMap()])
def test_rows_of_a_larger_matrix_give_the_same_bits(feature_map: RankingMap | ItemMap) -> None:
    """Candidates may be rows among others, dense or sparse."""
    random = np.random.default_rng(3)
    everything = random.standard_normal((30, 7))
    rows = random.permutation(30)[:8]
    for form in (everything, csr_array(everything)):
        for _ in range(20):
            better, worse = random.permutation(8), random.permutation(8)
            expected = (
                feature_map.difference(everything[rows], better, worse)
                if isinstance(feature_map, RankingMap)
                else feature_map.difference(everything[rows], better[0], worse[0])
            )
            found = feature_map.checked_difference(form, better, worse, rows)
            assert found.tobytes() == expected.tobytes()


@pytest.mark.parametrize("feature_map", [RankingMap(depth=3), ItemMap()])
def test_many_rounds_at_once_have_the_bits_of_each(feature_map: RankingMap | ItemMap) -> None:
    """Rounds of any length, with empty rows and extreme numbers."""
    random = np.random.default_rng(4)
    lengths = [1, 2, 8, 3, 5]
    values = random.standard_normal((19, 6)) * 10.0 ** random.integers(-90, 90, (19, 6))
    X = csr_array(values * (random.random((19, 6)) < 0.6))
    starts = [sum(lengths[:place]) for place in range(len(lengths))]
    better, worse = ([random.permutation(n) for n in lengths] for _ in range(2))
    found = feature_map.checked_differences(
        X, [order.tolist() for order in better], [order.tolist() for order in worse], starts
    )
    for row, start, n, up, down in zip(found, starts, lengths, better, worse, strict=True):
        alone = feature_map.checked_difference(X, up, down, np.arange(start, start + n))
        assert (row + 0.0).tobytes() == (alone + 0.0).tobytes()
