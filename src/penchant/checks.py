"""Arrays as they must be, or a refusal in words. Anything array-like in, clean arrays out."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from penchant.errors import InvalidInput

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def vector(name: str, values: ArrayLike, *, length: int | None = None) -> Floats:
    """Return ``values`` as a finite float vector, or say which entry is not.

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
        raise InvalidInput(f"{name} must be one-dimensional, got shape {array.shape}: give one value a row")
    same_length(name, array, length)
    return array


def square(name: str, values: ArrayLike) -> Floats:
    """Return ``values`` as a finite square float matrix, or say what is wrong with it."""
    array = numbers(name, values)
    if array.ndim != 2 or array.shape[0] != array.shape[1]:
        raise InvalidInput(
            f"{name} must be a square matrix, got shape {array.shape}: give one row and column an item"
        )
    return array


def numbers(name: str, values: ArrayLike) -> Floats:
    """Return ``values`` as finite floats of any shape, or name the first entry that is not one."""
    try:
        array = np.asarray(values)
        if array.dtype.kind not in "biuf":
            array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidInput(f"{name} must be numbers, got {shown(values)}: give an array of numbers") from None
    array = array.astype(np.float64, copy=False)
    bad = ~np.isfinite(array)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        place = f"row {where[0]}" if len(where) == 1 else f"row {', column '.join(map(str, where))}"
        raise InvalidInput(
            f"{name} of {place} must be a finite number, got {array[where]}: remove or repair the row"
        )
    return array


def positive(name: str, values: ArrayLike, *, length: int | None = None) -> Floats:
    """Return ``values`` as a vector of numbers above 0, or name the first that is not."""
    array = vector(name, values, length=length)
    low = np.flatnonzero(array <= 0)
    if low.size:
        raise InvalidInput(
            f"{name} of row {low[0]} must be above 0, got {array[low[0]]:g}: "
            f"remove the row or give a positive {name}"
        )
    return array


def same_length(name: str, values: Any, length: int | None) -> None:
    """Refuse ``values`` unless there are ``length`` of them (None: any number will do)."""
    if length is not None and len(values) != length:
        raise InvalidInput(
            f"{name} must have {length} entries, one a row, got {len(values)}: give one for each row"
        )


def shown(value: object, limit: int = 60) -> str:
    """Return a short ``repr`` for a message."""
    text = repr(value).replace("\n", " ")
    return text if len(text) <= limit else text[: limit - 1] + "…"
