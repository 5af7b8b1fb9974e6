"""What every test shares: skips that say why, and fail instead where the full suite is promised."""

from __future__ import annotations

import gc
import os
import shutil
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.postgresql import Server, programs

DATA = Path(os.environ.get("PENCHANT_DATA", Path(__file__).parents[2] / "shared" / "data"))

TEXTS = Path(os.environ.get("PENCHANT_PAPERS", DATA.parent / "papers"))
"""The folder of the five texts, as plain text in files that begin with their numbers."""

EXAMPLES = int(os.environ.get("PENCHANT_EXAMPLES", "60"))
"""Of each property; fewer where the same ones run a second time under another arithmetic."""

settings.register_profile(
    "penchant",
    deadline=None,
    max_examples=EXAMPLES,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("penchant")


def missing(thing: str) -> str | None:
    """Say why ``thing`` is not here: a program on the path, or a data set as "data:NAME"."""
    if thing.startswith("data:"):
        name = thing.removeprefix("data:")
        if not (DATA / name / f"{name}.tar.xz").exists():
            return f"data set {name} is not in {DATA}: set PENCHANT_DATA to the folder that holds it"
        return None
    if thing == "papers":
        there = any(TEXTS.glob("1*.txt"))
        return None if there else f"the papers' texts are not in {TEXTS}: set PENCHANT_PAPERS to their folder"
    if thing == "postgres":
        return None if programs() else "program postgres is not installed: install postgresql"
    return None if shutil.which(thing) else f"program {thing} is not on the path: install it"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server for all tests of this process, which carry ``needs("postgres")``."""
    with Server() as server:
        yield server


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Import the tests without garbage collections, and leave what they made out of all later ones.

    Modules and tests are most of a million objects that stay: walking them took a quarter of the time of collecting.
    Later collections are rarer than Python's own, since compiling and generated examples make many objects that live.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(10_000, 10, 10)
        gc.enable()


def pytest_runtest_setup(item: pytest.Item) -> None:
    for marker in item.iter_markers("needs"):
        for thing in marker.args:
            reason = missing(thing)
            # Data sets and texts may be absent for good reasons of their own; programs may not, where all are promised.
            if reason and os.environ.get("PENCHANT_FULL") and not thing.startswith(("data:", "papers")):
                pytest.fail(reason, pytrace=False)
            if reason:
                pytest.skip(reason)
