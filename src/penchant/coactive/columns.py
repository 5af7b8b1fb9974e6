"""The columns of a learner: which feature stands in which, and candidates as matrices in them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy
from typing import Any, Self

import numpy as np
from scipy.sparse import csr_array

from penchant.checks import Floats, shown
from penchant.coactive.encoding import LARGEST, Entries, Features, NamedMatrix, check_kinds, entries
from penchant.coactive.features import matrix
from penchant.coactive.scaling import Scaling
from penchant.errors import InvalidInput

Context = Sequence[Features] | NamedMatrix | Any
"""Candidates: mappings of names to values, a `NamedMatrix`, or a matrix that `NamedLearner.matrix` returned."""


class Columns:
    """Names in the order of their columns, and how values are scaled. Nothing in it changes; `joined` returns another.

    Parameters
    ----------
    names : sequence of str
        Different ones.
    grows : bool
        Whether new names may join; otherwise a feature that is new is rejected.
    scaling : Scaling, optional
    numbers, categories : sets of str
        Names with ``=`` that are known to be numbers, and to be indicators of categories.
    """

    def __init__(
        self,
        names: Iterable[str],
        grows: bool,
        scaling: Scaling | None = None,
        numbers: frozenset[str] = frozenset(),
        categories: frozenset[str] = frozenset(),
    ) -> None:
        self._place = {name: place for place, name in enumerate(names)}
        self.grows, self.scaling = grows, scaling
        self.numbers, self.categories = numbers, categories
        self._constants = self._scaled_by()

    def __len__(self) -> int:
        return len(self._place)

    @property
    def names(self) -> tuple[str, ...]:
        """The features in the order of their columns."""
        return tuple(self._place)

    @property
    def width(self) -> int:
        """The number of columns of a matrix: one a name, and one where there is no name yet."""
        return max(1, len(self._place))

    def joined(self, new: Iterable[str]) -> Self:
        """Return these columns and one for each new name."""
        names = self.unknown(new)
        if not names:
            return self
        if not self.grows:
            raise self._is_unknown(names[0], "")
        other = copy(self)
        other._place = self._place | {name: i for i, name in enumerate(names, len(self._place))}
        other._constants = other._scaled_by()
        return other

    def holds(self, names: set[str]) -> bool:
        """Return whether each of the names has a column."""
        return self._place.keys() >= names

    def recorded(self, found: Entries) -> Self:
        """Return these columns with the kinds of the names in ``found`` that contain ``=``."""
        looks = frozenset(name for name in found.different if "=" in name)
        if looks <= self.numbers | self.categories:
            return self
        other = copy(self)
        other.categories = self.categories | found.categories
        other.numbers = self.numbers | (looks - found.categories)
        return other

    def entries(self, features: Sequence[Features], ids: Sequence[str] | None = None) -> Entries:
        """Return candidates as checked entries, in which no name is a number that is known as an indicator."""
        found = entries(features, ids)
        if found.categories or self.categories:
            check_kinds(found, self.numbers, self.categories)
        return found

    def unknown(self, names: Iterable[str]) -> tuple[str, ...]:
        """Return those of the names that have no column, each once."""
        return tuple(name for name in dict.fromkeys(names) if name not in self._place)

    def matrix(self, features: Context, ids: Sequence[str] | None = None) -> Any:
        """Return candidates as a checked and scaled matrix of shape (n, width)."""
        if isinstance(features, NamedMatrix):
            return self._of_matrix(features, ids)
        if is_matrix(features):
            return self._padded(features)
        return self.of_entries(self.entries(features, ids), ids)

    def of_entries(self, found: Entries, ids: Sequence[str] | None = None) -> Any:
        """Return entries as rows in the order of the columns, so that products are summed in that order."""
        place, n = self._place, len(found.names)
        try:
            columns = np.fromiter(map(place.__getitem__, found.names), np.int64, n)
        except KeyError:
            columns = np.fromiter((place.get(name, -1) for name in found.names), np.int64, n)
        if not self.grows and columns.size and columns.min() < 0:
            entry = int(columns.argmin())
            raise self._is_unknown(found.names[entry], f" of {_called(found.candidate(entry), ids)}")
        rows = np.arange(len(found.counts)).repeat(found.counts)
        kept = (columns >= 0) & (found.values != 0)
        shape = (len(found.counts), self.width)
        return self._scaled(_csr(rows[kept], columns[kept], found.values[kept], shape))

    def _of_matrix(self, given: NamedMatrix, ids: Sequence[str] | None) -> Any:
        names = tuple(given.names)
        X = _checked(given.values, names, ids)
        strangers = self.unknown(names)
        if strangers and not self.grows:
            raise self._is_unknown(strangers[0], "")
        place = np.array([self._place.get(name, -1) for name in names], dtype=np.int64)
        if isinstance(X, np.ndarray):
            wide = np.zeros((len(X), self.width))
            wide[:, place[place >= 0]] = X[:, place >= 0]
            return self._scaled(wide)
        columns = place[X.indices]
        rows = np.arange(X.shape[0]).repeat(np.diff(X.indptr))
        kept = columns >= 0
        return self._scaled(_csr(rows[kept], columns[kept], X.data[kept], (X.shape[0], self.width)))

    def _padded(self, X: Any) -> Any:
        """Return a matrix in these columns with those that joined since it was made."""
        if X.ndim == 2 and X.shape[1] == self.width:
            return X
        if X.ndim != 2 or not self.grows or X.shape[1] > self.width:
            raise InvalidInput.of(
                "features",
                f"have {self.width} columns, one a name",
                f"shape {X.shape}",
                "give a matrix that the learner's matrix() returned",
            )
        first, wide = X.shape[1], (X.shape[0], self.width)
        centres, scales = self._constants or (np.zeros(self.width), np.ones(self.width))
        if isinstance(X, np.ndarray) or centres[first:].any():
            padded = np.empty(wide)
            padded[:, :first] = X if isinstance(X, np.ndarray) else X.toarray()
            padded[:, first:] = (0.0 - centres[first:]) / scales[first:]
            return padded
        rows = X.tocsr()
        return csr_array((rows.data, rows.indices, rows.indptr), shape=wide)

    def _scaled_by(self) -> tuple[Floats, Floats] | None:
        """Return centres and scales of the columns; None where nothing is scaled."""
        if self.scaling is None:
            return None
        centres, scales = np.zeros(self.width), np.ones(self.width)
        centres[: len(self)], scales[: len(self)] = self.scaling.constants(self._place)
        return centres, scales

    def _scaled(self, X: Any) -> Any:
        """Return a matrix, which may be written to, with the scaling applied; dense where there are centres."""
        if self._constants is None:
            return X
        centres, scales = self._constants
        if isinstance(X, np.ndarray) or centres.any():
            dense = X if isinstance(X, np.ndarray) else X.toarray()
            dense -= centres
            dense /= scales
            return dense
        X.data /= scales[X.indices]
        return X

    def _is_unknown(self, name: str, where: str) -> InvalidInput:
        return InvalidInput.of(
            f"feature {shown(name)}{where}",
            f"be one of the {len(self)} that the learner was made with",
            "another",
            "name it when the learner is made, or leave it out",
        )


def is_matrix(features: Any) -> bool:
    """Return whether candidates come as a matrix in the learner's columns."""
    return isinstance(features, np.ndarray) or hasattr(features, "tocsr")


