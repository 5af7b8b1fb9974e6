"""Rank by any classifier of pairs.

The lecture's two-step scheme for object ranking: a classifier learns f(x, x'), the preference for x over x',
and the order that agrees with these preferences the most is searched for afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput
from penchant.orders import cohen_order, component_order, optimal_order
from penchant.preferences import Preferences
from penchant.rankers.ranker import GradedRows, PairRanker, known_features
from penchant.rankers.solvers import classifiers
from penchant.rankers.solvers.query_orders import ordered_queries, refuse_too_many_rows
from penchant.schema import Maybe, OneOf, Schema, Texts, Whole, require

_ORDERS: dict[str, Callable[[Floats], Ints]] = {
    "cohen": cohen_order,
    "exact": optimal_order,
    "components": component_order,
}
_FEATURES = ("concatenate", "difference")
_BLOCK_CELLS = 4_000_000


def _check_seen(state: Mapping[str, Any]) -> None:
    seen = state["n_features_in_"] * (2 if state["features"] == "concatenate" else 1)
    width = getattr(state["estimator_"], "n_features_in_", None)
    require(width == seen, f"estimator_ must be taught {seen} features, got {width}")


class PairwiseRanker(PairRanker, BaseEstimator):  # type: ignore[misc]
    """Rank by any classifier that is taught which of two rows is better.

    Each pair is shown to the classifier both ways. The preference for a over b is then
    f(a, b) = (p(a, b) + 1 − p(b, a))/2, so that f(a, b) + f(b, a) = 1 whatever the classifier says.

    Parameters
    ----------
    estimator : scikit-learn classifier, optional
        Logistic regression where it is None. p is its ``predict_proba``, else the logistic function of its
        ``decision_function``, else its hard label. It takes sparse matrices and NaN where this one does.
    features : {"concatenate", "difference"}, default "concatenate"
        What the classifier sees of a pair: (x, x') side by side, or x − x'.
    order : {"cohen", "exact", "components"}, default "cohen"
        How preferences become an order: `cohen_order`, `optimal_order` (at most 16 rows a query) or
        `component_order`.
    max_pairs : int, default 1,000,000
        The most pairs to write out; each becomes two rows for the classifier.

    Attributes
    ----------
    estimator_ : classifier
        Taught on pairs.
    n_pairs_ : int
        The number of pairs that it was taught.

    See Also
    --------
    RankSVM, RankBoost : never write pairs out, and score each row by itself.

    References
    ----------
    Cohen, Schapire and Singer, Learning to order things, JAIR 10 (1999).

    Examples
    --------
    >>> X = [[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]]
    >>> model = PairwiseRanker().fit(X, [0, 1, 2, 3])
    >>> model.rank(X)
    array([4, 3, 2, 1])
    >>> bool(model.preference_matrix(X)[3, 0] > 0.9)
    True
    """

    __metadata_request__predict: ClassVar = {"qid": True}

    __saved__: ClassVar = Schema(
        {
            "estimator": Maybe(classifiers.Classifier()),
            "features": OneOf(_FEATURES),
            "order": OneOf(tuple(_ORDERS)),
            "max_pairs": Whole(0),
        },
        {
            "n_features_in_": Whole(1, size=True),
            "estimator_": classifiers.Classifier(taught=True),
            "n_pairs_": Whole(1),
        },
        {"feature_names_in_": Texts("n_features_in_", array=True)},
        rules=(_check_seen,),
    )

    def __init__(
        self,
        estimator: Any = None,
        *,
        features: Literal["concatenate", "difference"] = "concatenate",
        order: Literal["cohen", "exact", "components"] = "cohen",
        max_pairs: int = 1_000_000,
    ) -> None:
        self.estimator = estimator
        self.features = features
        self.order = order
        self.max_pairs = max_pairs

    def _learn_grades(self, rows: GradedRows) -> Self:
        counted = np.flatnonzero(rows.weight > 0)
        implied = Preferences.from_grades(rows.grades[counted], rows.queries.codes[counted])
        self._refuse_too_many(implied.n_pairs)
        pairs = counted[implied.pairs()]
        return self._taught(rows.X, pairs, rows.weight[pairs].prod(axis=1))

    def _learn_pairs(self, X: Any, rows: Ints, weight: Floats) -> Self:
        self._refuse_too_many(len(rows))
        return self._taught(X, rows, weight)

    def _taught(self, X: Any, pairs: Ints, weight: Floats) -> Self:
        better, worse = pairs.T
        seen = self._seen(X, np.r_[better, worse], np.r_[worse, better])
        answers = np.repeat([1, 0], len(pairs))
        classifier = classifiers.fresh_classifier(self.estimator, seen.shape[1])
        with classifiers.threads_for(self.estimator):
            self.estimator_ = classifiers.taught(classifier, seen, answers, np.tile(weight, 2))
        self.n_pairs_ = len(pairs)
        return self

    def preference_matrix(self, X: Any) -> Floats:
        """Return F, F[i, j] being the preference for row i over row j, shape (n, n); F + Fᵀ = 1."""
        return self._preferences(known_features(self, X))

    def rank(self, X: Any, *, qid: Iterable[Hashable] | None = None) -> Ints:
        """Return the rank of each row inside its query, shape (n,): 1 is best, and each rank is given once."""
        return self._ranks_and_scores(X, qid)[0]

    def predict(self, X: Any, *, qid: Iterable[Hashable] | None = None) -> Floats:
        """Return scores that sort the rows of each query into their order, shape (n,).

        A score is minus the number of rows of the query that stand before. Neighbours in the order that are
        preferred to one another by exactly ½ share a score, so that ties show. A score depends on the rows
        that it is asked for together and means nothing outside of its query: give ``qid`` where there are
        several. `score` and the scorers of `penchant.metrics` give ``qid`` to ``predict``, scikit-learn's own
        scorers do not.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n, n_features)
        qid : array-like of shape (n,), optional
            The query of each row. None: one query.
        """
        return self._ranks_and_scores(X, qid)[1]

    def _ranks_and_scores(self, X: Any, qid: Iterable[Hashable] | None) -> tuple[Ints, Floats]:
        return ordered_queries(known_features(self, X), qid, self._preferences, _ORDERS[self.order])

    def _preferences(self, X: Any) -> Floats:
        n_rows = X.shape[0]
        refuse_too_many_rows(n_rows)
        everyone = np.arange(n_rows)
        wins = np.empty((n_rows, n_rows))
        height = max(1, _BLOCK_CELLS // (n_rows * 2 * X.shape[1]))
        for start in range(0, n_rows, height):
            block = everyone[start : start + height]
            seen = self._seen(X, np.repeat(block, n_rows), np.tile(everyone, len(block)))
            with classifiers.threads_for(self.estimator):
                wins[block] = classifiers.first_wins_probability(self.estimator_, seen).reshape(
                    len(block), n_rows
                )
        return 0.5 + (wins - wins.T) / 2

    def _seen(self, X: Any, first: Ints, second: Ints) -> Any:
        """Return what the classifier sees of the pairs (first, second) of rows, one a row."""
        if self.features == "difference":
            return X[first] - X[second]
        if isinstance(X, np.ndarray):
            return np.hstack([X[first], X[second]])
        from scipy.sparse import hstack

        return hstack([X[first], X[second]], format="csr")

    def _check_settings(self) -> None:
        classifiers.check_classifier(self.estimator)
        for name, allowed in {"features": _FEATURES, "order": tuple(_ORDERS)}.items():
            if getattr(self, name) not in allowed:
                raise InvalidInput(
                    f"{name} must be {' or '.join(map(repr, allowed))}, got {shown(getattr(self, name))}: "
                    "choose one"
                )

    def _refuse_too_many(self, n_pairs: int) -> None:
        if n_pairs > self.max_pairs:
            raise InvalidInput(
                f"pairs must be at most max_pairs={self.max_pairs:,}, since all are written out, got "
                f"{n_pairs:,}: raise max_pairs, give a sample of pairs to fit_pairs, or use RankSVM or "
                "RankBoost, which need not write them out"
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse, tags.input_tags.allow_nan = classifiers.accepted_inputs(self.estimator)
        return tags
