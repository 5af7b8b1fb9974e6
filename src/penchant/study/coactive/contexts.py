"""Contexts: candidates from callers' objects, checked, and to and from the bytes that the file stores.

There are three kinds: items of the study by id, candidates with named features, and candidates as a dense matrix. The
first byte of a stored context says which one it is.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from penchant.checks import Floats, Ints, shown
from penchant.coactive.encoding import Entries, NamedMatrix, entries
from penchant.errors import Damaged, InvalidInput, UnknownItem
from penchant.frames import as_features
from penchant.study.coactive.indices import chosen, has_repeats
from penchant.study.items import Item

BY_ID, NAMED, DENSE = b"i", b"s", b"d"
_NUMBERS = frozenset((float, int, bool))
_FEW = 3  # so many ids are looked for one by one: a table of all candidates would cost more


class StudyItems(Protocol):
    """What contexts must know about the items of a study."""

    @property
    def item_numbers(self) -> Mapping[str, int]:
        """The place of each item in the order in which they came."""

    @property
    def item_ids(self) -> Sequence[str]:
        """The ids in that order."""

    @property
    def retired(self) -> Mapping[str, None]:
        """The ids of those that are not presented."""


@dataclass(frozen=True, eq=False)
class ItemCandidates:
    """Items of the study, by their numbers."""

    numbers: Ints
    items: StudyItems

    @property
    def ids(self) -> Sequence[str]:
        """What callers call the candidates: the study's own texts, since theirs would have to be kept."""
        return chosen(self.items.item_ids, self.numbers)

    @property
    def size(self) -> int:
        """The number of candidates."""
        return self.numbers.size

    def named(self, indices: Ints) -> tuple[str, ...]:
        """Return the ids of candidates by index."""
        return chosen(self.items.item_ids, self.numbers[indices])

    def indices(self, ids: Sequence[Any]) -> list[int]:
        """Return the indices of candidates; `KeyError` or `TypeError` where one is none."""
        if len(ids) > _FEW:
            places = _places(self.ids)
            return [places[id] for id in ids]
        found = []
        for id in ids:
            matches = (self.numbers == self.items.item_numbers[id]).nonzero()[0]
            if not matches.size:
                raise KeyError(id)
            found.append(int(matches[0]))
        return found

    @property
    def content(self) -> bytes:
        """The bytes that the file stores: two or four a candidate."""
        small = self.numbers.max() < 2**16
        return BY_ID + (b"2" if small else b"4") + self.numbers.astype("<u2" if small else "<u4").tobytes()


@dataclass(frozen=True, eq=False)
class _OwnCandidates:
    """Candidates that are no items of the study, by the ids that the caller gave them."""

    ids: Sequence[str]

    @property
    def size(self) -> int:
        """The number of candidates."""
        return len(self.ids)

    def named(self, indices: Ints) -> tuple[str, ...]:
        """Return the ids of candidates by index."""
        return chosen(self.ids, indices)

    def indices(self, ids: Sequence[Any]) -> list[int]:
        """Return the indices of candidates; `KeyError` or `TypeError` where one is none."""
        places = _places(self.ids)
        return [places[id] for id in ids]


@dataclass(frozen=True, eq=False)
class NamedCandidates(_OwnCandidates):
    """Candidates with named features: of each, so many entries, which have a name and a value other than 0."""

    names: Sequence[str]
    counts: Ints
    columns: Ints
    values: Floats

    @classmethod
    def of(cls, ids: Sequence[str], found: Entries) -> NamedCandidates:
        """Return candidates from checked entries."""
        place = {name: column for column, name in enumerate(dict.fromkeys(found.names))}
        columns = np.fromiter(map(place.__getitem__, found.names), np.int64, len(found.names))
        kept = found.values != 0
        if kept.all():
            return cls(ids, list(place), found.counts, columns, found.values)
        rows = np.arange(len(found.counts)).repeat(found.counts)[kept]
        counts = np.bincount(rows, minlength=len(found.counts))
        return cls(ids, list(place), counts, columns[kept], found.values[kept])

    @property
    def content(self) -> bytes:
        """The bytes that the file stores: ids and names as JSON, then counts, columns and float64 values."""
        parts = (self.counts.astype("<u4"), self.columns.astype("<u4"), self.values.astype("<f8"))
        return NAMED + _header([list(self.ids), list(self.names)]) + b"".join(map(np.ndarray.tobytes, parts))

    def features(self, names: Sequence[str] = ()) -> NamedMatrix:
        """Return the candidates as learners take them; ``names``, those of the study, are not needed."""
        from scipy.sparse import csr_array

        ends = np.concatenate(([0], self.counts.cumsum()))
        shape = (len(self.ids), len(self.names))
        return NamedMatrix(csr_array((self.values, self.columns, ends), shape=shape), self.names)


