"""Columns lifted by strictly rising maps. Features in, features on other scales out.

What rises in the logarithm of a feature rises in the feature.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from penchant.checks import Floats, one_of, shown
from penchant.errors import InvalidInput
from penchant.gp.named_rows import Columns


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
            one_of(f"lift of {column!r}", name, MAPS)
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
