"""Check arrays and settings: each function returns the value in its clean form, or raises `InvalidInput`."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from numbers import Integral
from sys import float_info
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.errors import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def vector(name: str, values: ArrayLike, *, length: int | None = None) -> Floats:
    """Return ``values`` as a finite float vector, or name the first entry that is not.

    Parameters
    ----------
    name : str
        What the message calls one entry, for instance ``"weight"``.
    values : array-like of shape (n,)
    length : int, optional
        The length that it must have.

    Examples
    --------
    >>> vector("score", [1, 2])
    array([1., 2.])
    >>> vector("score", [1, float("nan")])
    Traceback (most recent call last):
    penchant.errors.InvalidInput: score of row 1 must be a finite number, got nan: remove or repair the row
    """
    array = numbers(name, values)
    if array.ndim != 1:
        raise InvalidInput.of(name, "be one-dimensional", f"shape {array.shape}", "give one value a row")
    same_length(name, array, length)
    return array


def square(name: str, values: ArrayLike) -> Floats:
    """Return ``values`` as a finite square float matrix, or name what is wrong."""
    array = numbers(name, values)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidInput.of(
            name, "be a square matrix", f"shape {array.shape}", "give one row and column an item"
        )
    return array


def numbers(name: str, values: ArrayLike) -> Floats:
    """Return ``values`` as finite floats of any shape, or name the first entry that is not one."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput.of(name, "be numbers", shown(values), "give an array of numbers") from None
    array = array.astype(np.float64, copy=False)
    bad = ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f"row {where[0]}" if len(where) == 1 else f"row {', column '.join(map(str, where))}"
        raise InvalidInput.of(
            f"{name} of {place}", "be a finite number", array[where], "remove or repair the row"
        )
    return array


def positive(name: str, values: ArrayLike, *, length: int | None = None) -> Floats:
    """Return ``values`` as a vector of numbers above 0, or name the first that is not."""
    array = vector(name, values, length=length)
    low = np.flatnonzero(array <= 0)
    if low.size:
        raise InvalidInput.of(
            f"{name} of row {low[0]}",
            "be above 0",
            f"{array[low[0]]:g}",
            f"remove the row or give a positive {name}",
        )
    return array


def same_length(name: str, values: Any, length: int | None) -> None:
    """Reject ``values`` unless there are ``length`` of them (None: any number)."""
    if length is not None and len(values) != length:
        raise InvalidInput.of(name, f"have {length} entries, one a row", len(values), "give one for each row")


def check_level(value: Any, usual: float = 0.95) -> float:
    """Return the probability that an interval holds, a number between 0 and 1."""
    return check_number("level", value, above=0, below=1, remedy=f"{usual:g} is usual")


def check_number(
    name: str,
    value: Any,
    *,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    remedy: str = "correct the setting",
) -> float:
    """Return ``value`` as one finite number within the bounds that are given.

    Examples
    --------
    >>> check_number("noise", 2, above=0)
    2.0
    >>> check_number("share", 1, least=0, below=1)
    Traceback (most recent call last):
    penchant.errors.InvalidInput: share must be a number of at least 0 and below 1, got 1: correct the setting
    """
    plain = value.item() if isinstance(value, np.number) else value  # a float32 is compared as a float
    fits = isinstance(plain, int | float) and not isinstance(plain, bool) and abs(plain) <= float_info.max
    fits = fits and (above is None or plain > above) and (least is None or plain >= least)
    if fits and (below is None or plain < below) and (most is None or plain <= most):
        return float(plain)
    if above is not None and below is not None:
        limit = f"be a number between {above:g} and {below:g}"
    elif least is not None and most is not None:
        limit = f"be a number from {least:g} to {most:g}"
    else:
        bounds = (("above", above), ("of at least", least), ("below", below), ("at most", most))
        words = " and ".join(f"{word} {bound:g}" for word, bound in bounds if bound is not None)
        limit = f"be a number {words}" if words else "be a finite number"
    raise InvalidInput.of(name, limit, shown(value), remedy)


def above_zero(name: str, value: Any) -> float:
    """Return a setting that is a finite number above 0."""
    return check_number(name, value, above=0)


def whole(
    name: str, value: Any, least: int, most: int | None = None, *, remedy: str = "correct the setting"
) -> int:
    """Return ``value`` as an integer from ``least`` to ``most``."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or value < least or (most is not None and value > most):
        limit = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise InvalidInput.of(name, f"be a whole number {limit}", shown(value), remedy)
    return int(value)


def one_of(
    name: str, value: Any, choices: Iterable[object], *, remedy: str = "choose one of these", other: str = ""
) -> None:
    """Reject a value that is not among ``choices``; ``other`` says what else would be accepted."""
    choices = tuple(choices)
    if not isinstance(value, Hashable) or value not in choices:
        listed = ", ".join(map(str, choices))
        raise InvalidInput.of(name, f"be one of {listed}{other}", shown(value), remedy)


def index_pairs(pairs: ArrayLike, n_rows: int) -> Ints:
    """Return at least one pair of different rows from 0 to ``n_rows`` − 1, shape (m, 2), better first.

    Examples
    --------
    >>> index_pairs([[0, 1], [1, 1]], 2)
    Traceback (most recent call last):
    penchant.errors.InvalidInput: pair 1 must be two different rows from 0 to 1, got (1, 1): give the better row first
    """
    array = numbers("pair", pairs)
    if array.ndim != 2 or array.shape[1] != 2 or not len(array):
        raise InvalidInput.of(
            "pairs",
            "have at least one row and two columns",
            f"shape {array.shape}",
            "give one (better, worse) a row",
        )
    is_row = (array == np.floor(array)) & (array >= 0) & (array < n_rows)
    bad = np.flatnonzero(~is_row.all(axis=1) | (array[:, 0] == array[:, 1]))
    if bad.size:
        better, worse = array[bad[0]]
        raise InvalidInput.of(
            f"pair {bad[0]}",
            f"be two different rows from 0 to {n_rows - 1}",
            f"({better:g}, {worse:g})",
            "give the better row first",
        )
    return array.astype(np.int64)


def shown(value: object, limit: int = 60) -> str:
    """Return a short ``repr`` for a message."""
    text = repr(value.item() if isinstance(value, np.generic) else value).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"