@dataclass(frozen=True, eq=False)
class DenseCandidates(_OwnCandidates):
    """Candidates as a matrix of float64; ``names`` are those of its columns where they are not the study's own."""

    values: Floats
    names: Sequence[str] | None = None

    @property
    def content(self) -> bytes:
        """The bytes that the file stores: ids and names as JSON, then the matrix."""
        plain = self.ids if self.ids != _numbered(len(self.ids)) else len(self.ids)
        header = [plain, None if self.names is None else list(self.names)]
        return DENSE + _header(header) + np.ascontiguousarray(self.values, "<f8").tobytes()

    def features(self, names: Sequence[str]) -> NamedMatrix:
        """Return the candidates as learners take them; ``names`` are the study's own."""
        return NamedMatrix(self.values, self.names or column_names(names, self.values.shape[1]))


Candidates = ItemCandidates | NamedCandidates | DenseCandidates
"""The candidates of a context: ``ids`` are what callers call them, ``content`` the bytes that the file stores."""


def _places(ids: Sequence[str]) -> dict[str, int]:
    return dict(zip(ids, range(len(ids)), strict=True))


def column_names(names: Sequence[str], count: int) -> Sequence[str]:
    """Return the names of the columns of a matrix: the study's own, or 1, 2, … where it has none."""
    if not names:
        return [str(column) for column in range(1, count + 1)]
    if len(names) != count:
        raise InvalidInput.of(
            "context",
            f"have {len(names)} columns, one a feature of the study",
            count,
            "give all features, or give them by name",
        )
    return names


def read_context(given: Any, items: StudyItems, *, retired: bool = False) -> Candidates:
    """Return the candidates that a caller gave, or raise an error that names what is wrong.

    Parameters
    ----------
    given : sequence of ids, mapping of ids to features, matrix or table
        Ids of items of the study; ``{id: {feature: value}}`` or ``{id: [numbers]}``; a matrix with one row a candidate,
        whose ids are then "0", "1", …; or a DataFrame, whose index holds the ids and whose columns are the features.
    items : StudyItems
    retired : bool
        Whether items that are retired may be among them.

    Examples
    --------
    >>> read_context({"a": {"price": 2.0, "new": True}, "b": {"colour": "red"}}, items=None).names
    ['price', 'new', 'colour=red']
    """
    if isinstance(given, str | bytes) or given is None:
        raise InvalidInput.of(
            "context", "hold candidates", shown(given), "give ids, or features by id, or a matrix"
        )
    if isinstance(given, Mapping):
        return _of_mapping(given)
    given = as_features(given)
    if hasattr(given, "columns") and hasattr(given, "index"):
        ids = _checked_ids([str(id) for id in given.index])
        names = [str(name) for name in given.columns]
        return DenseCandidates(ids, _matrix_of_table(given, names), names)
    if isinstance(given, NamedMatrix):
        values = given.values.toarray() if hasattr(given.values, "toarray") else given.values
        matrix = _matrix(values)
        return DenseCandidates(_numbered(len(matrix)), matrix, list(given.names))
    if hasattr(given, "toarray"):
        given = given.toarray()
    if isinstance(given, np.ndarray) and given.dtype.kind in "biuf":
        matrix = _matrix(given)
        return DenseCandidates(_numbered(len(matrix)), matrix)
    return _of_ids(given, items, retired)


def _of_ids(given: Any, items: StudyItems, retired: bool) -> ItemCandidates:
    ids = (
        given.tolist()
        if isinstance(given, np.ndarray)
        else list(given)
        if isinstance(given, Iterable)
        else None
    )
    if ids is None:
        raise InvalidInput.of(
            "context", "hold candidates", shown(given), "give ids of items, or features by id"
        )
    _check_some(ids)
    numbers = items.item_numbers
    try:
        found = np.fromiter(map(numbers.__getitem__, ids), np.int64, len(ids))
    except (KeyError, TypeError):
        _reject_unknown(ids, numbers)
        raise
    if has_repeats(found):
        raise _twice(ids)
    if items.retired and not retired:
        left_out = next((id for id in ids if id in items.retired), None)
        if left_out is not None:
            raise InvalidInput.of(
                f"candidate {shown(left_out)}",
                "be an item that is not retired",
                "one that is",
                "bring it back first",
            )
    return ItemCandidates(found, items)


def _reject_unknown(ids: list[Any], numbers: Mapping[str, int]) -> None:
    for place, id in enumerate(ids):
        if not isinstance(id, str):
            raise InvalidInput.of(
                f"candidate {place}", "be the id of an item", shown(id), "give ids, or {id: {feature: value}}"
            )
        if id not in numbers:
            remedy = "add it to the items, or give it with its features"
            raise UnknownItem.of(
                f"candidate {shown(id)}", "be an item of this study", "an unknown one", remedy
            )


def _of_mapping(given: Mapping[Any, Any]) -> Candidates:
    _check_some(given)
    ids = _checked_ids(list(given))
    rows = list(given.values())
    if all(isinstance(row, Mapping) for row in rows):
        return NamedCandidates.of(ids, entries(rows, ids))
    for id, row in zip(ids, rows, strict=True):
        if isinstance(row, Mapping | str) or not isinstance(row, Iterable):
            limit = "be all {name: value} or all lists of numbers"
            remedy = "give ids alone: list(study.items)" if isinstance(row, Item) else "give one form"
            raise InvalidInput.of(f"features of candidate {shown(id)}", limit, shown(row), remedy)
    lengths = {len(row) if hasattr(row, "__len__") else -1 for row in rows}
    if len(lengths) > 1:
        raise InvalidInput.of(
            "features of all candidates", "be of one length", sorted(lengths), "give the same columns"
        )
    _reject_others(ids, rows)
    return DenseCandidates(ids, _matrix(rows))


