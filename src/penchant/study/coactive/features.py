"""Features of the items of a study, as learners take them, and candidates as matrices."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, Sequence
from math import isfinite
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints
from penchant.coactive import NamedLearner
from penchant.coactive.encoding import entries
from penchant.errors import InvalidInput
from penchant.study.coactive.contexts import (
    Candidates,
    DenseCandidates,
    ItemCandidates,
    NamedCandidates,
    decoded,
)
from penchant.study.coactive.presentations import Shown
from penchant.study.coactive.state import State
from penchant.study.items import Item

DENSE_ITEMS = 2**26
"""Numbers of the items' features that are kept as a dense matrix at most: 512 MiB."""
CACHED = 2**26
"""Bytes of decoded contexts that are kept at most."""


def item_features(item: Item, named: Sequence[str] | None) -> dict[str, Any]:
    """Return the features of an item: those of its fields that are named, or all that are numbers.

    A text that is a number counts as one; another text is a category where the field is named.

    Examples
    --------
    >>> tea = Item("a", "Tea", fields={"price": "2.5", "new": True, "maker": "Lotus"})
    >>> item_features(tea, None), item_features(tea, ["maker"])
    ({'price': 2.5, 'new': True}, {'maker': 'Lotus'})
    """
    found: dict[str, Any] = {}
    for name in item.fields if named is None else named:
        value = item.fields.get(name)
        number = _number(value)
        if number is not None:
            found[name] = number
        elif named is not None and isinstance(value, str) and value:
            found[name] = value
    return found


def _number(value: Any) -> float | bool | None:
    if isinstance(value, bool):
        return value
    try:
        number = float(value) if isinstance(value, int | float | str) else float("nan")
    except (ValueError, OverflowError):
        return None
    return number if isfinite(number) else None


def check_items(items: Iterable[Item], settings: Mapping[str, Any]) -> list[str]:
    """Return the names of the features of items, or name the item and the feature that cannot be used."""
    listed = list(items)
    rows = [item_features(item, settings["features"]) for item in listed]
    found = entries(rows, [item.id for item in listed])
    return list(dict.fromkeys(found.names))


class ItemMatrix:
    """The features of all versions of the items, in the columns of a learner."""

    def __init__(self) -> None:
        self._known = 0
        self._names: int = -1
        self._matrix: Any = None
        self._memory = np.empty((0, 0))

    def rows(self, state: State, learner: NamedLearner, versions: Ints) -> Any:
        """Return the rows of some versions of items, an array or a sparse matrix; good until the next call."""
        X = self.all(state, learner)
        if versions.size == X.shape[0] and self._is_all(versions):
            return X
        return self._taken(X, versions) if isinstance(X, np.ndarray) else X[versions]

    def all(self, state: State, learner: NamedLearner) -> Any:
        """Return the rows of all versions of items."""
        if self._known != len(state.item_versions) or self._names != learner.n_names:
            self._build(state, learner)
        return self._matrix

    def _taken(self, X: Floats, versions: Ints) -> Floats:
        """Return rows in memory that the next call uses again: to fault in new pages costs as much as copying."""
        if self._memory.shape[0] < versions.size or self._memory.shape[1] != X.shape[1]:
            self._memory = np.empty((versions.size, X.shape[1]))
        return X.take(versions, axis=0, out=self._memory[: versions.size], mode="clip")

    def _is_all(self, versions: Ints) -> bool:
        """Return whether these are all rows in their order."""
        return bool((versions == np.arange(versions.size)).all())

    def _build(self, state: State, learner: NamedLearner) -> None:
        features = [item_features(item, state.settings["features"]) for item in state.item_versions]
        X = learner.matrix(features)
        if not isinstance(X, np.ndarray) and X.shape[0] * X.shape[1] <= DENSE_ITEMS:
            X = X.toarray()
        self._matrix, self._known, self._names = X, len(state.item_versions), learner.n_names


