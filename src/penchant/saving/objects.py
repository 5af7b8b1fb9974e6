"""Objects of Penchant's classes in a saved file, each as a public class name and a state.

A class that can be saved states in ``__saved__``, a `penchant.schema.Schema`, what its state must satisfy; any other
is neither written nor made. The state is what ``__save_state__`` returns and the class method ``__load_state__`` takes
where the class has them, otherwise its attributes.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from typing import Any

import numpy as np

from penchant.errors import CannotLoad, CannotSave

NAME = re.compile(r"(penchant\.[a-z][a-z0-9_]*):([A-Za-z][A-Za-z0-9_]*)", re.ASCII)
# Packages that touch files, networks or terminals hold nothing that a file may ask for.
CLOSED = frozenset(
    f"penchant.{package}" for package in ("cli", "client", "papers", "saving", "serve", "store", "study")
)
VALUES = (int, float, complex, str, bytes, list, tuple, dict, set, frozenset, np.ndarray, Enum, BaseException)


def is_ours(kind: type) -> bool:
    """Return whether ``kind`` is one of Penchant's classes."""
    return kind.__module__.startswith("penchant.")


def name_of(kind: type, path: str) -> str:
    """Return the name of ``kind`` in a file, for instance ``penchant.worth:WinRate``."""
    package = ".".join(kind.__module__.split(".")[:2])
    name = f"{package}:{kind.__name__}"
    try:
        public = class_of(name) is kind
    except CannotLoad:
        public = False
    if not public:
        raise CannotSave(
            f"{path} is a {kind.__module__}.{kind.__qualname__}, which is no public class of a package "
            f"that can be saved: put {kind.__name__} into {package}.__all__ or keep it out of the model"
        )
    if _schema(kind) is None:
        raise CannotSave(
            f"{path} is a {kind.__name__}, which does not state in __saved__ what its file may hold: "
            "keep its numbers instead"
        )
    return name


def class_of(name: str) -> type:
    """Return the class that ``name`` means; nothing is imported for a name that is not allowed."""
    match = NAME.fullmatch(name)
    if match is None or match[1] in CLOSED:
        raise CannotLoad(f"the file asks for {name[:60]!r}, which is no model of Penchant's: do not trust it")
    package, own_name = match.groups()
    try:
        module = import_module(package)
        kind = getattr(module, own_name) if own_name in getattr(module, "__all__", ()) else None
    except (ImportError, AttributeError) as error:
        raise CannotLoad(
            f"{name} cannot be imported ({error}): upgrade with pip install -U penchant"
        ) from error
    if not isinstance(kind, type) or not f"{kind.__module__}.".startswith(f"{package}."):
        raise CannotLoad(f"{name} is no public class of {package}: upgrade with pip install -U penchant")
    return kind


def _schema(kind: type) -> Any:
    return getattr(kind, "__saved__", None)


def check_loadable(value: object, state: Mapping[str, object], path: str) -> None:
    """Raise `CannotSave` where no load would accept ``state``: better now than when the object is gone."""
    try:
        _schema(type(value)).check(state)
    except Exception as error:
        raise CannotSave(
            f"{path} is a {type(value).__name__} that no load would accept ({error}): correct it, or fit it anew"
        ) from error


def state_of(value: object, path: str) -> Mapping[str, object]:
    """Return what must be written so that `restored` gives the same object."""
    kind = type(value)
    save = getattr(kind, "__save_state__", None)
    if save is not None:
        state = save(value)
        if not isinstance(state, dict) or not all(type(name) is str for name in state):
            raise CannotSave(
                f"__save_state__ of {path} must give a dict with names as keys: repair {kind.__name__}"
            )
        return state
    if isinstance(value, VALUES) or (_has_slots(kind) and not dataclasses.is_dataclass(kind)):
        raise CannotSave(
            f"{path} is a {kind.__name__}, whose state is not in its attributes: "
            f"give {kind.__name__} __save_state__ and __load_state__, or keep a plain value"
        )
    if dataclasses.is_dataclass(kind):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(kind)}
    return vars(value)


def restored(kind: type, state: dict[str, object]) -> object:
    """Return an object of class ``kind`` with the state that `state_of` gave."""
    load, schema = getattr(kind, "__load_state__", None), _schema(kind)
    if schema is None:
        raise CannotLoad(
            f"the file asks for a {kind.__name__}, which no file of Penchant's holds: do not trust it"
        )
    try:
        schema.check(state)
        value: object = load(state) if load is not None else _with_attributes(kind, state, schema)
    except Exception as error:  # a class may raise anything for a hostile state
        raise CannotLoad(
            f"{kind.__name__} rejects its state ({error}): the file was altered, save it anew"
        ) from error
    if type(value) is not kind:
        raise CannotLoad(
            f"{kind.__name__} gave a {type(value).__name__} for its state: repair __load_state__"
        )
    return value


def _with_attributes(kind: type, state: dict[str, object], schema: Any) -> object:
    if dataclasses.is_dataclass(kind):
        state = _with_defaults(kind, state, schema)
    value: object = kind.__new__(kind)  # type: ignore[call-overload]
    for name, attribute in state.items():
        if not name.isidentifier() or name.startswith("__") or callable(getattr(kind, name, None)):
            raise CannotLoad(f"{name[:60]!r} is no attribute of its own")
        object.__setattr__(value, name, attribute)
    return value


def _with_defaults(kind: type[Any], state: dict[str, object], schema: Any) -> dict[str, object]:
    """Return the state with the defaults of optional fields, which files of earlier versions do not have."""
    fields = {field.name: field.default for field in dataclasses.fields(kind)}
    absent = fields.keys() - state.keys()
    if state.keys() - fields.keys() or absent - set(schema.optional):
        raise CannotLoad("it has other fields")
    return {**state, **{name: fields[name] for name in absent}}


def _has_slots(kind: type) -> bool:
    return any(vars(ancestor).get("__slots__") for ancestor in kind.__mro__)
