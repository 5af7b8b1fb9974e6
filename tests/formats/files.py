"""Small files, and what tests of several formats do with them."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hypothesis import strategies as st

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.formats import Limits, Reading, Written, read_file, write_file
from tests.formats import strategies
from tests.formats.strategies import file, rows_of

ABOUT_ITEMS = ("item", "the order of the items", "that the items are")


ABC = rows_of(Preferences.from_pairs([("a", "b"), ("b", "c")]))


LOG = json.dumps(
    {
        "candidates": [{"id": "a", "features": [1]}, {"id": "b", "features": [2]}],
        "presented": ["a"],
        "clicked": [],
    }
)


VOTES = "winner,loser\ntea,coffee\ncoffee,water\n"


LETOR = """2 qid:7 1:0.5 3:0.25 #docid = GX-1 inc = 1 prob = 0.5
0 qid:7 2:-1e-3 #docid = GX-2 inc = 0
1 qid:8 1:1 #docid = GX-3
"""


EVERYTHING = st.one_of(
    strategies.comparisons(),
    strategies.answers(),
    strategies.rankings(),
    strategies.choices(),
    strategies.grades(),
    strategies.ratings(),
)


def lines(folder: Path, *objects: Any, name: str = "votes.jsonl") -> Path:
    return file(folder, name, "".join(f"{json.dumps(told)}\n" for told in objects))


def refused(reading: Reading) -> list[tuple[int, str]]:
    return [(refusal.line, refusal.reason) for refusal in reading.refusals]


def only_reason(path: Path, **limits: int) -> str:
    """Return why the last row of a file is rejected, the others being read."""
    reading = read_file(path, limits=Limits(**limits))
    (refusal,) = reading.refusals
    return refusal.reason


@contextmanager
def again(
    preferences: Preferences, name: str, format: str | None = None
) -> Iterator[tuple[Reading, Written, Path]]:
    """Write and read again."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / name
        written = write_file(preferences, path, format=format)
        assert [entry.name for entry in Path(folder).iterdir()] == [name], "no unfinished file is left"
        yield read_file(path, format=format, strict=True), written, path


def only_about_items(lost: tuple[str, ...]) -> bool:
    return all(any(words in what for words in ABOUT_ITEMS) for what in lost)


def peak_memory(read: Callable[[], object]) -> int:
    """Return the most bytes that are held at once while a file is read or rejected."""
    tracemalloc.start()
    try:
        with suppress(InvalidInput):
            read()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
