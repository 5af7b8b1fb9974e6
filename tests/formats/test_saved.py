"""Saved preferences as a file format."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings

import penchant
from penchant import Preferences
from penchant.errors import CannotLoad, InvalidInput
from penchant.formats import read_file
from tests.formats.files import EVERYTHING, again
from tests.formats.strategies import file


def test_saved_preferences_and_nothing_else(tmp_path: Path) -> None:
    """What penchant.save wrote is read; a saved model is rejected with the way to open it; damage is told."""
    preferences = Preferences.from_clicks(["x", "y"], ["y"])
    penchant.save(preferences, tmp_path / "votes.penchant")
    assert penchant.read(tmp_path / "votes.penchant") == preferences
    penchant.save({"scores": np.arange(3)}, tmp_path / "model.penchant")
    with pytest.raises(
        InvalidInput, match=r"must hold saved preferences, got a dict: open it with penchant.load"
    ):
        read_file(tmp_path / "model.penchant")
    with pytest.raises(CannotLoad):
        read_file(file(tmp_path, "broken.penchant", b"PK\x03\x04 broken"))


@settings(max_examples=25)
@given(EVERYTHING)
def test_everything_survives_saving_exactly(preferences: Preferences) -> None:
    """The lossless format gives equal preferences and loses nothing."""
    with again(preferences, "votes.penchant") as (reading, written, _):
        assert reading.preferences == preferences
        assert written.lost == ()
