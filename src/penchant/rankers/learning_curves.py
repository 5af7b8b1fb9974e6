"""Score a ranker on unseen queries as its data or its rounds grow."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from penchant.checks import Floats, Ints, vector
from penchant.errors import InvalidInput
from penchant.metrics import evaluate
from penchant.metrics.queries import Queries
from penchant.progress import reported_to, step_done
from penchant.rankers.ranker import ranking_scores
from penchant.schema import Array, Schema, Text, Whole

if TYPE_CHECKING:
    from pandas import DataFrame

_SHARES = (0.05, 0.1, 0.2, 0.4, 0.7, 1.0)
_STAGES = 30


@dataclass(frozen=True, eq=False)
class LearningCurve:
    """NDCG of a ranker on queries that it learned from and on unseen ones, as it learns.

    Attributes
    ----------
    model : str
        What was fitted.
    along : str
        What grows: ``"training queries"`` or ``"rounds"``.
    k : int
        Where NDCG was cut.
    steps : ndarray of shape (n_points,)
        How many of them.
    unseen, unseen_error : ndarray of shape (n_points,)
        Mean NDCG over unseen queries, and its standard error.
    seen, seen_error : ndarray of shape (n_points,)
        The same over the queries that were learned from.
    n_unseen : int
        How many unseen queries have an NDCG.

    Examples
    --------
    >>> from penchant.rankers import RankBoost
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(200, 4)), np.arange(200) // 10
    >>> curve = rounds_curve(RankBoost(8), X, X[:, 0] > 0.5, qid=qid)
    >>> curve.model, curve.along, curve.steps.tolist()
    ('RankBoost(n_estimators=8)', 'rounds', [1, 2, 3, 4, 5, 6, 7, 8])
    """

    __saved__: ClassVar = Schema(
        {
            "model": Text(),
            "along": Text(),
            "k": Whole(1),
            "steps": Array(("n",), "int64", least=0),
            **{name: Array(("n",), nan=True) for name in ("unseen", "unseen_error", "seen", "seen_error")},
            "n_unseen": Whole(0),
        }
    )

    model: str
    along: str
    k: int
    steps: Ints
    unseen: Floats
    unseen_error: Floats
    seen: Floats
    seen_error: Floats
    n_unseen: int

    def to_frame(self) -> DataFrame:
        """Return the curve as a pandas frame, one row a point."""
        from pandas import DataFrame

        names = ("steps", "unseen", "unseen_error", "seen", "seen_error")
        return DataFrame({name: getattr(self, name) for name in names})


def learning_curve(
    ranker: Any,
    X: Any,
    y: ArrayLike,
    *,
    qid: Iterable[Hashable],
    sizes: Sequence[int] | None = None,
    unseen: float = 0.25,
    k: int = 10,
    seed: int = 0,
) -> LearningCurve:
    """Fit a ranker to more and more queries, and score it on queries that it never sees.

    The queries are shuffled once; each training set holds the one before it. Queries in which all grades are
    equal teach nothing and are left out.

    Parameters
    ----------
    ranker : estimator on (X, grades)
        It is cloned and stays as it is. One that predicts categories is taken by its ``decision``.
    X : array-like or sparse matrix of shape (n_rows, n_features)
    y : array-like of shape (n_rows,)
        Grades, at least 0, larger is better.
    qid : array-like of shape (n_rows,)
        The query of each row.
    sizes : sequence of int, optional
        Numbers of training queries; from 5 % to all of those that are not held out unless given.
    unseen : float, default 0.25
        The share of queries to hold out, at least two.
    k : int, default 10
        Where NDCG is cut.
    seed : int, default 0
        Of the shuffle.

    Examples
    --------
    >>> from penchant.rankers import RankSVM
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(400, 10)), np.arange(400) // 10
    >>> curve = learning_curve(RankSVM(), X, X[:, 0] > 1, qid=qid, sizes=[1, 3, 9])
    >>> curve.steps, curve.unseen.round(2)
    (array([1, 3, 9]), array([0.7 , 0.84, 1.  ]))
    """
    X, y, queries = _telling_rows(X, y, qid)
    shuffled, held_out = _shuffled(queries, unseen, seed)
    asked = _sizes(sizes, int(shuffled.max()) + 1)
    test = _Rows(X, y, shuffled, held_out, k)
    points = []
    for size in asked.tolist():
        training = _Rows(X, y, shuffled, (shuffled >= 0) & (shuffled < size), k)
        with reported_to(None):  # the points are the steps
            fitted = training.fitted(clone(ranker))
        points.append((test.score(fitted), training.score(fitted)))
        step_done(len(points), len(asked))
    return _curve(ranker, "training queries", k, asked, points)


def rounds_curve(
    ranker: Any,
    X: Any,
    y: ArrayLike,
    *,
    qid: Iterable[Hashable],
    unseen: float = 0.25,
    k: int = 10,
    seed: int = 0,
) -> LearningCurve:
    """Score a boosted ranker after its rounds, on queries that it learned from and on unseen ones.

    Parameters
    ----------
    ranker : estimator with ``staged_predict``, such as RankBoost
        It is cloned and stays as it is.
    X, y, qid, unseen, k, seed
        As in `learning_curve`.

    Examples
    --------
    >>> from penchant.rankers import RankBoost
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.normal(size=(200, 4)), np.arange(200) // 10
    >>> rounds_curve(RankBoost(8), X, X[:, 0] > 0.5, qid=qid).unseen.round(2)
    array([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    if not hasattr(ranker, "staged_predict"):
        raise InvalidInput(
            f"ranker must learn in rounds, got {type(ranker).__name__}: use learning_curve, or RankBoost"
        )
    X, y, queries = _telling_rows(X, y, qid)
    shuffled, held_out = _shuffled(queries, unseen, seed)
    test, training = (_Rows(X, y, shuffled, rows, k) for rows in (held_out, ~held_out))
    fitted = training.fitted(clone(ranker))
    n_rounds = len(fitted.stumps_)
    if not n_rounds:
        raise InvalidInput("at least one round must learn something, got none that did: give other features")
    at = np.unique(np.linspace(1, n_rounds, min(_STAGES, n_rounds)).round().astype(np.int64))
    points = list(zip(test.stages(fitted, at), training.stages(fitted, at), strict=True))
    return _curve(ranker, "rounds", k, at, points)


class _Rows:
    """Some of the rows, to fit and to score."""

    def __init__(self, X: Any, y: Floats, queries: Ints, chosen: NDArray[np.bool_], k: int) -> None:
        rows = np.flatnonzero(chosen)
        self.X, self.y, self.qid, self.k = X[rows], y[rows], queries[rows], k

    def fitted(self, ranker: Any) -> Any:
        routed = {"qid": self.qid} if "qid" in signature(ranker.fit).parameters else {}
        return ranker.fit(self.X, self.y, **routed)

    def score(self, ranker: Any) -> Any:
        return self._figure(ranking_scores(ranker, self.X, self.qid))

    def stages(self, ranker: Any, at: Ints) -> Iterator[Any]:
        wanted = set(at.tolist())
        for number, scores in enumerate(ranker.staged_predict(self.X), 1):
            if number in wanted:
                yield self._figure(scores)

    def _figure(self, scores: Floats) -> Any:
        return evaluate(self.y, scores, qid=self.qid, k=self.k).figures[0]


def _shuffled(queries: Queries, unseen: float, seed: int) -> tuple[Ints, NDArray[np.bool_]]:
    """Return for each row its training query in the order of learning, below 0 if unseen; and which are unseen."""
    n_queries = len(queries.starts)
    if not 0 < unseen < 1 or n_queries < 4:
        raise InvalidInput(
            f"queries must be at least 4 and unseen between 0 and 1, got {n_queries} and {unseen:g}: "
            "give more queries, some of them to hold out"
        )
    n_unseen = min(max(2, round(unseen * n_queries)), n_queries - 1)
    place = np.random.default_rng(seed).permutation(n_queries) - n_unseen
    of_row = place[queries.codes]
    return of_row, of_row < 0


def _sizes(sizes: Sequence[int] | None, most: int) -> Ints:
    if sizes is None:
        return np.unique(np.ceil(np.multiply(_SHARES, most)).astype(np.int64))
    asked = np.unique(np.asarray(sizes, dtype=np.int64))
    if not asked.size or asked[0] < 1 or asked[-1] > most:
        raise InvalidInput(
            f"sizes must be from 1 to {most} queries, those that are not held out, got {list(sizes)}: correct them"
        )
    return asked


def _telling_rows(X: Any, y: ArrayLike, qid: Iterable[Hashable]) -> tuple[Any, Floats, Queries]:
    """Return the rows of queries in which grades differ; names of features are of no use here."""
    features = X.tocsr() if hasattr(X, "tocsr") else np.asarray(X)
    grades = vector("grade", y, length=features.shape[0])
    queries = Queries.of(qid, len(grades))
    by_query = grades[np.argsort(queries.codes, kind="stable")]
    lowest, highest = (ufunc.reduceat(by_query, queries.starts) for ufunc in (np.minimum, np.maximum))
    rows = np.flatnonzero((lowest < highest)[queries.codes])
    if not rows.size:
        raise InvalidInput("grades must differ in some queries, got none that do: give other grades or qid")
    return features[rows], grades[rows], Queries.of(queries.codes[rows], len(rows))


def _curve(ranker: Any, along: str, k: int, at: Ints, points: list[tuple[Any, Any]]) -> LearningCurve:
    figures = np.array([[(f.mean, f.standard_error) for f in point] for point in points])
    (unseen, unseen_error), (seen, seen_error) = figures[:, 0].T, figures[:, 1].T
    n_unseen = points[0][0].queries
    return LearningCurve(repr(ranker), along, k, at, unseen, unseen_error, seen, seen_error, n_unseen)
