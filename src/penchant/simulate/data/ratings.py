"""Ratings of items by users, from MovieLens files or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Floats, Ints, same_length, vector
from penchant.errors import InvalidInput


@dataclass(frozen=True, eq=False)
class Ratings:
    """Who rated what how high.

    Attributes
    ----------
    user, item : int arrays of shape (n,)
        Users and items as numbers from 0, in the order of their ids.
    rating : array of shape (n,)
    n_users, n_items : int

    Examples
    --------
    >>> given = Ratings.of(["ann", "bob", "ann"], [7, 7, 9], [5, 3, 4])
    >>> given.user, given.item, given.n_users, given.n_items
    (array([0, 1, 0]), array([0, 0, 1]), 2, 2)
    """

    user: Ints
    item: Ints
    rating: Floats
    n_users: int
    n_items: int

    @classmethod
    def of(cls, user: ArrayLike, item: ArrayLike, rating: ArrayLike) -> Self:
        """Number the users and items of ratings, each pair of which may be rated once."""
        values = vector("rating", rating)
        if not values.size:
            raise InvalidInput("ratings must hold at least 1, got none: give some")
        users, items = np.asarray(user), np.asarray(item)
        same_length("user", users, len(values))
        same_length("item", items, len(values))
        who, user_number = np.unique(users, return_inverse=True)
        what, item_number = np.unique(items, return_inverse=True)
        pairs, times = np.unique(user_number * len(what) + item_number, return_counts=True)
        if (times > 1).any():
            twice = pairs[int(times.argmax())]
            raise InvalidInput(
                f"a user must rate an item once, got {who[twice // len(what)]} and {what[twice % len(what)]} "
                f"{times.max()} times: remove the repeats"
            )
        return cls(user_number, item_number, values, len(who), len(what))

    @classmethod
    def read(cls, path: str | Path) -> Self:
        """Read u.data, ratings.dat or a ratings.csv with the user, item and rating in its first columns."""
        import pandas as pd

        place = Path(path)
        with place.open(encoding="utf-8-sig") as file:
            first = file.readline()
        table: dict[str, Any] = {"header": None, "names": ["user", "item", "rating"], "usecols": [0, 1, 2]}
        if "::" in first:  # one colon cuts too, with empty columns between
            table |= {"sep": ":", "usecols": [0, 2, 4]}
        else:
            table |= {"sep": "\t" if "\t" in first else ","}
        table["skiprows"] = 0 if first[:1].isdigit() else 1
        try:
            frame = pd.read_csv(place, encoding="utf-8-sig", **table)
        except ValueError as error:
            raise InvalidInput(
                f"{place} must have a user, an item and a rating a line, got {first.strip()[:60]!r}: {error}"
            ) from None
        return cls.of(frame["user"], frame["item"], frame["rating"])

    def of_users(self, chosen: Ints) -> Self:
        """Return the ratings of some users, who are numbered anew in the given order; items keep their numbers."""
        number = np.full(self.n_users, -1)
        number[chosen] = np.arange(len(chosen))
        rows = number[self.user] >= 0
        kept = number[self.user[rows]], self.item[rows], self.rating[rows]
        return type(self)(*kept, len(chosen), self.n_items)

    def of_items(self, chosen: Ints) -> Self:
        """Return the ratings of some items, which are numbered anew in the given order; users keep theirs."""
        number = np.full(self.n_items, -1)
        number[chosen] = np.arange(len(chosen))
        rows = number[self.item] >= 0
        kept = self.user[rows], number[self.item[rows]], self.rating[rows]
        return type(self)(*kept, self.n_users, len(chosen))

    def __getitem__(self, rows: Any) -> Self:
        return type(self)(self.user[rows], self.item[rows], self.rating[rows], self.n_users, self.n_items)

    def __len__(self) -> int:
        return len(self.rating)
