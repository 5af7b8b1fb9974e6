"""Load tampered files in a process of their own: trial numbers on standard input, one line of JSON for each out.

``python -m tests.reliability.loading``. A crash of the interpreter ends this process and not the one that counts.
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from functools import cache
from typing import Any

import numpy as np

from penchant.errors import CannotLoad, PenchantError
from penchant.saving import from_bytes, to_bytes
from tests.reliability.tampering import tampered
from tests.saving.examples import Example, examples

MEMORY = 6 * 2**30
"""Of addresses, which is more than of memory: a file of some kilobytes must not ask for it."""


@cache
def files() -> tuple[tuple[Example, bytes], ...]:
    """Return every example with its file."""
    return tuple((example, to_bytes(example.value)) for example in examples())


def outcome(number: int) -> dict[str, str]:
    """Return how trial ``number`` went: the outcome, or what is broken."""
    random = np.random.default_rng(number)
    example, data = files()[random.integers(len(files()))]
    kind = type(example.value).__name__
    try:
        value = from_bytes(tampered(data, random))
    except CannotLoad:
        return {"outcome": "rejected when loaded"}
    except BaseException as error:
        return {"broken": f"loading a {kind} raised {type(error).__name__}: {error}"}
    if type(value) is not type(example.value):
        return {"outcome": "loaded as another object"}
    try:
        asked = example.use(value)
    except PenchantError:
        return {"outcome": "error when used"}
    except BaseException as error:
        return {"broken": f"using a loaded {kind} raised {type(error).__name__}: {error}"}
    wrong = [part for part in asked if not finite(part)]
    if wrong:
        return {"broken": f"a loaded {kind} gave {wrong[0]!r}"}
    return {"outcome": "worked"}


def finite(part: Any) -> bool:
    """Say whether all numbers in ``part`` are finite; text says nothing."""
    try:
        numbers = np.asarray(part, dtype=np.float64)
    except (TypeError, ValueError):
        return True
    return bool(np.isfinite(numbers).all())


def main() -> None:
    """Answer trial numbers until there are no more."""
    warnings.simplefilter("ignore")
    files()
    with contextlib.suppress(ImportError):  # only where there are such limits
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    print("ready", flush=True)
    for line in sys.stdin:
        print(json.dumps(outcome(int(line))), flush=True)


if __name__ == "__main__":
    main()
