"""Where there is nothing to answer: thanks, links that do not work, and addresses where nothing is."""

from __future__ import annotations

from pathlib import Path

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


def ended(page: Page, words: str) -> None:
    """The page says so in words that axe has nothing against, and shows no card."""
    page.locator("#end", has_text=words).wait_for()
    assert not page.is_visible(".card")
    assert violations(page) == []


@pytest.mark.slow("two starts of the server")
def test_a_judge_is_thanked_after_the_agreed_answers_and_when_it_is_settled(
    browser: Browser, tmp_path: Path
) -> None:
    """Progress counts towards the agreed number; who likes goes on; a settled study thanks everybody."""
    place = tmp_path / "drinks.db"
    settings = {"goal": "exact", "answers_each": 2, "seed": 1}
    Study.create(place, ["Tea", "Coffee", "Water"], title="Drinks", **settings).close()
    with Running(place) as running:
        watched = Watched(browser, running.url)
        judge = watched.judge(running.judge)
        page = judge.page
        assert "there is no wrong answer" in page.inner_text("#progress")
        judge.answer("tie")
        assert page.inner_text("#progress").startswith("1 of your 2 answers.")
        assert page.locator("#bar").evaluate("bar => bar.value / bar.max") == 0.5
        judge.strike("ArrowDown")
        ended(page, "You have given 2 answers, as agreed")
        page.reload()
        ended(page, "You have given 2 answers, as agreed")
        page.get_by_role("button", name="Go on answering").click()
        judge.ready()
        judge.answer("skip")
        watched.was_quiet()
        watched.close()
        running.stop()
    with Study.open(place) as study:
        assert [answer.choice for answer in study.answers()] == ["tie", "tie", "skip"]
        study.change(goal="order", answers_each=0)
        order = list(study.items)
        for _ in range(60):
            asked = study.ask("early")
            better = "left" if order.index(asked.left) < order.index(asked.right) else "right"
            study.tell(asked, better)
        token = study.tokens.make("judge", "late")
        study.tell(study.ask("once"), "tie")
        once = study.tokens.make("judge", "once")
        assert study.settled().enough
        owner = study.tokens.make("owner", "me")
    with Running(place) as running:
        watched = Watched(browser, running.url)
        page = watched.open(Links(running.url).to("judge", "late", token))
        while True:  # how settled it is, is computed in the background
            page.locator("#end:visible, #questions[data-state=ready]").first.wait_for()
            if page.is_visible("#end"):
                break
            page.reload()
        ended(page, "The study has all the answers that it needs.")
        page = watched.open(Links(running.url).to("judge", "once", once))
        ended(page, "The study has all the answers that it needs; one of them is yours.")
        page = watched.open(f"{running.url}/#judge=me&token={owner}")
        ended(page, "To answer questions, open a judge's link.")
        watched.was_quiet()
        page = watched.open(f"{running.url}/nowhere")
        assert page.inner_text("h2") == "There is no such page"
        assert violations(page) == []
        watched.close()
        running.stop()
