"""Rows of features by their columns' names. A frame or an array in, a checked matrix out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class Map(NamedTuple):
    """A strictly rising map of the numbers above 0, its slope and its inverse; 0 belongs to it if it is ``closed``."""

    value: Callable[[Floats], Floats]
    slope: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    closed: bool


MAPS = {
    "log": Map(np.log, np.reciprocal, np.exp, closed=False),
    "sqrt": Map(np.sqrt, lambda x: 0.5 / np.sqrt(x), np.square, closed=False),
    "square": Map(np.square, lambda x: 2 * x, np.sqrt, closed=True),
}


@dataclass(frozen=True)
class Lift:
    """The name of a map for each column, "" for those that stay as they are."""

    names: tuple[str, ...]

    @classmethod
    def of(cls, told: object, columns: Columns) -> Lift:
        """Return the maps that a setting names, a mapping of columns to names; None names none."""
        names = [""] * columns.count
        if told is not None and not isinstance(told, Mapping):
            raise InvalidInput(
                f"lift must map columns to {' or '.join(MAPS)}, got {shown(told)}: give for instance {{'price': 'log'}}"
            )
        for column, name in (told or {}).items():
            if name not in MAPS:
                raise InvalidInput(
                    f"lift of {column!r} must be one of {', '.join(MAPS)}, got {shown(name)}: correct it"
                )
            names[columns.place(column)] = str(name)
        return cls(tuple(names))

    def labels(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Return what to call the lifted columns."""
        return tuple(
            f"{name}({label})" if name else label for name, label in zip(self.names, labels, strict=True)
        )

    def check(self, box: Floats, labels: tuple[str, ...]) -> None:
        """Refuse a box, shape (n_features, 2), that a map is not made for."""
        for place, name in enumerate(self.names):
            if not name:
                continue
            low, closed = box[place, 0], MAPS[name].closed
            if low < 0 or (low == 0 and not closed):
                limit = "at least 0" if closed else "above 0"
                raise InvalidInput(
                    f"{labels[place]} must be {limit} everywhere in the box to be lifted by {name}, got {low:g}: "
                    "shift the column, raise its bounds, or do not lift it"
                )

    def __call__(self, rows: Floats) -> Floats:
        """Return rows with lifted columns, shape (k, n_features); NaN outside what a map is made for."""
        return self._mapped(rows, lambda name, column: MAPS[name].value(column), rows)

    def undone(self, lifted: Floats) -> Floats:
        """Return rows in the features' own units, shape (k, n_features)."""
        return self._mapped(lifted, lambda name, column: MAPS[name].inverse(column), lifted)

    def slopes(self, rows: Floats) -> Floats:
        """Return the slope of each map at rows, shape (k, n_features); 1 where there is none."""
        return self._mapped(rows, lambda name, column: MAPS[name].slope(column), np.ones_like(rows))

    def _mapped(self, rows: Floats, of: Callable[[str, Floats], Floats], otherwise: Floats) -> Floats:
        if not any(self.names):
            return otherwise
        mapped = otherwise.copy()
        with np.errstate(invalid="ignore", divide="ignore"):
            for place, name in enumerate(self.names):
                if name:
                    mapped[:, place] = of(name, rows[:, place])
        return mapped
