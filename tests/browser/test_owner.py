"""The owner's page, part by part, in a real browser."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.accessible import violations
from tests.browser.pleasures import PLEASURES
from tests.browser.watched import Watched
from tests.serve.running import Running

pytestmark = [
    pytest.mark.needs("chromium"),
]

PARTS = {
    "ranking": "#ranking tr[data-item]",
    "people": "[data-judge]",
    "things": "[data-thing]",
    "history": "#history li",
    "learning": "#certainty figure",
    "checks": "#checks li",
    "exports": "#exports li",
    "settings": "#settings",
}
"""Each part of the page, and what is there once it is filled."""


def answered(study: Any, judges: list[str], count: int) -> None:
    """Answer as people do who mostly prefer what comes first in the list."""
    luck, order = random.Random(4), list(study.items)
    for number in range(count):
        question = study.ask(judges[number % len(judges)])
        ahead = order.index(question.left) < order.index(question.right)
        study.tell(question, "left" if ahead == (luck.random() < 0.9) else "right")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("owner") / "pleasures.db"
    with Study.create(place, PLEASURES, title="Small pleasures", seed=3, repeats=0.1) as study:
        answered(study, ["Zoë", "Ben"], 80)
    return place


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[Running]:
    """One server for the tests of this file, which undo what they do or do not mind."""
    with Running(place, for_seconds=300) as running:
        yield running
        running.stop()


@pytest.fixture
def owner(browser: Browser, served: Running) -> Iterator[Page]:
    watched = Watched(browser, served.url)
    page = watched.open(served.owner)
    page.wait_for_selector(PARTS["ranking"])
    yield page
    # What a test sends on purpose, the server rejects and the browser reports.
    watched.troubles = [trouble for trouble in watched.troubles if "status of 422" not in trouble]
    watched.was_quiet()
    watched.close()


def sticking_out(page: Page) -> list[str]:
    """Return nothing where a page is as wide as its window, else what makes it wider."""
    width, found = page.evaluate(
        """() => [document.documentElement.scrollWidth - innerWidth, [...document.querySelectorAll("main *")]
            .filter((each) => !each.closest("#tabs") && each.getBoundingClientRect().right > innerWidth)
            .map((each) => `${each.tagName} ${each.getAttribute("class")} ${each.textContent.slice(0, 40)}`)]"""
    )
    return [f"{width} px too wide", *found] if width > 0 else []


def opened(page: Page, part: str) -> Page:
    """Open a part and wait until it is filled."""
    page.click(f"#tab-{part}")
    page.wait_for_selector(f"#panel-{part} {PARTS[part]}")
    return page


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_part_is_accessible_and_fits_small_screens(
    browser: Browser, served: Running, scheme: str
) -> None:
    """Axe finds nothing in any part, with what opens in it; at 320 px nothing sticks out sideways."""
    watched = Watched(browser, served.url, color_scheme=scheme, viewport={"width": 1280, "height": 900})
    page = watched.open(served.owner)
    for part in PARTS:
        opened(page, part)
        if part == "ranking":
            page.locator("#ranking .title").first.click()
            page.wait_for_selector(".met li")
            for row in (0, 3):
                page.locator("#ranking .tick input").nth(row).click()
            page.wait_for_selector(".reasons li")
        if part == "people":
            page.fill("#name", f"Ada {scheme}")
            page.keyboard.press("Enter")
            page.wait_for_selector("#links .qr")
            page.click("#manage summary")
        if part == "things":
            page.locator("[data-key^=edit]").first.click()
        page.locator("details").evaluate_all("all => all.forEach((each) => (each.open = true))")
        for width in (1280, 320) if scheme == "light" else (1280,):  # the colours do not depend on the width
            page.set_viewport_size({"width": width, "height": 900})
            assert sticking_out(page) == [], (part, width)
            assert violations(page) == [], (part, width)
        page.set_viewport_size({"width": 1280, "height": 900})
    watched.was_quiet()
    watched.close()


def test_the_verdict_says_what_is_certain_and_what_is_open(owner: Page, place: Path) -> None:
    """In agreement with the groups of the ranking, whose open ones have a label; the goal has its meter."""
    with Study.open(place, write=False) as study:
        ranking = study.rank()
        said = study.verdict()
    expect(owner.locator("#settled")).to_have_text(" ".join(said[1:]))
    assert owner.inner_text("#verdict-words") == said[0]
    words = f"{said[0]} {said[-1]}"
    sizes = [int((ranking.groups == group).sum()) for group in range(1, ranking.groups[-1] + 1)]
    labels = owner.locator("#ranking .label").all_inner_texts()
    assert len(labels) == sum(size > 1 for size in sizes)
    if len(sizes) > 1:
        for label in labels[:2]:
            assert label.removeprefix("Places ").partition(" are ")[0] in words
    assert owner.locator("#meter svg[aria-label*='is enough']").count() == 1
    assert "80 answers" in owner.inner_text("#progress")
    shown = [row.split("\t") for row in owner.locator("#ranking tr[data-item]").all_inner_texts()]
    assert [float(row[-4].replace("−", "-")) for row in shown] == [
        round(score, 2) for score in ranking.scores.tolist()
    ]


def test_two_items_are_compared_by_keyboard(owner: Page, place: Path) -> None:
    """Tabs by arrows; an item opens with Enter and shows whom it beat; two ticked ones are explained."""
    owner.focus("#tab-ranking")
    owner.keyboard.press("ArrowRight")
    assert owner.evaluate("document.activeElement.id") == "tab-people"
    assert owner.get_attribute("#tab-people", "aria-selected") == "true"
    owner.keyboard.press("Home")
    assert owner.is_visible("#panel-ranking")
    owner.keyboard.press("Tab")
    assert owner.evaluate("document.activeElement.className") == "title"
    owner.keyboard.press("Enter")
    owner.wait_for_selector(".met li")
    first = owner.locator("#ranking tr[data-item]").first.get_attribute("data-item")
    with Study.open(place, write=False) as study:
        report = study.item_report(first)
        ranking = study.rank()
        ahead, _, _ = study.outcome_probability(ranking.items[0], ranking.items[1])
    assert owner.locator(".met li").count() == len(report.opponents)
    assert (
        f"{report.opponents[0].won} : {report.opponents[0].lost}"
        in owner.locator(".met li").first.inner_text()
    )
    assert owner.evaluate("document.activeElement.getAttribute('aria-expanded')") == "true"
    owner.keyboard.press("Tab")
    owner.keyboard.press("Space")
    owner.keyboard.press("Tab")
    owner.keyboard.press("Tab")
    owner.keyboard.press("Space")
    owner.wait_for_selector("#pair-heading")
    assert f"{round(100 * ahead)} %" in owner.inner_text(".legend")
    assert owner.evaluate("document.activeElement.type") == "checkbox"


def test_judges_are_measured_set_aside_and_taken_back(owner: Page, place: Path) -> None:
    """Their numbers are those of the study; a lost link is replaced, and the old one stops working."""
    opened(owner, "people")
    with Study.open(place, write=False) as study:
        activity = {found.judge: found for found in study.activity()}["Ben"]
    row = owner.locator("[data-judge=Ben]")
    expect(row).to_contain_text(f"{round(100 * activity.left_share)} %")
    expect(row).to_contain_text("±")
    row.get_by_role("button", name="Set aside Ben").click()
    expect(owner.locator("[data-judge=Ben] .finding")).to_have_text("set aside")
    expect(owner.locator("#progress")).to_contain_text("40 answers")
    owner.get_by_role("button", name="Take back Ben").click()
    expect(owner.locator("#progress")).to_contain_text("80 answers")
    owner.fill("#name", "Kim")
    owner.keyboard.press("Enter")
    first = owner.locator("#links input").input_value()
    owner.get_by_role("button", name="New link for Kim").click()
    expect(owner.locator("#links input").first).not_to_have_value(first)
    expect(owner.locator("#links input")).to_have_count(1)
    with Study.open(place, write=False) as study:
        assert study.tokens.find(first.rpartition("token=")[2], record=False) is None
        second = owner.locator("#links input").first.input_value()
        assert study.tokens.find(second.rpartition("token=")[2], record=False).name == "Kim"


def test_things_are_added_edited_retired_and_imported(owner: Page, place: Path) -> None:
    """A file with wrong rows adds nothing and names them by their lines; a good one is dropped onto the page."""
    opened(owner, "things")
    owner.fill("#new-title", "A nap")
    owner.keyboard.press("Enter")
    row = owner.locator("[data-thing='A nap']")
    row.get_by_role("button", name="Edit A nap").click()
    owner.locator(".editor input").fill("A long nap")
    owner.keyboard.press("Enter")
    owner.get_by_role("button", name="Retire A long nap").click()
    expect(row.locator(".finding")).to_have_text("retired")
    owner.get_by_role("button", name="Bring back A long nap").click()
    expect(row.locator(".finding")).to_have_count(0)
    owner.get_by_role("button", name="Retire A long nap").click()
    bad = {
        "name": "more.csv",
        "mimeType": "text/csv",
        "buffer": b"title,text\nSnow,\nNew socks,\n,only text\n",
    }
    owner.set_input_files("#file", files=[bad])
    report = owner.locator("#import-report")
    expect(report).to_contain_text("line 3: ")
    expect(report).to_contain_text("line 4: ")
    assert owner.locator("[data-thing=Snow]").count() == 0
    owner.evaluate(
        """() => {
            const data = new DataTransfer();
            data.items.add(new File(["title\\nSnow\\n"], "snow.csv", { type: "text/csv" }));
            document.getElementById("zone").dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true }));
        }"""
    )
    expect(report).to_have_text("1 item added from snow.csv.")
    owner.get_by_role("button", name="Retire Snow").click()
    expect(owner.locator("[data-thing=Snow] .finding")).to_have_text("retired")
    with Study.open(place, write=False) as study:
        assert study.items["A nap"].title == "A long nap"
        assert set(study.retired) == {"A nap", "Snow"}


def test_any_answer_is_taken_back_and_restored(owner: Page) -> None:
    """From the history, which goes back to how the study was made; numbers follow at once."""
    opened(owner, "history")
    answer = owner.locator("#history [data-kind=answered]").nth(2)
    words, number = answer.locator(".what").inner_text(), answer.get_attribute("data-number")
    answer.get_by_role("button").click()
    expect(owner.locator("#progress")).to_contain_text("79 answers")
    expect(owner.locator(f"[data-number='{number}'] .finding")).to_have_text("taken back")
    undone = owner.locator("#history [data-kind=undone]").first
    expect(undone).to_contain_text(words.split(" ", 1)[1])
    undone.get_by_role("button", name="Restore").click()
    expect(owner.locator("#progress")).to_contain_text("80 answers")
    for _ in range(8):
        if owner.locator("#history [data-kind=created]").count():
            break
        count = owner.locator("#history li").count()
        owner.get_by_role("button", name="Older").click()
        expect(owner.locator("#history li")).not_to_have_count(count)
    assert owner.locator("#history [data-kind=created]").count() == 1
    assert not owner.get_by_role("button", name="Older").is_visible()


def test_learning_has_numbers_beside_its_pictures(owner: Page, place: Path) -> None:
    """Log loss, calibration, certainty and the next question are the study's; models race only when told."""
    opened(owner, "learning")
    with Study.open(place, write=False) as study:
        predictions, upcoming = study.predictions(), study.upcoming()
    expect(owner.locator("#predictions .figures")).to_contain_text(f"{predictions.log_loss:.3f}")
    assert owner.locator("#predictions .chart .dot").count() == len(predictions.calibration().count)
    expect(owner.locator("#upcoming")).to_contain_text(upcoming.words)
    assert owner.locator("#certainty .chart .dot").count() >= 5
    assert owner.locator("#race table").count() == 0
    owner.click("#race button")
    owner.wait_for_selector("#race table")
    assert owner.locator("#race tbody tr").count() == 2


