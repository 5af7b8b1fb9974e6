"""Candidates of a presentation as the JSON that a server takes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from penchant.checks import shown
from penchant.errors import InvalidInput
from penchant.frames import as_features


def candidates(context: Any) -> Any:
    """Return what `Study.present` takes as a context, as JSON: ids, features by id, or arrays under names.

    Features have names there: rows of numbers alone are rejected.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> candidates(("a", "b")), candidates(DataFrame({"price": [2.5, 1.0]}, index=["a", "b"]))
    (['a', 'b'], {'ids': ['a', 'b'], 'features': ['price'], 'rows': [[2.5], [1.0]]})
    """
    if isinstance(context, str | bytes) or not isinstance(context, Iterable):
        raise InvalidInput.of(
            "context", "hold candidates", shown(context), "give ids, or features by id, or a table"
        )
    if isinstance(context, Mapping):
        return _of_mapping(context)
    return _of_rows(context)


def _of_mapping(context: Mapping[Any, Any]) -> Any:
    is_table = context.keys() == {"ids", "features", "rows"}
    if not is_table and not all(isinstance(features, Mapping) for features in context.values()):
        raise _without_names("rows of numbers")
    return {str(id): features for id, features in context.items()}


def _of_rows(context: Any) -> Any:
    context = as_features(context)
    if hasattr(context, "columns") and hasattr(context, "index"):
        names, ids = [str(name) for name in context.columns], [str(id) for id in context.index]
        return {"ids": ids, "features": names, "rows": context.to_numpy().tolist()}
    if getattr(context, "ndim", 1) != 1:
        raise _without_names("a matrix")
    return listed(context)


def _without_names(received: str) -> InvalidInput:
    return InvalidInput.of(
        "features of candidates",
        "have names",
        received,
        "give {id: {feature: value}}, or a DataFrame whose index holds the ids",
    )


def listed(ids: Any) -> list[Any]:
    """Return ids as a list; one id alone is a list of one.

    Examples
    --------
    >>> listed("a"), listed(("a", "b"))
    (['a'], ['a', 'b'])
    """
    return [ids] if isinstance(ids, str) else list(ids)


def encoded(body: Mapping[str, Any]) -> bytes:
    """Return a body as JSON; arrays and numbers of NumPy are lists and numbers.

    Examples
    --------
    >>> encoded({"id": "a", "rows": ()})
    b'{"id":"a","rows":[]}'
    """
    try:
        text = json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=_plain)
        return text.encode()
    except (TypeError, ValueError, RecursionError) as error:
        problem = str(error)
    raise InvalidInput.of(
        "what is sent", "be texts, finite numbers, lists and objects", problem, "convert it first"
    )


def _plain(value: Any) -> Any:
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, set | frozenset) or not isinstance(value, Iterable):
        raise TypeError(f"{type(value).__name__}")
    return list(value)
