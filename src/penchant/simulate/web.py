"""The web search setting: queries with graded documents and their true utilities.

The setting of the papers (paper 2, section 6.1.1): the truth w* is the least-squares fit of the labels on all data.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, same_length, vector
from penchant.coactive import RankingMap
from penchant.coactive.features import finite, scores
from penchant.errors import InvalidInput
from penchant.simulate.contexts import Documents
from penchant.threads import one_thread

BLOCK = 1 << 16  # rows that are turned into float64 at once


class WebSearch:
    """Queries with graded documents; each round is one query, drawn without replacement until all were there.

    Parameters
    ----------
    features : array of shape (n_rows, n_features)
        float32 or float64, as they are: `from_rows` scales and shuffles. Rows of one query stand together.
    starts : int array of shape (n_queries + 1,)
        Where each query's rows begin, and the end.
    grades : array of shape (n_rows,)
        Relevance labels, at least 0.
    weights : array of shape (n_features,), optional
        w*; None: the least-squares fit of the grades.
    feature_map : RankingMap, optional
        What a ranking is worth; None: eq. 21.

    Examples
    --------
    >>> web = WebSearch.synthetic(n_queries=20, n_documents=8, n_features=5, seed=1)
    >>> web.n_queries, web.n_features, len(web.weights)
    (20, 5, 5)
    >>> query = web.documents(0)
    >>> query.features.shape == (len(query.grades), 5)
    True
    """

    default_runs = 20

    def __init__(
        self,
        features: NDArray[Any],
        starts: ArrayLike,
        grades: ArrayLike,
        *,
        weights: ArrayLike | None = None,
        feature_map: RankingMap | None = None,
    ) -> None:
        self.features = _matrix(features)
        self.starts = _starts(starts, len(self.features))
        self.grades = vector("grade", grades, length=len(self.features))
        if (self.grades < 0).any():
            raise InvalidInput(f"grades must be at least 0, got {self.grades.min():g}: shift them")
        self.feature_map = RankingMap() if feature_map is None else feature_map
        given = least_squares(self.features, self.grades) if weights is None else weights
        self.weights = vector("weights", given, length=self.features.shape[1])
        self.utilities = np.concatenate([scores(block, self.weights) for block in _blocks(self.features)])

    @classmethod
    def from_rows(
        cls, features: Any, grades: ArrayLike, qid: ArrayLike, *, seed: int = 0, **settings: Any
    ) -> Self:
        """Scale each feature to [0, 1], put the rows of each query together, and shuffle them.

        Without shuffling a file that is sorted by label would tell the labels to whoever breaks ties by index.

        Parameters
        ----------
        features : array or sparse matrix of shape (n_rows, n_features)
        grades, qid : array-like of shape (n_rows,)
        seed : int
        **settings
            ``weights`` and ``feature_map`` of the class.

        Examples
        --------
        >>> web = WebSearch.from_rows([[2.0], [4.0], [3.0]], [0, 1, 1], ["a", "b", "a"])
        >>> web.starts, sorted(web.features.ravel())
        (array([0, 2, 3]), [np.float64(0.0), np.float64(0.5), np.float64(1.0)])
        """
        X = features.toarray() if hasattr(features, "toarray") else np.asarray(features)
        X = _matrix(np.ascontiguousarray(X, dtype=X.dtype if X.dtype == np.float32 else np.float64))
        queries = np.asarray(qid)
        same_length("qid", queries, len(X))
        _, query = np.unique(queries, return_inverse=True)
        order = np.lexsort((np.random.default_rng(seed).random(len(X)), query))
        starts = np.concatenate([[0], np.cumsum(np.bincount(query))])
        grades = vector("grade", grades, length=len(X))
        return cls(_scaled(X)[order], starts, grades[order], **settings)

    @classmethod
    def read(cls, paths: str | Path | Iterable[str | Path], *, seed: int = 0, **settings: Any) -> Self:
        """Read one or several LETOR files as one set; queries of different files are different.

        Parameters
        ----------
        paths : path or several
        seed, **settings
            As of `from_rows`.
        """
        from scipy.sparse import csr_array, vstack

        from penchant.formats import read_file

        files = [paths] if isinstance(paths, str | Path) else list(paths)
        readings = [read_file(Path(path), format="letor", strict=True, ids=False) for path in files]
        width = max(_of(reading.features).shape[1] for reading in readings)
        rows = [_widened(csr_array(_of(reading.features)), width) for reading in readings]
        grades = np.concatenate([_of(reading.grades) for reading in readings])
        qid = np.concatenate([_of(reading.qid) for reading in readings])
        file = np.repeat(np.arange(len(readings)), [len(_of(reading.qid)) for reading in readings])
        _, query = np.unique(np.column_stack([file, qid]), axis=0, return_inverse=True)
        return cls.from_rows(vstack(rows), grades, query.ravel(), seed=seed, **settings)

    @classmethod
    def synthetic(
        cls,
        *,
        n_queries: int = 28_000,
        n_documents: int = 25,
        n_features: int = 700,
        redundant: bool = False,
        seed: int = 0,
        feature_map: RankingMap | None = None,
    ) -> Self:
        """Return a made-up set of the shape of the Yahoo set, with labels from 0 to 4 and noise in them.

        Features are float32 in [0, 1]; at full size they take 2 GB.

        Parameters
        ----------
        n_queries, n_documents, n_features : int
            ``n_documents`` is the average of a query.
        redundant : bool, default False
            Whether features say nearly the same, as those of real sets do: their covariance then has an effective
            rank of 7 and a condition number of about 5,500. Learning is much slower on such features.
        seed : int
        feature_map : RankingMap, optional
        """
        from penchant.simulate.data.synthetic_web import made_up

        made = made_up(n_queries, n_documents, n_features, seed, redundant=redundant)
        return cls(*made, feature_map=feature_map)

    @property
    def n_queries(self) -> int:
        """How many queries there are."""
        return len(self.starts) - 1

    @property
    def n_features(self) -> int:
        """How many features a document has."""
        return int(self.features.shape[1])

    @property
    def places(self) -> int:
        """How many positions of a ranking are recorded: those that count."""
        return self.feature_map.depth

    @cached_property
    def best_utilities(self) -> Floats:
        """The utility of each query's best ranking, shape (n_queries,)."""
        return self._best(self.utilities)

    @cached_property
    def best_dcgs(self) -> Floats:
        """The DCG of each query's ranking by grade, shape (n_queries,)."""
        return self._best(self.grades)

    def n_rounds(self, rounds: int | None) -> int:
        """Return how many rounds are played: as many as asked for, or one for each query."""
        return self.n_queries if rounds is None else rounds

    def n_runs(self, runs: int | None) -> int:
        """Return how many runs are played: as many as asked for, or twenty, as in the papers."""
        return self.default_runs if runs is None else runs

    def documents(self, query: int) -> Documents:
        """Return the documents of one query."""
        rows = slice(self.starts[query], self.starts[query + 1])
        return Documents(self.features[rows], self.utilities[rows], self.grades[rows], self.feature_map)

    def queries(self, rounds: int, seed: int) -> Ints:
        """Return the query of each round: one random order of all of them after another."""
        random = np.random.default_rng(seed)
        turns = [random.permutation(self.n_queries) for _ in range(-(-rounds // self.n_queries))]
        return np.concatenate(turns)[:rounds]

    def session(self, run: int, rounds: int, seed: int) -> QuerySession:
        """Return one run's rounds."""
        return QuerySession(self, self.queries(rounds, seed))

    def _best(self, values: Floats) -> Floats:
        query = np.repeat(np.arange(self.n_queries), np.diff(self.starts))
        order = np.lexsort((-values, query))
        place = np.arange(len(values)) - self.starts[query]
        discounts = np.append(self.feature_map.discounts, 0.0)[np.minimum(place, self.places)]
        return np.add.reduceat(values[order] * discounts, self.starts[:-1])


class QuerySession:
    """One run over queries: a round shows the next, and leaves all as it was."""

    def __init__(self, web: WebSearch, queries: Ints) -> None:
        self.web = web
        self.queries = queries

    def context(self, t: int) -> Documents:
        """Return the documents of round ``t``, from 0."""
        return self.web.documents(self.queries[t])

    def tops(self, presented: Ints, feedback: Ints) -> tuple[Ints, Ints]:
        """Return the documents at the positions that count."""
        places = self.web.places
        return presented[:places], np.asarray(feedback)[:places]


def least_squares(features: NDArray[Any], grades: Floats) -> Floats:
    """Return the weights of the smallest norm with the least squared error, shape (n_features,).

    Examples
    --------
    >>> least_squares(np.array([[1.0, 1.0], [2.0, 2.0]]), np.array([2.0, 4.0])).round(6)
    array([1., 1.])
    """
    squares = np.zeros((features.shape[1], features.shape[1]))
    products = np.zeros(features.shape[1])
    begin = 0
    with one_thread():
        for block in _blocks(features):
            squares += block.T @ block
            products += block.T @ grades[begin : begin + len(block)]
            begin += len(block)
        return np.asarray(np.linalg.lstsq(squares, products, rcond=1e-12)[0], dtype=np.float64)


def _blocks(features: NDArray[Any]) -> Iterable[Floats]:
    for begin in range(0, len(features), BLOCK):
        yield features[begin : begin + BLOCK].astype(np.float64, copy=False)


def _matrix(features: NDArray[Any]) -> NDArray[Any]:
    X = np.asarray(features)
    if X.dtype not in (np.float32, np.float64) or X.ndim != 2 or not X.size:
        raise InvalidInput(
            f"features must be a float matrix with at least 1 row and column, got {X.dtype} of shape "
            f"{X.shape}: give one row a document"
        )
    with np.errstate(over="ignore"):  # in the sums of squares
        all_finite = all(finite(block.reshape(-1)) for block in _blocks(X))
    if not all_finite:
        row, column = np.argwhere(~np.isfinite(X))[0]
        raise InvalidInput(
            f"features of row {row}, column {column} must be a finite number, got {X[row, column]}: "
            "remove or repair the row"
        )
    return np.ascontiguousarray(X)


def _starts(starts: ArrayLike, n_rows: int) -> Ints:
    given = np.asarray(starts)
    fits = given.ndim == 1 and given.dtype.kind in "iu" and len(given) > 1
    if not fits or given[0] != 0 or given[-1] != n_rows or (np.diff(given) < 1).any():
        raise InvalidInput(
            f"starts must rise from 0 to the {n_rows} rows, at least one row a query, got {given}: "
            "give where each query begins, and the end"
        )
    return given.astype(np.int64)


def _scaled(X: NDArray[Any]) -> NDArray[Any]:
    low, high = X.min(axis=0), X.max(axis=0)
    scaled: NDArray[Any] = (X - low) / np.where(high > low, high - low, 1)
    return scaled


def _widened(rows: Any, width: int) -> Any:
    rows.resize((rows.shape[0], width))
    return rows


def _of(found: Any) -> Any:
    if found is None:
        raise InvalidInput("a LETOR file must hold features, grades and queries, got none: check the file")
    return found
