"""Reading two items to their end: by wheel, key and finger, on every screen, with pictures and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page

from penchant.study import Study
from penchant.study.tokens import Links
from tests.browser.accessible import violations
from tests.browser.watched import JudgePage, Watched
from tests.serve.running import Running
from tests.study.drawn import drawn

pytestmark = [
    pytest.mark.needs("chromium"),
]

PARAGRAPH = "The clocks of the small town were arguing about the hour, and nobody minded. " * 6
LONG = "\n\n".join([PARAGRAPH] * 8)
ITEMS = [
    {"id": "essay", "title": "An essay about the weather", "text": LONG, "words": 580, "maker": "hidden"},
    {"id": "arabic", "title": "شاي بالنعناع", "text": LONG.replace("clocks", "ساعات"), "words": 580},
    {
        "id": "code",
        "title": "A function",
        "text": "def f(x):\n\treturn x\n" * 30,
        "format": "code",
        "words": 9,
    },
    {"id": "wide", "title": "A hill", "text": LONG, "picture": drawn(size=(900, 300)), "words": 1},
    {"id": "tall", "title": "A tower " * 20, "text": LONG, "picture": drawn(size=(200, 800)), "words": 2},
]
IN_SIGHT = """notice => {
  Object.assign(notice, { textContent: "The server does not answer; trying again in 4 s.", hidden: false });
  const { bottom } = notice.getBoundingClientRect();
  notice.hidden = true;
  return bottom <= innerHeight;
}"""
PHONE = {"device_scale_factor": 2, "has_touch": True, "is_mobile": True}
PORTRAIT: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, **PHONE}
LANDSCAPE: dict[str, Any] = {"viewport": {"width": 844, "height": 390}, **PHONE}
NARROW: dict[str, Any] = {"viewport": {"width": 320, "height": 640}}
TWICE: dict[str, Any] = {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2}
DARK: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"}
STILL: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}
LOOKS = {
    "portrait": PORTRAIT,
    "landscape": LANDSCAPE,
    "narrow": NARROW,
    "twice": TWICE,
    "dark": DARK,
    "still": STILL,
}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("texts") / "texts.db"
    settings = {"question": "Which is better written?", "instructions": "Read both.\nTake your time."}
    Study.create(place, ITEMS, title="Texts", show=["words"], seed=4, goal="exact", **settings).close()
    return place


@pytest.fixture(scope="module")
def served(place: Path) -> Iterator[Running]:
    with Running(place, for_seconds=300) as running:
        yield running
        running.stop()


@pytest.fixture
def link(served: Running, place: Path, request: pytest.FixtureRequest) -> str:
    name = request.node.name[:90]
    with Study.open(place, write=False) as study:
        return Links(served.url).to("judge", name, study.tokens.make("judge", name))


@pytest.fixture
def answers(place: Path, request: pytest.FixtureRequest) -> Callable[[], list[str]]:
    def found() -> list[str]:
        with Study.open(place, write=False) as study:
            return [kept.choice for kept in study.answers() if kept.question.judge == request.node.name[:90]]

    return found


def begun(watched: Watched, link: str) -> JudgePage:
    """Open the page and close the instructions."""
    judge = watched.judge(link)
    judge.page.get_by_role("button", name="Begin").click()
    return judge


def scrolled(page: Page, side: str = "left") -> float:
    return float(page.evaluate(f"document.querySelector('#{side} .card-body').scrollTop"))


def texts(page: Page) -> list[str]:
    return [str(page.inner_text(f"#{side} .card-body")) for side in ("left", "right")]


def test_a_wheel_over_a_long_text_scrolls_it(
    browser: Browser, served: Running, link: str, answers: Callable[[], list[str]]
) -> None:
    """The text fades where it goes on, and no more at its end; nothing was answered."""
    watched = Watched(browser, served.url)
    page = begun(watched, link).page
    body = page.locator("#left .card-body")
    assert body.get_attribute("data-below") is not None
    assert "gradient" in body.evaluate("element => getComputedStyle(element).maskImage")
    body.hover()
    page.mouse.wheel(0, 200)
    page.wait_for_selector("#left .card-body[data-above][data-below]")
    page.mouse.wheel(0, 20_000)
    page.wait_for_selector("#left .card-body[data-above]:not([data-below])")
    body.click()
    watched.was_quiet()
    watched.close()
    assert answers() == []


def test_keys_never_answer_while_somebody_reads(
    browser: Browser, served: Running, link: str, answers: Callable[[], list[str]]
) -> None:
    """In a focused text arrows scroll; in a dialog they do nothing; Escape leads back to answering."""
    watched = Watched(browser, served.url)
    judge = begun(watched, link)
    page, before = judge.page, judge.question
    page.locator("#left .card-body").focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowLeft", "ArrowRight", "1", "b", "s"):
        page.keyboard.press(key)
    page.wait_for_function("() => document.querySelector('#left .card-body').scrollTop > 20")
    page.keyboard.press("Escape")
    page.locator("#left .full").click()
    assert page.inner_text("#full .card-title") == judge.titles[0]
    for key in ("ArrowLeft", "ArrowDown", "2", "s"):
        page.keyboard.press(key)
    page.keyboard.press("Escape")
    page.locator("#full").wait_for(state="hidden")
    page.keyboard.press("?")
    page.locator("#about").wait_for()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Escape")
    assert judge.question == before
    judge.press("ArrowDown")
    assert scrolled(page) == 0
    watched.was_quiet()
    watched.close()
    assert answers() == ["tie"]


def test_by_keyboard_alone(
    browser: Browser, served: Running, link: str, answers: Callable[[], list[str]]
) -> None:
    """Read the instructions, switch single keys off, answer with arrows; all of it is remembered."""
    watched = Watched(browser, served.url)
    judge = watched.judge(link)
    page = judge.page
    assert page.inner_text("#instructions") == "Read both.\nTake your time."
    page.keyboard.press("Enter")
    page.locator("#about").wait_for(state="hidden")
    judge.press("1")
    page.keyboard.press("?")
    page.locator("#characters").focus()
    page.keyboard.press("Space")
    page.keyboard.press("Escape")
    before = judge.question
    for key in ("1", "2", "b", "s", "z", "?"):
        page.keyboard.press(key)
    page.wait_for_timeout(250)
    assert judge.question == before
    assert not page.is_visible("#about")
    judge.press("ArrowRight")
    page.reload()
    judge.ready()
    assert not page.is_visible("#about")
    page.keyboard.press("s")
    judge.press("ArrowDown")
    for _ in range(12):  # every control can be reached
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == "undo":
            break
    judge.press("Enter")
    watched.was_quiet()
    watched.close()
    assert answers() == ["left", "right"]


@pytest.mark.parametrize("look", LOOKS)
def test_both_items_can_be_read_on_every_screen(
    browser: Browser, served: Running, link: str, look: str
) -> None:
    """Nothing sticks out sideways, every button is large enough for a finger, and axe finds nothing wrong.

    A notice is in sight, also where the page is longer than the window.
    """
    watched = Watched(browser, served.url, **LOOKS[look])
    judge = watched.judge(link)
    page = judge.page
    assert violations(page) == []
    page.get_by_role("button", name="Begin").click()
    for _ in range(2):
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        boxes = [page.locator(f"#{side}").bounding_box() for side in ("left", "right")]
        assert boxes[0] is not None
        assert boxes[1] is not None
        if look in ("portrait", "narrow"):
            assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]
            assert page.is_visible("#switch")
        else:
            assert boxes[0]["y"] == boxes[1]["y"]
            assert not page.is_visible("#switch")
        targets = [one.bounding_box() for one in page.query_selector_all("button")]
        assert min(min(box["width"], box["height"]) for box in targets if box) >= 43.5
        judge.answer("skip")
    assert page.is_visible("#who .as") == (look != "narrow")
    assert page.locator("#notice").evaluate(IN_SIGHT)
    page.locator("#right .full").click()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert violations(page) == []
    page.get_by_role("button", name="Close").click()
    if look == "still":
        assert page.evaluate("document.getAnimations().length") == 0
    watched.was_quiet()
    watched.close()


def test_a_switch_shows_one_item_at_a_time(browser: Browser, served: Running, link: str) -> None:
    """On a phone held upright; the next question shows both again, and both are on the screen."""
    watched = Watched(browser, served.url, **PORTRAIT)
    judge = begun(watched, link)
    page = judge.page
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    both = page.locator("#left").bounding_box()
    page.get_by_role("button", name="First", exact=True).click()
    alone = page.locator("#left").bounding_box()
    assert both is not None
    assert alone is not None
    assert alone["height"] > 1.9 * both["height"]
    assert not page.is_visible("#right")
    page.get_by_role("button", name="Second", exact=True).click()
    assert page.is_visible("#right")
    assert not page.is_visible("#left")
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")
    before = judge.question
    page.locator("#right .choose").tap()
    judge.moved_on(before)
    assert page.is_visible("#left")
    assert page.is_visible("#right")
    watched.close()


def test_pictures_columns_and_code_are_shown(browser: Browser, served: Running, link: str) -> None:
    """The picture comes from memory, in the room that was kept for it; only columns that the owner named are there."""
    watched = Watched(browser, served.url)
    judge = begun(watched, link)
    page = judge.page
    seen: dict[str, dict[str, Any]] = {}
    for number in range(12):
        for side in ("left", "right"):
            card = page.locator(f"#{side}")
            seen[str(card.locator(".card-title").text_content())] = {
                "picture": card.locator("img").count(),
                "code": card.locator(".card-text.code").count(),
                "columns": card.locator("th").all_text_contents(),
                "length": card.locator(".card-title").get_attribute("data-length"),
            }
            for image in card.locator("img").all():
                page.wait_for_function(
                    "image => image.complete && image.naturalWidth", arg=image.element_handle()
                )
                assert str(image.get_attribute("src")).startswith("blob:")
        judge.answer(("skip", "tie")[number % 2])
    assert len(seen) == 5
    assert all(card["columns"] == ["words"] for card in seen.values())
    assert seen["A hill"]["picture"] == 1
    assert seen["A function"] == {"picture": 0, "code": 1, "columns": ["words"], "length": "short"}
    assert seen[("A tower " * 20).strip()]["length"] == "long"
    assert not [url for url in watched.requests if "token" in url]
    watched.was_quiet()
    watched.close()


def test_nothing_moves_when_a_picture_comes(browser: Browser, served: Running, link: str) -> None:
    """A picture that is late finds its room kept; one that is lost says so in it."""
    watched = Watched(browser, served.url)
    watched.context.route("**/v1/pictures/*", lambda route: route.abort())
    judge = begun(watched, link)
    page = judge.page
    for _ in range(6):
        frames = page.locator(".card .card-picture:not([hidden])")
        if frames.count():
            break
        judge.answer("skip")
    frames.first.get_by_text("The picture could not be loaded.").wait_for()
    lost = [frame.bounding_box() for frame in frames.all()]
    watched.context.unroute_all()
    page.reload()
    judge.ready()
    page.wait_for_function(
        "() => [...document.querySelectorAll('.card img')].every((image) => image.complete && image.naturalWidth)"
    )
    assert [frame.bounding_box() for frame in frames.all()] == lost
    watched.close()
