"""The built site: whole, without anything from other hosts, and searchable from a disk."""

from __future__ import annotations

import re
import shutil
from html.parser import HTMLParser
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.browser.conftest import QUIET
from website.repository import ROOT

BUILDS = pytest.mark.slow("the first of them builds the site")

LOADED = {
    "script": ("src",),
    "img": ("src", "srcset"),
    "iframe": ("src",),
    "source": ("src", "srcset"),
    "object": ("data",),
    "embed": ("src",),
    "video": ("src", "poster"),
    "audio": ("src",),
    "link": ("href",),
    "image": ("href", "xlink:href"),
    "use": ("href", "xlink:href"),
}
"""What a browser fetches by itself; ``a`` is followed only when somebody clicks."""


class Assets(HTMLParser):
    """The addresses of everything that a page loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in LOADED.get(tag, ())]


def outside(address: str) -> bool:
    return bool(re.match(r"\s*(?:[a-z]+:)?//", address, re.IGNORECASE))


@BUILDS
def test_no_page_loads_anything_from_another_host(site: Path) -> None:
    """Each script, style, picture and frame of each page lies in the site."""
    for page in site.rglob("*.html"):
        for address in Assets(page.read_text(encoding="utf-8")).found:
            assert not outside(address), f"{page.name} loads {address}"
            if not address.startswith("data:") and page.name != "404.html":
                assert (page.parent / address.split("?")[0].split("#")[0]).exists(), f"{page.name}: {address}"


@BUILDS
def test_no_style_loads_anything_from_another_host(site: Path) -> None:
    """Styles import and draw only what lies in the site."""
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        for address in re.findall(r"(?:url\(|@import)\s*[\"']?([^\"')]+)", text):
            assert not outside(address), f"{style.name} loads {address}"


@pytest.mark.parametrize("planted", ["https://a.example/x.js", "//a.example/x.js", "HTTP://a.example"])
def test_what_another_host_has_is_found(planted: str) -> None:
    """The search above is no sham."""
    assert outside(Assets(f'<script src="{planted}"></script>').found[0])


@BUILDS
def test_every_page_of_docs_is_on_the_site(site: Path) -> None:
    """README is the first page, and each Markdown file of ``docs/`` has one."""
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    assert pages >= {"index.html", "contributing.html", "changelog.html"}
    assert pages >= {f"{page.stem}.html" for page in (ROOT / "docs").glob("*.md")}


@pytest.mark.needs("chromium")
@BUILDS
def test_the_search_works_from_a_disk(site: Path) -> None:
    """Opened as a file, without a server, the search finds a page, and no request leaves the folder."""
    requests: list[str] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=QUIET)
        page = browser.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.locator("input.md-search__input").click()
        page.locator("input.md-search__input").press_sequentially("Condorcet")
        page.locator(".md-search-result__link", has_text="Surveys and elections").first.click()
        page.wait_for_url("**/surveys.html*")
        browser.close()
    assert [url for url in requests if not url.startswith(("file:", "data:"))] == []
