"""Check the input of rankers, and give them what they share: query routing, tags and a score.

A ranker is a scikit-learn estimator: ``y`` holds grades, larger is better; ``qid`` is the query of each row, and pairs
are implied inside a query only; stated pairs have a method of their own, ``fit_pairs``, better first.
"""

from __future__ import annotations

import sys
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from inspect import signature
from itertools import pairwise
from typing import Any, ClassVar, Self
from warnings import warn

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, validate_data

from penchant.checks import Floats, Ints, index_pairs, positive, shown, vector
from penchant.errors import InvalidInput, NotFitted, PenchantWarning
from penchant.metrics import pair_accuracy
from penchant.metrics.queries import Queries, row_weights
from penchant.preferences import Preferences
from penchant.progress import step_done

BLOCK = 1 << 16
"""Rows that are predicted together where there are many."""


class RankerNotFitted(NotFitted, NotFittedError):  # type: ignore[misc]
    """A ranker was asked before it was taught; scikit-learn's word for it and Penchant's are both true."""


def training_features(estimator: Any, X: Any) -> Any:
    """Return ``X`` checked, and note on ``estimator`` how many features there are and what they are called."""
    return _validated(estimator, X, reset=True)


def known_features(estimator: Any, X: Any) -> Any:
    """Return ``X`` checked, with the features that the fitted ``estimator`` was taught with."""
    check_fitted(estimator)
    return _validated(estimator, X, reset=False)