def test_checks_and_exports_are_whole(owner: Page, place: Path) -> None:
    """Every check with its result; a file is fetched without the token in an address."""
    opened(owner, "checks")
    with Study.open(place, write=False) as study:
        checks = study.check()
        events = study.last_event()
    shown = {row.get_attribute("data-check"): row.inner_text() for row in owner.locator("#checks li").all()}
    assert set(shown) == {check.name for check in checks}
    for check in checks:
        assert {True: "passed", False: "failed", None: "too early"}[check.passed] in shown[check.name]
    opened(owner, "exports")
    with owner.expect_download() as download:
        owner.get_by_role("button", name="Download events.jsonl").click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    assert len(text.splitlines()) == events
    assert json.loads(text.splitlines()[0])["kind"] == "created"
    assert download.value.suggested_filename == "events.jsonl"


def test_settings_are_changed(owner: Page, place: Path) -> None:
    """Only what was changed is sent; what does not go together is told in words."""
    opened(owner, "settings")
    owner.fill("#setting-question", "Which is nicer?")
    owner.fill("#setting-least", "3")
    opened(owner, "people")
    opened(owner, "settings")  # what was typed is still there
    expect(owner.locator("#unsaved")).to_have_text("2 changes are not saved yet.")
    expect(owner.locator("#setting-question")).to_have_value("Which is nicer?")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#notice")).to_have_text("Saved.")
    expect(owner.locator("#unsaved")).to_be_empty()
    owner.select_option("#setting-goal", "top")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#setting-top + .wrong")).to_contain_text("must be a number")
    owner.fill("#setting-top", "2")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#notice")).to_have_text("Saved.")
    owner.select_option("#setting-goal", "order")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#setting-top")).to_have_value("")
    with Study.open(place, write=False) as study:
        settings = study.settings
        changes = [event.content["settings"] for event in study.events() if event.kind == "changed"]
    assert (settings["question"], settings["least"], settings["goal"]) == ("Which is nicer?", 3, "order")
    assert changes[0] == {"question": "Which is nicer?", "least": 3}


def test_a_reader_sees_the_ranking_and_no_names(browser: Browser, served: Running, place: Path) -> None:
    """The same page, without what only the owner may see or do."""
    with Study.open(place, write=False) as study:
        link = Links(served.url).to("reader", "board", study.tokens.make("reader", "board"))
    watched = Watched(browser, served.url)
    page = watched.open(link)
    page.wait_for_selector(PARTS["ranking"])
    assert page.locator("[role=tab]:visible").all_inner_texts() == ["Ranking", "Learning"]
    assert page.inner_text("#who") == "for readers"
    assert violations(page) == []
    page.locator("#ranking .tick input").nth(0).click()
    page.locator("#ranking .tick input").nth(1).click()
    page.wait_for_selector(".reasons li")
    watched.was_quiet()
    watched.close()
