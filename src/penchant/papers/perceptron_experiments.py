"""The former name of `penchant.papers.coactive.perceptron`, whose names it gives with a warning."""

from __future__ import annotations

import warnings
from typing import Any


def __getattr__(name: str) -> Any:
    from penchant.papers.coactive import perceptron

    if name.startswith("__") or not hasattr(perceptron, name):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    warnings.warn(
        f"{__name__} is now {perceptron.__name__}: import {name} from there", FutureWarning, stacklevel=2
    )
    return getattr(perceptron, name)
