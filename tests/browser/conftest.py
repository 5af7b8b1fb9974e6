"""A browser that is watched: Debian's Chromium, which may talk to one server on this computer and to nobody else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright

from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.pleasures import PLEASURES
from tests.browser.watched import Watched
from tests.serve.running import Running

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
ANSWERED = 24


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium for the tests of one file: while it is open, a loop runs on this thread, and other tests need one."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def shared_place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study of which something is known: what comes first in the list was mostly preferred."""
    place = tmp_path_factory.mktemp("shared") / "pleasures.db"
    # The exact order takes more answers than all tests give: a settled study thanks its judges.
    with Study.create(place, PLEASURES, title="Small pleasures", goal="exact", seed=3) as study:
        order = list(study.items)
        for number in range(ANSWERED):
            asked = study.ask("early")
            better = "left" if order.index(asked.left) < order.index(asked.right) else "right"
            study.tell(asked, "both_bad" if number == 5 else better)
    return place


@pytest.fixture(scope="session")
def running(shared_place: Path) -> Iterator[Running]:
    """One server for all tests that need none of their own; each has a judge of its own."""
    with Running(shared_place, for_seconds=600) as running:
        yield running
        running.stop()


@pytest.fixture
def link(running: Running, shared_place: Path, request: pytest.FixtureRequest) -> str:
    """The link of a judge whom no other test knows."""
    with Study.open(shared_place, write=False) as study:
        name = request.node.name[:90]
        return Links(running.url).to("judge", name, study.tokens.make("judge", name))


@pytest.fixture
def kept(running: Running, shared_place: Path, request: pytest.FixtureRequest) -> Callable[[], list[str]]:
    """What the study keeps of this test's judge, read from the file beside the server."""

    def choices() -> list[str]:
        with Study.open(shared_place, write=False) as study:
            return [said.choice for said in study.answers() if said.question.judge == request.node.name[:90]]

    return choices


@pytest.fixture
def watched(browser: Browser, running: Running) -> Iterator[Watched]:
    watched = Watched(browser, running.url)
    yield watched
    watched.close()
