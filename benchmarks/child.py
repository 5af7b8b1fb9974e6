"""One row at work, in a process of its own: words come in on standard input, one JSON line goes out for each.

Started by the harness as ``python -m benchmarks.child MODULE ROW [--quick]``. It prepares and says ``ready``;
``measure`` makes one call and tells its seconds and megabytes; ``finish`` tells the answer and the versions
of the libraries that were loaded. Whatever goes wrong comes back as ``cannot``.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module, metadata
from pathlib import Path
from typing import Any, TextIO

from benchmarks.case import Cannot, Case

LIBRARIES = {
    "penchant": "penchant",
    "numpy": "numpy",
    "scipy": "scipy",
    "numba": "numba",
    "sklearn": "scikit-learn",
    "pandas": "pandas",
}


def main(arguments: list[str]) -> None:
    """Run the row that the arguments name until standard input ends."""
    channel = private_output()
    try:
        case = import_module(arguments[0]).cases("--quick" in arguments)[int(arguments[1])]
        serve(case, sys.stdin, channel)
    except Exception as error:
        tell(channel, {"cannot": in_words(error)})


def serve(case: Case, words: Iterable[str], channel: TextIO) -> None:
    """Answer each word with one line."""
    assert case.prepare is not None
    call = case.prepare()
    result = None
    tell(channel, {"ready": True})
    for word in words:
        if word.strip() == "measure":
            result = None
            result, sample = measure(call)
            tell(channel, sample)
        else:
            answer = case.answer(result) if case.answer else {}
            tell(channel, {"answer": dict(answer), "versions": versions(case.requires)})


def measure(call: Callable[[], object]) -> tuple[object, dict[str, float | None]]:
    """Make the call once; return its result and what it cost, the processes that it started included.

    What those held is not known: the kernel reports them as no smaller than the process that started them.
    """
    gc.collect()
    before, children = reset_peak(), children_cpu()
    wall, cpu = time.perf_counter(), time.process_time()
    result = call()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    started = children_cpu() - children
    return result, {"cpu": cpu + started, "wall": wall, "memory": None if started else peak() - before}


def children_cpu() -> float:
    """Return the CPU seconds of all processes that this one started and that have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reset_peak() -> float:
    """Give back what is free and forget the peak so far, where the system can; return what is left."""
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5")
    return peak()


def peak() -> float:
    """Return the most memory that this process has held, in MB."""
    # getrusage would do, but on Linux it remembers the size of the process that started this one.
    try:
        found = re.search(r"VmHWM:\s*(\d+)", Path("/proc/self/status").read_text())
    except OSError:
        found = None
    if found:
        return int(found[1]) / 1024
    unit = 1024**2 if sys.platform == "darwin" else 1024  # the kernel counts bytes there, kilobytes elsewhere
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


def versions(requires: Iterable[str]) -> dict[str, str]:
    """Return the versions of the known libraries that are loaded and of those that were required."""
    known = {name: sys.modules.get(module) for module, name in LIBRARIES.items()}
    loaded = {name: module.__version__ for name, module in known.items() if module}
    names = [re.split(r"[^\w.-]", requirement)[0] for requirement in requires]
    return loaded | {name: metadata.version(name) for name in names}


def private_output() -> TextIO:
    """Keep standard output for the protocol, and send whatever libraries print to standard error."""
    channel = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    return channel


def tell(channel: TextIO, message: dict[str, Any]) -> None:
    """Write one JSON line."""
    channel.write(json.dumps(message, default=plain) + "\n")
    channel.flush()


def plain(value: Any) -> Any:
    """Return a NumPy scalar as Python's own number."""
    return value.item() if hasattr(value, "item") else str(value)


def in_words(error: Exception) -> str:
    """Return one line that says what happened."""
    text = " ".join(str(error).split())
    return text if isinstance(error, Cannot) else f"{type(error).__name__}: {text}"


if __name__ == "__main__":
    main(sys.argv[1:])
