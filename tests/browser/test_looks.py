"""How it looks: phone and desktop, light and dark, by hand and by screen reader."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.accessible import violations
from tests.browser.watched import Watched
from tests.serve.running import Running

pytestmark = [
    pytest.mark.needs("chromium"),
]

PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "has_touch": True,
    "is_mobile": True,
}
DESKTOP = {"viewport": {"width": 1280, "height": 800}}
TOUCH = 44


def fits(page: Page) -> bool:
    return bool(page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth"))


def small_targets(page: Page) -> list[str]:
    """Buttons and fields that are smaller than a finger."""
    wanted = "button, select, textarea, summary, input:not([type=checkbox]), label:has([type=checkbox])"
    found = [(one.text_content(), one.bounding_box()) for one in page.query_selector_all(wanted)]
    return [str(words) for words, box in found if box and min(box["height"], box["width"]) < TOUCH]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
def test_it_fits_every_screen(
    browser: Browser, running: Running, link: str, tmp_path: Path, size: dict[str, Any], scheme: str
) -> None:
    """Nothing sticks out sideways, targets are at least 44 px, and the colours follow the system; pictures are kept."""
    watched = Watched(browser, running.url, color_scheme=scheme, **size)
    judge = watched.judge(link)
    judge.answer("skip")
    owner = watched.open(running.owner)
    owner.click("#tab-people")
    owner.fill("#name", "Zoë")
    owner.click("#judges button")
    owner.wait_for_selector("#links li")
    for name, page in (("judge", judge.page), ("owner", owner)):
        page.screenshot(path=tmp_path / f"{name}.png", full_page=True, animations="disabled")
        assert fits(page)
        assert small_targets(page) == []
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground.strip("rgb()").split(","))) < 200) == (scheme == "dark")
    watched.was_quiet()
    watched.close()


def test_a_phone_shows_the_whole_question_at_once(browser: Browser, running: Running, link: str) -> None:
    """Both cards and all buttons are on a phone's screen without scrolling."""
    watched = Watched(browser, running.url, **PHONE)
    page = watched.judge(link).page
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    watched.close()


def test_long_words_of_the_owner_leave_room_on_a_phone(browser: Browser, tmp_path: Path) -> None:
    """Instructions open at their start; a long title leaves the question on the screen, and a name is readable."""
    place = tmp_path / "wordy.db"
    words = {"title": "A study with a very long title " * 8, "instructions": "Please read this line.\n" * 60}
    Study.create(place, ["Tea", "Coffee"], **words).close()
    with Running(place) as running:
        with Study.open(place, write=False) as study:
            link = Links(running.url).to("judge", "ann", study.tokens.make("judge", "ann"))
        watched = Watched(browser, running.url, **PHONE)
        page = watched.judge(link).page
        assert page.locator("#about").evaluate("about => about.scrollHeight > about.clientHeight")
        assert page.locator("#about").evaluate("about => about.scrollTop") == 0
        page.keyboard.press("Escape")
        assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
        assert page.locator("#who").evaluate("who => who.scrollWidth <= who.clientWidth")
        assert page.inner_text("#who") == "answering as ann"
        assert violations(page) == []
        watched.was_quiet()
        watched.close()
        running.stop()


def test_it_works_by_ear(watched: Watched, link: str) -> None:
    """Buttons have names and say what they are about, changes are announced, and focus stays where it was."""
    judge = watched.judge(link)
    page = judge.page
    left, right = judge.titles
    assert violations(page) == []
    assert page.text_content("#spoken[aria-live=polite]") == f"Left: {left}. Right: {right}."
    for name in ("Left", "Right", "Tie", "Both bad", "Skip", "Undo"):
        assert page.get_by_role("button", name=name).count() == 1
    assert page.get_by_role("button", name="Undo").get_attribute("aria-disabled") == "true"
    page.get_by_role("button", name="Tie").focus()
    judge.press("Enter")
    assert page.evaluate("document.activeElement.dataset.choice") == "tie"
    judge.press("z")
    assert str(page.text_content("#spoken")).startswith("Taken back. Left: ")
    assert page.get_attribute("#questions", "aria-busy") == "false"
    watched.was_quiet()
