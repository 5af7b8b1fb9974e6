"""An owner's first five minutes, a study of many items, and one that presents orders."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.accessible import violations
from tests.browser.watched import Watched
from tests.client.serving import Serving
from tests.serve.running import Running

pytestmark = [
    pytest.mark.needs("chromium"),
]


def test_the_first_five_minutes(browser: Browser, tmp_path: Path) -> None:
    """An invitation instead of a ranking; a link made, opened and answered with; the ranking moves without a reload."""
    place = tmp_path / "drinks.db"
    Study.create(place, ["Tea", "Coffee", "Water", "Milk"], title="Drinks", seed=1).close()
    with Running(place) as running:
        watched = Watched(browser, running.url)
        owner = watched.open(running.owner)
        expect(owner.locator("#verdict-words")).to_have_text("Nobody has answered yet.")
        expect(owner.locator("#ranking")).to_be_hidden()
        assert violations(owner) == []
        owner.get_by_role("button", name="Make a link for a judge").click()
        assert owner.evaluate("document.activeElement.id") == "name"
        owner.keyboard.type("Ann")
        owner.keyboard.press("Enter")
        judge = watched.judge(owner.locator("#links input").input_value())
        owner.click("#tab-ranking")
        for number in range(1, 6):
            judge.answer("left" if judge.titles[0] < judge.titles[1] else "right")
            owner.wait_for_selector(f"#ranking[data-answers='{number}']")
        expect(owner.locator("#live")).to_have_text("live")
        # It is computed in the background, and arrives without another event.
        expect(owner.locator("#settled")).to_contain_text("%")
        looks = [url for url in watched.requests if url.endswith("/v1/ranking")]
        judge.press("z")
        owner.wait_for_selector("#ranking[data-answers='4']")
        owner.wait_for_timeout(1500)
        later = [url for url in watched.requests if url.endswith("/v1/ranking")]
        assert len(later) - len(looks) <= 3  # asked for when something changed, not all the time
        watched.was_quiet()
        watched.close()
        running.stop()


def test_many_items_are_not_as_many_rows(browser: Browser, tmp_path: Path) -> None:
    """The first and the last are shown; the others come a hundred at a time, or by search, which says how many more."""
    place = tmp_path / "many.db"
    items = [*(f"Item {number:04}" for number in range(525)), *(f"Blue {number}" for number in range(75))]
    with Study.create(place, items, title="Many", seed=1) as study:
        for _ in range(3):
            study.tell(study.ask("ann"), "left")
    with Running(place) as running:
        watched = Watched(browser, running.url)
        owner = watched.open(running.owner)
        owner.wait_for_selector("#ranking tr[data-item]")
        assert owner.locator("#ranking tr[data-item]").count() == 40
        expect(owner.locator("#settled")).to_contain_text("known once there are as many answers as items.")
        owner.fill("#search", "blue")
        expect(owner.locator(".gap button")).to_have_text("Show 15 more of 15")
        owner.click(".gap button")
        expect(owner.locator("#ranking tr[data-item]")).to_have_count(75)
        owner.fill("#search", "")
        expect(owner.locator(".gap button")).to_have_text("Show 100 more of 460")
        owner.get_by_role("button", name="Show 100 more").click()
        assert owner.locator("#ranking tr[data-item]").count() == 240
        owner.fill("#search", "item 0042")
        expect(owner.locator("#ranking tr[data-item]")).to_have_count(1)
        owner.click("#tab-things")
        owner.wait_for_selector("[data-thing]")
        assert owner.locator("[data-thing]").count() == 50
        watched.was_quiet()
        watched.close()
        running.stop()


def test_a_study_that_presents_orders(browser: Browser, tmp_path: Path) -> None:
    """Progress, weights in words, who wins and the curve follow the clicks; there is no ranking and no judge."""
    place = tmp_path / "films.db"
    films = [
        {"id": name, "title": name.title(), "long": number / 3}
        for number, name in enumerate(["up", "heat", "alien"])
    ]
    with Study.create(
        place, films, kind="coactive", learner="perceptron", features=["long"], title="Films", seed=1
    ) as study:
        for _ in range(6):
            study.feedback(
                study.present([film["id"] for film in films], interleave="baseline"), clicked=["alien"]
            )
        token = study.tokens.make("owner", "me")
    with Serving(place) as server:
        watched = Watched(browser, server.url)
        owner = watched.open(Links(server.url).to("owner", "me", token))
        owner.wait_for_selector("#weights li")
        expect(owner.locator("#weights")).to_contain_text("more long is preferred")
        expect(owner.locator("#verdict-words")).to_contain_text("6 presentations, 6 with feedback")
        expect(owner.locator("#interleaving")).to_contain_text("interval")
        owner.wait_for_selector("#curve .chart")
        assert violations(owner) == []
        assert "Ranking" not in owner.locator("[role=tab]:visible").all_inner_texts()
        for part, ready in (
            ("people", "#token-table tr"),
            ("things", "[data-thing]"),
            ("history", "#history li"),
            ("checks", "#checks li"),
            ("settings", "#settings"),
        ):
            owner.click(f"#tab-{part}")
            owner.wait_for_selector(f"#panel-{part} {ready}")
            assert violations(owner) == [], part
        watched.was_quiet()
        watched.close()
