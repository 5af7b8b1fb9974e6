"""The data sets of the lecture's three tasks.

Queries come in five parts, three for training, one for validation and one for testing, as in LETOR's folds; the 54, 18
and 18 queries of the MSLR sample are five parts of 18, so that its own split is the first of five.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.papers.sources import unpacked

PARTS = 5
QUERY_SETS: dict[str, tuple[int, int, int]] = {
    "letor4-mq2008": (784, 19, 46),
    "mslr-sample": (90, 102, 136),
    "letor2-ohsumed": (106, 152, 25),
}
"""How many queries, documents a query and features there are."""
LABEL_SETS: dict[str, tuple[int, int, int]] = {
    "authorship": (841, 70, 4),
    "bodyfat": (252, 7, 7),
    "calhousing": (20_640, 4, 4),
    "cold": (2_465, 24, 4),
    "cpu": (8_192, 6, 5),
    "diau": (2_465, 24, 7),
    "dtt": (2_465, 24, 4),
    "elevators": (16_599, 9, 9),
    "fried": (40_768, 9, 5),
    "glass": (214, 9, 6),
    "heat": (2_465, 24, 6),
    "housing": (506, 6, 6),
    "iris": (150, 4, 3),
    "pendigits": (10_992, 16, 10),
    "segment": (2_310, 18, 7),
    "spo": (2_465, 24, 11),
    "stock": (950, 5, 5),
    "vehicle": (846, 18, 4),
    "vowel": (528, 10, 11),
    "wine": (178, 13, 3),
    "wisconsin": (194, 16, 16),
}
"""How many rows, features and labels there are."""
SUSHI = (5_000, 26, 10)
CATEGORY_SETS: dict[str, tuple[int, int, int]] = {
    "automobile": (205, 71, 6),
    "balance_scale": (625, 4, 3),
    "bondrate": (57, 37, 5),
    "car": (1_728, 21, 4),
    "contact-lenses": (24, 6, 3),
    "era": (1_000, 4, 9),
    "esl": (488, 4, 9),
    "eucalyptus": (736, 91, 5),
    "lev": (1_000, 4, 5),
    "newthyroid": (215, 5, 3),
    "pasture": (36, 25, 3),
    "squash-stored": (52, 51, 3),
    "squash-unstored": (52, 52, 3),
    "swd": (1_000, 10, 4),
    "tae": (151, 54, 3),
    "winequality-red": (1_599, 11, 6),
    "gagolews/abalone_ord": (4_177, 10, 10),
    "gagolews/affairs": (265, 17, 6),
    "gagolews/auto_ord": (392, 7, 10),
    "gagolews/auto_riskness": (160, 15, 6),
    "gagolews/bostonhousing_ord": (506, 13, 5),
    "gagolews/cement_strength": (998, 8, 5),
    "gagolews/glass": (213, 9, 6),
    "gagolews/kinematics": (8_192, 8, 8),
    "gagolews/machine_ord": (199, 6, 10),
    "gagolews/skill": (3_337, 18, 7),
    "gagolews/stock_ord": (950, 9, 5),
    "gagolews/winequality-red": (1_359, 11, 6),
    "gagolews/winequality-white": (3_961, 11, 7),
    "gagolews/wisconsin_breast_ord": (194, 32, 5),
}
"""How many rows, features and categories there are."""
MISSING = -(2.0**31)
"""The value that one of the sets has for a missing number."""


@dataclass(frozen=True, eq=False)
class GradedQueries:
    """The graded documents of several queries.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    grades : ndarray of shape (n,)
    qid : ndarray of shape (n,)
        Numbered from 0 as the queries come, rising.
    """

    X: Floats
    grades: Floats
    qid: Ints

    @classmethod
    def joined(cls, parts: list[GradedQueries]) -> GradedQueries:
        """Concatenate parts."""
        qid = np.concatenate([part.qid + 1_000_000 * place for place, part in enumerate(parts)])
        X, grades = (
            np.concatenate([part.X for part in parts]),
            np.concatenate([part.grades for part in parts]),
        )
        return cls(X, grades, np.unique(qid, return_inverse=True)[1])

    def first(self, documents: int | None) -> GradedQueries:
        """Return the first queries with at most so many documents, at least one query; None: all."""
        if documents is None:
            return self
        sizes = np.bincount(self.qid)
        n_queries = max(1, int((np.cumsum(sizes) <= documents).sum()))
        kept = self.qid < n_queries
        return GradedQueries(self.X[kept], self.grades[kept], self.qid[kept])


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of features with the target of each.

    Attributes
    ----------
    X : ndarray of shape (n, n_features)
    target : ndarray of shape (n,) or (n, n_labels)
        The category of each row, numbered from 0, or the rank of each label, 1 being the best.
    """

    X: Floats
    target: Ints

    def drawn(self, most: int | None, seed: int) -> Rows:
        """Draw at most so many rows; None: all, in their order."""
        if most is None or len(self.X) <= most:
            return self
        kept = np.sort(np.random.default_rng(seed).permutation(len(self.X))[:most])
        return Rows(self.X[kept], self.target[kept])


def query_parts(name: str, *, seed: int, data: Path | None) -> list[GradedQueries]:
    """Return the five parts of a set of queries, or of its stand-in.

    Examples
    --------
    >>> [len(np.unique(part.qid)) for part in query_parts("mslr-sample", seed=0, data=None)]
    [18, 18, 18, 18, 18]
    """
    if data is None:
        return _made_up_parts(*QUERY_SETS[name], seed=seed)
    with unpacked(data, name) as folder:
        if name == "mslr-sample":
            train, vali, test = (_letor(folder / f"{part}.txt", name) for part in ("train", "vali", "test"))
            return [*_split(train, PARTS - 2), vali, test]
        return [_letor(folder / f"S{part}.txt", name) for part in range(1, PARTS + 1)]


