"""Parse the candidates of a presentation as JSON holds them: ids, each once, and features that a learner can use."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, count
from math import hypot, isfinite
from typing import Any, NamedTuple

from penchant.checks import shown
from penchant.formats.parsing.comparisons import is_text
from penchant.formats.parsing.objects import id_of
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.rows import first_twice
from penchant.formats.parsing.source import Limits

Features = Mapping[str, float | str]


class Parsed(NamedTuple):
    """A list of candidates.

    Attributes
    ----------
    items : tuple of str
    features : tuple of mappings of names to values
    form : int, optional
        None where features came by name, or how many numbers came.
    n_names : int, optional
        The names in all objects of an ordinary list; None where they were not counted.
    """

    items: tuple[str, ...]
    features: tuple[Features, ...]
    form: int | None
    n_names: int | None = None


_LARGEST = 1e100
_LONGEST = 200
"""The limits of a learner: of a number, and of the characters of a category."""
_REMEMBERED = 100_000  # names and categories that were checked before
_FLOAT = {float}
_VALUES = frozenset((float, int, bool, str))


class CandidateParser:
    """Parses the candidates of one line after another.

    The lines of a log look alike: names that were checked in one line need not be checked in the next, and a line in
    which all is as usual is taken as a whole. Any other is parsed candidate by candidate, up to what is wrong.

    Parameters
    ----------
    limits : Limits

    Examples
    --------
    >>> CandidateParser(Limits()).parse([{"id": "a", "features": {"price": 2}}])
    Parsed(items=('a',), features=({'price': 2.0},), form=None, n_names=3)
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._names: set[str] = set()
        self._categories: set[tuple[str, str]] = set()

    def parse(self, value: object) -> Parsed:
        """Return what a list of candidates holds, or raise `Wrong`."""
        found = self.usual(value)
        return one_by_one(value, self._limits) if found is None else found

    def usual(self, value: object) -> Parsed | None:
        """Return what an ordinary list of candidates holds; None for anything else, right or wrong."""
        if not isinstance(value, list) or not value:
            return None
        try:
            items = tuple([candidate["id"] for candidate in value])
            features = [candidate["features"] for candidate in value]
            together = "".join(items)
            values = list(chain.from_iterable(map(dict.values, features)))
        except (TypeError, KeyError):  # something is no object, or an id is no text
            return None
        short = together.isascii() and len(together) <= self._limits.field
        if not short or len(set(items)) < len(items) or not all(map(str.strip, items)):
            return None
        kinds = set(map(type, values))
        if not kinds <= _VALUES or not self._are_names(features):
            return None
        texts = str in kinds
        if texts and not self._are_categories(features):
            return None
        numbers = [value for value in values if type(value) is not str] if texts else values
        try:
            if not hypot(*numbers) <= _LARGEST:  # then none is larger; quicker than to compare each
                return None
        except OverflowError:
            return None
        n_names = len(values) + sum(map(len, value))
        if kinds <= _FLOAT:
            return Parsed(items, tuple(features), None, n_names)
        return Parsed(items, tuple(map(_with_floats if texts else _as_floats, features)), None, n_names)

    def _are_names(self, features: list[dict[str, Any]]) -> bool:
        """Return whether all names can be used, and none of them looks like the indicator of a category."""
        new = set().union(*features) - self._names
        if not new:
            return True
        if any(len(name) > self._limits.field or "=" in name or not _is_id(name) for name in new):
            return False
        if len(self._names) + len(new) > _REMEMBERED:
            self._names.clear()
        self._names |= new
        return True

    def _are_categories(self, features: list[dict[str, Any]]) -> bool:
        """Return whether all texts are categories that can be used."""
        pairs = {pair for row in features for pair in row.items() if type(pair[1]) is str}
        new = pairs - self._categories
        if any(len(text) > _LONGEST or not is_text(text) for _, text in new):
            return False
        if len(self._categories) + len(new) > _REMEMBERED:
            self._categories.clear()
        self._categories |= new
        return True


def _is_id(name: str) -> bool:
    return bool(name.strip()) and is_text(name)


def _as_floats(row: dict[str, Any]) -> Features:
    return dict(zip(row, map(float, row.values()), strict=True))


def _with_floats(row: dict[str, Any]) -> Features:
    return {name: value if type(value) is str else float(value) for name, value in row.items()}


def one_by_one(value: object, limits: Limits) -> Parsed:
    """Return what any list of candidates holds, or raise `Wrong` about the first that cannot be used."""
    if not isinstance(value, list) or not value:
        raise Wrong(f"candidates must be a list of objects with id and features, got {shown(value)}")
    items, features, forms = [], [], []
    for candidate in value:
        if not isinstance(candidate, dict) or "id" not in candidate or "features" not in candidate:
            raise Wrong(f"a candidate must have an id and features, got {shown(candidate)}")
        items.append(id_of(candidate["id"], "candidates", limits))
        values, form = _features(candidate["features"], items[-1], limits)
        features.append(values)
        forms.append(form)
    if len(set(items)) < len(items):
        raise Wrong(f"candidates must name each item once, got {shown(first_twice(items))} twice")
    if len(set(forms)) > 1:
        raise Wrong("features of all candidates must be named, or lists of one length, got both or several")
    return Parsed(tuple(items), tuple(features), forms[0])


def _features(value: object, item: str, limits: Limits) -> tuple[Features, int | None]:
    """Return features by name, and None where they came so, or how many numbers came."""
    if isinstance(value, list):
        return {str(place): _number(number, item) for place, number in zip(count(1), value)}, len(value)
    if isinstance(value, dict):
        joined = "".join(value)
        if len(joined) > limits.field or not is_text(joined):
            for name in value:
                id_of(name, "features", limits)
        return {name: _value(entry, name, item, value) for name, entry in value.items()}, None
    raise Wrong(f"features of {shown(item)} must be named or a list of numbers, got {shown(value)}")


def _value(value: object, name: str, item: str, features: Features) -> float | str:
    """Return the value of a named feature, of which a text is a category."""
    if not isinstance(value, str):
        return _number(value, item, name)
    subject = f"feature {shown(name)} of {shown(item)}"
    if "=" in name or len(value) > _LONGEST or not is_text(value):
        limit = f"have no = in its name and a text of at most {_LONGEST} characters"
        raise Wrong(f"{subject} must {limit} to be a category, got {shown(value)}")
    if f"{name}={value}" in features:
        raise Wrong(
            f"{subject} must not be the category {shown(value)} beside a feature {shown(f'{name}={value}')}"
        )
    return value


def _number(value: object, item: str, name: str = "") -> float:
    try:
        number = float(value) if type(value) in (int, float, bool) else float("nan")  # type: ignore[arg-type]
    except OverflowError:
        number = float("inf")
    if not (isfinite(number) and abs(number) <= _LARGEST):
        if not name:
            raise Wrong(f"features of {shown(item)} must be numbers within ±{_LARGEST:g}, got {shown(value)}")
        limit = f"be a number within ±{_LARGEST:g}, true, false or a category"
        raise Wrong(f"feature {shown(name)} of {shown(item)} must {limit}, got {shown(value)}")
    return number
