"""Rows of features by their columns' names. A frame or an array in, a checked matrix out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from penchant.checks import Floats, Ints, numbers, shown
from penchant.errors import InvalidInput


@dataclass(frozen=True)
class Columns:
    """The features of a model: how many, and what they are called where they came in a frame."""

    count: int
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Return the columns of a DataFrame or of an array (n_rows, n_features)."""
        if hasattr(X, "columns"):
            names = tuple(str(name) for name in X.columns)
            if len(set(names)) < len(names):
                raise InvalidInput(f"columns of X must have different names, got {shown(names)}: rename some")
            return cls(len(names), names)
        try:
            shape = np.shape(X)
        except ValueError:
            raise InvalidInput(
                f"X must have rows of one length, got {shown(X)}: give each item all features"
            ) from None
        if len(shape) != 2 or not shape[1]:
            raise InvalidInput(f"X must have rows and columns, got shape {shape}: give one row an item")
        return cls(shape[1], None)

    @property
    def labels(self) -> tuple[str, ...]:
        """What to call each in words."""
        return self.names or tuple(f"feature {place}" for place in range(self.count))

    def rows(self, X: Any) -> Floats:
        """Return the features of the rows of ``X``, shape (n_rows, count), or say what is wrong with them.

        A frame is read by the names of its columns, in any order; more columns may be there.
        """
        if self.names is not None and hasattr(X, "columns"):
            absent = [name for name in self.names if name not in set(map(str, X.columns))]
            if absent:
                raise InvalidInput(f"X must have the column {absent[0]!r}, got none: add it")
            places = {str(name): place for place, name in enumerate(X.columns)}
            X = X.iloc[:, [places[name] for name in self.names]].to_numpy()
        values = numbers("feature", X)
        if values.ndim != 2 or values.shape[1] != self.count:
            raise InvalidInput(
                f"X must have {self.count} columns, as when fitted, got shape {values.shape}: correct it"
            )
        return values

    def sides(self, a: Any, b: Any) -> tuple[Floats, Floats]:
        """Return two sides of a question, (k, count) each: rows, or one row that stands against all of the other.

        One row may be a Series, which is read by its labels where the columns have names.
        """
        first, second = (self.rows(_as_rows(side, self.names)) for side in (a, b))
        if len(first) != len(second) and 1 not in (len(first), len(second)):
            raise InvalidInput(
                f"a and b must have as many rows, or one, got {len(first)} and {len(second)}: give equal numbers"
            )
        first, second = np.broadcast_arrays(first, second)
        return first, second

    def place(self, column: object) -> int:
        """Return the index of a column that is told by its name or, where it is not a name, by its index."""
        is_index = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if self.names is not None and (is_index or isinstance(column, str)) and str(column) in self.names:
            return self.names.index(str(column))
        numbered = self.names is not None and all(name.isdecimal() for name in self.names)
        if is_index and not numbered and 0 <= column < self.count:  # type: ignore[operator]
            return int(column)  # type: ignore[call-overload, no-any-return]
        known = ", ".join(map(repr, self.names)) if self.names else f"an index from 0 to {self.count - 1}"
        raise InvalidInput(f"column must be one of {known}, got {column!r}: correct it")

    def places(self, columns: object) -> Ints:
        """Return the indices of one column or of several."""
        several = columns if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
        return np.array([self.place(column) for column in several], dtype=np.int64)


def _as_rows(side: Any, names: tuple[str, ...] | None) -> Any:
    """Return rows as they are, and one row as a table of one, with its labels where names are known."""
    if np.ndim(side) == 2:
        return side
    return side.to_frame().T if names is not None and hasattr(side, "to_frame") else [side]
