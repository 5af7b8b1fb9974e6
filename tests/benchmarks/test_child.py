from __future__ import annotations

import io
import json
import sys

import pytest

from benchmarks.case import Case
from benchmarks.child import measure, peak, plain, serve, versions


def talk(case: Case, *words: str) -> list[dict[str, object]]:
    channel = io.StringIO()
    serve(case, [word + "\n" for word in words], channel)
    return [json.loads(line) for line in channel.getvalue().splitlines()]


def test_each_word_is_answered_with_one_json_line() -> None:
    """Ready first, then costs for every measure, then the answer to the last call."""
    calls: list[int] = []
    case = Case(prepare=lambda: lambda: calls.append(1) or len(calls), answer=lambda count: {"count": count})
    ready, first, second, last = talk(case, "measure", "measure", "finish")
    assert ready == {"ready": True}
    assert set(first) == set(second) == {"cpu", "wall", "memory"}
    assert last["answer"] == {"count": 2}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_memory_is_the_peak_of_this_call_alone() -> None:
    """A call is charged what it held at its peak, whatever an earlier call held."""
    big = measure(lambda: len(bytearray(b"1") * 80_000_000))[1]["memory"]
    small = measure(lambda: len(bytearray(b"1") * 20_000_000))[1]["memory"]
    assert big == pytest.approx(80e6 / 2**20, abs=4)
    assert small == pytest.approx(20e6 / 2**20, abs=4)
    assert peak() > 0


def test_what_a_started_process_costs_is_counted() -> None:
    """Seconds of processes that the call ran to their end are its own; their memory is not known."""
    import subprocess

    cost = measure(lambda: subprocess.run([sys.executable, "-S", "-c", "sum(range(1_000_000))"], check=True))[
        1
    ]
    assert cost["cpu"] is not None
    assert cost["cpu"] > 0
    assert cost["memory"] is None


def test_versions_are_of_what_is_loaded_and_required() -> None:
    """Known libraries count when they are loaded, a peer's requirements always."""
    import numpy as np

    told = versions(["pytest>=8"])
    assert told["numpy"] == np.__version__
    assert told["pytest"] == pytest.__version__


def test_numbers_of_numpy_are_told_as_plain_ones() -> None:
    """An answer may hold NumPy's scalars."""
    import numpy as np

    assert plain(np.int64(3)) == 3
    assert plain(Exception) == str(Exception)
