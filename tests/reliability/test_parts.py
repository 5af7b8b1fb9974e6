"""A few trials of every part of the reliability run; `make reliability` runs all of them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.reliability.part import discover
from tests.reliability.table import BEGIN, END, table

DOCS = Path(__file__).parents[2] / "docs"
TRIALS = 3
PARTS = discover()


def trials() -> list[tuple[str, int]]:
    """The first trials of each part; of one that has a brief trial, that alone."""
    return [(name, number) for name, part in PARTS.items() for number in range(1 if part.brief else TRIALS)]


@pytest.mark.parametrize(("name", "number"), trials())
def test_a_trial_keeps_the_guarantee(name: str, number: int, tmp_path: Path) -> None:
    """The first trials of each part count something and break nothing."""
    part = PARTS[name]
    assert part.name == name
    reason = part.missing()
    if reason is not None:
        assert not os.environ.get("PENCHANT_FULL"), reason
        pytest.skip(reason)
    assert sum(part.run(range(number, number + 1), tmp_path, brief=True).values()) > 0


def test_the_docs_show_the_recorded_figures() -> None:
    """The table on the page is the one that the figures make, and every figure is of a part that exists."""
    page = (DOCS / "reliability.md").read_text()
    assert page.partition(BEGIN)[2].partition(END)[0].strip() == table(DOCS / "figures" / "reliability.json")
