"""RankSVM, linear and with kernels."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from penchant.checks import Floats, Ints, above_zero, one_of
from penchant.errors import InvalidInput, PenchantWarning
from penchant.orders import cohen_order
from penchant.rankers.ranker import GradedRows, PairRanker, known_features
from penchant.rankers.solvers.kernel_svm import (
    KERNELS,
    Kernel,
    blocks,
    minimise_with_kernel,
    refuse_too_many,
    scaled_gamma,
)
from penchant.rankers.solvers.linear_svm import LEAST_GAP, Solution, minimise
from penchant.rankers.solvers.pair_sums import GradedPairs, PairSums, StatedPairs, implied_pairs, written_out
from penchant.rankers.solvers.query_orders import ordered_queries, refuse_too_many_rows
from penchant.schema import Array, Either, Number, OneOf, Schema, Sparse, Texts, Whole, require
from penchant.threads import one_thread

_PROBED = 500


def _check_learned(state: Mapping[str, Any]) -> None:
    """Raise where a saved model lacks what its kernel needs, or its kernel does not stay finite."""
    linear = state["kernel"] == "linear" and state["on"] == "objects"
    wanted = {"coef_"} if linear else {"support_vectors_", "dual_coef_", "gamma_"}
    absent = wanted - state.keys()
    require(not absent, f"{', '.join(sorted(absent))} must be there for kernel={state['kernel']!r}")
    if not linear:
        whole = state["kernel"] != "poly" or state["degree"] == int(state["degree"])
        require(whole, f"degree must be a whole number, got {state['degree']}")
        some = state["support_vectors_"][:_PROBED]
        kernel = Kernel(state["kernel"], state["gamma_"], state["degree"], state["coef0"])
        with np.errstate(all="ignore"):
            pull = kernel(some, some) @ state["dual_coef_"][:_PROBED] if some.shape[0] else np.zeros(0)
        require(np.isfinite(pull).all(), "gamma_, degree and coef0 must give a finite kernel")


class RankSVM(PairRanker, BaseEstimator):  # type: ignore[misc]
    """Score rows so that better ones lead worse ones by a margin: ½‖w‖² + C/|P| Σ loss over the pairs P.

    Graded rows imply all pairs of different grades inside a query; they are never written out, so that one
    list of 100,000 rows is no harder than many short ones. Row weights multiply inside a pair, and |P| is the
    sum of the pairs' weights. There is no intercept, which no difference of scores would show.

    Parameters
    ----------
    C : float, default 1.0
        How much the mean loss counts beside ½‖w‖².
    kernel : {"linear", "rbf", "poly"} or callable, default "linear"
        A callable takes two matrices of rows and returns the matrix of the kernel between them. With a
        kernel at most 5,000 rows can be learned from.
    loss : {"squared_hinge", "hinge"}, default "squared_hinge"
        max(0, 1 − m)² or max(0, 1 − m) of the margin m by which the better row leads.
    on : {"objects", "differences"}, default "objects"
        Whether the kernel compares rows, which gives a score a row; or differences u, v of the two rows of a
        pair in the odd form ½[κ(u, v) − κ(u, −v)], which gives preferences that may run in circles, and of
        which Cohen's greedy rule makes an order. At most 5,000 pairs can be learned from so.
    gamma : float or "scale", default "scale"
        Of "rbf" and "poly"; "scale" is one over the number of features times their variance.
    degree, coef0 : float, default 3 and 1.0
        Of "poly".
    tol : float, default 1e-4
        The duality gap to reach, relative to the objective: ``objective_`` is then at most
        ``tol * objective_`` above its minimum, up to rounding. At least 1e-6 for the hinge.
    max_iter : int, default 200
        The most Newton steps. A warning reports the gap if they, or the digits of double precision, run out
        before ``tol`` is reached.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
        w, with the linear kernel on objects.
    support_vectors_ : ndarray or CSR matrix of shape (n_support, n_features)
        Otherwise: the rows, or the differences of rows, that scores are expanded in. They are those in pairs
        that fall short of the margin if the dual variables of these give scores within ``tol``; if not, as many
        as the kernel's matrix has rank.
    dual_coef_ : ndarray of shape (n_support,)
        What each of them adds to a score, times the kernel.
    gamma_ : float
        What ``gamma`` came to.
    objective_ : float
        ½‖w‖² + C/|P| Σ loss of the scores that `predict` gives the rows learned from.
    gap_ : float
        The duality gap relative to ``objective_``: the least objective is at least
        ``(1 - gap_) * objective_``, and w is within √(2·gap_·objective_) of the one that has it.
    n_iter_ : int
        The number of Newton steps.

    References
    ----------
    Joachims, Optimizing search engines using clickthrough data, KDD 2002.
    Lee and Lin, Large-scale linear RankSVM, Neural Computation 26 (2014).

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [5.0, 0.0], [6.0, 1.0]]
    >>> model = RankSVM(C=10).fit(X, [0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    >>> model.predict(X).argsort()[::-1]
    array([4, 3, 2, 1, 0])
    >>> model.score(X, [0, 1, 2, 0, 1], qid=["a", "a", "a", "b", "b"])
    1.0
    >>> RankSVM(kernel="rbf").fit_pairs(X, [(2, 1), (1, 0), (4, 3)]).predict(X).round(2)
    array([-0.23, -0.05,  0.13,  0.01,  0.19])
    """

    __metadata_request__predict: ClassVar = {"qid": True}

    __saved__: ClassVar = Schema(
        {
            "C": Number(above=0),
            "kernel": OneOf(KERNELS),
            "loss": OneOf(("squared_hinge", "hinge")),
            "on": OneOf(("objects", "differences")),
            "gamma": Either((OneOf(("scale",)), Number(above=0))),
            "degree": Number(0, 100),
            "coef0": Number(),
            "tol": Number(above=0),
            "max_iter": Number(above=0),
        },
        {"n_features_in_": Whole(1, size=True), "objective_": Number(0), "n_iter_": Whole(0)},
        {
            "gap_": Number(0),  # files of the first version have none
            "feature_names_in_": Texts("n_features_in_", array=True),
            "coef_": Array(("n_features_in_",), "float64 float32"),
            "support_vectors_": Either(
                (
                    Sparse(("n_support", "n_features_in_"), dtype="float64 float32"),
                    Array(("n_support", "n_features_in_"), "float64 float32"),
                )
            ),
            "dual_coef_": Array(("n_support",), "float64 float32"),
            "gamma_": Number(above=0),
        },
        rules=(_check_learned,),
    )

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: Literal["linear", "rbf", "poly"] | Callable[[Any, Any], Any] = "linear",
        loss: Literal["squared_hinge", "hinge"] = "squared_hinge",
        on: Literal["objects", "differences"] = "objects",
        gamma: float | Literal["scale"] = "scale",
        degree: float = 3,
        coef0: float = 1.0,
        tol: float = 1e-4,
        max_iter: int = 200,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.loss = loss
        self.on = on
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.tol = tol
        self.max_iter = max_iter

    def _learn_grades(self, rows: GradedRows) -> Self:
        graded = rows.grades, rows.queries, rows.weight
        if self.on == "differences":
            n_pairs = GradedPairs(*graded).n_pairs
            refuse_too_many(n_pairs, "the implied pairs", 'use on="objects"')
            return self._learn_differences(rows.X, *written_out(*graded))
        return self._learn(rows.X, implied_pairs(*graded), rows.weight)

    def _learn_pairs(self, X: Any, rows: Ints, weight: Floats) -> Self:
        if self.on == "differences":
            refuse_too_many(len(rows), "the pairs", 'use on="objects" or fewer pairs')
            return self._learn_differences(X, rows, weight)
        if self.kernel == "linear":
            return self._learn(X, StatedPairs(rows, weight))
        compared, places = np.unique(rows, return_inverse=True)
        return self._learn(X[compared], StatedPairs(places.reshape(rows.shape), weight))

    def predict(self, X: Any, *, qid: Iterable[Hashable] | None = None) -> Floats:
        """Return scores, larger is better, shape (n_rows,).

        With ``on="differences"`` preferences have no score behind them. The rows of each query are then
        ordered by Cohen's greedy rule, and a row's score is minus the number of rows before it; it means
        nothing outside of its query. `score` and the scorers of `penchant.metrics` give ``qid`` to ``predict``,
        scikit-learn's own scorers do not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        qid : array-like of shape (n_rows,), optional
            The query of each row, which matters with ``on="differences"`` only. None: one query.
        """
        X = known_features(self, X)
        if self.on == "differences":
            return ordered_queries(X, qid, self._preferences, cohen_order)[1]
        return self._scores(X)

    def preference_matrix(self, X: Any) -> Floats:
        """Return F with F[i, j] = 1 / (1 + exp(−margin of row i over row j)), shape (n_rows, n_rows).

        F + Fᵀ = 1. The margin is the difference of two scores, or what the kernel on differences says.

        Examples
        --------
        >>> X = np.array([[0.0], [1.0], [2.0]])
        >>> model = RankSVM(C=10, kernel="rbf", on="differences").fit(X, [0, 1, 2])
        >>> model.preference_matrix(X).round(2)
        array([[0.5 , 0.3 , 0.32],
               [0.7 , 0.5 , 0.3 ],
               [0.68, 0.7 , 0.5 ]])
        """
        return self._preferences(known_features(self, X))

    def _learn(self, X: Any, pairs: PairSums, weight: Floats | None = None) -> Self:
        if self.kernel == "linear":
            self.coef_ = self._solved(minimise, X, pairs).coef
            return self
        refuse_too_many(X.shape[0], "the rows", 'use kernel="linear" or fewer rows')
        kernel = self._made_kernel(X, weight)
        with one_thread():
            self._keep(X, self._solved(minimise_with_kernel, kernel(X, X), pairs).coef)
        return self

    def _learn_differences(self, X: Any, rows: Ints, weight: Floats) -> Self:
        """Learn from the margin of each pair: its lead over a last row, whose kernel with all rows is 0."""
        differences = X[rows[:, 0]] - X[rows[:, 1]]
        with one_thread():
            K = self._made_kernel(differences, weight).odd(differences, differences)
        n_pairs = len(rows)
        over_zero = np.column_stack([np.arange(n_pairs), np.full(n_pairs, n_pairs)])
        solution = self._solved(minimise_with_kernel, np.pad(K, (0, 1)), StatedPairs(over_zero, weight))
        self._keep(differences, solution.coef[:-1])
        return self

    def _solved(self, solve: Callable[..., Solution], X: Any, pairs: PairSums) -> Solution:
        with one_thread():
            found = solve(X, pairs, loss=self.loss, C=self.C, tol=self.tol, max_iter=self.max_iter)
        self.objective_, self.gap_ = found.objective, found.gap
        self.n_iter_ = max(1, found.n_iter)
        if found.gap > self.tol:
            self._warn_of_gap()
        return found

    def _warn_of_gap(self) -> None:
        if self.n_iter_ >= self.max_iter:
            why, remedy = f"max_iter={self.max_iter} steps", "raise max_iter"
        else:
            why, remedy = f"{self.n_iter_} steps, where double precision has no more digits,", "raise tol"
        warnings.warn(
            f"RankSVM stopped after {why} at gap_={self.gap_:.2g}, above tol={self.tol:g}: "
            f"scale the features, lower C, or {remedy}",
            PenchantWarning,
            stacklevel=6,
        )

    def _keep(self, X: Any, row_coef: Floats) -> None:
        support = np.flatnonzero(row_coef)
        self.support_vectors_, self.dual_coef_ = X[support], row_coef[support]

    def _made_kernel(self, X: Any, weight: Floats | None) -> Kernel:
        self.gamma_ = scaled_gamma(self.gamma, X, weight)
        return self._fitted_kernel()

    def _fitted_kernel(self) -> Kernel:
        return Kernel(self.kernel, self.gamma_, self.degree, self.coef0)

    def _scores(self, X: Any) -> Floats:
        with one_thread():
            if self.kernel == "linear":
                if not isinstance(X, np.ndarray) or X.dtype == self.coef_.dtype:
                    return np.asarray(X @ self.coef_, dtype=np.float64)
                # A product of two types converts the matrix: block by block, since it may be larger than memory.
                return np.concatenate([X[block] @ self.coef_ for block in blocks(X.shape[0])])
            kernel = self._fitted_kernel()
            return np.concatenate(
                [kernel(X[block], self.support_vectors_) @ self.dual_coef_ for block in blocks(X.shape[0])]
            )

    def _preferences(self, X: Any) -> Floats:
        from scipy.special import expit

        refuse_too_many_rows(X.shape[0])
        if self.on == "objects":
            scores = self._scores(X)
            return np.asarray(expit(np.subtract.outer(scores, scores)))
        margins = np.zeros((X.shape[0], X.shape[0]))
        kernel = self._fitted_kernel()
        with one_thread():
            for row in range(1, len(margins)):
                before = X[np.full(row, row)] - X[:row]
                margins[row, :row] = kernel.odd(before, self.support_vectors_) @ self.dual_coef_
        return np.asarray(expit(margins - margins.T))

    def _check_settings(self) -> None:
        for name in ("C", "tol", "max_iter"):
            above_zero(name, getattr(self, name))
        if self.loss == "hinge" and self.tol < LEAST_GAP:
            raise InvalidInput(
                f"tol must be at least {LEAST_GAP:g} for the hinge, got {self.tol:g}: raise it"
            )
        if self.gamma != "scale":
            above_zero("gamma", self.gamma)
        if not callable(self.kernel):
            one_of("kernel", self.kernel, KERNELS, other=" or a callable")
        one_of("loss", self.loss, ("squared_hinge", "hinge"))
        one_of("on", self.on, ("objects", "differences"))