def _csr(rows: Any, columns: Any, values: Floats, shape: tuple[int, int]) -> csr_array:
    """Return a matrix of which the entries of each row stand in the order of the columns."""
    places = rows * shape[1] + columns
    if (places[1:] < places[:-1]).any():
        order = places.argsort(kind="stable")
        columns, values = columns[order], values[order]
    ends = np.zeros(shape[0] + 1, dtype=np.int64)
    np.bincount(rows, minlength=shape[0]).cumsum(out=ends[1:])
    return csr_array((values, columns, ends), shape=shape)


def _checked(values: Any, names: tuple[str, ...], ids: Sequence[str] | None) -> Any:
    """Return the values of a `NamedMatrix`, or name the feature and the candidate of one that cannot be used."""
    X = values.tocsr() if hasattr(values, "tocsr") else np.asarray(values)
    named = (
        X.ndim == 2
        and len(set(names)) == X.shape[1] == len(names)
        and all(type(name) is str for name in names)
    )
    if not named:
        raise InvalidInput.of(
            "names",
            "be different texts, one a column",
            f"{len(names)} for shape {X.shape}",
            "name each column once",
        )
    numbers = X if isinstance(X, np.ndarray) else X.data
    if numbers.dtype.kind == "f" and numbers.size and not np.abs(numbers).max() <= LARGEST:
        row, column = (int(places[0]) for places in np.nonzero(~(np.abs(_dense(X)) <= LARGEST)))
        raise InvalidInput.of(
            f"feature {shown(names[column])} of {_called(row, ids)}",
            f"be a number within ±{LARGEST:g}",
            _dense(X)[row, column],
            "correct it or leave it out",
        )
    return matrix(X)


def _dense(X: Any) -> Any:
    return X if isinstance(X, np.ndarray) else X.toarray()


def _called(place: int, ids: Sequence[str] | None) -> str:
    return f"candidate {place if ids is None else shown(ids[place])}"
