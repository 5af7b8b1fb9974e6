"""`Items`: the ids of items, which are strings or row numbers, and their indices."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Ints, shown
from penchant.errors import Argument, InvalidInput, Text, UnknownItem
from penchant.frames import as_features
from penchant.schema import Flag, Maybe, Schema, Texts, Whole, require

BAR = "(bar)"
"""The id of the virtual item that both items of a "both bad" answer lose to. It always comes last."""

Column = Sequence[object] | NDArray[Any]
MOST_ITEMS = 2**31 - 1
_CHUNK = 1 << 16


def check_items(state: Mapping[str, Any]) -> None:
    """Raise `InvalidInput` if the saved number of items, their ids and their bar do not fit together."""
    count, names, bar = state["count"], state["names"], state["bar"]
    require(count > bar, f"count must be a number of items beside the bar, got {count}")
    if names is not None:
        require(len(names) == count and all(names), f"names must be one id for each of {count} items")
        require(
            BAR not in names[:-1] and (names[-1] == BAR) == bar,
            f"names must have {BAR!r} last, or not at all",
        )


@dataclass(frozen=True)
class Items:
    """The items that are compared.

    Parameters
    ----------
    count : int
        How many, the bar included where there is one.
    names : tuple of str, optional
        Their ids; without them the items are the rows 0, 1, 2 … of a table.
    bar : bool
        Whether the last one is the bar.

    Examples
    --------
    >>> items = Items(2, ("tea", "water"), bar=True)
    >>> items.count, items.names, items.bar
    (2, ('tea', 'water'), True)
    """

    __saved__: ClassVar = Schema(
        {"count": Whole(1, 10_000_000), "names": Maybe(Texts()), "bar": Flag()}, rules=(check_items,)
    )

    count: int
    names: tuple[str, ...] | None = None
    bar: bool = False

    @classmethod
    def named(cls, ids: Iterable[object]) -> Items:
        """Return the items with these ids, in this order; raise `InvalidInput` if one is repeated."""
        if isinstance(ids, range) and ids and ids == range(ids.stop):
            _check_index(ids.stop)
            return cls(len(ids))
        names = tuple(text(value, row) for row, value in enumerate(ids))
        if not names:
            raise InvalidInput("items must name at least one item, got none: give a comparison or items=")
        if len(set(names)) < len(names):
            twice = Counter(names).most_common(1)[0][0]
            raise InvalidInput(f"items must be different, got {twice!r} twice: keep one of them")
        if BAR in names[:-1]:
            raise InvalidInput(
                f"id {BAR!r} is kept for the bar that both-bad answers lose to: call the item otherwise"
            )
        return cls(len(names), names, bar=names[-1] == BAR)

    @classmethod
    def found_in(
        cls, *columns: Column, rows: Column | None = None, noun: str = "id"
    ) -> tuple[Items, list[Ints]]:
        """Return the items that occur in ``columns``, sorted, and each column as their indices.

        Whole numbers are sorted by value, all else as text. An error names the ``noun`` and the row, which
        is the place in the column unless ``rows`` gives another.
        """
        seen = Vocabulary()
        codes = [_coded(column, seen, rows, noun) for column in columns]
        blank = [code for value, code in seen.items() if isinstance(value, str) and not value.strip()]
        for code in codes if blank else ():
            for place in np.flatnonzero(np.isin(code, blank))[:1]:
                text("", place if rows is None else rows[place], noun)
        names = [text(value) for value in seen]
        whole = all(isinstance(value, int | np.integer) for value in seen)
        items = cls.named(
            sorted(set(names), key=(lambda name: int(name)) if whole else (lambda name: (name == BAR, name)))
        )
        sorted_index = np.array([items._index[name] for name in names], dtype=np.int64)
        for code in codes:
            for start in range(0, len(code), _CHUNK):  # in place: fresh memory costs more than the looking up
                code[start : start + _CHUNK] = sorted_index[code[start : start + _CHUNK]]
        return items, codes

    def with_bar(self) -> Items:
        """Return the same items and, behind them, the bar."""
        if self.bar:
            return self
        return Items(self.count + 1, None if self.names is None else (*self.names, BAR), bar=True)

    def union(self, other: Items) -> Items:
        """Return these items and, behind them, those of ``other`` that are new."""
        if self == other:
            return self
        if (self.names is None) != (other.names is None):
            raise InvalidInput(
                "items must be all named or all rows of a table, got one of each: build both with items="
            )
        if self.names is None or other.names is None:
            count = max(self.count - self.bar, other.count - other.bar)
            return Items(count).with_bar() if self.bar or other.bar else Items(count)
        names = dict.fromkeys((*self.names, *other.names))
        bar = names.pop(BAR, 0) is None
        return Items.named((*names, BAR) if bar else tuple(names))

    @cached_property
    def ids(self) -> tuple[str, ...]:
        """The id of each item; rows of a table are called by their number."""
        if self.names is not None:
            return self.names
        return (*map(str, range(self.count - self.bar)), *([BAR] * self.bar))

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: index for index, name in enumerate(self.ids)}

    def index(self, item: object) -> int:
        """Return the index of an item, given its id (or its row, where the items are rows)."""
        return int(self.encode([item], rows=[None])[0])

    def encode(self, values: Column, *, rows: Column | None = None) -> Ints:
        """Return the index of each of ``values``, shape (n,); an error names the row, as in `found_in`."""
        if self.names is None and (codes := as_integers(values)) is not None:
            if codes.size and codes.view(np.uint64).max() >= self.count:  # one look: below 0 is large as well
                place = np.flatnonzero((codes < 0) | (codes >= self.count))[0]
                raise self._unknown(int(codes[place]), place if rows is None else rows[place])
            return codes
        try:
            return _coded(values, self._index, rows)
        except KeyError:  # whole numbers, or an id that is not there: each is checked
            names = []
            for place, value in enumerate(values):
                row = place if rows is None else rows[place]
                names.append(text(value, row))
                if names[-1] not in self._index:
                    raise self._unknown(names[-1], row) from None
            return _coded(names, self._index)

    def rows_of(self, X: Any) -> Ints:
        """Return for each item its row of the features ``X``, shape (count,); -1 for the bar."""
        real, X = self.count - self.bar, as_features(X)
        if hasattr(X, "index") and hasattr(X, "iloc"):
            rows = self._rows_of_index(X.index, real)
        elif self.names is not None:
            raise InvalidInput(
                "features of named items must be a DataFrame with their ids as its index, got an array: "
                "pass a DataFrame, or preferences of row numbers"
            )
        else:
            n_rows = X.shape[0] if hasattr(X, "shape") else len(X)
            if real > n_rows:
                raise InvalidInput(
                    f"features must have a row for each of {real:,} items, got {n_rows:,}: add the rows"
                )
            rows = np.arange(real)
        return np.append(rows, -1) if self.bar else rows

    def _rows_of_index(self, index: Iterable[object], real: int) -> Ints:
        place = {name: row for row, name in enumerate(Items.named(index).ids)}
        absent = [item for item in self.ids[:real] if item not in place]
        if absent:
            raise UnknownItem(
                f"features must have a row for each of {real:,} items, got none for {absent[0]!r} "
                f"({len(absent):,} absent): add the ids to the frame's index"
            )
        return np.array([place[item] for item in self.ids[:real]], dtype=np.int64)

    def _unknown(self, item: object, row: object) -> UnknownItem:
        place = "" if row is None else f" of row {row}"
        examples = ", ".join(map(repr, self.ids[:5])) + (", …" if self.count > 5 else "")
        return UnknownItem(
            Text(
                f"item {item!r}{place} is not one of the {self.count:,} known ({examples}): correct it or add it to ",
                Argument("items"),
            )
        )


def as_integers(values: Column) -> Ints | None:
    """Return ``values`` as an integer array if they are whole numbers, else None."""
    if isinstance(values, np.ndarray):
        if values.dtype.kind not in "iu":
            return None
        if values.dtype == np.uint64:
            _check_index(int(values.max(initial=0)))
        return values.astype(np.int64, copy=False)
    first = next(iter(values), 0)  # mostly tells without a look at all of them
    if not _whole(type(first)) or not all(map(_whole, set(map(type, values)))):
        return None
    _check_index(max(values, default=0))  # type: ignore[type-var, arg-type]
    return np.array(values, dtype=np.int64)


def _check_index(number: int) -> None:
    if number > MOST_ITEMS:
        raise InvalidInput(
            f"indices of items must be below {MOST_ITEMS:,}, got {number:,}: give large numbers as text, as ids"
        )


def _whole(kind: type) -> bool:
    return issubclass(kind, int | np.integer) and kind is not bool


def _can_be_id(kind: type) -> bool:
    return issubclass(kind, str) or _whole(kind)


def chunks(values: Column) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield ``values`` as Python objects, with the place of the first; a large NumPy column comes in parts."""
    if not isinstance(values, np.ndarray):
        yield 0, values if isinstance(values, list | tuple) else list(values)
        return
    for start in range(0, len(values), _CHUNK):
        yield start, values[start : start + _CHUNK].tolist()


