"""Check the columns that constructors of `Preferences` take, and encode them as indices and codes."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Sized
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.checks import Floats, Ints, positive, same_length, shown, vector
from penchant.errors import InvalidInput
from penchant.frames import as_column, as_frame
from penchant.preferences.items import Column, Items, as_integers, chunks
from penchant.preferences.statements import Bools, Statements

OUTCOMES = ("left", "right", "tie", "both_bad", "skip")
UNKNOWN = -1
_NO_PAIRS = (str, bytes, set, frozenset, dict)  # of two things, but which is better?
Sides = NDArray[np.int8]


class RowColumns(TypedDict, total=False):
    """Optional arguments with one entry a row, as `Preferences.from_pairs` describes them."""

    weight: ArrayLike | None
    judge: Column | None
    period: ArrayLike | None


class Attributes(TypedDict):
    """The optional columns of `Preferences`, as they are stored."""

    weight: Floats | None
    judge: Ints | None
    judges: tuple[str, ...]
    better_on_left: Sides | None
    period: Ints | None
    covariates: Floats | None
    covariate_names: tuple[str, ...]


Covariates = Mapping[str, ArrayLike]
"""Covariates by their names, a number for each row."""


def attributes(
    n_rows: int,
    weight: ArrayLike | None = None,
    judge: Column | None = None,
    better_on_left: Column | None = None,
    period: ArrayLike | None = None,
    covariates: Covariates | None = None,
    **unknown: object,
) -> Attributes:
    """Return the attributes of ``n_rows`` rows as they are stored, each checked."""
    for name in unknown:
        raise TypeError(f"got an unexpected keyword argument {name!r}: weight, judge and period are known")
    codes, names = judge_codes(judge, n_rows)
    values, covariate_names = covariate_columns(covariates, n_rows)
    return Attributes(
        weight=None if weight is None else positive("weight", weight, length=n_rows).copy(),
        judge=codes,
        judges=names,
        better_on_left=None if better_on_left is None else sides(better_on_left, n_rows),
        period=None if period is None else periods(period, n_rows),
        covariates=values,
        covariate_names=covariate_names,
    )


def covariate_columns(covariates: Covariates | None, n_rows: int) -> tuple[Floats | None, tuple[str, ...]]:
    """Return covariates as an array of shape (n_rows, n_covariates), and their names; None where there are none."""
    if not covariates and (covariates is None or isinstance(covariates, Mapping)):
        return None, ()
    if not isinstance(covariates, Mapping):
        raise InvalidInput.of(
            "covariates", "be a mapping of names to numbers", shown(covariates), "give {'length': lengths}"
        )
    for name in covariates:
        if not isinstance(name, str) or not name.strip():
            raise InvalidInput.of("name of a covariate", "be text", shown(name), "name it")
    columns = [vector(f"covariate {name!r}", values, length=n_rows) for name, values in covariates.items()]
    return np.column_stack(columns).astype(np.float64), tuple(covariates)


def judge_codes(judge: Column | None, n_rows: int) -> tuple[Ints | None, tuple[str, ...]]:
    """Return for each row the index of its judge, -1 where nobody is named, and the judges' names, sorted."""
    if judge is None:
        return None, ()
    one_a_row("judge", judge, n_rows)
    judge = as_column(judge)
    is_named = np.array([not missing(name) for name in judge], dtype=bool)
    codes = np.full(n_rows, UNKNOWN, dtype=np.int64)
    if not is_named.any():
        return codes, ()
    named = [name for name, is_one in zip(judge, is_named, strict=True) if is_one]
    judges, (codes[is_named],) = Items.found_in(named, rows=np.flatnonzero(is_named), noun="judge")
    return codes, judges.ids


def missing(value: object) -> bool:
    """Whether a cell is empty: None, NaN, pandas' NA or no text."""
    return value is None or type(value).__name__ == "NAType" or value == "" or value != value


