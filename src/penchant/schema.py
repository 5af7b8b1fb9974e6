"""Schemas: the parts that the file of a saved object must have, with their types, sizes and limits.

A class that can be saved states in ``__saved__`` what its state must satisfy. `penchant.saving` checks the state
against it before a file is written and before an object is made of one: a file may come from a stranger, and compiled
code indexes without looking.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from penchant.checks import shown
from penchant.errors import InvalidInput

__all__ = [
    "Array",
    "Column",
    "Either",
    "Flag",
    "Instance",
    "Kind",
    "ListOf",
    "Maybe",
    "Number",
    "OneOf",
    "Plain",
    "Row",
    "Schema",
    "Sizes",
    "Sparse",
    "Text",
    "Texts",
    "TupleOf",
    "Whole",
    "require",
]

LARGEST = 1e100
"""No number in a file is larger, so that products of two or three stay finite."""

Size = int | str | None
"""A length: a number, a name that stands for the same number everywhere in a schema, or any length."""
Sizes = dict[str, int]


def require(holds: object, what: str) -> None:
    """Raise `InvalidInput` saying that ``what`` unless it ``holds``.

    Examples
    --------
    >>> require(1 < 2, "one must be below two")
    """
    if not holds:
        raise InvalidInput(what)


class Kind(ABC):
    """What one part may be.

    Examples
    --------
    >>> isinstance(Number(), Kind)
    True
    """

    def check(self, name: str, value: Any, sizes: Sizes) -> None:
        """Raise `InvalidInput` unless ``value`` is of this kind; record its sizes in ``sizes``."""
        self._check(name, value, sizes)

    def sizing(self) -> bool:
        """Return whether the part determines the size of others, so that it is checked before them."""
        return self._sizing()

    @abstractmethod
    def _check(self, name: str, value: Any, sizes: Sizes) -> None: ...

    def _sizing(self) -> bool:
        return False


@dataclass(frozen=True)
class Array(Kind):
    """An array of numbers, all of them finite unless ``nan``.

    Parameters
    ----------
    shape : tuple of sizes
    dtype : str
        Its exact dtype, or several separated by spaces.
    least, most, above : float, optional
        Of each entry.
    below : size
        Each entry is an index from ``least`` to below that size, which an earlier part of the schema has.
    nan : bool
        Whether entries may be NaN or infinite.
    largest : float
        The largest size of an entry.

    Examples
    --------
    >>> Array(("n", 2), least=0).check("weights", np.zeros((3, 2)), {})
    >>> Array(("n",)).check("weights", np.array([np.nan]), {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: weights must hold finite numbers within ±1e+100, got nan to nan
    """

    shape: tuple[Size, ...]
    dtype: str = "float64"
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: Size = None
    nan: bool = False
    largest: float = LARGEST

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(
            type(value) is np.ndarray and value.dtype.name in self.dtype.split(),
            f"{name} must be an array of {self.dtype.replace(' ', ' or ')}, got {_described(value)}",
        )
        _check_shape(name, value.shape, self.shape, sizes)
        if value.size:
            self._check_range(name, value, sizes)

    def _check_range(self, name: str, value: Any, sizes: Sizes) -> None:
        if value.dtype.kind == "b":
            return
        if self.nan:
            value = value[np.isfinite(value)]
            if not value.size:
                return
        low, high = value.min().item(), value.max().item()  # NaN where one of them is
        require(
            (low >= -self.largest and high <= self.largest) or value.dtype.kind != "f",
            f"{name} must hold finite numbers within ±{self.largest:g}, got {low:g} to {high:g}",
        )
        _check_limits(name, low, high, self.least, self.most, self.above)
        if self.below is not None:
            limit = _resolved(self.below, sizes)
            least = 0 if self.least is None else self.least
            require(
                least <= low and high < limit,
                f"{name} must hold indices from {least:g} to {limit - 1}, got {low} to {high}",
            )


@dataclass(frozen=True)
class Column(Kind):
    """A vector of labels: numbers, finite ones, or texts.

    Examples
    --------
    >>> Column(distinct=True).check("labels", np.array(["a", "a"]), {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: labels must hold different labels, got one twice
    """

    length: Size = None
    distinct: bool = False

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        kind = value.dtype.kind if type(value) is np.ndarray else ""
        texts = kind == "O" and all(type(entry) is str for entry in value.ravel())
        require(
            kind in ("b", "i", "u", "f", "U") or texts,
            f"{name} must be an array of numbers or texts, got {_described(value)}",
        )
        _check_shape(name, value.shape, (self.length,), sizes)
        require(kind != "f" or np.isfinite(value).all(), f"{name} must hold finite numbers or texts")
        different = len(np.unique(value)) == len(value)
        require(not self.distinct or different, f"{name} must hold different labels, got one twice")


@dataclass(frozen=True)
class Sparse(Kind):
    """A sparse matrix of finite float64; that its indices lie inside it is checked when it is read.

    Examples
    --------
    >>> from scipy.sparse import csr_array
    >>> Sparse((2, 2)).check("links", csr_array(np.eye(2)), {})
    """

    shape: tuple[Size, Size]
    least: float | None = None
    dtype: str = "float64"

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        module = type(value).__module__
        require(module.startswith("scipy.sparse"), f"{name} must be a sparse matrix, got {_described(value)}")
        _check_shape(name, value.shape, self.shape, sizes)
        Array((None,), self.dtype, least=self.least).check(name, np.asarray(value.data), sizes)


@dataclass(frozen=True)
class Number(Kind):
    """One real number, finite unless ``nan``.

    Examples
    --------
    >>> Number(least=0).check("noise", 0.5, {})
    >>> Number(least=0).check("noise", -1.0, {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: noise must be at least 0, got -1.0
    """

    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None
    nan: bool = False

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(_is_number(value), f"{name} must be a number, got {_described(value)}")
        value = value.item() if isinstance(value, np.generic) else value
        if self.nan and isinstance(value, float) and not np.isfinite(value):
            return
        most = LARGEST if isinstance(value, float) else 2**63 - 1  # larger ones are numbers to Python alone
        require(abs(value) <= most, f"{name} must be finite and within ±{most:g}, got {_described(value)}")
        _check_limits(name, value, value, self.least, self.most, self.above)
        require(self.below is None or value < self.below, f"{name} must be below {self.below}, got {value}")


@dataclass(frozen=True)
class Whole(Kind):
    """One whole number; with ``size`` it is the length of other parts.

    Examples
    --------
    >>> Whole(least=1).check("rounds", 0, {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: rounds must be a whole number from 1 to 9223372036854775807, got 0
    """

    least: int = 0
    most: int = 2**63 - 1
    size: bool = False

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(
            isinstance(value, int | np.integer) and type(value) is not bool,
            f"{name} must be a whole number, got {_described(value)}",
        )
        require(
            self.least <= value <= self.most,
            f"{name} must be a whole number from {self.least} to {self.most}, got {_described(value)}",
        )
        if self.size:
            sizes[name] = int(value)

    def _sizing(self) -> bool:
        return self.size


@dataclass(frozen=True)
class Flag(Kind):
    """True or False.

    Examples
    --------
    >>> Flag().check("averaged", True, {})
    >>> Flag().check("averaged", 1, {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: averaged must be True or False, got 1
    """

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(isinstance(value, bool | np.bool_), f"{name} must be True or False, got {_described(value)}")


@dataclass(frozen=True)
class Text(Kind):
    """Any text.

    Examples
    --------
    >>> Text().check("title", 3, {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: title must be text, got 3
    """

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(isinstance(value, str), f"{name} must be text, got {_described(value)}")


@dataclass(frozen=True)
class Texts(Kind):
    """A tuple of texts, or an array of them.

    Examples
    --------
    >>> Texts().check("items", ("tea", "tea"), {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: items must be different texts, got one twice
    """

    length: Size = None
    distinct: bool = True
    array: bool = False

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        fits = type(value) is (np.ndarray if self.array else tuple) and np.ndim(value) == 1
        require(
            fits and all(type(text) is str for text in value),
            f"{name} must be {'an array' if self.array else 'a tuple'} of texts, got {_described(value)}",
        )
        _check_shape(name, (len(value),), (self.length,), sizes)
        require(
            not self.distinct or len(set(value)) == len(value),
            f"{name} must be different texts, got one twice",
        )


@dataclass(frozen=True)
class OneOf(Kind):
    """One of some values, texts or None mostly.

    Examples
    --------
    >>> OneOf(("logit", "probit")).check("link", "cauchit", {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: link must be one of 'logit', 'probit', got 'cauchit'
    """

    values: tuple[Any, ...]

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        known = isinstance(value, str | int | float | None) and value in self.values
        require(known, f"{name} must be one of {', '.join(map(repr, self.values))}, got {_described(value)}")


@dataclass(frozen=True)
class TupleOf(Kind):
    """A tuple whose entries are of one kind.

    Examples
    --------
    >>> TupleOf(Text()).check("names", ("a", "b"), {})
    """

    kind: Kind
    length: Size = None
    container: type = tuple

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(
            type(value) is self.container,
            f"{name} must be a {self.container.__name__}, got {_described(value)}",
        )
        _check_shape(name, (len(value),), (self.length,), sizes)
        for place, entry in enumerate(value):
            self.kind.check(f"{name}[{place}]", entry, sizes)


@dataclass(frozen=True)
class ListOf(TupleOf):
    """A list whose entries are of one kind.

    Examples
    --------
    >>> ListOf(Whole()).check("counts", [1, 2, -3], {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: counts[2] must be a whole number from 0 to 9223372036854775807, got -3
    """

    container: type = list


@dataclass(frozen=True)
class Row(Kind):
    """A tuple with an entry of each of these kinds.

    Examples
    --------
    >>> Row((Text(), Number())).check("anchor", ("tea", 1500.0), {})
    """

    kinds: tuple[Kind, ...]

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        require(type(value) is tuple, f"{name} must be a tuple, got {_described(value)}")
        _check_shape(name, (len(value),), (len(self.kinds),), sizes)
        for place, (kind, entry) in enumerate(zip(self.kinds, value, strict=True)):
            kind.check(f"{name}[{place}]", entry, sizes)


@dataclass(frozen=True)
class Maybe(Kind):
    """None, or of another kind.

    Examples
    --------
    >>> Maybe(Number()).check("prior", None, {})
    """

    kind: Kind

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if value is not None:
            self.kind.check(name, value, sizes)

    def _sizing(self) -> bool:
        return self.kind.sizing()


@dataclass(frozen=True)
class Either(Kind):
    """Of one of several kinds; the message is that of the last.

    Examples
    --------
    >>> Either((Flag(), Number())).check("prior", "much", {})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: prior must be a number, got 'much'
    """

    kinds: tuple[Kind, ...]

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        for kind in self.kinds[:-1]:
            tried = dict(sizes)
            try:
                kind.check(name, value, tried)
            except InvalidInput:
                continue
            sizes.update(tried)
            return
        self.kinds[-1].check(name, value, sizes)


def counts(size: Size) -> Kind:
    """Return the kind of an array of counts: whole numbers, or total weights where some weight was not whole."""
    return Either((Array((size,), "int64", least=0), Array((size,), least=0)))


@dataclass(frozen=True)
class Instance(Kind):
    """An object of a class, which was checked when it was made.

    Parameters
    ----------
    types : class or tuple of classes
    sizes : mapping
        Names of sizes and the attributes of the object that say them.

    Examples
    --------
    >>> Instance(str).check("name", "tea", {})
    """

    types: Any
    sizes: Mapping[str, str] = field(default_factory=dict)

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        kinds = self.types if isinstance(self.types, tuple) else (self.types,)
        wanted = " or ".join(kind.__name__ for kind in kinds)
        require(isinstance(value, kinds), f"{name} must be a {wanted}, got {_described(value)}")
        for size, attribute in self.sizes.items():
            _check_size(f"{attribute} of {name}", int(getattr(value, attribute)), size, sizes)

    def _sizing(self) -> bool:
        return bool(self.sizes)


@dataclass(frozen=True)
class Plain(Kind):
    """Numbers, texts, None, and arrays, lists, tuples and dicts of them: a setting that nothing compiled sees.

    Examples
    --------
    >>> Plain().check("settings", {"C": 1.0, "names": ["a", None]}, {})
    """

    def _check(self, name: str, value: Any, sizes: Sizes) -> None:
        if isinstance(value, list | tuple):
            for place, entry in enumerate(value):
                self.check(f"{name}[{place}]", entry, sizes)
        elif isinstance(value, dict):
            for key, entry in value.items():
                self.check(f"{name}[{key!r}]", entry, sizes)
        else:
            plain = isinstance(value, str | int | float | np.ndarray | np.generic | None)
            require(plain, f"{name} must be a plain value, got {_described(value)}")


@dataclass(frozen=True)
class Schema:
    """What the state of an object must satisfy.

    Parameters
    ----------
    settings : mapping of names to kinds
        Required.
    learned : mapping of names to kinds
        All required, or all absent where the model has not been fitted.
    optional : mapping of names to kinds
        Optional where the model has been fitted.
    rules : sequence of callables
        Each takes the state, whose parts are of their kinds, and raises `InvalidInput` where they do not fit
        together; only called where something was learned, or nothing can be.
    added : mapping of names to kinds
        Settings that files of earlier versions do not have; an absent one has its default.

    Examples
    --------
    >>> schema = Schema({"C": Number(above=0)}, {"n": Whole(1, size=True), "coef": Array(("n",))})
    >>> schema.check({"C": 1.0, "n": 2, "coef": np.zeros(2)})
    >>> schema.check({"C": 1.0, "n": 2, "coef": np.zeros(3)})
    Traceback (most recent call last):
    penchant.errors.InvalidInput: coef must have shape (2,), got (3,)
    """

    settings: Mapping[str, Kind]
    learned: Mapping[str, Kind] = field(default_factory=dict)
    optional: Mapping[str, Kind] = field(default_factory=dict)
    rules: tuple[Callable[[Mapping[str, Any]], None], ...] = ()
    added: Mapping[str, Kind] = field(default_factory=dict)

    def extended(
        self,
        settings: Mapping[str, Kind] | None = None,
        learned: Mapping[str, Kind] | None = None,
        optional: Mapping[str, Kind] | None = None,
        rules: Iterable[Callable[[Mapping[str, Any]], None]] = (),
        added: Mapping[str, Kind] | None = None,
    ) -> Schema:
        """Return the schema with more parts, as a class adds to what it inherits."""
        return Schema(
            {**self.settings, **(settings or {})},
            {**self.learned, **(learned or {})},
            {**self.optional, **(optional or {})},
            (*self.rules, *rules),
            {**self.added, **(added or {})},
        )

    @property
    def parts(self) -> dict[str, Kind]:
        """Every part that a state may have."""
        return {**self.settings, **self.added, **self.learned, **self.optional}

    def check(self, state: Mapping[str, Any]) -> None:
        """Raise `InvalidInput`, which names the part, unless ``state`` satisfies the schema."""
        parts = self.parts
        _none_of("not be there, but is", state.keys() - parts.keys())
        begun = bool(state.keys() - self.settings.keys() - self.added.keys())
        needed = self.settings.keys() | (self.learned.keys() if begun else set())
        _none_of("be there, but is not", needed - state.keys())
        sizes: Sizes = {}
        for first in (True, False):
            for name, kind in parts.items():
                if name in state and kind.sizing() is first:
                    kind.check(name, state[name], sizes)
        if begun or not self.learned:
            for rule in self.rules:
                rule(state)


def _none_of(wrong: str, names: Collection[str]) -> None:
    if names:
        raise InvalidInput(f"{shown(min(names))} must {wrong}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.integer | np.floating) and type(value) is not bool


def _check_limits(
    name: str, low: Any, high: Any, least: float | None, most: float | None, above: float | None
) -> None:
    require(least is None or low >= least, f"{name} must be at least {least}, got {low}")
    require(most is None or high <= most, f"{name} must be at most {most}, got {high}")
    require(above is None or low > above, f"{name} must be above {above}, got {low}")


def _check_shape(name: str, shape: tuple[int, ...], wanted: tuple[Size, ...], sizes: Sizes) -> None:
    expected = tuple(
        sizes.get(size, "any") if isinstance(size, str) else "any" if size is None else size
        for size in wanted
    )
    fits = len(shape) == len(expected) and all(
        size in ("any", length) for length, size in zip(shape, expected, strict=True)
    )
    if not fits:
        sizes_text = ", ".join(map(str, expected)) + ("," if len(expected) == 1 else "")
        raise InvalidInput(f"{name} must have shape ({sizes_text}), got {shape}")
    for length, size in zip(shape, wanted, strict=True):
        if isinstance(size, str):
            _check_size(name, length, size, sizes)  # a name may stand twice in one shape


def _check_size(name: str, length: int, size: str, sizes: Sizes) -> None:
    expected = sizes.setdefault(size, length)
    require(expected == length, f"{name} must have {expected} entries, got {length}")


def _resolved(size: Size, sizes: Sizes) -> int:
    return sizes[size] if isinstance(size, str) else int(size or 0)


def _described(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with shape {value.shape}"
    if isinstance(value, int) and abs(value) >= 2**63:
        return "a whole number of more than 63 bits"  # which Python may not convert to text
    if isinstance(value, str | int | float | None):
        return shown(value)
    return f"a {type(value).__name__}"
