"""What people write stays text, and other people's pages get nothing, in a real browser."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route

from penchant.study import Study
from tests.browser.watched import Watched
from tests.serve.running import Running
from tests.study.drawn import drawn

pytestmark = [
    pytest.mark.needs("chromium"),
]

POLYGLOT = drawn("GIF") + b"<script>window.hacked=1</script>"
HOSTILE = [
    "<img src=x onerror=window.hacked=1>",
    "</script><script>window.hacked=1</script>",
    "<svg/onload=window.hacked=1>",
    "\"'><b>{{7*7}}</b>${7*7}",
]


def test_a_hostile_title_stays_text(browser: Browser, tmp_path: Path) -> None:
    """Titles, texts, columns, ids, the study's own words and judges' names show as written and run nothing.

    Neither does what was appended to a picture.
    """
    place = tmp_path / "hostile.db"
    items = [
        {"id": f"<i>{number}", "title": title, "text": title, HOSTILE[0]: title, "picture": POLYGLOT}
        for number, title in enumerate(HOSTILE)
    ]
    words = {"title": "</title>" + HOSTILE[1], "question": HOSTILE[2], "instructions": HOSTILE[0]}
    Study.create(place, items, show=[HOSTILE[0]], **words).close()
    with Running(place) as running:
        watched = Watched(browser, running.url)
        owner = watched.open(running.owner)
        owner.click("#tab-people")
        owner.fill("#name", HOSTILE[0])
        owner.keyboard.press("Enter")
        judge = watched.judge(owner.locator("#links input").input_value())
        assert judge.page.inner_text("#instructions") == HOSTILE[0]
        judge.page.get_by_role("button", name="Begin").click()
        assert judge.page.inner_text("#question") == HOSTILE[2]
        seen: set[str] = set()
        for number in range(6):
            seen |= set(judge.titles)
            assert judge.page.locator("#left th").all_text_contents() == [HOSTILE[0]]
            assert judge.page.locator("#left td").all_text_contents() == [judge.titles[0]]
            assert str(judge.page.locator("#left img").get_attribute("src")).startswith("blob:")
            judge.answer(("left", "right")[number % 2])
        owner.click("#tab-ranking")
        owner.wait_for_selector("#ranking[data-answers='6']")
        named = [str(name.text_content()) for name in owner.query_selector_all("#ranking .title")]
        assert seen == set(HOSTILE)
        assert sorted(named) == sorted(HOSTILE)
        assert owner.text_content("#links .judge") == HOSTILE[0]
        owner.locator("#ranking .title").first.click()
        owner.wait_for_selector(".met li")
        for place in (0, 1):
            owner.locator("#ranking .tick input").nth(place).click()
        owner.wait_for_selector(".reasons li")
        for part, ready in (
            ("people", "[data-judge]"),
            ("things", "[data-thing]"),
            ("history", "#history li"),
        ):
            owner.click(f"#tab-{part}")
            owner.wait_for_selector(ready)
            assert owner.text_content(f"#panel-{part}").count("<img src=x onerror") >= 1  # type: ignore[union-attr]
        owner.click("#tab-learning")
        owner.wait_for_selector("#upcoming .duel")
        for page in (judge.page, owner):
            assert page.evaluate("window.hacked") is None
            assert page.query_selector("img:not(.card-picture > *), main script, main i") is None
            assert page.get_by_text("{{7*7}}", exact=True).count() == 0
            assert page.text_content("h1") == "</title>" + HOSTILE[1]
        watched.was_quiet()
        watched.close()
        running.stop()


def test_a_foreign_page_gets_nothing_even_with_a_token(
    watched: Watched, running: Running, link: str, kept: Callable[[], list[str]]
) -> None:
    """A page of another origin can neither post with the judge's token, nor send a form, nor frame the page."""
    token = link.rpartition("token=")[2]
    attack = f"""<!doctype html><iframe src="{running.url}/"></iframe>
    <form method="post" enctype="text/plain" target="_blank" action="{running.url}/v1/questions">
    <input name='{{"x":"' value='"}}'></form>
    <script>
      window.got = [];
      const headers = {{ Authorization: "Bearer {token}", "Content-Type": "application/json" }};
      const post = (options) => fetch("{running.url}/v1/questions", {{ method: "POST", body: "{{}}", ...options }});
      Promise.allSettled([post({{ headers }}), post({{ mode: "no-cors" }})]).then((all) => {{
        got = all.map((one) => one.status === "fulfilled" ? one.value.type : "refused");
        document.forms[0].submit();
      }});
    </script>"""

    def foreign(route: Route) -> None:  # answered here: nothing leaves this computer
        route.fulfill(body=attack, content_type="text/html")

    watched.context.route("http://foreign.example/**", foreign)
    replies: list[tuple[str, int]] = []
    watched.context.on("response", lambda reply: replies.append((reply.request.method, reply.status)))
    with watched.context.expect_page() as opened:
        page = watched.open("http://foreign.example/")
        page.wait_for_function("got.length === 2")
    opened.value.wait_for_load_state()
    assert page.evaluate("got") in (["refused", "opaque"], ["refused", "refused"])
    assert [status for method, status in replies if method == "POST" and status == 200] == []
    framed = [frame for frame in page.frames if frame != page.main_frame]
    assert [frame.query_selector("#questions") for frame in framed] == [None]
    assert kept() == []
