"""Contexts: checked matrices of candidates and their scores."""

from __future__ import annotations

from functools import partial
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import csr_array, csr_matrix

from penchant.coactive import ItemMap, RankingMap, features
from penchant.coactive.features import fingerprint
from penchant.errors import InvalidInput


@pytest.mark.parametrize("numpy", [1, 2])
def test_equal_rows_tie_wherever_they_stand(numpy: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Equal rows have equal scores to the last bit, so that ties go to the lowest index, also with NumPy 1."""
    if numpy == 1:
        monkeypatch.setattr(features, "_products", partial(np.einsum, "ij,j->i"))
    rng = np.random.default_rng(1)
    for n_documents, n_features in ((25, 700), (7, 33), (130, 64), (3, 1000)):
        X = np.tile(rng.normal(size=n_features), (n_documents, 1))
        for form in (X, np.asfortranarray(X), csr_array(X), X[:, ::-1], np.vstack([X, X])[::2]):
            assert RankingMap().argmax(rng.normal(size=n_features), form).tolist() == list(range(n_documents))


PLACES = [(0, 0), (3, 2), (6, 4)]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("weights", [np.zeros(5), np.array([0.0, 0.0, 1.0, 0.0, 0.0])], ids=["zero", "one"])
def test_what_is_not_finite_is_found_wherever_it_stands(bad: float, place: Any, weights: Any) -> None:
    """Also under a weight of 0, in a place that does not count, in any layout, in present and in update."""
    X = np.ones((7, 5))
    X[place] = bad
    order = np.arange(7)
    words = rf"row {place[0]}, column {place[1]} must be a finite number, got {bad}: remove or repair"
    for form in (X, np.asfortranarray(X), X.astype(np.float32), X.tolist(), csr_array(X)):
        for refuse in (
            lambda X: RankingMap(depth=1).argmax(weights, X),
            lambda X: RankingMap(depth=1).joint(X, order),
            lambda X: RankingMap(depth=1).difference(X, order, order[::-1]),
            lambda X: ItemMap().argmax(weights, X),
            lambda X: ItemMap().joint(X, 1),
            lambda X: ItemMap().difference(X, 1, 2),
        ):
            with pytest.raises(InvalidInput, match=words):
                refuse(form)


def test_nan_is_found_at_the_size_of_web_search() -> None:
    """25 × 700, each of many places in turn: the score of the row shows it, also where all weights are 0."""
    X = np.random.default_rng(2).normal(size=(25, 700))
    for row, column in zip(range(25), range(0, 700, 29), strict=False):
        broken = X.copy()
        broken[row, column] = np.nan
        with pytest.raises(InvalidInput, match=f"row {row}, column {column}"):
            RankingMap().argmax(np.zeros(700), broken)


def test_scores_too_large_to_hold_are_refused() -> None:
    """Finite features and weights whose product is not: said in words."""
    with pytest.raises(InvalidInput, match="scores must be finite"):
        RankingMap().argmax(np.array([1e200]), [[1e200], [0.0]])


def test_large_but_finite_numbers_are_taken() -> None:
    """Numbers whose squares overflow are finite all the same."""
    assert ItemMap().argmax(np.array([1.0]), [[1e200], [2e200]]) == 1
    assert ItemMap().joint([[1e200], [2e200]], 1) == 2e200


@pytest.mark.parametrize(
    "context", [np.ones(3), np.ones((0, 2)), [], 5.0, np.ones((2, 2, 2)), csr_array((0, 2))]
)
def test_contexts_of_another_form_are_refused(context: Any) -> None:
    """A vector, no candidates at all, a number, a cube."""
    for refuse in (
        lambda: RankingMap().argmax(np.ones(2), context),
        lambda: RankingMap().joint(context, []),
        lambda: ItemMap().argmax(np.ones(2), context),
    ):
        with pytest.raises(InvalidInput, match="one row a candidate"):
            refuse()


def test_texts_are_refused() -> None:
    """A context that holds no numbers."""
    with pytest.raises(InvalidInput, match="context must be numbers"):
        RankingMap().argmax(np.ones(2), [["a", "b"]])


def test_another_number_of_features_is_refused() -> None:
    """Columns must be those of the weights."""
    for form in (np.ones((2, 3)), csr_array(np.ones((2, 3)))):
        with pytest.raises(InvalidInput, match="context must have 2 features, one a weight, got 3"):
            RankingMap().argmax(np.ones(2), form)


@settings(max_examples=60)
@given(
    X=arrays(
        float,
        st.tuples(st.integers(1, 12), st.integers(1, 5)),
        elements=st.sampled_from([0.0, -0.0, 0.1, -0.3, 7.7]),
    ),
    data=st.data(),
)
def test_sums_of_dense_and_sparse_rows_are_the_same_bits(X: Any, data: Any) -> None:
    """Also of one column, of rows that cancel, and of −0."""
    rows = np.array(data.draw(st.lists(st.integers(0, len(X) - 1), min_size=1, max_size=20)))
    coefficients = np.array(data.draw(st.lists(st.sampled_from([1.0, -1.0, 0.3]), min_size=len(rows))))[
        : len(rows)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(features, "_NEAR", data.draw(st.sampled_from([0, 3, 50])))
        dense, sparse = (features.weighted_sum(form, rows, coefficients) for form in (X, csr_array(X)))
        among = np.array(data.draw(st.permutations(range(len(X)))))
        moved = [features.weighted_sum(form, rows, coefficients, among) for form in (X, csr_array(X))]
    assert moved[0].tobytes() == moved[1].tobytes()
    assert dense.tobytes() == sparse.tobytes()
    slow = sum(c * X[row] for row, c in enumerate(np.bincount(rows, coefficients)))
    np.testing.assert_array_equal(dense, slow)


def test_a_fingerprint_is_of_the_numbers_and_their_places() -> None:
    """Of 2,000 contexts that differ in one place, one row or by a swap no two are alike; form does not matter."""
    X = np.random.default_rng(0).integers(-1, 2, size=(6, 5)).astype(float)
    contexts = [X]
    for row, column in np.ndindex(6, 5):
        for value in range(2, 60):
            contexts.append(X.copy())
            contexts[-1][row, column] = value
    contexts += [np.roll(X, shift, axis=axis) for axis in (0, 1) for shift in range(1, X.shape[axis])]
    contexts += [np.eye(6)[list(order)] for order in permutations(range(6))]
    found = [fingerprint(context) for context in contexts]
    assert len(set(found)) == len(found) > 2000
    for X, seen in zip(contexts[::20], found[::20], strict=True):
        twice = csr_array(
            (
                np.repeat(X.ravel() / 2, 2),
                np.repeat(np.tile(np.arange(X.shape[1]), 6), 2),
                np.arange(0, 2 * X.size + 1, 2 * X.shape[1]),
            ),
            shape=X.shape,
        )
        forms = (
            np.asfortranarray(X),
            csr_array(X),
            csr_matrix(-X) * -1.0,
            twice,
            X.astype(np.float32),
            X.tolist(),
        )
        assert [fingerprint(form) for form in forms] == [seen] * len(forms)
