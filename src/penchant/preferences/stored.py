"""Step one, inside: preferences in a saved file. Their state in; the parts of a `Preferences`, all checked, out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from penchant.errors import InvalidInput
from penchant.preferences.columns import UNKNOWN
from penchant.preferences.items import BAR, Items
from penchant.preferences.statements import Statements

KINDS = {
    "members": np.int32,
    "levels": np.int32,
    "starts": np.int64,
    "tied": np.bool_,
    "weight": np.float64,
    "judge": np.int64,
    "better_on_left": np.int8,
    "period": np.int64,
    "source": np.int64,
}
STATEMENTS = ("members", "levels", "starts", "tied")
COLUMNS = ("weight", "judge", "better_on_left", "period", "source")


def checked(state: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of the `Preferences` that ``state`` describes, or say what is damaged."""
    arrays = {name: state[name] for name in KINDS if name in STATEMENTS or state[name] is not None}
    for name, array in arrays.items():
        fits = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype == KINDS[name]
        _require(fits, f"{name} must be a vector of {np.dtype(KINDS[name])}")
    catalogue = _catalogue(state["count"], state["names"], state["bar"])
    statements = Statements(*(arrays[name] for name in STATEMENTS))
    statements.check(catalogue.count)
    columns = {name: arrays[name] for name in COLUMNS if name in arrays}
    for name, column in columns.items():
        _require(len(column) == len(statements), f"{name} must have one entry a row")
    _check_columns(columns, state["judges"])
    return {"statements": statements, "catalogue": catalogue, "judges": state["judges"], **columns}


def _catalogue(count: object, names: object, bar: object) -> Items:
    _require(type(count) is int and type(bar) is bool and count > bar, "count must be a number of items")
    if names is not None:
        _require(_different_texts(names) and len(names) == count, "names must be one id an item")  # type: ignore[arg-type]
        _require(BAR not in names[:-1] and (names[-1] == BAR) == bar, "the bar must come last")  # type: ignore[index]
    return Items(count, names, bar)  # type: ignore[arg-type]


def _check_columns(columns: Mapping[str, Any], judges: object) -> None:
    _require(_different_texts(judges), "judges must be different names")
    empty = np.array([], dtype=np.int64)
    weight, judge, side = (columns.get(name, empty) for name in ("weight", "judge", "better_on_left"))
    _require((np.isfinite(weight) & (weight > 0)).all(), "weight must be above 0")
    _require(((judge >= UNKNOWN) & (judge < len(judges))).all(), "judge must be one of judges")  # type: ignore[arg-type]
    _require(((side >= UNKNOWN) & (side <= 1)).all(), "better_on_left must be 1, 0 or -1")


def _different_texts(values: object) -> bool:
    return (
        type(values) is tuple
        and all(type(value) is str and value for value in values)
        and len(set(values)) == len(values)
    )


def _require(holds: object, what: str) -> None:
    if not holds:
        raise InvalidInput(f"{what} in saved preferences: the file is damaged, save it anew")
