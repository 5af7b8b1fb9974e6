"""The page of a coactive study: a list that is corrected, what was learned from it, and a simulated reader."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Route

from penchant.examples.documents import FEATURES, document_items
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from penchant.study.tokens import Links
from tests.browser.accessible import violations
from tests.browser.test_hostile import HOSTILE
from tests.browser.test_looks import PHONE, fits, small_targets
from tests.browser.watched import Watched

pytestmark = [
    pytest.mark.needs("chromium"),
]


ALL_SENT = "() => !Object.keys(localStorage).some((name) => name.includes('.correction.'))"


class SearchPage:
    """The page, used as a person does."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.wait_for_selector("#page[data-state=ready]")

    @property
    def order(self) -> list[str]:
        return [str(row.get_attribute("data-id")) for row in self.page.query_selector_all(".result")]

    @property
    def words(self) -> str:
        return self.page.inner_text("#words")

    def presented(self, press: str) -> None:
        """Press something that asks for another order, and wait for it."""
        before = self.page.get_attribute("#page", "data-presentation")
        self.page.click(press)
        self.page.wait_for_function(
            "before => { const page = document.getElementById('page');"
            " return page.dataset.state === 'ready' && page.dataset.presentation !== before; }",
            arg=before,
        )

    def search(self, query: str) -> None:
        self.page.fill("#query", query)
        self.presented("#search button")

    def become(self, name: str) -> None:
        self.presented(f"#persons button:text-is('{name}')")

    def learned(self, words: str = "Learned") -> None:
        self.page.locator("#status", has_text=words).wait_for()

    def choose(self, id: str) -> None:
        self.page.click(f".result[data-id='{id}'] .choose")
        self.learned()


@dataclass(frozen=True)
class Server:
    """A server of several studies in one folder, in a process of its own."""

    folder: Path
    url: str

    def link(self, name: str, study: str = "search") -> str:
        """Return a new link for somebody who searches in a study."""
        with Study.open(self.folder / f"{study}.db", write=False) as found:
            return Links(self.url).to("app", name, found.tokens.make("app", "page"), kind="coactive")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The study of the demo, one whose words are hostile, and one without a model for each user."""
    folder = tmp_path_factory.mktemp("search")
    hostile = [
        {"id": f"<i>{number}", "title": title, "text": title, "kind": title}
        for number, title in enumerate(HOSTILE)
    ]
    studies: dict[str, tuple[Any, dict[str, Any]]] = {
        "search": (document_items(), {"features": FEATURES, "per_user": True, "title": "Things to read"}),
        "hostile": (hostile, {"features": ("kind",), "per_user": True, "title": "</title>" + HOSTILE[1]}),
        "plain": (["Tea", "Coffee", "Milk"], {"title": "Drinks"}),
    }
    for name, (items, settings) in studies.items():
        CoactiveStudy.create(folder / f"{name}.db", items, seed=1, **settings).close()
    files = [f"{name}.db" for name in studies]
    words = [sys.executable, "-m", "penchant", "serve", *files, "--port", "0", "--for", "300"]
    with subprocess.Popen(words, cwd=folder, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "/search#user=me&token=" in line)
        yield Server(folder, line.split()[-1].partition("/search")[0])
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 0


@pytest.fixture
def place(server: Server) -> Path:
    return server.folder / "search.db"


@pytest.fixture
def link(server: Server, request: pytest.FixtureRequest) -> str:
    """The link of a person whom no other test knows."""
    return server.link(request.node.name[:60])


def kept(place: Path) -> list[dict[str, Any]]:
    """What the log holds of feedback."""
    with CoactiveStudy.open(place, write=False) as study:
        return [event.content for event in study.events() if event.kind == "feedback"]


def short_and_recent(order: list[str]) -> str:
    """Return the item of an order that somebody would choose who likes short and recent ones."""
    items = {item["id"]: item for item in document_items()}
    return max(order, key=lambda id: float(items[id]["short"]) + float(items[id]["recent"]))


def test_a_newcomers_first_five_minutes(browser: Browser, server: Server, link: str, place: Path) -> None:
    """Clicks change the next order and the words, another person has a taste of their own, and all of it is kept."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(link))
    page = search.page
    assert page.inner_text("#title") == "Things to read"
    assert search.words == "Nothing yet: the list stands as the search found it."
    search.search("cooking")
    untouched = search.order
    for topic in ("gardening", "music", "cycling", "astronomy"):
        search.presented(f"#suggestions button:text-is('{topic}')")
        chosen = short_and_recent(search.order)
        moved = search.order[0] != chosen
        search.page.click(f".result[data-id='{chosen}'] .choose")
        search.learned("Learned" if moved else "It stood first already")
        assert search.order[0] == chosen
    assert re.match(r"You like .*(short|recent)", search.words)
    search.search("cooking")
    mine, words = search.order, search.words
    assert mine != untouched
    assert sorted(mine) == sorted(untouched)
    assert page.locator(".rise").count() > 0
    page.fill("#query", "zzzz")
    page.keyboard.press("Enter")
    search.learned("Nothing here has these words")
    assert search.order == []
    search.search("cooking")

    page.fill("#newcomer", "Zoë")
    search.presented("#join button")
    assert page.inner_text("#results-heading") == "“cooking”, for Zoë"
    assert search.words.startswith("You begin with what the others like: ")
    for _ in range(3):
        search.choose(search.order[-1])
        search.search("cooking")
    assert search.words.startswith("You like ")
    assert search.words != words
    assert search.order != mine
    search.become("test_a_newcomers_first_five_minutes")
    assert (search.order, search.words) == (mine, words)
    watched.was_quiet()
    watched.close()
    with CoactiveStudy.open(place, write=False) as study:
        assert {"Zoë", "test_a_newcomers_first_five_minutes"} <= set(study.users)
        assert study.weights("Zoë") != study.weights("test_a_newcomers_first_five_minutes")


