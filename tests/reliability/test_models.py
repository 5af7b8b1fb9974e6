"""The part that loads tampered files notices what it is there to notice."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from penchant.saving import to_bytes
from tests.reliability.loading import finite
from tests.reliability.parts.models import Worker
from tests.reliability.tampering import WAYS, tampered

CRASHES = """
import os, signal
print("ready", flush=True)
while True:
    number = input()
    if number == "7":
        os.kill(os.getpid(), signal.SIGKILL)
    print('{"outcome": "worked"}', flush=True)
"""


def test_a_crash_is_a_failing_trial_and_not_the_end() -> None:
    """The number that ends the process is reported as broken, and the next one runs in a new process."""
    worker = Worker(sys.executable, "-c", CRASHES)
    try:
        assert worker.run(6) == {"outcome": "worked"}
        assert worker.run(7) == {"broken": "the trial ended the process with code -9"}
        assert worker.run(8) == {"outcome": "worked"}
    finally:
        worker.stop()


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_each_way_to_tamper_changes_the_file(way: object) -> None:
    """Within some tries each way gives other bytes, and the same bytes for the same number."""
    data = to_bytes({"a": np.arange(6.0).reshape(2, 3), "b": [np.arange(4), 1, {"c": 2.5}]})
    made = [way(data, np.random.default_rng(number)) for number in range(20)]  # type: ignore[operator]
    assert any(altered != data for altered in made)
    assert tampered(data, np.random.default_rng(3)) == tampered(data, np.random.default_rng(3))


@pytest.mark.parametrize(
    ("part", "holds"), [([1.0, 2], True), ("nan", True), (np.nan, False), ([0, np.inf], False)]
)
def test_what_is_not_finite_is_seen(part: object, holds: bool) -> None:
    """Numbers are looked at, text is not."""
    assert finite(part if part != "nan" else "a nan in text") is holds
