"""What every ranker has in common. Features with grades or pairs in, checked arrays out.

A ranker is a scikit-learn estimator. Its words here are Penchant's: ``y`` holds grades, larger is better;
``qid`` is the query of each row, and pairs are implied inside a query only; stated pairs have a method of
their own, ``fit_pairs``, better first.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from inspect import signature
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, index_pairs, positive, vector
from penchant.errors import InvalidInput
from penchant.metrics import pair_accuracy
from penchant.metrics.queries import Queries
from penchant.preferences import Preferences
from penchant.rankers.features import row_weight, training_features
from penchant.rankers.missing_queries import warn_of_missing_queries

MOST_PAIRS = 50_000_000


@dataclass(frozen=True, eq=False)
class GradedRows:
    """Graded rows of features, checked; at least one query holds two grades among rows of weight above 0.

    Attributes
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
        float64, or float32 where it came so.
    grades : ndarray of shape (n_rows,)
        Larger is better.
    queries : Queries
        The query of each row.
    weight : ndarray of shape (n_rows,)
        At least 0; a pair counts as much as the product of its two rows.
    """

    X: Any
    grades: Floats
    queries: Queries
    weight: Floats


class RankerMixin:
    """What rankers on (X, grades) share: routing of ``qid``, tags, checks and a score.

    Inherit it before ``BaseEstimator``. An estimator that takes sparse matrices or NaN says so in its
    ``__sklearn_tags__``, and the checks here follow that.
    """

    __metadata_request__fit: ClassVar = {"qid": True}
    # Pipeline.score always names sample_weight; here it is known, and refused when one is given.
    __metadata_request__score: ClassVar = {"qid": True, "sample_weight": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags

    def score(self, X: Any, y: ArrayLike, *, qid: Iterable[Hashable] | None = None) -> float:
        """Return the share of pairs inside queries that the scores order strictly as the grades do.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Grades, larger is better.
        qid : array-like of shape (n_rows,), optional
            The query of each row. None: one query.
        """
        grades = _grades(self, y)
        warn_of_missing_queries(grades, qid)
        return float(pair_accuracy(grades, predicted(self, X, qid), qid=qid).accuracy)

    def _graded_rows(
        self, X: Any, y: Any, qid: Iterable[Hashable] | None, sample_weight: ArrayLike | None
    ) -> GradedRows:
        """Return the arguments of ``fit``, checked, or say what is wrong with them."""
        if y is None:
            raise InvalidInput(
                f"{_name(self)} requires y to be passed, but the target y is None: give grades"
            )
        X = training_features(self, X)
        n_rows = X.shape[0]
        grades = _grades(self, y, n_rows)
        warn_of_missing_queries(grades, qid)
        queries = Queries.of(qid, n_rows)
        weight = row_weight(sample_weight, n_rows)
        _refuse_no_pairs(grades, queries, weight)
        return GradedRows(X, grades, queries, weight)

    def _paired_rows(self, X: Any, pairs: Any, weight: ArrayLike | None) -> tuple[Any, Ints, Floats]:
        """Return the arguments of ``fit_pairs``, checked: X, pairs of its rows (m, 2) and weights (m,)."""
        if isinstance(pairs, Preferences):
            rows, weights = _rows_of_preferences(pairs, X, weight)
            return training_features(self, X), rows, weights
        X = training_features(self, X)
        rows = index_pairs(pairs, X.shape[0])
        ones = np.ones(len(rows))
        return X, rows, ones if weight is None else positive("weight", weight, length=len(rows))


def predicted(ranker: Any, X: Any, qid: Iterable[Hashable] | None) -> Floats:
    """Return what ``ranker`` predicts, telling the queries to one that orders the rows of a query together."""
    told = {"qid": qid} if "qid" in signature(ranker.predict).parameters else {}
    scores: Floats = ranker.predict(X, **told)
    return scores


def ranking_scores(ranker: Any, X: Any, qid: Iterable[Hashable] | None) -> Floats:
    """Return scores by which a fitted ranker sorts rows; of one that predicts categories, what is behind them."""
    scores: Floats = ranker.decision(X) if hasattr(ranker, "decision") else predicted(ranker, X, qid)
    return scores


def _name(ranker: object) -> str:
    return type(ranker).__name__


def _grades(ranker: object, y: Any, n_rows: int | None = None) -> Floats:
    y = np.asarray(y)
    if y.ndim == 2:
        raise InvalidInput(
            f"grades y must be one number a row, got shape {y.shape}: y should be a 1d array; "
            f"stated pairs go to {_name(ranker)}.fit_pairs(X, pairs)"
        )
    return vector("grade", y, length=n_rows)


def _refuse_no_pairs(grades: Floats, queries: Queries, weight: Floats) -> None:
    counted = weight > 0
    codes, counted_grades = queries.codes[counted], grades[counted]
    lowest = np.full(len(queries.starts), np.inf)
    highest = -lowest
    np.minimum.at(lowest, codes, counted_grades)
    np.maximum.at(highest, codes, counted_grades)
    if not (lowest < highest).any():
        samples = "1 sample" if len(codes) == 1 else f"{len(codes):,} samples"
        raise InvalidInput(
            "two rows of one query must have different grades and weights above 0, got none in "
            f"{len(queries.starts):,} queries of {samples}: give grades that differ"
        )


def _rows_of_preferences(preferences: Preferences, X: Any, weight: ArrayLike | None) -> tuple[Ints, Floats]:
    """Return pairs of rows of X and their weights; ties say nothing about which is better."""
    if weight is not None:
        raise InvalidInput("weight must not be given beside Preferences, which hold their own: leave it out")
    if preferences.n_pairs > MOST_PAIRS:
        raise InvalidInput(
            f"pairs must be at most {MOST_PAIRS:,}, got {preferences.n_pairs:,} implied ones: "
            "give grades and qid to fit, which never writes pairs out"
        )
    said = preferences.comparisons()
    rows = preferences.match(X)[np.column_stack([said.better, said.worse])[~said.tie]]
    if not len(rows):
        raise InvalidInput(
            "preferences must hold at least one pair, got none: add comparisons that are no ties"
        )
    if (rows < 0).any():
        raise InvalidInput(
            "preferences must compare rows of X, got the bar of both-bad answers, which has no features: "
            "leave those answers out"
        )
    return rows, said.weight[~said.tie]
