"""The owner's page when things go wrong: drawn again between two presses, half a failure, two windows, plain HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

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


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("alone") / "pleasures.db"
    with Study.create(place, PLEASURES, title="Small pleasures", seed=3, repeats=1 / 3) as study:
        for _ in range(10):
            study.tell(study.ask("Ben"), "left")
        study.tokens.make("judge", "Ben")
    return place


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[Running]:
    """One server for the tests of this file."""
    with Running(place, for_seconds=300) as running:
        yield running
        running.stop()


@pytest.fixture
def watched(browser: Browser, served: Running) -> Iterator[Watched]:
    watched = Watched(browser, served.url)
    yield watched
    watched.close()


def opened(page: Page, part: str, filled: str) -> Page:
    """Open a part of the page and wait until it is filled."""
    page.click(f"#tab-{part}")
    page.wait_for_selector(f"#panel-{part} {filled}")
    return page


def links_of(place: Path, judge: str) -> list[str]:
    with Study.open(place, write=False) as study:
        return [token.id for token in study.tokens.list() if token.name == judge and token.role == "judge"]


def test_a_link_is_revoked_while_answers_come_in(watched: Watched, served: Running, place: Path) -> None:
    """Live numbers redraw the table between the two presses: the second one still counts, and keeps the focus."""
    with Study.open(place, write=False) as study:
        link = Links(served.url).to("judge", "Mallory", study.tokens.make("judge", "Mallory"))
    owner = opened(watched.open(served.owner), "people", "[data-judge=Mallory]")
    judge = watched.judge(link)
    owner.bring_to_front()
    revoke = owner.locator("[data-judge=Mallory]").get_by_role("button", name="Revoke the link of Mallory")
    revoke.click()
    expect(revoke).to_have_text("Really?")
    owner.evaluate("document.querySelector('[data-judge=Mallory]').dataset.old = 'yes'")
    judge.page.evaluate("document.querySelector('[data-choice=left]').click()")
    owner.wait_for_selector("[data-judge=Mallory]:not([data-old])")
    expect(revoke).to_have_text("Really?")
    assert owner.evaluate("document.activeElement.textContent") == "Really?"
    revoke.click()
    expect(revoke).to_have_count(0)
    assert links_of(place, "Mallory") == []


def test_a_link_that_cannot_be_replaced_still_works(watched: Watched, served: Running, place: Path) -> None:
    """Where no new link is made, the old one is not revoked, and the page says what went wrong."""
    before = links_of(place, "Ben")
    owner = opened(watched.open(served.owner), "people", "[data-judge=Ben]")
    owner.route("**/v1/judges", lambda route: route.abort())
    owner.get_by_role("button", name="New link for Ben").click()
    expect(owner.locator("#notice")).to_have_text("The server does not answer: try again.")
    owner.wait_for_timeout(300)
    assert links_of(place, "Ben") == before


def test_everything_is_changed_over_plain_http(watched: Watched, served: Running, place: Path) -> None:
    """From another computer without HTTPS the browser has no crypto.randomUUID and no crypto.subtle."""
    watched.context.add_init_script(
        "delete Crypto.prototype.randomUUID; delete Crypto.prototype.subtle; delete Navigator.prototype.clipboard"
    )
    owner = opened(watched.open(served.owner), "things", "[data-thing]")
    assert owner.evaluate("[typeof crypto.randomUUID, typeof crypto.subtle]") == ["undefined", "undefined"]
    owner.set_input_files(
        "#file", files=[{"name": "a.csv", "mimeType": "text/csv", "buffer": b"title\nSnow\n"}]
    )
    expect(owner.locator("#import-report")).to_have_text("1 item added from a.csv.")
    owner.get_by_role("button", name="Retire Snow").click()
    expect(owner.locator("[data-thing=Snow] .finding")).to_have_text("retired")
    opened(owner, "people", "[data-judge=Ben]")
    owner.get_by_role("button", name="Set aside Ben").click()
    owner.get_by_role("button", name="Take back Ben").click()
    expect(owner.get_by_role("button", name="Set aside Ben")).to_be_visible()
    opened(owner, "history", "#history li")
    owner.locator("#history [data-kind=answered]").get_by_role("button").first.click()
    owner.locator("#history [data-kind=undone]").get_by_role("button", name="Restore").first.click()
    opened(owner, "settings", "#settings")
    owner.fill("#setting-instructions", "By taste.")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#notice")).to_have_text("Saved.")
    watched.was_quiet()


def test_an_item_edited_in_two_windows_keeps_both_changes(
    watched: Watched, served: Running, place: Path
) -> None:
    """A window sends only what was changed in it; what was typed stays there while the list is drawn again."""
    here, there = (opened(watched.open(served.owner), "things", "[data-thing]") for _ in range(2))
    for page in (here, there):
        page.bring_to_front()
        page.get_by_role("button", name="Edit A letter from a friend").click()
    there.locator(".editor textarea").fill("On paper.")
    there.locator(".editor").get_by_role("button", name="Save").click()
    expect(there.locator(".editor")).to_have_count(0)
    here.bring_to_front()
    here.locator(".editor input").fill("A letter")
    here.get_by_role("button", name="Retire An empty beach").click()
    expect(here.locator("[data-thing='An empty beach'] .finding")).to_have_text("retired")
    expect(here.locator(".editor input")).to_have_value("A letter")
    here.locator(".editor").get_by_role("button", name="Save").click()
    expect(here.locator(".editor")).to_have_count(0)
    with Study.open(place, write=False) as study:
        item = study.items["A letter from a friend"]
        assert (item.title, item.text) == ("A letter", "On paper.")


def test_a_file_that_misses_its_place_does_not_replace_the_page(watched: Watched, served: Running) -> None:
    """And of several files none is taken without a message about the others."""
    owner = opened(watched.open(served.owner), "things", "[data-thing]")
    drop = """(target, names) => {
        const dataTransfer = new DataTransfer();
        for (const name of names) dataTransfer.items.add(new File(["title\\nHail\\n"], name));
        return !target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
    }"""
    assert owner.locator("body").evaluate(drop, ["hail.csv"])
    assert owner.locator("#import-report").is_hidden()
    owner.locator("#zone").evaluate(drop, ["hail.csv", "storm.csv"])
    expect(owner.locator("#import-report")).to_have_text("Drop one file at a time. Nothing was added.")
    assert owner.locator("[data-thing=Hail]").count() == 0


def test_a_rejected_setting_is_explained_at_its_field(watched: Watched, served: Running, place: Path) -> None:
    """In the words of the form, with nothing saved; on a phone, what was saved is said in sight."""
    owner = opened(watched.open(served.owner), "settings", "#settings")
    owner.set_viewport_size({"width": 320, "height": 600})
    assert owner.input_value("#setting-repeats") == "33.33"
    owner.fill("#setting-question", "Which is nicer?")
    owner.select_option("#setting-goal", "top")
    owner.fill("#setting-top", "70")
    owner.get_by_role("button", name="Save").click()
    wrong = owner.locator("#setting-top + .wrong")
    expect(wrong).to_contain_text("How many are the best few must be a whole number from 1 to")
    expect(wrong).to_contain_text("Nothing was saved.")
    assert owner.evaluate("document.activeElement.id") == "setting-top"
    assert violations(owner) == []
    with Study.open(place, write=False) as study:
        assert (study.settings["question"], study.settings["goal"]) == ("", "order")
    owner.fill("#setting-top", "2")
    owner.get_by_role("button", name="Save").click()
    expect(owner.locator("#notice")).to_have_text("Saved.")
    expect(owner.locator("#notice")).to_be_in_viewport(ratio=1)
    expect(wrong).to_have_count(0)
    owner.click("#tab-things")
    expect(owner.locator("#notice")).to_be_hidden()
    with Study.open(place, write=False) as study:
        assert study.settings["top"] == 2
        assert study.settings["repeats"] == 1 / 3  # the field shows less of it than is set