class Vocabulary(dict[Any, int]):
    """Numbers values in the order in which they are first looked up."""

    def __missing__(self, value: object) -> int:
        self[value] = code = len(self)
        return code

    def codes(self, values: Sequence[object]) -> Ints:
        """Return the number of each value, shape (n,)."""
        return np.fromiter(map(self.__getitem__, values), np.int64, len(values))


def _coded(values: Column, index: dict[Any, int], rows: Column | None = None, noun: str = "id") -> Ints:
    # A pandas column numbers its values itself, and faster; one of objects would take 1.0 and True for 1.
    if hasattr(values, "factorize") and str(getattr(values, "dtype", "")) != "object":
        numbers, different = values.factorize()
        if -1 in numbers:
            place = int(np.argmin(numbers))
            text(None, place if rows is None else rows[place], noun)
        first = np.empty(len(different), dtype=np.int64)
        first[numbers[::-1]] = np.arange(len(numbers))[::-1] if rows is None else np.asarray(rows)[::-1]
        coded: Ints = _coded(different.tolist(), index, first, noun)[numbers]
        return coded
    codes = [np.empty(0, dtype=np.int64)]
    for start, chunk in chunks(values):
        try:
            codes.append(np.fromiter(map(index.__getitem__, chunk), np.int64, len(chunk)))
        except TypeError:  # something that cannot even be looked up
            _check_ids(chunk, start, rows, noun)
            raise
        if not all(type(key) is str for key in index):  # 1.0 and True are found where 1 is
            _check_ids(chunk, start, rows, noun)
    return codes[-1] if len(codes) <= 2 else np.concatenate(codes)


def _check_ids(chunk: Sequence[Any], start: int, rows: Column | None, noun: str) -> None:
    """Raise `InvalidInput` for the first value that cannot be an id."""
    if not all(map(_can_be_id, set(map(type, chunk)))):
        for place, value in enumerate(chunk, start):
            text(value, place if rows is None else rows[place], noun)


def text(value: object, row: object = None, noun: str = "id") -> str:
    """Return an id as text; raise `InvalidInput` for a value that cannot be one."""
    place = noun if row is None else f"{noun} of row {row}"
    if isinstance(value, str):
        if not value.strip():
            raise InvalidInput(f"{place} must not be empty, got {value!r}: fill the cell or remove the row")
        return str(value)
    if _whole(type(value)):
        return str(value)
    raise InvalidInput(
        f"{place} must be text or a whole number, got {shown(value)} of type {type(value).__name__}: "
        f"remove the row or convert the {noun} with str()"
    )