def test_the_list_is_put_in_order_by_keyboard_and_by_hand(
    browser: Browser, server: Server, link: str, place: Path
) -> None:
    """Each move is one correction, which the log has as an order; the last one is taken back with a press."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(link))
    page, before = search.page, search.order
    kept_before = len(kept(place))
    page.locator(f".result[data-id='{before[2]}'] [data-move=up]").focus()
    page.keyboard.press("Enter")
    search.learned()
    page.keyboard.press("Enter")
    assert search.order == [before[2], before[0], before[1], *before[3:]]
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Move up: ")
    page.keyboard.press("Enter")  # it is the first already
    page.locator("#spoken", has_text="is number 1 of").wait_for()
    page.wait_for_function(ALL_SENT)
    search.learned()
    by_keyboard, weights = search.order, page.inner_text("#weights")
    page.wait_for_function("() => document.getAnimations().length === 0")

    grip = page.locator(f".result[data-id='{before[0]}'] .grip")
    target = page.locator(f".result[data-id='{before[4]}']").bounding_box()
    start = grip.bounding_box()
    assert start is not None
    assert target is not None
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(start["x"] + 8, target["y"] + target["height"] - 4, steps=6)
    page.mouse.up()
    dragged = search.order
    assert dragged == [before[2], before[1], before[3], before[4], before[0], *before[5:]]
    page.wait_for_function(ALL_SENT)
    search.learned()
    given = kept(place)[kept_before:]
    assert [set(content) - {"presentation"} for content in given] == [{"order"}] * 3
    assert page.inner_text("#weights") != weights
    page.click("#undo")
    search.learned("Taken back")
    assert (search.order, page.inner_text("#weights")) == (by_keyboard, weights)
    page.mouse.move(start["x"] + 8, start["y"] + 8)
    page.mouse.down()
    page.mouse.move(start["x"] + 8, target["y"] + target["height"] - 4, steps=6)
    page.keyboard.press("Escape")
    page.mouse.up()
    assert search.order == by_keyboard
    assert len(kept(place)) == kept_before + 3
    watched.was_quiet()
    watched.close()


def test_a_choice_then_a_move_teaches_both(browser: Browser, server: Server, link: str) -> None:
    """The list shows what the study was told: an order that is given after a choice still has it on top."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(link))
    page, before = search.page, search.order
    search.choose(before[5])
    with page.expect_response("**/v1/feedback") as reply:
        page.click(f".result[data-id='{before[2]}'] [data-move=up]")
    expected = [before[5], before[0], before[2], before[1], before[3], before[4], *before[6:]]
    assert search.order == expected
    assert reply.value.json()["order"] == expected
    watched.close()


def test_a_simulated_readers_regret_stays_under_the_bound(
    browser: Browser, server: Server, link: str, place: Path
) -> None:
    """The curve is drawn from 300 real rounds of a copy; the study itself gets none of them."""
    watched = Watched(browser, server.url)
    page = SearchPage(watched.open(link)).page
    replies: list[dict[str, Any]] = []
    page.on("response", lambda reply: "/v1/simulation" in reply.url and replies.append(reply.json()))
    with CoactiveStudy.open(place, write=False) as study:
        before = study.revision()
    page.click("#simulate")
    page.wait_for_selector("#regret[data-rounds='300']")
    page.get_by_role("button", name="Let another one use it").wait_for()
    assert [len(reply["regret"]) for reply in replies] == [10, 30, 100, 300]
    last = replies[-1]
    assert all(regret <= bound for regret, bound in zip(last["regret"], last["bound"], strict=True))
    assert last["regret"][-1] < last["regret"][9] / 2
    said = page.inner_text("#regret-words")
    assert f"{last['regret'][-1]:.3f}" in said
    assert f"{last['bound'][-1]:.2f}" in said
    assert page.inner_text("#taste").startswith("Likes ")
    points = str(page.get_attribute("#chart .regret", "d")).count("L")
    assert 40 < points < 300
    with CoactiveStudy.open(place, write=False) as study:
        assert study.revision() == before
    watched.was_quiet()
    watched.close()


