"""Every example in a docstring runs and prints what it says."""

from __future__ import annotations

import doctest
import importlib
import pkgutil

import pytest

import penchant

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(penchant.__path__, "penchant.")
    if not module.name.endswith(("__main__", "_kernels"))
)


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_run(name: str) -> None:
    """The examples of one module hold."""
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.NORMALIZE_WHITESPACE)
    assert failed == 0


def test_public_names_resolve_and_say_what_they_are() -> None:
    """Every name in an ``__all__`` exists and, unless it is plain data, has a docstring."""
    for name in ["penchant", *MODULES]:
        module = importlib.import_module(name)
        for public in getattr(module, "__all__", ()):
            thing = getattr(module, public)
            assert not callable(thing) or (thing.__doc__ or "").strip(), f"{name}.{public} says nothing"
