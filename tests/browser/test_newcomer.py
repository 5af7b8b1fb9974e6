"""A newcomer's first two minutes, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from penchant.study import Study
from tests.browser.accessible import violations
from tests.browser.pleasures import PLEASURES
from tests.browser.watched import Watched
from tests.serve.running import Running

pytestmark = [
    pytest.mark.needs("chromium"),
]

ANSWERS = ["left", "right", "tie", "left", "both_bad", "right", "skip", "left", "left", "right"]


def shown_order(owner: Page, answers: int) -> list[str]:
    """The titles on the owner's page once it shows so many answers."""
    owner.wait_for_selector(f"#ranking[data-answers='{answers}']")
    return [
        str(item.get_attribute("data-item")) for item in owner.query_selector_all("#ranking tr[data-item]")
    ]


def study_ids(place: Path) -> list[str]:
    with Study.open(place, write=False) as study:
        return list(study.items)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    Study.create(tmp_path / "pleasures.db", PLEASURES, title="Small pleasures", seed=3).close()
    return tmp_path / "pleasures.db"


@pytest.mark.slow("two starts of the server, and pages that wait for it in between")
def test_ten_answers_one_taken_back_and_everything_there_after_a_restart(
    browser: Browser, place: Path
) -> None:
    """Ten questions by keyboard, Z, a ranking that moves, Ctrl-C, a new start: all there.

    The pages stay open meanwhile, and an answer given while nobody listened arrives when the server is back.
    """
    with Running(place) as running:
        watched = Watched(browser, running.url)
        owner = watched.open(running.owner)
        owner.wait_for_selector(".invitation:visible")
        untouched = sorted(study_ids(place))
        judge = watched.judge(running.judge)
        for choice in ANSWERS:
            last = judge.question
            judge.answer(choice)
        moved = shown_order(owner, 10)
        assert sorted(moved) == sorted(untouched)
        assert "10 answers" in str(judge.page.text_content("#progress"))
        judge.press("z")
        assert judge.question == last
        shown_order(owner, 9)
        judge.answer("left")
        final = shown_order(owner, 10)
        watched.was_quiet()
        assert "Stopped. 10 answers" in running.stop()
    with Study.open(place) as study:
        assert [answer.choice for answer in study.answers()] == [*ANSWERS[:-1], "left"]
        assert list(study.rank().items) == final
    waiting = judge.question
    judge.page.keyboard.press("ArrowRight")
    judge.says("Your answer is kept here and will be sent. The server does not answer; trying again")
    owner.locator("#notice", has_text="this is what was known last").wait_for()
    with Running(place, port=running.port) as again:
        fresh = Watched(browser, again.url)
        fresh.judge(running.judge)
        judge.moved_on(waiting)
        assert shown_order(owner, 11) == shown_order(fresh.open(running.owner), 11)
        assert owner.is_hidden("#notice")
        fresh.was_quiet()
        fresh.close()
        watched.close()
        assert "Stopped. 11 answers" in again.stop()


def test_the_owner_hands_out_links(watched: Watched, running: Running) -> None:
    """A name becomes a link, the link is copied, and whoever opens it answers in that name."""
    watched.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=running.url)
    owner = watched.open(running.owner)
    owner.click("#tab-people")
    owner.fill("#name", "Zoë")
    owner.keyboard.press("Enter")
    link = owner.locator("#links input").input_value()
    owner.click("#links button")
    owner.locator("#links button", has_text="Copied").wait_for()
    assert owner.evaluate("navigator.clipboard.readText()") == link
    judge = watched.judge(link)
    assert judge.page.text_content("#who") == "answering as Zoë"
    watched.was_quiet()


def test_buttons_do_what_keys_do(watched: Watched, link: str, kept: Callable[[], list[str]]) -> None:
    """Every button answers when clicked, the cards anywhere; undo takes back."""
    judge = watched.judge(link)
    for target in [
        "#left .card-title",
        "#right",
        "[data-choice=tie]",
        "[data-choice=both_bad]",
        "[data-choice=skip]",
    ]:
        before = judge.question
        box = judge.page.locator(target).bounding_box()
        assert box is not None
        judge.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        judge.moved_on(before)
    before = judge.question
    judge.page.click("#undo")
    judge.moved_on(before)
    judge.sent()
    watched.was_quiet()
    assert kept() == ["left", "right", "tie", "both_bad"]


def test_a_page_without_its_link_says_so(watched: Watched, running: Running) -> None:
    """Neither page asks anything of the server before it knows who is there."""
    for path in ("/", "/owner"):
        page = watched.open(f"{running.url}{path}")
        page.locator("#end, #notice", has_text="does not say who you are").first.wait_for()
        assert not page.is_visible(".card")
    assert not [url for url in watched.requests if "/v1/" in url]
    watched.was_quiet()


def test_a_wrong_link_is_told_in_words(watched: Watched, running: Running) -> None:
    """Without empty cards; the keys do nothing."""
    page = watched.open(f"{running.url}/#judge=x&token=YW5u.wrong")
    page.locator("#end", has_text="Ask whoever gave it to you for a new one.").wait_for()
    page.keyboard.press("ArrowLeft")
    assert len([url for url in watched.requests if "/v1/" in url]) == 1
    assert not page.is_visible(".card")
    assert violations(page) == []


def test_the_owner_revokes_a_link(watched: Watched, running: Running, shared_place: Path) -> None:
    """The list shows who has a link; after two presses it is gone, and its page says that it works no more.

    What waited under it is sent by the judge's next link in the same browser, and by nobody else's.
    """
    owner = watched.open(running.owner)
    owner.click("#tab-people")
    owner.fill("#name", "Mallory")
    owner.keyboard.press("Enter")
    link = owner.locator("#links input").input_value()
    judge = watched.judge(link)
    row = owner.locator("[data-judge=Mallory]")
    row.wait_for()
    row.get_by_role("button", name="Revoke the link of Mallory").click()
    row.get_by_role("button", name="Revoke the link of Mallory").filter(has_text="Really?").click()
    row.wait_for(state="detached")
    assert owner.locator("#links li").count() == 0
    judge.page.keyboard.press("ArrowLeft")
    judge.page.locator("#end", has_text="This link does not work").wait_for()
    assert "One answer that was not sent yet is kept in this browser" in judge.page.inner_text("#end")
    assert not judge.page.is_visible(".card")
    links = {}
    for name in ("Trudy", "Mallory"):
        owner.fill("#name", name)
        owner.keyboard.press("Enter")
        owner.locator("#links .judge", has_text=name).wait_for()
        links[name] = owner.locator("#links input").first.input_value()
    other = watched.judge(links["Trudy"])
    other.sent()
    assert other.page.is_hidden("#notice")
    again = watched.judge(links["Mallory"])
    again.says("One answer that waited under your old link was sent.")
    assert again.page.inner_text("#progress").startswith("You have given 1 answer.")
    again.page.reload()
    again.ready()
    assert again.page.is_hidden("#notice")
    with Study.open(shared_place, write=False) as study:
        answers = [(kept.question.judge, kept.choice) for kept in study.answers()]
    assert [kept for kept in answers if kept[0] in links] == [("Mallory", "left")]
