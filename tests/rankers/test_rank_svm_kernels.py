from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from penchant.errors import CannotSave, InvalidInput
from penchant.metrics import pair_accuracy
from penchant.orders import cohen_order
from penchant.rankers import RankSVM, kernel_svm
from penchant.saving import to_bytes
from tests.rankers.pair_problems import apart, dual, implied, objects_matrix

LOSSES = ["squared_hinge", "hinge"]
TOL = {"squared_hinge": 1e-8, "hinge": 1e-6}


def problem(seed: int, n: int = 9) -> tuple[Any, ...]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    X[-1] = X[0]  # the same thing twice: the kernel's matrix has no full rank
    y = np.round(X[:, 0] ** 2 + rng.normal(size=n)).clip(0, 2)
    y[:2] = 0, 1
    return X, y, np.r_[0, 0, rng.integers(2, size=n - 2)]


def odd(kernel: Any, U: np.ndarray, V: np.ndarray) -> np.ndarray:
    return (kernel(U, V) - kernel(U, -V)) / 2


KERNELS = {
    "rbf": lambda A, B: rbf_kernel(A, B, gamma=0.7),
    "poly": lambda A, B: polynomial_kernel(A, B, degree=3, gamma=0.7, coef0=1),
}


@given(
    st.integers(0, 10**6),
    st.sampled_from(sorted(KERNELS)),
    st.sampled_from(LOSSES),
    st.sampled_from([1.0, 30.0]),
)
@settings(max_examples=15)
def test_on_objects_it_is_the_solution_of_the_dual(seed: int, kernel: Any, loss: Any, C: float) -> None:
    """Objective and margins are those with K(i, r) − K(i, s) − K(j, r) + K(j, s) over pairs × pairs."""
    X, y, qid = problem(seed)
    rows, weight = implied(y, qid)
    Q = objects_matrix(KERNELS[kernel](X, X), rows)
    margins, least = dual(Q, weight, C, loss)
    model = RankSVM(C, kernel=kernel, gamma=0.7, loss=loss, tol=TOL[loss]).fit(X, y, qid=qid)
    assert model.objective_ == pytest.approx(least, rel=1e-5)
    np.testing.assert_allclose(np.diff(model.predict(X)[rows])[:, 0], -margins, atol=apart(Q, least))
    scores = model.predict(X)
    np.testing.assert_allclose(model.preference_matrix(X), 1 / (1 + np.exp(scores - scores[:, None])))


@given(st.integers(0, 10**6), st.sampled_from(sorted(KERNELS)), st.sampled_from(LOSSES))
@settings(max_examples=15)
def test_on_differences_it_is_the_solution_of_the_dual(seed: int, kernel: Any, loss: Any) -> None:
    """Objective and preferences are those with ½[κ(u, v) − κ(u, −v)] over pairs × pairs."""
    X, y, qid = problem(seed)
    rows, weight = implied(y, qid)
    U = X[rows[:, 0]] - X[rows[:, 1]]
    Q = odd(KERNELS[kernel], U, U)
    margins, least = dual(Q, weight, 2.0, loss)
    model = RankSVM(2.0, kernel=kernel, gamma=0.7, loss=loss, on="differences", tol=TOL[loss]).fit(
        X, y, qid=qid
    )
    assert model.objective_ == pytest.approx(least, rel=1e-5)
    F = model.preference_matrix(X)
    np.testing.assert_allclose(F[tuple(rows.T)], 1 / (1 + np.exp(-margins)), atol=apart(Q, least))


def test_preferences_on_differences_are_odd_and_ordered_by_cohen() -> None:
    """F + Fᵀ = 1, ½ on the diagonal, and scores are minus the place in Cohen's order; equal rows share one."""
    X, y, qid = problem(0)
    model = RankSVM(kernel="rbf", on="differences").fit(X, y, qid=qid)
    F = model.preference_matrix(X)
    np.testing.assert_allclose(F + F.T, 1, atol=1e-15)
    assert (np.diag(F) == 0.5).all()
    different = cohen_order(F[:-1, :-1])
    assert (-model.predict(X[:-1]))[different].tolist() == list(range(len(different)))
    assert model.predict(X[[0, -1]]).tolist() == [0.0, 0.0]
    assert model.predict(X[:1]).tolist() == [0.0]


