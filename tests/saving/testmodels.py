"""Small classes that stand in for Penchant's models; `conftest` registers the module as ``penchant.testmodels``."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property

import numpy as np

from penchant.errors import InvalidInput

PACKAGE = "penchant.testmodels"


class Unchecked:
    """A schema that takes any state."""

    optional = frozenset()

    def check(self, state):
        pass


class Model:
    """State is its attributes."""

    def __init__(self, **attributes):
        vars(self).update(attributes)

    def fit(self):
        return self


@dataclass(frozen=True)
class Frozen:
    scores: object
    note: str = ""
    hidden: int = field(default=0, repr=False)

    @cached_property
    def total(self):
        return float(np.sum(self.scores))


@dataclass(frozen=True, slots=True)
class Slotted:
    scores: object
    note: str = ""


class Slots:
    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


class Guarded:
    """Checks what it is given, as a class with compiled code must."""

    def __init__(self, order):
        self.order = np.asarray(order)
        self.cache = lambda: None

    def __save_state__(self):
        return {"order": self.order}

    @classmethod
    def __load_state__(cls, state):
        if sorted(state["order"].tolist()) != list(range(len(state["order"]))):
            raise InvalidInput("order must be a permutation")
        return cls(state["order"])


class WrongState:
    def __save_state__(self):
        return [1, 2]


class Impostor:
    def __save_state__(self):
        return {}

    @classmethod
    def __load_state__(cls, state):
        return "something else"


class Names(list):
    """A list whose items are not among its attributes."""


class Choice(Enum):
    LEFT = "left"


class Hidden:
    """Not in ``__all__``."""


def function():
    """In ``__all__``, and no class."""


class Silent:
    """Does not state what its file may hold."""


PUBLIC = (Model, Frozen, Slotted, Slots, Guarded, WrongState, Impostor, Names, Choice)
for _class in PUBLIC:
    _class.__saved__ = Unchecked()
PUBLIC = (*PUBLIC, Silent)
for _class in (*PUBLIC, Hidden):
    _class.__module__ = f"{PACKAGE}.{_class.__name__.lower()}"
__all__ = [*(public.__name__ for public in PUBLIC), "OrderedDict", "function"]

from collections import OrderedDict  # noqa: E402  in ``__all__``, and of another library