def _reject_others(ids: Sequence[str], rows: Sequence[Any]) -> None:
    """Name the candidate and the column of what is no number, also of text that NumPy would read as one."""
    for id, row in zip(ids, rows, strict=True):
        if isinstance(row, np.ndarray) and row.dtype.kind in "biuf":
            continue
        values = list(row)
        if _NUMBERS.issuperset(map(type, values)):
            continue
        for column, value in enumerate(values, 1):
            if not isinstance(value, int | float | np.number | np.bool_):
                remedy = "correct it, or give features by name, where words are categories"
                raise InvalidInput.of(
                    f"feature {column} of candidate {shown(id)}", "be a number", shown(value), remedy
                )


def _checked_ids(ids: list[Any]) -> list[str]:
    for place, id in enumerate(ids):
        if not isinstance(id, str) or not id:
            raise InvalidInput.of(f"the id of candidate {place}", "be a text", shown(id), "use str()")
    if len(set(ids)) < len(ids):
        raise _twice(ids)
    return ids


def _twice(ids: list[Any]) -> InvalidInput:
    seen: set[Any] = set()
    twice = next(id for id in ids if id in seen or seen.add(id))  # type: ignore[func-returns-value]
    return InvalidInput.of(
        "context", "hold each candidate once", f"{shown(twice)} twice", "remove the repeat"
    )


def _check_some(candidates: Any) -> None:
    if not len(candidates):
        raise InvalidInput.of("context", "hold at least one candidate", "none", "give one")


def _matrix(values: Any) -> Floats:
    """Return a matrix of float64; its numbers are checked, by name, where its columns are known."""
    try:
        matrix = np.array(values, dtype=np.float64, order="C")
    except (TypeError, ValueError):
        raise InvalidInput.of("context", "be numbers", shown(values), "give an array of numbers") from None
    if matrix.ndim != 2 or not matrix.size:
        limit = "be a matrix with one row a candidate and at least one"
        raise InvalidInput.of("context", limit, f"shape {matrix.shape}", "give (n_candidates, n_features)")
    matrix.flags.writeable = False
    return matrix


def _matrix_of_table(table: Any, names: Sequence[str]) -> Floats:
    """Return the numbers of a table, or name the column that holds others."""
    try:
        return _matrix(table.to_numpy())
    except InvalidInput:
        for name, column in zip(names, table.to_numpy().T, strict=True):
            try:
                column.astype(np.float64)
            except (TypeError, ValueError):
                remedy = "leave it out, or give table.to_dict('index'), where words are categories"
                raise InvalidInput.of(
                    f"column {shown(name)} of the context", "be numbers", "others", remedy
                ) from None
        raise


def _numbered(count: int) -> list[str]:
    return [str(place) for place in range(count)]


def _header(value: Any) -> bytes:
    try:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        raise InvalidInput.of(
            "ids and names of features",
            "be Unicode without lone surrogates",
            "others",
            "decode them rightly first",
        ) from None
    return struct.pack("<I", len(text)) + text


def decoded(content: bytes, items: StudyItems) -> Candidates:
    """Return the candidates of stored bytes."""
    try:
        if content[:1] == BY_ID:
            numbers = np.frombuffer(content[2:], "<u2" if content[1:2] == b"2" else "<u4").astype(np.int64)
            if numbers.max(initial=0) >= len(items.item_ids):
                raise LookupError("a candidate that is no item")
            return ItemCandidates(numbers, items)
        (length,) = struct.unpack_from("<I", content, 1)
        header, rest = json.loads(content[5 : 5 + length]), content[5 + length :]
        first, second = header
        decode = _decoded_named if content[:1] == NAMED else _decoded_dense
        return decode(first, second, rest)
    except (ValueError, LookupError, TypeError, struct.error):
        raise Damaged(
            "a context must have a form that is known here, and has not: it was written by a newer version, "
            "upgrade Penchant to open it"
        ) from None


def _decoded_named(ids: list[str], names: list[str], rest: bytes) -> NamedCandidates:
    counts = np.frombuffer(rest, "<u4", len(ids)).astype(np.int64)
    total, start = int(counts.sum()), 4 * len(ids)
    columns = np.frombuffer(rest, "<u4", total, start).astype(np.int64)
    values = np.frombuffer(rest, "<f8", total, start + 4 * total).astype(np.float64)
    return NamedCandidates(ids, names, counts, columns, values)


def _decoded_dense(ids: list[str] | int, names: list[str] | None, rest: bytes) -> DenseCandidates:
    listed = _numbered(ids) if isinstance(ids, int) else ids
    values = np.frombuffer(rest, "<f8").reshape(len(listed), -1)
    return DenseCandidates(listed, values, names)