def test_queries_are_ordered_one_by_one_on_differences() -> None:
    """With qid each query is scored as if asked alone, and `score` judges those scores; on objects all is one."""
    X, y, qid = problem(3, n=30)
    model = RankSVM(kernel="rbf", on="differences").fit(X, y, qid=qid)
    scores = model.predict(X, qid=qid)
    for query in set(qid.tolist()):
        assert scores[qid == query].tolist() == model.predict(X[qid == query]).tolist()
    assert model.score(X, y, qid=qid) == pair_accuracy(y, scores, qid=qid).accuracy
    on_objects = RankSVM(kernel="rbf").fit(X, y, qid=qid)
    assert np.array_equal(on_objects.predict(X, qid=qid), on_objects.predict(X))


def test_too_many_rows_to_compare_are_refused() -> None:
    """A matrix of preferences between 5,001 rows is refused with a way out."""
    model = RankSVM().fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(
        InvalidInput, match="at most 5,000, since each is compared with each, got 5,001: give qid"
    ):
        model.preference_matrix(np.zeros((5001, 1)))


def test_the_linear_kernel_is_the_same_on_objects_and_differences() -> None:
    """uᵀv is its own odd form, so both give the same objective and margins."""
    X, y, qid = problem(1)
    objects = RankSVM(tol=1e-9).fit(X, y, qid=qid)
    differences = RankSVM(on="differences", tol=1e-9).fit(X, y, qid=qid)
    assert differences.objective_ == pytest.approx(objects.objective_, rel=1e-8)
    np.testing.assert_allclose(differences.preference_matrix(X), objects.preference_matrix(X), atol=1e-6)


def test_a_callable_is_a_kernel_too() -> None:
    """A function of two matrices gives what its name would; it cannot be saved, and that is said."""
    X, y, qid = problem(2)
    by_name = RankSVM(kernel="rbf", gamma=0.7).fit(X, y, qid=qid)
    by_call = RankSVM(kernel=KERNELS["rbf"]).fit(X, y, qid=qid)
    np.testing.assert_allclose(by_call.predict(X), by_name.predict(X), rtol=1e-10)
    with pytest.raises(CannotSave, match="kernel is a function"):
        to_bytes(by_call)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda A, B: -A @ B.T, "positive semi-definite"),
        (lambda A, B: A @ B.T + np.arange(len(B)), "symmetric"),
        (lambda A, B: A, r"must return a matrix of shape \(9, 9\), got \(9, 2\)"),
        (lambda A, B: A @ B.T + np.nan, "must be a finite number"),
    ],
)
def test_what_is_no_kernel_is_refused(kernel: Any, words: str) -> None:
    """A matrix of another shape, with NaN, lopsided or not positive semi-definite is refused in words."""
    X, y, qid = problem(3)
    with pytest.raises(InvalidInput, match=words):
        RankSVM(kernel=kernel).fit(X, y, qid=qid)


def test_sparse_features_and_stated_pairs() -> None:
    """Sparse rows give the same scores; only rows that pairs name are kept."""
    X, y, qid = problem(4)
    dense = RankSVM(kernel="rbf").fit(X, y, qid=qid).predict(X)
    np.testing.assert_allclose(
        RankSVM(kernel="rbf").fit(csr_array(X), y, qid=qid).predict(csr_array(X)), dense
    )
    pairs = [(0, 1), (1, 2)]
    model = RankSVM(kernel="rbf", gamma=1.0).fit_pairs(X, pairs)
    few = RankSVM(kernel="rbf", gamma=1.0).fit_pairs(X[:3], pairs)
    np.testing.assert_allclose(model.predict(X), few.predict(X))
    sides = [
        RankSVM(kernel="rbf", on="differences").fit_pairs(kind(X), pairs).preference_matrix(kind(X))
        for kind in (np.asarray, csr_array)
    ]
    np.testing.assert_allclose(*sides)


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More rows or pairs than a kernel's matrix may have are refused with a way out."""
    monkeypatch.setattr(kernel_svm, "MOST_ROWS", 4)
    X, y, qid = problem(5)
    with pytest.raises(InvalidInput, match="at most 4 rows, one for each of the rows, got 9: use kernel"):
        RankSVM(kernel="rbf").fit(X, y, qid=qid)
    with pytest.raises(InvalidInput, match=r'one for each of the implied pairs, got .*: use on="objects"'):
        RankSVM(kernel="rbf", on="differences").fit(X, y)
    with pytest.raises(InvalidInput, match="one for each of the pairs, got 5"):
        RankSVM(kernel="rbf", on="differences").fit_pairs(X, [(i, i + 1) for i in range(5)])