def sides(better_on_left: Column, n_rows: int) -> Sides:
    """Return 1 where the better one stood on the left, 0 where on the right, -1 where unknown."""
    one_a_row("better_on_left", better_on_left, n_rows)
    if isinstance(better_on_left, np.ndarray) and better_on_left.dtype == bool:
        return better_on_left.astype(np.int8)
    values = [UNKNOWN if missing(value) else value for value in as_column(better_on_left)]
    for row, value in enumerate(values):
        if value not in (UNKNOWN, False, True):
            raise InvalidInput(
                f"better_on_left of row {row} must be true, false or empty, got {shown(value)}: correct the row"
            )
    return np.array(values, dtype=np.int8)


def periods(period: ArrayLike, n_rows: int) -> Ints:
    """Return the period of each row as whole numbers."""
    array = np.asarray(period)
    one_a_row("period", array, n_rows)
    if array.dtype.kind not in "iu" and n_rows:
        raise InvalidInput(
            f"period must be whole numbers, got {array.dtype}: number the periods, earliest first"
        )
    return array.astype(np.int64)


def flags(name: str, values: ArrayLike | None, n_rows: int) -> Bools:
    """Return a yes or no for each row; None is no for all."""
    if values is None:
        return np.zeros(n_rows, dtype=bool)
    array = np.asarray(values)
    one_a_row(name, array, n_rows)
    if array.dtype == bool:
        return array
    for row, value in enumerate(array.tolist()):
        if missing(value) or value not in (0, 1):
            raise InvalidInput(
                f"{name} of row {row} must be true or false, got {shown(value)}: correct the row"
            )
    return array.astype(bool)


def one_a_row(name: str, values: Any, n_rows: int) -> None:
    """Raise `InvalidInput` unless ``values`` is one-dimensional with ``n_rows`` entries."""
    if isinstance(values, str) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
        raise InvalidInput(f"{name} must be one-dimensional, got {shown(values)}: give one value a row")
    same_length(name, values, n_rows)


def two_columns(pairs: ArrayLike | Sequence[Sequence[object]]) -> tuple[Column, Column]:
    """Return the first and the second entry of each pair."""
    pairs = as_frame(pairs)
    if hasattr(pairs, "to_numpy"):
        pairs = pairs.to_numpy()
    if isinstance(pairs, np.ndarray):
        if pairs.ndim == 2 and pairs.shape[1] == 2:
            return pairs[:, 0], pairs[:, 1]
        if pairs.size:
            raise InvalidInput(
                f"pairs must have shape (m, 2), better first, got {pairs.shape}: give two columns"
            )
        return [], []
    rows: list[Any] = list(pairs)  # type: ignore[arg-type]
    try:
        if not set(map(type, rows)).isdisjoint(_NO_PAIRS):
            raise TypeError
        return [better for better, _ in rows], [worse for _, worse in rows]
    except (TypeError, ValueError):
        row = next(i for i, pair in enumerate(rows) if not _is_pair(pair))
        raise InvalidInput(
            f"row {row} of pairs must be two items, better first, got {shown(rows[row])}: correct the row"
        ) from None


def _is_pair(pair: object) -> bool:
    return type(pair) not in _NO_PAIRS and isinstance(pair, Sized) and len(pair) == 2


def indexed(
    columns: list[Column], items: Iterable[object] | Items | None, *, rows: Column | None = None
) -> tuple[Items, list[Ints]]:
    """Return the items of ``columns`` and each column as indices.

    Whole numbers are indices unless ``items`` is given; otherwise the items are those that occur. An error
    names the row of an entry, which is its place in the column unless ``rows`` gives another.
    """
    columns = [as_column(column) for column in columns]
    if items is None and any(len(column) for column in columns):
        numbers = [column for column in map(as_integers, columns) if column is not None]
        if len(numbers) == len(columns):
            items = range(1 + max(0, *(int(column.max(initial=0)) for column in numbers)))
    if items is None:
        return Items.found_in(*columns, rows=rows)
    catalogue = items if isinstance(items, Items) else Items.named(items)
    return catalogue, [catalogue.encode(column, rows=rows) for column in columns]


