"""Former names of modules, which give the names of their successors with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib import import_module
from typing import Any


def moved_to(former: str, successor: str) -> Callable[[str], Any]:
    """Return the ``__getattr__`` of the module ``former``, whose content is in ``successor`` now."""

    def get(name: str) -> Any:
        module = import_module(successor)
        if name.startswith("__") or not hasattr(module, name):
            raise AttributeError(f"module {former!r} has no attribute {name!r}")
        warnings.warn(f"{former} is now {successor}: import {name} from there", FutureWarning, stacklevel=2)
        return getattr(module, name)

    return get
