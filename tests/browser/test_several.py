"""Pages of a server that has several studies, of both kinds: the token decides which one is shown."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from penchant.study import Study
from tests.browser.watched import Watched

pytestmark = [
    pytest.mark.needs("chromium"),
]


@pytest.fixture
def links(tmp_path: Path) -> Iterator[list[str]]:
    """Of the owner and a judge of a study that compares, and of the owner and a reader of one that presents orders."""
    Study.create(tmp_path / "drinks.db", ["Tea", "Coffee", "Water"], title="Drinks", seed=1).close()
    films = [{"id": "up", "long": 1.0}, {"id": "heat", "long": 2.0}]
    Study.create(tmp_path / "films.db", films, kind="coactive", features=("long",), title="Films").close()
    words = [
        sys.executable,
        "-m",
        "penchant",
        "serve",
        "drinks.db",
        "films.db",
        "--port",
        "0",
        "--for",
        "120",
    ]
    with subprocess.Popen(words, cwd=tmp_path, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        printed = [server.stdout.readline() for _ in range(8)]
        yield [line.split()[-1] for line in printed if "http://" in line]
        server.terminate()
        server.communicate(timeout=60)


def test_a_page_shows_the_study_of_its_token(browser: Browser, links: list[str]) -> None:
    """Its title, and the ranking or how far it is; a study that presents orders has no ranking and no judges."""
    owner, judge, films, search = links
    watched = Watched(browser, owner.partition("/owner")[0])
    page = watched.open(owner)
    page.wait_for_selector(".invitation:visible")
    assert page.inner_text("#title") == "Drinks"
    page = watched.open(films)
    page.locator("#weights", has_text="Nothing was learned yet.").wait_for()
    assert page.inner_text("#title") == "Films"
    assert page.inner_text("#verdict-words") == "Nothing was presented yet."
    assert not page.is_visible("#tab-ranking")
    page.click("#tab-people")
    page.wait_for_selector("#others:visible")
    assert not page.is_visible("#judges")
    page = watched.open(search)
    page.wait_for_selector("#page[data-state='ready']")
    assert page.inner_text("#title") == "Films"
    page = watched.open(judge)
    page.wait_for_selector("#questions[data-state='ready']")
    assert page.inner_text("#title") == "Drinks"
    watched.was_quiet()
    watched.close()
