"""Named columns of features, and strictly increasing transforms of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints, numbers, one_of, shown
from penchant.errors import InvalidInput
from penchant.frames import as_features


@dataclass(frozen=True)
class Columns:
    """The features of a model: their number, and their names where they came in a DataFrame."""

    count: int
    names: tuple[str, ...] | None

    @classmethod
    def of(cls, X: Any) -> Columns:
        """Return the columns of a DataFrame or of an array (n_rows, n_features)."""
        X = as_features(X)
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
        """The name of each in messages."""
        return self.names or tuple(f"feature {place}" for place in range(self.count))

    def rows(self, X: Any) -> Floats:
        """Return the features of the rows of ``X``, checked, shape (n_rows, count).

        A frame is read by the names of its columns, in any order; it may have more columns.
        """
        X = as_features(X)
        if self.names is not None and hasattr(X, "columns"):
            absent = [name for name in self.names if name not in set(map(str, X.columns))]
            if absent:
                raise InvalidInput(f"X must have the column {absent[0]!r}, got none: add it")
            places = {str(name): place for place, name in enumerate(X.columns)}
            X = X.iloc[:, [places[name] for name in self.names]]
            _reject_text(X)
            X = X.to_numpy()
        values = numbers("feature", X)
        if values.ndim != 2 or values.shape[1] != self.count:
            raise InvalidInput(
                f"X must have {self.count} columns, as when fitted, got shape {values.shape}: correct it"
            )
        return values

    def sides(self, a: Any, b: Any) -> tuple[Floats, Floats]:
        """Return the rows on both sides of comparisons, (k, count); one row is compared with all on the other side.

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
        """Return the index of a column given by its name or, where it is not a name, by its index."""
        is_index = isinstance(column, int | np.integer) and not isinstance(column, bool)
        if self.names is not None and (is_index or isinstance(column, str)) and str(column) in self.names:
            return self.names.index(str(column))
        numbered = self.names is not None and all(name.isdecimal() for name in self.names)
        if is_index and not numbered and 0 <= column < self.count:  # type: ignore[operator]
            return int(column)  # type: ignore[call-overload, no-any-return]
        allowed = ", ".join(map(repr, self.names)) if self.names else f"an index from 0 to {self.count - 1}"
        raise InvalidInput(f"column must be one of {allowed}, got {column!r}: correct it")

    def places(self, columns: object) -> Ints:
        """Return the indices of one column or of several."""
        several = columns if isinstance(columns, Iterable) and not isinstance(columns, str) else [columns]
        return np.array([self.place(column) for column in several], dtype=np.int64)


def _reject_text(frame: Any) -> None:
    """Raise `InvalidInput` for the first cell of a frame that holds text in place of a number."""
    for name in frame.columns:
        if frame[name].dtype.kind in "biuf":
            continue
        for row, value in frame[name].items():
            if isinstance(value, str):
                raise InvalidInput.of(
                    f"{name} of row {shown(row)}",
                    "be a number",
                    shown(value),
                    "correct the cell, or leave the column out",
                )


def _as_rows(side: Any, names: tuple[str, ...] | None) -> Any:
    """Return rows as they are, and one row as a table of one row, with its labels where the columns have names."""
    side = as_features(side)
    if np.ndim(side) == 2:
        return side
    return side.to_frame().T if names is not None and hasattr(side, "to_frame") else [side]


class Map(NamedTuple):
    """A strictly increasing map of the numbers above 0, its derivative and its inverse; defined at 0 if ``closed``."""

    value: Callable[[Floats], Floats]
    derivative: Callable[[Floats], Floats]
    inverse: Callable[[Floats], Floats]
    closed: bool


MAPS = {
    "log": Map(np.log, np.reciprocal, np.exp, closed=False),
    "sqrt": Map(np.sqrt, lambda x: 0.5 / np.sqrt(x), np.square, closed=False),
    "square": Map(np.square, lambda x: 2 * x, np.sqrt, closed=True),
}


@dataclass(frozen=True)
class Lift:
    """The name of a map for each column, "" where there is none.

    What increases in the logarithm of a feature increases in the feature.
    """

    names: tuple[str, ...]

    @classmethod
    def of(cls, setting: object, columns: Columns) -> Lift:
        """Return the maps that a setting names, a mapping of columns to names; None names none."""
        names = [""] * columns.count
        if setting is not None and not isinstance(setting, Mapping):
            raise InvalidInput(
                f"lift must map columns to {' or '.join(MAPS)}, got {shown(setting)}: "
                "give for instance {'price': 'log'}"
            )
        for column, name in (setting or {}).items():
            one_of(f"lift of {column!r}", name, MAPS)
            names[columns.place(column)] = str(name)
        return cls(tuple(names))

    def labels(self, labels: tuple[str, ...]) -> tuple[str, ...]:
        """Return the names of the transformed columns in messages."""
        return tuple(
            f"{name}({label})" if name else label for name, label in zip(self.names, labels, strict=True)
        )

    def check(self, box: Floats, labels: tuple[str, ...]) -> None:
        """Reject a box, shape (n_features, 2), in which a map is not defined."""
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
        """Return rows with transformed columns, shape (k, n_features); NaN where a map is not defined."""
        return self._mapped(rows, lambda name, column: MAPS[name].value(column), rows)

    def inverse(self, lifted: Floats) -> Floats:
        """Return rows in the features' own units, shape (k, n_features)."""
        return self._mapped(lifted, lambda name, column: MAPS[name].inverse(column), lifted)

    def derivative(self, rows: Floats) -> Floats:
        """Return the derivative of each map at rows, shape (k, n_features); 1 where there is none."""
        return self._mapped(rows, lambda name, column: MAPS[name].derivative(column), np.ones_like(rows))

    def _mapped(self, rows: Floats, of: Callable[[str, Floats], Floats], otherwise: Floats) -> Floats:
        if not any(self.names):
            return otherwise
        mapped = otherwise.copy()
        with np.errstate(invalid="ignore", divide="ignore"):
            for place, name in enumerate(self.names):
                if name:
                    mapped[:, place] = of(name, rows[:, place])
        return mapped
