"""Joint feature maps φ(x, y) of contexts and objects.

A learner knows objects only through its map: what they are, how they are scored, and which is best.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from operator import index
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, one_of, shown, whole
from penchant.coactive.features import joined, matrix, scores, weighted_sum, weighted_sums
from penchant.errors import InvalidInput, UnknownItem
from penchant.orders.ranks import check_order
from penchant.schema import OneOf, Schema, Whole

_FEW = 256  # candidates for which plain Python, or a stable sort, is as fast


class FeatureMap(Protocol):
    """What a learner needs to know about the objects that it presents.

    Any object with `joint` and `argmax` will do; both raise for a context or an object that cannot be used with
    `InvalidInput`. One may have ``difference(context, better, worse)`` too, which returns
    φ(x, better) − φ(x, worse), where that can be had faster than by two joint maps.

    Examples
    --------
    >>> from penchant.coactive import ItemMap
    >>> x = np.array([[1.0, 0.0], [0.0, 2.0]])
    >>> ItemMap().argmax(np.array([1.0, 1.0]), x), ItemMap().joint(x, 1)
    (1, array([0., 2.]))
    """

    @abstractmethod
    def joint(self, context: Any, obj: Any) -> Floats:
        """Return φ(x, y), an array of shape (n_features,) or a sparse one of one row."""

    @abstractmethod
    def argmax(self, weights: Floats, context: Any) -> Any:
        """Return arg max_y wᵀφ(x, y); of several, the one with the lowest index."""


def difference_of(feature_map: FeatureMap, context: Any, better: Any, worse: Any) -> Floats:
    """Return φ(x, better) − φ(x, worse), shape (n_features,), by the map's own ``difference`` if it has one."""
    faster = getattr(feature_map, "difference", None)
    if faster is not None:
        return _features(faster(context, better, worse))
    up, down = (_features(feature_map.joint(context, obj)) for obj in (better, worse))
    if up.shape != down.shape:
        raise InvalidInput(
            f"joint features of two objects must have one shape, got {up.shape} and {down.shape}: "
            "correct joint of the feature map"
        )
    return up - down


def _features(given: Any) -> Floats:
    """Return what a map gives as floats; a sparse row becomes a vector."""
    if type(given) is np.ndarray and given.dtype == np.float64:
        features: Floats = given
        return features
    if hasattr(given, "toarray"):
        dense = np.asarray(given.toarray())
        given = dense[0] if dense.ndim == 2 and len(dense) == 1 else dense
    try:
        return np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"joint features must be numbers, got {shown(given)}: correct joint of the feature map"
        ) from None


@dataclass(frozen=True)
class RankingMap(FeatureMap):
    """Rankings: φ(x, y) = Σᵢ x_{yᵢ} / log(i + 1) over the ``depth`` first places (eq. 21).

    A context is a matrix of shape (n_documents, n_features), dense or sparse; an object is an order of all
    its rows, best first. Presenting is sorting by wᵀx.

    Parameters
    ----------
    depth : int, default 5
        How many places count; in a shorter list all do.
    log : {"natural", "base2"}, default "natural"

    Examples
    --------
    >>> X = np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    >>> ranking = RankingMap(depth=2, log="base2")
    >>> order = ranking.argmax(np.array([1.0, 2.0]), X)
    >>> order
    array([2, 1, 0])
    >>> ranking.joint(X, order).round(3)
    array([1.   , 1.631])
    """

    __saved__: ClassVar = Schema({"depth": Whole(1), "log": OneOf(("natural", "base2"))})

    depth: int = 5
    log: Literal["natural", "base2"] = "natural"

    def __post_init__(self) -> None:
        whole("depth", self.depth, 1)
        one_of("log", self.log, ("natural", "base2"))

    @property
    def discounts(self) -> Floats:
        """What each of the first places counts, 1 / log(i + 1), shape (depth,); read-only."""
        return _discounts(self.depth, self.log)

    def joint(self, context: Any, obj: ArrayLike) -> Floats:
        """Return φ(x, y), shape (n_features,)."""
        X = matrix(context)
        top = quick_order("order", obj, X.shape[0])[: self.depth]
        return weighted_sum(X, top, _discounts(len(top), self.log))

    def argmax(self, weights: Floats, context: Any) -> Ints:
        """Return the rows from the largest score to the smallest, ties in the order of their indices."""
        return descending(scores(context, weights))

    def difference(self, context: Any, better: ArrayLike, worse: ArrayLike) -> Floats:
        """Return φ(x, better) − φ(x, worse), exactly 0 where the places that count are the same."""
        X = matrix(context)
        up = quick_order("feedback", better, X.shape[0])
        down = quick_order("presented", worse, X.shape[0])
        return self.checked_difference(X, up, down)

    def checked_difference(self, X: Any, better: Ints, worse: Ints, rows: Ints | None = None) -> Floats:
        """Return `difference` of a matrix and orders that were checked before.

        Where ``rows`` are given, candidate i is row ``rows[i]`` of the matrix: it may hold many others.
        """
        up, down = better[: self.depth], worse[: self.depth]
        return weighted_sum(X, np.concatenate((up, down)), _signed(len(up), self.log), rows)

    def checked_differences(
        self, X: Any, better: list[list[int]], worse: list[list[int]], starts: list[int]
    ) -> Floats:
        """Return `checked_difference` of many rounds, shape (n_rounds, n_features), to the last bit.

        Round t has the candidates from row ``starts[t]`` of a CSR matrix to the next round's.
        """
        return weighted_sums(X, starts, *_counted(self, better, starts), *_counted(self, worse, starts))

    def join(self, context: Any, presented: ArrayLike, outside: Any) -> tuple[Any, Ints]:
        """Return context and presented order with results from outside, which were not shown, at the end.

        The result from row j of ``outside`` is then candidate n_documents + j, and feedback may put it
        anywhere.

        Examples
        --------
        >>> X, order = RankingMap().join([[1.0], [2.0]], [1, 0], [[5.0]])
        >>> X.ravel(), order
        (array([1., 2., 5.]), array([1, 0, 2]))
        """
        X = matrix(context)
        order = quick_order("presented", presented, X.shape[0])
        both = joined(X, outside)
        return both, np.concatenate([order, np.arange(X.shape[0], both.shape[0])])

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Self:
        return cls(**state)


