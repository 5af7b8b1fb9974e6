from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from sklearn.metrics.pairwise import polynomial_kernel, rbf_kernel

from penchant.errors import CannotSave, InvalidInput
from penchant.orders import cohen_order
from penchant.rankers import RankSVM
from penchant.rankers.solvers import kernel_svm
from penchant.saving import to_bytes
from tests.rankers.pair_problems import assert_solves, dual, implied, objects_matrix, reach

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
    reference = dual(Q, weight, C, loss)
    model = RankSVM(C, kernel=kernel, gamma=0.7, loss=loss, tol=TOL[loss]).fit(X, y, qid=qid)
    assert_solves(model, reference)
    apart = np.sqrt(Q.diagonal().max()) * (reach(model) + reference.reach)
    np.testing.assert_allclose(np.diff(model.predict(X)[rows])[:, 0], -reference.margins, atol=apart)
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
    reference = dual(Q, weight, 2.0, loss)
    model = RankSVM(2.0, kernel=kernel, gamma=0.7, loss=loss, on="differences", tol=TOL[loss]).fit(
        X, y, qid=qid
    )
    assert_solves(model, reference)
    apart = np.sqrt(Q.diagonal().max()) * (reach(model) + reference.reach)
    F = model.preference_matrix(X)
    np.testing.assert_allclose(F[tuple(rows.T)], 1 / (1 + np.exp(-reference.margins)), atol=apart)


def predicted_objective(model: Any, X: np.ndarray, rows: np.ndarray) -> float:
    """½‖w‖² + C times the mean loss of what a fitted model predicts for the rows that it learned from."""
    K = model._fitted_kernel()(model.support_vectors_, model.support_vectors_)
    weights = kernel_svm.Factored.of(K).features.T @ model.dual_coef_  # βᵀKβ itself would lose digits
    scores = model.predict(X)
    lack = np.maximum(0, 1 - (scores[rows[:, 0]] - scores[rows[:, 1]]))
    mean = np.mean(lack if model.loss == "hinge" else lack**2)
    return float(weights @ weights / 2 + model.C * mean)


def scaled_problem(seed: int, scale: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Noisy grades of twenty rows, and the pairs that they imply."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(20, 3))
    y = np.round(X[:, 0] + rng.normal(size=20)).clip(-1, 1)
    return scale * X, y, implied(y, np.zeros(20))[0]


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("kernel", ["rbf", "poly", lambda A, B: A @ B.T])
def test_the_objective_is_that_of_what_is_predicted(kernel: Any, scale: float, loss: Any) -> None:
    """Whatever the kernel and its scale, predicted scores have the objective and the gap that are reported."""
    for seed in range(4):
        X, y, rows = scaled_problem(seed, scale)
        for C in (1.0, 100.0):
            model = RankSVM(C, kernel=kernel, gamma=1.0, loss=loss).fit(X, y)
            assert model.gap_ <= model.tol
            assert predicted_objective(model, X, rows) == pytest.approx(model.objective_, rel=1e-8)
            if seed == 0 and scale <= 1:
                K = model._fitted_kernel()(X, X)
                assert_solves(model, dual(objects_matrix(K, rows), np.ones(len(rows)), C, loss))


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_a_callable_linear_kernel_predicts_what_the_linear_model_does(loss: Any, C: float) -> None:
    """Features of a scale of 100 with either give the same margins, as far as the gaps promise."""
    for seed in range(5):
        X, y, rows = scaled_problem(seed, 100.0)
        linear, kernel = (
            RankSVM(C, kernel=kind, loss=loss).fit(X, y) for kind in ("linear", lambda A, B: A @ B.T)
        )
        apart = [np.diff(model.predict(X)[rows])[:, 0] for model in (linear, kernel)]
        lengths = np.linalg.norm(X[rows[:, 0]] - X[rows[:, 1]], axis=1)
        assert (np.abs(apart[0] - apart[1]) <= lengths * (reach(linear) + reach(kernel))).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_rows_that_are_all_alike_get_one_score(loss: Any) -> None:
    """With a kernel that tells no rows apart the scores are equal and the objective is C, on objects or differences."""
    X, y = np.ones((4, 2)), [0, 1, 2, 2]
    for on in ("objects", "differences"):
        model = RankSVM(3.0, kernel="rbf", loss=loss, on=on).fit(X, y)  # type: ignore[arg-type]
        assert np.ptp(model.predict(X)) == 0
        assert model.objective_ == pytest.approx(3.0)


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


def test_the_linear_kernel_is_the_same_on_objects_and_differences() -> None:
    """uᵀv is its own odd form, so both give the same objective and margins."""
    X, y, qid = problem(1)
    objects = RankSVM(tol=1e-9).fit(X, y, qid=qid)
    differences = RankSVM(on="differences", tol=1e-9).fit(X, y, qid=qid)
    assert differences.objective_ == pytest.approx(objects.objective_, rel=1e-8)
    longest = max(np.linalg.norm(row - other) for row in X for other in X)
    apart = longest * (reach(objects) + reach(differences))
    np.testing.assert_allclose(differences.preference_matrix(X), objects.preference_matrix(X), atol=apart)


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
    """A matrix of another shape, with NaN, lopsided or not positive semi-definite is rejected with a message."""
    X, y, qid = problem(3)
    with pytest.raises(InvalidInput, match=words):
        RankSVM(kernel=kernel).fit(X, y, qid=qid)


def test_sparse_features_and_stated_pairs() -> None:
    """Sparse rows give the same scores; only rows that pairs name are kept."""
    X, y, qid = problem(4)
    dense, sparse = (RankSVM(kernel="rbf").fit(given, y, qid=qid) for given in (X, csr_array(X)))
    apart = reach(dense) + reach(sparse)  # κ(x, x) is 1
    np.testing.assert_allclose(sparse.predict(csr_array(X)), dense.predict(X), atol=apart)
    pairs = [(0, 1), (1, 2)]
    model = RankSVM(kernel="rbf", gamma=1.0).fit_pairs(X, pairs)
    few = RankSVM(kernel="rbf", gamma=1.0).fit_pairs(X[:3], pairs)
    np.testing.assert_allclose(model.predict(X), few.predict(X))
    sides = [
        RankSVM(kernel="rbf", on="differences").fit_pairs(kind(X), pairs) for kind in (np.asarray, csr_array)
    ]
    preferences = [
        model.preference_matrix(kind(X)) for model, kind in zip(sides, (np.asarray, csr_array), strict=True)
    ]
    np.testing.assert_allclose(*preferences, atol=sum(map(reach, sides)))


def test_what_does_not_fit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """More rows or pairs than a kernel's matrix may have are rejected with a way out."""
    monkeypatch.setattr(kernel_svm, "MOST_ROWS", 4)
    X, y, qid = problem(5)
    with pytest.raises(InvalidInput, match="at most 4 rows, one for each of the rows, got 9: use kernel"):
        RankSVM(kernel="rbf").fit(X, y, qid=qid)
    with pytest.raises(InvalidInput, match=r'one for each of the implied pairs, got .*: use on="objects"'):
        RankSVM(kernel="rbf", on="differences").fit(X, y)
    with pytest.raises(InvalidInput, match="one for each of the pairs, got 5"):
        RankSVM(kernel="rbf", on="differences").fit_pairs(X, [(i, i + 1) for i in range(5)])
