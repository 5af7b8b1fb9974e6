"""Step two, inside: rows of features by their columns' names. A frame or an array in, a checked matrix out."""

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
        shape = np.shape(X)
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

    def place(self, column: object) -> int:
        """Return the index of a column that is told by its name or by its index."""
        if isinstance(column, str) and self.names is not None and column in self.names:
            return self.names.index(column)
        if isinstance(column, int | np.integer) and not isinstance(column, bool) and 0 <= column < self.count:
            return int(column)
        known = ", ".join(map(repr, self.names)) if self.names else f"an index from 0 to {self.count - 1}"
        raise InvalidInput(f"column must be one of {known}, got {column!r}: correct it")

    def places(self, columns: object) -> Ints:
        """Return the indices of one column or of several."""
        several = columns if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
        return np.array([self.place(column) for column in several], dtype=np.int64)
