"""Former names of modules still work."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import penchant

PACKAGE = Path(penchant.__file__).parent
NAMES = {
    "penchant.worth.model": "WorthModel",
    "penchant.coactive.bounds": "perceptron_bound",
    "penchant.papers.perceptron_experiments": "strict_feedback",
}


@pytest.mark.parametrize(("former", "name"), NAMES.items())
def test_a_former_name_warns_with_the_new_one(former: str, name: str) -> None:
    """It gives the same objects as the new module, and no others."""
    source = (PACKAGE.parent / Path(*former.split("."))).with_suffix(".py").read_text(encoding="utf-8")
    (successor,) = re.findall(r'moved_to\(__name__, "([\w.]+)"\)', source)
    with pytest.warns(
        FutureWarning, match=re.escape(f"{former} is now {successor}: import {name} from there")
    ):
        found = getattr(import_module(former), name)
    assert found is getattr(import_module(successor), name)
    with pytest.raises(AttributeError, match="has no attribute 'other'"):
        import_module(former).other  # noqa: B018


def test_every_former_name_is_tested() -> None:
    """A new one is added to the list above."""
    former = {
        ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for path in PACKAGE.rglob("*.py")
        if "moved_to(__name__" in path.read_text(encoding="utf-8")
    }
    assert former == set(NAMES)