def check_fitted(estimator: Any) -> None:
    """Raise unless the estimator is fitted."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        ways = "fit or fit_pairs" if hasattr(estimator, "fit_pairs") else "fit"
        raise RankerNotFitted(f"{type(estimator).__name__} must be fitted first: call {ways}") from None


def _validated(estimator: Any, X: Any, *, reset: bool) -> Any:
    allowed = estimator.__sklearn_tags__().input_tags
    try:
        return validate_data(
            estimator,
            X,
            reset=reset,
            accept_sparse="csr" if allowed.sparse else False,
            dtype=(np.float64, np.float32),
            ensure_all_finite="allow-nan" if allowed.allow_nan else True,
        )
    except ValueError as error:
        raise _words_among(X) or InvalidInput(str(error)) from error


def _words_among(X: Any) -> InvalidInput | None:
    """Return the error about the first column of features that holds words; None if none does."""
    names = getattr(X, "columns", None)
    cells = X.to_numpy(dtype=object) if names is not None and hasattr(X, "to_numpy") else np.asarray(X)
    if cells.ndim != 2 or cells.dtype.kind not in "OUS":
        return None
    for place in range(cells.shape[1]):
        word = next((cell for cell in cells[:, place].tolist() if _is_word(cell)), None)
        if word is not None:
            which = f"column {place}" if names is None else f"column {str(names[place])!r}"
            return InvalidInput.of(
                f"features in {which}",
                "be numbers",
                f"words such as {shown(word)}",
                "make a column of 0 and 1 of each level but one, as pandas.get_dummies(X, drop_first=True, "
                "dtype=float) does",
            )
    return None


def _is_word(cell: Any) -> bool:
    """Whether a cell is text that is no number."""
    if not isinstance(cell, str | bytes):
        return False
    try:
        float(cell)
    except ValueError:
        return True
    return False


def row_weight(sample_weight: ArrayLike | None, n_rows: int) -> Floats:
    """Return the weight of each row, 1 where none is given; raise where one is below 0."""
    if sample_weight is None:
        return np.ones(n_rows)
    return row_weights(sample_weight, n_rows)


def queries_of_sizes(group: ArrayLike | None, qid: Iterable[Hashable] | None, y: ArrayLike) -> Any:
    """Return the query of each row of ``y``, given as such or by the sizes of queries that follow one another.

    Examples
    --------
    >>> queries_of_sizes([2, 1], None, [0, 1, 0])
    array([0, 0, 1])
    """
    if group is None:
        return qid
    if qid is not None:
        raise InvalidInput("group and qid both name the queries, got both: give one of them")
    sizes = np.asarray(group)
    if sizes.ndim != 1 or sizes.dtype.kind not in "iu" or (sizes < 1).any():
        raise InvalidInput.of(
            "group",
            "be the number of rows of each query, whole numbers above 0",
            shown(group),
            "count the rows",
        )
    n_rows = np.size(y)
    total = sum(sizes.tolist())  # of Python's integers, which do not overflow
    if total != n_rows:
        raise InvalidInput.of("group", f"add up to {n_rows:,} rows", f"{total:,}", "count the rows again")
    return np.repeat(np.arange(len(sizes)), sizes)


# A person grades hundreds of rows, and search engines cut their lists at 1,000: more rows in a few grades are
# mostly the pooled rows of several queries. Finer targets, such as sales, are those of one list.
MOST_ROWS, MOST_GRADES = 1_000, 20
_LIBRARIES = {"penchant", "sklearn", "joblib"}
_warned: set[tuple[str, int]] = set()


def warn_of_missing_queries(grades: Floats, qid: Iterable[Hashable] | None) -> None:
    """Warn that many rows in few grades came without ``qid``, once for each line of the caller.

    A search fits many times behind one line, and scikit-learn makes Python forget what it has warned of.

    Parameters
    ----------
    grades : ndarray of shape (n_rows,)
    qid : array-like of shape (n_rows,), optional
    """
    if qid is not None or len(grades) <= MOST_ROWS or len(np.unique(grades)) > MOST_GRADES:
        return
    line, stacklevel = _line_of_the_caller()
    if line in _warned:
        return
    warn(
        f"qid must name the query of each row, got none for more than {MOST_ROWS:,} rows in at most {MOST_GRADES} "
        "grades, and all rows are compared as one list: pass qid=qid, also to a pipeline or a search, after "
        "sklearn.set_config(enable_metadata_routing=True); groups is for the folds only. "
        "If the rows are one list, pass qid=np.zeros(len(y))",
        PenchantWarning,
        stacklevel=stacklevel,
    )
    _warned.add(line)


def _line_of_the_caller() -> tuple[tuple[str, int], int]:
    """Return the line outside of the libraries that led here, and its stack level as seen by my caller."""
    frame, level = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in _LIBRARIES:
        frame, level = frame.f_back, level + 1
    return (frame.f_code.co_filename, frame.f_lineno), level


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

    Examples
    --------
    >>> from penchant.rankers import RankSVM
    >>> X, grades = [[0.0], [1.0], [2.0]], [0, 1, 2]
    >>> model = RankSVM().fit(X, grades)
    >>> isinstance(model, RankerMixin), round(float(model.score(X, grades)), 2)
    (True, 1.0)
    """

    __metadata_request__fit: ClassVar = {"qid": True}
    __metadata_request__score: ClassVar = {"qid": True, "sample_weight": None}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.target_tags.required = True
        return tags

    def score(
        self,
        X: Any,
        y: ArrayLike,
        *,
        qid: Iterable[Hashable] | None = None,
        group: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float:
        """Return the share of pairs inside queries that the scores order strictly as the grades do.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Grades, larger is better.
        qid : array-like of shape (n_rows,), optional
            The query of each row. None: one query.
        group : array-like of int, optional
            Instead of ``qid``: the number of rows of each query, which follow one another.
        sample_weight : array-like of shape (n_rows,), optional
            At least 0. A pair counts as much as the product of its two rows.
        """
        grades = _grades(self, y)
        qid = queries_of_sizes(group, qid, grades)
        warn_of_missing_queries(grades, qid)
        scores = predicted(self, X, qid)
        return float(pair_accuracy(grades, scores, qid=qid, sample_weight=sample_weight).accuracy)

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


class PairRanker(RankerMixin, ABC):
    """A ranker that learns from pairs of rows, implied by grades or stated.

    A subclass writes `_check_settings`, `_learn_grades` and `_learn_pairs`.
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        *,
        qid: Iterable[Hashable] | None = None,
        group: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from graded rows: inside a query, a row with a higher grade is better than one with a lower.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Grades, larger is better.
        qid : array-like of shape (n_rows,), optional
            The query of each row; only rows of one query are compared. None: one query.
        group : array-like of int, optional
            Instead of ``qid``: the number of rows of each query, which follow one another, as LightGBM and XGBoost
            take them. It has no entry for each row, so that scikit-learn's searches and folds need ``qid``.
        sample_weight : array-like of shape (n_rows,), optional
            At least 0. A pair counts as much as the product of its two rows; rows of weight 0 are left out.
        """
        self._check_settings()
        queries = queries_of_sizes(group, qid, y)
        return self._learn_grades(self._graded_rows(X, y, queries, sample_weight))

    def fit_pairs(self, X: Any, pairs: Any, *, weight: ArrayLike | None = None) -> Self:
        """Learn from stated pairs.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_rows, n_features)
        pairs : int array-like of shape (n_pairs, 2), or Preferences
            Rows of X, better first. Preferences are matched to a frame by its index, to an array by row; their ties
            are left out.
        weight : array-like of shape (n_pairs,), optional
            Above 0; two is as good as stating a pair twice. Not beside Preferences, which hold their own.
        """
        self._check_settings()
        return self._learn_pairs(*self._paired_rows(X, pairs, weight))

    @abstractmethod
    def _check_settings(self) -> None:
        """Reject settings outside their limits."""

    @abstractmethod
    def _learn_grades(self, rows: GradedRows) -> Self:
        """Learn from checked rows with grades."""

    @abstractmethod
    def _learn_pairs(self, X: Any, rows: Ints, weight: Floats) -> Self:
        """Learn from checked pairs of rows of ``X``, better first."""


def predicted(ranker: Any, X: Any, qid: Iterable[Hashable] | None) -> Floats:
    """Return what ``ranker`` predicts; one that orders the rows of a query together is given ``qid``."""
    routed = {"qid": qid} if "qid" in signature(ranker.predict).parameters else {}
    scores: Floats = ranker.predict(X, **routed)
    return scores


def predicted_in_blocks(ranker: Any, X: Any, qid: Iterable[Hashable] | None) -> Floats:
    """Return what `predicted` does, in blocks of rows with their progress; the rows of a query stay together."""
    together = "qid" in signature(ranker.predict).parameters
    n_rows = X.shape[0]
    cuts = _cuts(n_rows, qid if together else range(n_rows))
    rows, parts = X.iloc if hasattr(X, "iloc") else X, []
    for begin, end in pairwise(cuts):
        step_done(begin, n_rows)
        queries = np.asarray(qid)[begin:end] if together and qid is not None else None
        parts.append(predicted(ranker, rows[begin:end], queries))
    return np.concatenate(parts)


def _cuts(n_rows: int, qid: Iterable[Hashable] | None) -> list[int]:
    """Return the bounds of blocks that hold whole queries; of one block where the rows of a query are not adjacent."""
    if n_rows <= BLOCK or qid is None:
        return [0, n_rows]
    codes = np.unique(np.asarray(qid), return_inverse=True)[1]
    changes = np.flatnonzero(np.diff(codes)) + 1
    if len(changes) != codes.max():
        return [0, n_rows]
    places = np.searchsorted(changes, np.arange(BLOCK, n_rows, BLOCK))
    return [0, *np.unique(changes[places[places < len(changes)]]).tolist(), n_rows]


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
    comparisons = preferences.comparisons()
    rows = preferences.match(X)[np.column_stack([comparisons.better, comparisons.worse])[~comparisons.tie]]
    if not len(rows):
        raise InvalidInput(
            "preferences must hold at least one pair, got none: add comparisons that are no ties"
        )
    if (rows < 0).any():
        raise InvalidInput(
            "preferences must compare rows of X, got the bar of both-bad answers, which has no features: "
            "leave those answers out"
        )
    return rows, comparisons.weight[~comparisons.tie]
