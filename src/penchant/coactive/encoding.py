"""Turn candidates with named features into numbers: check them, make indicators of categories, find their columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

import numpy as np

from penchant.checks import Floats, Ints, shown
from penchant.errors import InvalidInput

Value = float | bool | str
Features = Mapping[str, Value]
"""Of one candidate: the name and the value of each feature; a feature that is not named is 0."""

LARGEST = 1e100
"""No value is larger, so that products of two or three stay finite."""
LONGEST = 200
"""The most characters of a category."""

_MAPPINGS = frozenset((dict,))
_PLAIN, _TEXT = frozenset((float, int, bool, np.float64, np.int64, np.bool_)), frozenset((str,))


class Entries(NamedTuple):
    """The features of some candidates, one entry each, candidate by candidate.

    Attributes
    ----------
    names : list of str
        Of each entry; where a value was text, the indicator ``name=value``.
    values : ndarray of shape (n_entries,)
    counts : ndarray of shape (n_candidates,)
        The number of entries of each candidate.
    categories : frozenset of str
        The names that are indicators.
    different : set of str
        All names, each once.
    """

    names: list[str]
    values: Floats
    counts: Ints
    categories: frozenset[str]
    different: set[str]

    def candidate(self, entry: int) -> int:
        """Return the index of the candidate that an entry belongs to."""
        return int(np.searchsorted(np.cumsum(self.counts), entry, side="right"))


class NamedMatrix(NamedTuple):
    """Candidates as a dense or sparse matrix whose columns are named; their values are not yet scaled.

    Attributes
    ----------
    values : array or CSR matrix of shape (n_candidates, n_names)
    names : sequence of str
        One a column, each once.

    Examples
    --------
    >>> NamedMatrix(np.array([[1.0, 2.0], [0.5, 0.0]]), ["price", "age"]).names
    ['price', 'age']
    """

    values: Any
    names: Sequence[str]


def entries(features: Iterable[Features], ids: Sequence[str] | None = None) -> Entries:
    """Return the features of candidates as entries, or name the first feature and candidate that cannot be used.

    A text is a category: the feature ``colour`` of value ``"red"`` becomes the indicator ``colour=red`` of value 1.
    True and False are 1 and 0.

    Parameters
    ----------
    features : sequence of n mappings of names to values
    ids : sequence of n texts, optional
        What messages call the candidates; their indices unless given.

    Examples
    --------
    >>> entries([{"price": 2, "colour": "red"}, {"new": True}])[:2]
    (['price', 'colour=red', 'new'], array([2., 1., 1.]))
    """
    rows = list(features)
    plain = _MAPPINGS.issuperset(map(type, rows))
    for place, row in enumerate(() if plain else rows):
        if not isinstance(row, Mapping):
            raise InvalidInput.of(
                f"features of candidate {_called(place, ids)}",
                "be a mapping of names to values",
                shown(row),
                "give one for each candidate",
            )
    names = list(chain.from_iterable(rows))
    values = list(chain.from_iterable([row.values() for row in rows]))
    counts = np.fromiter(map(len, rows), np.int64, len(rows))
    different = set(names)
    if _PLAIN.issuperset(map(type, values)) and _TEXT.issuperset(map(type, different)):
        try:
            numbers = np.array(values, dtype=np.float64)
        except OverflowError:
            numbers = np.full(1, np.nan)
        if not numbers.size or np.abs(numbers).max() <= LARGEST:  # which NaN is not
            return Entries(names, numbers, counts, frozenset(), different)
    return _one_by_one(rows, counts, ids)


def _one_by_one(rows: list[Features], counts: Ints, ids: Sequence[str] | None) -> Entries:
    names: list[str] = []
    values: list[float] = []
    categories = set()
    for place, row in enumerate(rows):
        for name, value in row.items():
            if not isinstance(name, str):
                raise InvalidInput.of(
                    f"a feature of candidate {_called(place, ids)}",
                    "have text as its name",
                    shown(name),
                    "rename it",
                )
            subject = f"feature {shown(name)} of candidate {_called(place, ids)}"
            if isinstance(value, str):
                indicator = _indicator(subject, name, value)
                if indicator in row:
                    raise _collides(indicator, f"candidate {_called(place, ids)}")
                categories.add(indicator)
                names.append(indicator)
                values.append(1.0)
            else:
                names.append(name)
                values.append(number(subject, value))
    found = Entries(names, np.array(values, dtype=np.float64), counts, frozenset(categories), set(names))
    if categories:
        check_kinds(found, plain_names(rows), frozenset())
    return found


def plain_names(rows: Iterable[Features]) -> Iterator[str]:
    """Return the names of features that are numbers and look like an indicator."""
    return (name for row in rows for name, value in row.items() if "=" in name and not isinstance(value, str))


def check_kinds(found: Entries, numbers: Iterable[str], categories: frozenset[str]) -> None:
    """Reject a name that is an indicator here and a number there.

    Parameters
    ----------
    found : Entries
    numbers, categories
        Names that are known to be numbers, and known to be indicators.
    """
    clash = next((name for name in numbers if name in found.categories), None)
    if clash is None and categories:
        clash = next((name for name in found.names if name in categories - found.categories), None)
    if clash is not None:
        raise _collides(clash, "another candidate")


def number(subject: str, value: Any) -> float:
    """Return a value as a number that a learner can use, or raise an error about ``subject``."""
    usable = isinstance(value, int | float | np.integer | np.floating | np.bool_)
    try:
        given = float(value) if usable else float("nan")
    except OverflowError:
        given = float("inf")
    if not (isfinite(given) and abs(given) <= LARGEST):
        raise InvalidInput.of(
            subject,
            f"be a number within ±{LARGEST:g}, true or false, or a category as text",
            shown(value),
            "correct it or leave it out",
        )
    return given


def _indicator(subject: str, name: str, value: str) -> str:
    if "=" in name or len(value) > LONGEST:
        limit = f"have no = in its name and a text of at most {LONGEST} characters"
        raise InvalidInput.of(subject, f"{limit} to be a category", shown(value), "rename or shorten it")
    return f"{name}={value}"


def _collides(indicator: str, where: str) -> InvalidInput:
    name, _, value = indicator.partition("=")
    return InvalidInput.of(
        f"feature {shown(indicator)}",
        "be a number or an indicator everywhere",
        f"a number, and category {shown(value)} of {shown(name)} in {where}",
        "rename one of the two",
    )


def _called(place: int, ids: Sequence[str] | None) -> str:
    return str(place) if ids is None else shown(ids[place])