def fold(n: int, number: int, folds: int, seed: int) -> tuple[Ints, Ints]:
    """Return the training and test rows of one of the folds of n rows.

    Examples
    --------
    >>> fold(6, 0, 3, seed=0)
    (array([1, 2, 3, 5]), array([0, 4]))
    """
    belongs = np.random.default_rng(seed).permutation(n) % folds
    return np.flatnonzero(belongs != number), np.flatnonzero(belongs == number)


def label_rows(*, names: tuple[str, ...], seed: int, data: Path | None) -> dict[str, Rows]:
    """Return sets of complete rankings by name."""
    if data is None:
        return {name: made_up_rankings(*LABEL_SETS[name], seed=seed) for name in names}
    with unpacked(data, "label-ranking") as folder:
        return {name: _rankings(folder / "label_ranking" / f"{name}.csv") for name in names}


def sushi_rows(*, seed: int, data: Path | None) -> Rows:
    """Return the features of the guests and their rankings of ten kinds of sushi.

    A guest is a sex, an age, the region of youth and of today (eleven and abroad), and east or west for both.
    """
    if data is None:
        return made_up_rankings(*SUSHI, seed=seed)
    with unpacked(data, "sushi") as folder:
        orders = np.loadtxt(folder / "sushi3a.5000.10.order", skiprows=1, dtype=np.int64)[:, 2:]
        guests = np.loadtxt(folder / "sushi3.udata", dtype=np.int64)
    regions = [guests[:, column, None] == np.unique(guests[:, column]) for column in (5, 8)]
    return Rows(
        np.column_stack([guests[:, [1, 2, 6, 9]], *regions]).astype(np.float64), np.argsort(orders) + 1
    )


def category_rows(*, names: tuple[str, ...], seed: int, data: Path | None) -> dict[str, Rows]:
    """Return sets of ordered categories by name."""
    if data is None:
        return {name: made_up_categories(*CATEGORY_SETS[name], seed=seed) for name in names}
    with unpacked(data, "ordinal") as folder:
        return {name: _categories(folder / f"{name}.csv", 0 if "/" in name else -1) for name in names}


def scaled(train: Floats, *others: Floats) -> list[Floats]:
    """Standardise features to mean 0 and deviation 1 on the training rows, and scale the others alike.

    Examples
    --------
    >>> scaled(np.array([[1.0], [3.0]]), np.array([[4.0]]))[1]
    array([[2.]])
    """
    middle, width = train.mean(axis=0), train.std(axis=0)
    width[width == 0] = 1
    return [(rows - middle) / width for rows in (train, *others)]


def made_up_rankings(n: int, n_features: int, n_labels: int, *, seed: int) -> Rows:
    """Return rows whose labels are ranked by a linear taste for each, with noise."""
    random = np.random.default_rng((seed, n, n_labels))
    X = random.standard_normal((n, n_features))
    taste = X @ random.standard_normal((n_features, n_labels)) / np.sqrt(n_features)
    liked = taste + random.standard_normal(n_labels) + random.standard_normal((n, n_labels)) / 2
    return Rows(X, np.argsort(np.argsort(-liked)) + 1)


def made_up_categories(n: int, n_features: int, n_categories: int, *, seed: int) -> Rows:
    """Return rows whose category is the interval of a noisy linear score."""
    random = np.random.default_rng((seed, n, n_features))
    X = random.standard_normal((n, n_features))
    score = X @ random.standard_normal(n_features) / np.sqrt(n_features) + random.logistic(scale=0.3, size=n)
    return Rows(X, np.argsort(np.argsort(score)) * n_categories // n)


def _made_up_parts(queries: int, documents: int, features: int, *, seed: int) -> list[GradedQueries]:
    from penchant.simulate import WebSearch

    web = WebSearch.synthetic(n_queries=queries, n_documents=documents, n_features=features, seed=seed)
    qid = np.repeat(np.arange(queries), np.diff(web.starts))
    return _split(GradedQueries(web.features.astype(np.float64), web.grades.astype(np.float64), qid), PARTS)


def _split(given: GradedQueries, parts: int) -> list[GradedQueries]:
    groups = np.array_split(np.arange(given.qid[-1] + 1), parts)
    return [
        GradedQueries(given.X[rows], given.grades[rows], given.qid[rows] - group[0])
        for group in groups
        for rows in [np.isin(given.qid, group)]
    ]


def _letor(path: Path, name: str) -> GradedQueries:
    from sklearn.datasets import load_svmlight_file

    X, grades, qid = load_svmlight_file(
        str(path), n_features=QUERY_SETS[name][2], query_id=True, zero_based=False
    )
    return GradedQueries(X.toarray(), grades, np.cumsum(np.r_[0, np.diff(qid) != 0]))


def _table(path: Path) -> Floats:
    """Return the numbers below the first line; missing ones become the median of their column."""
    rows = np.loadtxt(path, delimiter=",", quotechar='"', skiprows=1)
    present = np.where(rows == MISSING, np.nan, rows)
    return np.where(np.isnan(present), np.nanmedian(present, axis=0), present)


def _rankings(path: Path) -> Rows:
    with path.open() as lines:
        n_features = int(next(lines).split(",")[1])
    rows = _table(path)
    return Rows(rows[:, :n_features], rows[:, n_features:].astype(np.int64))


def _categories(path: Path, place: int) -> Rows:
    rows: Any = _table(path)
    return Rows(np.delete(rows, place, axis=1), np.unique(rows[:, place], return_inverse=True)[1])
