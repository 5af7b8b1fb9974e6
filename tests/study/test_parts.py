"""The parts of a study are one object over one state."""

from __future__ import annotations

import pytest

from penchant.study import CompareStudy
from penchant.study.editing import Editing
from penchant.study.exchange import Exchange
from penchant.study.parts import PartOfStudy
from penchant.study.reporting import Reporting


def test_a_part_alone_is_no_study() -> None:
    """A part cannot be made without what it is written against, and only a study has all of that."""
    for part in (Editing, Exchange, Reporting):
        assert issubclass(part, PartOfStudy)
        with pytest.raises(TypeError, match="abstract"):
            part(None)  # type: ignore[abstract]
    assert not CompareStudy.__abstractmethods__


def test_no_method_is_written_twice() -> None:
    """Each method of a part is the one that a study has."""
    for part in (Editing, Exchange, Reporting):
        for name, method in vars(part).items():
            if callable(method):
                assert getattr(CompareStudy, name) is method, (
                    f"{part.__name__}.{name} is hidden by another part"
                )
