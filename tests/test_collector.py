"""The garbage collector is paused, and goes on as it was before."""

from __future__ import annotations

import gc

import pytest

from penchant.collector import paused_collector


def test_it_goes_on_after_an_error() -> None:
    """What was paused is on again whatever happens in the block."""
    with pytest.raises(ValueError, match="invalid literal"), paused_collector():
        int("stop")
    assert gc.isenabled()


def test_one_that_was_off_stays_off() -> None:
    """Pauses may be nested, and a caller may have paused it by other means."""
    gc.disable()
    try:
        with paused_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()