def outcome_codes(outcome: Column) -> NDArray[np.int8]:
    """Return the place of each outcome among ``OUTCOMES``."""
    place = {name: code for code, name in enumerate(OUTCOMES)}
    outcome = as_column(outcome)
    codes = np.empty(len(outcome), dtype=np.int8)
    try:
        for start, chunk in chunks(outcome):
            codes[start : start + len(chunk)] = np.fromiter(
                map(place.__getitem__, chunk), np.int8, len(chunk)
            )
    except (KeyError, TypeError):
        row, answer = next(entry for entry in enumerate(outcome) if entry[1] not in OUTCOMES)
        raise InvalidInput(
            f"outcome of row {row} must be one of {', '.join(OUTCOMES)}, got {shown(answer)}: correct the row"
        ) from None
    return codes


def cells(frame: Any, column: str) -> Any:
    """Return the entries of one column of a table, which may be a mapping of names to columns."""
    names = getattr(frame, "columns", frame)
    if column not in names:
        raise InvalidInput(
            f"column {column!r} must be in the table, which has {', '.join(map(repr, names))}: name one of these"
        )
    values = frame[column]
    if isinstance(values, str) or not hasattr(values, "__len__"):
        raise InvalidInput(f"column {column!r} must hold one value a row, got {shown(values)}: give a list")
    if getattr(values, "ndim", 1) != 1:
        raise InvalidInput(f"column {column!r} must be in the table once: rename or drop the others")
    return values


def split_levels(order: Sequence[object], row: int) -> list[list[Any]]:
    """Return an order as levels, best first: an item alone, or the items of a nested list."""
    if isinstance(order, str) or not isinstance(order, Iterable):
        raise InvalidInput(
            f"row {row} must be a list of items, best first, got {shown(order)}: give a list of lists"
        )
    levels = [list(entry) if isinstance(entry, list | tuple | set) else [entry] for entry in order]
    if not levels or not all(levels):
        raise InvalidInput(
            f"row {row} must name at least one item a place, got {shown(order)}: remove the empty part"
        )
    return levels


def reject_repeats(statements: Statements, catalogue: Items, names: Sequence[str] | None = None) -> None:
    """Raise `InvalidInput` for a statement that names an item twice: the item would beat itself."""
    twice = statements.repeated()
    if twice is not None:
        row, item = twice[0], catalogue.ids[twice[1]]
        name = f"row {row}" if names is None else names[row]
        raise InvalidInput(f"{name} must name each item once, got {item!r} twice: keep one of them")


def changed_pairs(presented: Any, clicked: Any, page: int) -> list[tuple[Any, Any]]:
    """Return the pairs whose order changes when the clicked results are put first, better first."""
    one_text = isinstance(clicked, str) and not isinstance(presented, str)
    if one_text or not isinstance(clicked, Iterable) or not isinstance(presented, Iterable):
        raise InvalidInput(
            f"clicks of page {page} must be a list of results, got {shown(clicked)}: give [{shown(clicked)}]"
        )
    presented, clicked = list(presented), list(clicked)
    for result in (*presented, *clicked):
        if not isinstance(result, Hashable):
            raise InvalidInput(
                f"page {page} must be a list of ids, got {shown(result)} in it: give one list a page"
            )
    place = {result: position for position, result in enumerate(presented)}
    if len(place) < len(presented):
        raise InvalidInput(
            f"page {page} must show each result once, got {shown(presented)}: keep the first of each"
        )
    pairs = []
    before: set[Any] = set()
    for click in dict.fromkeys(clicked):
        above = presented[: place.get(click, len(presented))]
        pairs += [(click, result) for result in above if result not in before]
        before.add(click)
    return pairs