def test_a_correction_survives_a_server_that_does_not_answer(
    browser: Browser, server: Server, link: str, place: Path
) -> None:
    """It is said in words, sent again under the same id, also after a reload, and counts once."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(link))
    page, sent = search.page, []

    def unreachable(route: Route) -> None:
        sent.append(json.loads(str(route.request.post_data))["id"])
        route.abort()

    before = len(kept(place))
    watched.context.route("**/v1/feedback", unreachable)
    page.click(f".result[data-id='{search.order[3]}'] .choose")
    page.locator("#notice", has_text="Your correction is kept here and will be sent.").wait_for()
    storage = page.evaluate("JSON.stringify([localStorage, sessionStorage])")
    assert sent[0] in storage
    assert link.rpartition("token=")[2] not in storage
    page.reload()
    page.locator("#notice", has_text="Your correction is kept here and will be sent.").wait_for()
    watched.context.unroute("**/v1/feedback")
    page.wait_for_selector("#page[data-state=ready]")
    page.wait_for_function(ALL_SENT)
    page.wait_for_selector("#notice", state="hidden")
    assert len(set(sent)) == 1
    assert len(kept(place)) == before + 1
    assert search.words.startswith("You ")
    watched.close()


def test_what_people_wrote_stays_text(browser: Browser, server: Server) -> None:
    """Titles, texts, ids, features, names and the study's title run nothing, in words and in bars too."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(server.link(HOSTILE[0], "hostile")))
    page = search.page
    page.fill("#newcomer", HOSTILE[2])
    search.presented("#join button")
    search.presented("#suggestions button:text-is('All of them')")
    page.locator(".choose").nth(3).click()
    search.learned()
    page.click("#simulate")
    page.wait_for_selector("#regret[data-rounds]")
    assert set(page.locator(".choose").all_inner_texts()) == set(HOSTILE)
    assert page.locator("#persons button").all_inner_texts() == [HOSTILE[0], HOSTILE[2]]
    assert HOSTILE[3] in search.words
    assert page.evaluate("window.hacked") is None
    assert page.query_selector("img, main script, main b, main i, #people b") is None
    assert page.text_content("h1") == "</title>" + HOSTILE[1]
    watched.was_quiet()
    watched.close()


def test_one_order_for_all_and_a_simulation_that_cannot_run(browser: Browser, server: Server) -> None:
    """A study without a model for each user names nobody; what the server rejects is said where it was asked for."""
    watched = Watched(browser, server.url)
    search = SearchPage(watched.open(server.link("ann", "plain")))
    page = search.page
    assert page.is_hidden("#people")
    assert page.inner_text("#results-heading") == "All of them"
    search.choose("Milk")
    assert search.words.startswith("Nothing yet")  # the items have no features
    page.click("#simulate")
    page.locator("#regret-words", has_text="the study must have two items with features, got none").wait_for()
    assert page.is_hidden("#regret")
    watched.close()
    with CoactiveStudy.open(server.folder / "plain.db", write=False) as study:
        assert (study.users, study.n_rounds) == ((), 1)


@pytest.mark.parametrize(
    ("looks", "direction"),
    [
        ({"color_scheme": "light"}, "ltr"),
        ({"color_scheme": "dark", "reduced_motion": "reduce", **PHONE}, "ltr"),
        ({"color_scheme": "dark", "viewport": {"width": 320, "height": 640}}, "rtl"),
    ],
    ids=["light", "dark phone", "320 px, right to left"],
)
def test_everybody_can_use_it(
    browser: Browser, server: Server, link: str, tmp_path: Path, looks: dict[str, Any], direction: str
) -> None:
    """axe finds nothing, nothing sticks out, targets are large enough, and nothing moves that should not."""
    watched = Watched(browser, server.url, **looks)
    search = SearchPage(watched.open(link))
    page = search.page
    page.evaluate("direction => { document.documentElement.dir = direction; }", direction)
    page.locator(".choose").nth(2).click()
    assert looks.get("reduced_motion") != "reduce" or page.evaluate("document.getAnimations().length") == 0
    search.learned()
    search.search("cooking")
    page.locator(".result:has(.rise) .choose").first.click()
    page.wait_for_selector(".chosen .rise")
    page.click("#simulate")
    page.wait_for_selector("#regret[data-rounds]")
    page.wait_for_function("() => document.getAnimations().length === 0")
    assert violations(page) == []
    assert fits(page)
    assert small_targets(page) == []
    page.screenshot(path=tmp_path / "clicks.png", full_page=True, animations="disabled")
    watched.was_quiet()
    watched.close()


def test_a_page_that_cannot_begin_says_why(browser: Browser, server: Server, place: Path) -> None:
    """Without a link, with one that does not work, and with one whose role may not present."""
    watched = Watched(browser, server.url)
    with Study.open(place, write=False) as study:
        reader = study.tokens.make("reader", "board")
    for fragment, words in (
        ("", "Open the link that you were given"),
        ("#token=wrong", "This link does not work, or not any more: ask for a new one."),
        (f"#token={reader}", "This needs the token of an app or of the owner"),
    ):
        page = watched.open(f"{server.url}/search{fragment}")
        page.locator("#notice", has_text=words).wait_for()
    assert not [url for url in watched.requests if "token" in url.partition("#")[0]]
    watched.close()