class Matrices:
    """Contexts as matrices in the columns of a learner; the last ones are kept.

    Parameters
    ----------
    state : State
    load : callable
        Returns the stored bytes of a context by its hash; None where there are none.
    """

    def __init__(self, state: State, load: Callable[[str], bytes | None]) -> None:
        self._state = state
        self._load = load
        self._items = ItemMatrix()
        self._kept: OrderedDict[str, tuple[Candidates, int, Any]] = OrderedDict()
        self._size = 0

    def clear(self) -> None:
        """Drop everything that is kept: columns have changed."""
        self._items = ItemMatrix()
        self._kept.clear()
        self._size = 0

    def candidates(self, hash: str) -> Candidates:
        """Return the candidates of a context."""
        kept = self._kept.get(hash)
        if kept is not None:
            self._kept.move_to_end(hash)
            return kept[0]
        content = self._load(hash)
        if content is None:
            raise InvalidInput(
                "the context of a presentation must be stored to be used, and was erased: present it again"
            )
        found = decoded(content, self._state)
        self.keep(hash, found)
        return found

    def keep(self, hash: str, candidates: Candidates, width: int = -1, matrix: Any = None) -> None:
        """Keep a context, and its matrix in the first ``width`` names, for a while."""
        old = self._kept.pop(hash, None)
        if old is not None:
            self._size -= _size(old[0], old[2])
        self._kept[hash] = candidates, width, matrix
        self._size += _size(candidates, matrix)
        while self._size > CACHED and len(self._kept) > 1:
            _, (oldest, _, old_matrix) = self._kept.popitem(last=False)
            self._size -= _size(oldest, old_matrix)

    def forget(self, hashes: Iterable[str]) -> None:
        """Drop contexts that were erased."""
        for hash in hashes:
            kept = self._kept.pop(hash, None)
            if kept is not None:
                self._size -= _size(kept[0], kept[2])

    def names(self, candidates: Candidates) -> Sequence[str]:
        """Return the names of the features that candidates bring with them."""
        if isinstance(candidates, ItemCandidates):
            return ()
        if isinstance(candidates, NamedCandidates):
            return candidates.names
        return candidates.features(self._state.settings["names"]).names

    def of_shown(self, shown: Shown, learner: NamedLearner) -> Any:
        """Return the matrix of a presentation, of items as they were when it was made."""
        X, rows = self.rows_of_shown(shown, learner)
        return X if rows is None else X[rows]

    def rows_of_shown(self, shown: Shown, learner: NamedLearner) -> tuple[Any, Ints | None]:
        """Return the matrix of a presentation, or that of all items with the rows of those presented."""
        candidates = self.candidates(shown.context)
        if isinstance(candidates, ItemCandidates):
            versions = self._state.versions(candidates.numbers, shown.number)
            return self._items.all(self._state, learner), versions
        kept = self._kept.get(shown.context)
        if kept is not None and kept[2] is not None and kept[1] == learner.n_names:
            return kept[2], None
        X = self.of(candidates, learner)
        self.keep(shown.context, candidates, learner.n_names, X)
        return X, None

    def of_new(self, hash: str, candidates: Candidates, learner: NamedLearner) -> Any:
        """Return the matrix of candidates that are about to be presented, and keep them for feedback."""
        if isinstance(candidates, ItemCandidates):
            self.keep(hash, candidates)
            return self.of(candidates, learner)
        kept = self._kept.get(hash)
        if kept is not None and kept[2] is not None and kept[1] == learner.n_names:
            return kept[2]
        X = self.of(candidates, learner)
        self.keep(hash, candidates, learner.n_names, X)
        return X

    def of(self, candidates: Candidates, learner: NamedLearner) -> Any:
        """Return the matrix of candidates; items are as they are now."""
        if isinstance(candidates, ItemCandidates):
            return self._items.rows(self._state, learner, self._state.versions(candidates.numbers))
        return learner.matrix(candidates.features(self._state.settings["names"]), candidates.ids)

    def named_values(self, shown: Shown) -> list[dict[str, float]]:
        """Return the features of each candidate of a presentation, by name and not scaled."""
        candidates = self.candidates(shown.context)
        if isinstance(candidates, ItemCandidates):
            versions = self._state.versions(candidates.numbers, shown.number).tolist()
            items = [self._state.item_versions[version] for version in versions]
            found = entries([item_features(item, self._state.settings["features"]) for item in items])
            return _rows(found.names, found.values, found.counts)
        if isinstance(candidates, NamedCandidates):
            names = [candidates.names[column] for column in candidates.columns.tolist()]
            return _rows(names, candidates.values, candidates.counts)
        names = list(candidates.features(self._state.settings["names"]).names)
        return [dict(zip(names, row, strict=True)) for row in candidates.values.tolist()]


def in_columns(X: Any, names: Sequence[str], wanted: Sequence[str]) -> Any:
    """Return candidates whose columns are ``names`` in the columns ``wanted``: what is missing is 0.

    Examples
    --------
    >>> in_columns(np.array([[1.0, 2.0]]), ["price", "stars"], ["stars", "new"])
    array([[2., 0.]])
    """
    if names == wanted:
        return X
    place = {name: column for column, name in enumerate(names[: X.shape[1]])}
    pairs = [(place[name], column) for column, name in enumerate(wanted) if name in place]
    if isinstance(X, np.ndarray):
        found = np.zeros((X.shape[0], max(1, len(wanted))))
        found[:, [column for _, column in pairs]] = X[:, [old for old, _ in pairs]]
        return found
    from scipy.sparse import csr_array

    old, new = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    shape = (X.shape[1], max(1, len(wanted)))
    return X @ csr_array((np.ones(len(pairs)), (old, new)), shape=shape)


def _rows(names: Sequence[str], values: Floats, counts: Ints) -> list[dict[str, float]]:
    pairs = list(zip(names, values.tolist(), strict=True))
    ends = counts.cumsum().tolist()
    return [dict(pairs[start:end]) for start, end in zip([0, *ends], ends, strict=False)]


def _size(candidates: Candidates, matrix: Any) -> int:
    """Return about how many bytes a kept context takes."""
    size = 200 + (8 if isinstance(candidates, ItemCandidates) else 60) * candidates.size
    if isinstance(candidates, NamedCandidates):
        size += 16 * candidates.values.size + 60 * len(candidates.names)
    elif isinstance(candidates, DenseCandidates):
        size += candidates.values.nbytes
    if matrix is not None:
        size += matrix.nbytes if isinstance(matrix, np.ndarray) else 20 * matrix.nnz
    return size