@dataclass(frozen=True)
class ItemMap(FeatureMap):
    """Single items: φ(x, y) = x_y.

    A context is a matrix of shape (n_items, n_features), dense or sparse; an object is one row's index.

    Examples
    --------
    >>> ItemMap().argmax(np.array([1.0, -1.0]), [[0.0, 1.0], [2.0, 0.0], [3.0, 1.0]])
    1
    """

    __saved__: ClassVar = Schema({})

    def joint(self, context: Any, obj: int) -> Floats:
        """Return the features of row ``obj``, shape (n_features,)."""
        X = matrix(context)
        return _row(X, _item("item", obj, X.shape[0]))

    def argmax(self, weights: Floats, context: Any) -> int:
        """Return the row of the largest score; of several, the first."""
        return int(scores(context, weights).argmax())

    def difference(self, context: Any, better: int, worse: int) -> Floats:
        """Return the features of ``better`` less those of ``worse``."""
        X = matrix(context)
        first, second = _item("feedback", better, X.shape[0]), _item("presented", worse, X.shape[0])
        return _row(X, first) - _row(X, second)

    def checked_difference(self, X: Any, better: Ints, worse: Ints, rows: Ints | None = None) -> Floats:
        """Return `difference` of the first of two orders, which were checked before, as the matrix was.

        Where ``rows`` are given, candidate i is row ``rows[i]`` of the matrix: it may hold many others.
        """
        first, second = (int(order[0] if rows is None else rows[order[0]]) for order in (better, worse))
        return _row(X, first) - _row(X, second)

    def checked_differences(
        self, X: Any, better: list[list[int]], worse: list[list[int]], starts: list[int]
    ) -> Floats:
        """Return `checked_difference` of many rounds, as `RankingMap.checked_differences` does."""
        up, down = (
            np.array([start + order[0] for order, start in zip(orders, starts, strict=True)], dtype=np.int64)
            for orders in (better, worse)
        )
        ones = np.ones(len(starts))
        return weighted_sums(X, starts, up, ones, down, ones)

    def join(self, context: Any, presented: int, outside: Any) -> tuple[Any, int]:
        """Return the context with items from outside below it, and the presented item, which stays.

        Examples
        --------
        >>> ItemMap().join([[1.0], [2.0]], 1, [[5.0]])[0].ravel()
        array([1., 2., 5.])
        """
        X = matrix(context)
        return joined(X, outside), _item("presented", presented, X.shape[0])


@lru_cache
def _discounts(depth: int, log: str) -> Floats:
    places = np.arange(1, depth + 1)
    discounts: Floats = 1 / (np.log(places + 1) if log == "natural" else np.log2(places + 1))
    discounts.flags.writeable = False
    return discounts


def _counted(feature_map: RankingMap, orders: list[list[int]], starts: list[int]) -> tuple[Ints, Floats]:
    """Return the rows in the places that count of all orders, and the discounts of their places."""
    depth = feature_map.depth
    rows = [start + item for order, start in zip(orders, starts, strict=True) for item in order[:depth]]
    discounts = [_discounts(min(depth, len(order)), feature_map.log) for order in orders]
    return np.array(rows, dtype=np.int64), np.concatenate(discounts)


@lru_cache
def _signed(depth: int, log: str) -> Floats:
    discounts = _discounts(depth, log)
    return np.concatenate((discounts, -discounts))


def quick_order(name: str, order: Any, n_documents: int) -> Ints:
    """Return what `check_order` does, at once where the order is an array that fits."""
    quick = type(order) is np.ndarray and order.dtype == np.int64 and order.shape == (n_documents,)
    if quick and _is_order(order):
        checked: Ints = order
        return checked
    return check_order(name, order, length=n_documents)


def _is_order(order: Ints) -> bool:
    n = order.size
    if n <= _FEW:
        return set(order.tolist()) == _numbers(n)
    if order.min() < 0 or order.max() >= n:
        return False
    met = np.zeros(n, dtype=bool)
    met[order] = True
    return bool(met.all())


@lru_cache
def _numbers(n: int) -> frozenset[int]:
    return frozenset(range(n))


def descending(scores: Floats) -> Ints:
    """Return the places of finite scores from the largest to the smallest, ties in the order of their indices."""
    if scores.size > _FEW:
        order = (-scores).argsort()  # which is faster, and the same where there are no ties
        ranked = scores[order]
        if (ranked[1:] != ranked[:-1]).all():
            return order
    return (-scores).argsort(kind="stable")


def _item(name: str, item: Any, n_items: int) -> int:
    try:
        place = index(item)
    except TypeError:
        raise InvalidInput(f"{name} must be the index of a row, got {shown(item)}: give an integer") from None
    if isinstance(item, bool) or not 0 <= place < n_items:
        raise UnknownItem(
            f"{name} must be a row from 0 to {n_items - 1}, got {item}: give a candidate's index"
        )
    return place


def _row(X: Any, place: int) -> Floats:
    if isinstance(X, np.ndarray):
        row: Floats = X[place]
        return row.copy()
    return np.asarray(X[[place]].toarray(), dtype=np.float64).ravel()
