"""When the network fails: the answer is kept, sent again under its id, and counts once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Route

from tests.browser.watched import Watched
from tests.serve.running import Running

pytestmark = [
    pytest.mark.needs("chromium"),
]

ANSWERS = "**/v1/answers"
SLOW_DOUBLE_CLICK = """() => new Promise((resolve) => {
  const title = document.querySelector("#left .card-title");
  const { dataset } = document.getElementById("questions");
  title.click();
  setTimeout(() => {
    const disabled = [...document.querySelectorAll("[data-choice][aria-disabled=true]")];
    const before = dataset.question;
    title.click();
    resolve([disabled.map((button) => button.dataset.choice), dataset.question === before]);
  }, 300);
})"""


Kept = Callable[[], list[str]]


def test_keys_pressed_at_once_answer_one_question(watched: Watched, link: str, kept: Kept) -> None:
    """A question is answered by no key that was pressed before anybody could read it, nor by a slow double click."""
    judge = watched.judge(link)
    before = judge.question
    judge.page.evaluate(
        """for (const key of ["ArrowLeft", "ArrowRight", "ArrowLeft", "s", "z"])
             document.dispatchEvent(new KeyboardEvent("keydown", { key }))"""
    )
    judge.moved_on(before)
    judge.sent()
    assert kept() == ["left"]
    # A slow double click: the next pair is there and takes another answer, but not the same one again.
    judge.strike("ArrowRight")
    judge.ready()
    assert judge.page.evaluate(SLOW_DOUBLE_CLICK) == [["left"], True]
    judge.sent()
    watched.was_quiet()
    assert kept() == ["left", "right", "left"]


def test_the_next_pair_is_there_before_the_reply(watched: Watched, link: str, kept: Kept) -> None:
    """While the server is silent three more questions can be answered; their replies bring the next ones."""
    judge = watched.judge(link)
    held: list[Route] = []
    judge.page.route(ANSWERS, lambda route: held.append(route), times=1)
    seen = [judge.question]
    for key in ("ArrowLeft", "2", "ArrowDown"):
        judge.page.keyboard.press(key)
        assert judge.question != seen[-1]  # without waiting for anything
        judge.ready()
        seen.append(judge.question)
    assert len(set(seen)) == 4
    (first,) = held
    first.continue_()
    judge.sent()
    assert kept() == ["left", "right", "tie"]
    watched.was_quiet()


def test_a_key_held_down_answers_one_question(watched: Watched, link: str, kept: Kept) -> None:
    """Repeats of a held key are not answers."""
    judge = watched.judge(link)
    before = judge.question
    judge.page.keyboard.down("ArrowLeft")
    judge.moved_on(before)
    for _ in range(5):
        judge.page.keyboard.down("ArrowLeft")
    judge.page.keyboard.up("ArrowLeft")
    judge.page.wait_for_timeout(200)
    judge.sent()
    assert kept() == ["left"]


def test_a_lost_reply_is_asked_for_again_under_the_same_id(watched: Watched, link: str, kept: Kept) -> None:
    """The server kept the answer but its reply was lost: the page sends it again, and it counts once."""
    judge = watched.judge(link)
    sent: list[dict[str, str]] = []

    def lose_the_first_reply(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or ""))
        if len(sent) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    judge.page.route(ANSWERS, lose_the_first_reply)
    before = judge.question
    judge.page.keyboard.press("ArrowRight")
    judge.moved_on(before)
    judge.says("Your answer is kept here and will be sent.")
    judge.sent()
    assert judge.page.is_hidden("#notice")
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert kept() == ["right"]


def test_answers_wait_for_the_network_in_a_closed_tab(watched: Watched, link: str, kept: Kept) -> None:
    """Several are given while the network is away; the tab is closed; another one sends each of them once."""
    judge = watched.judge(link)
    judge.answer("left")
    sent: list[dict[str, str]] = []
    room = judge.page.locator("#left").bounding_box()
    watched.context.route("**/v1/**", lambda route: route.abort())
    for key in ("ArrowRight", "b", "s"):
        judge.page.keyboard.press(key)
        judge.ready()
    judge.says("Your 3 answers are kept here and will be sent.")
    assert judge.page.locator("#left").bounding_box() == room  # nothing moves under a finger
    storage = judge.page.evaluate("JSON.stringify(localStorage)")
    assert "b" in storage
    assert link.rpartition("token=")[2] not in storage
    judge.page.close()
    watched.context.unroute_all()

    def count(route: Route) -> None:
        sent.append(json.loads(route.request.post_data or ""))
        route.continue_()

    watched.context.route(ANSWERS, count)
    back = watched.judge(link)
    back.sent()
    assert [body["choice"] for body in sent] == ["right", "both_bad", "skip"]
    assert kept() == ["left", "right", "both_bad", "skip"]
    assert back.question not in {body["question"] for body in sent}
    back.page.reload()
    back.ready()
    back.sent()
    assert len(sent) == 3


def test_what_was_answered_offline_can_be_taken_back_offline(watched: Watched, link: str, kept: Kept) -> None:
    """The question is there again at once; answered anew, the second answer counts."""
    judge = watched.judge(link)
    watched.context.route("**/v1/**", lambda route: route.abort())
    first = judge.question
    judge.page.keyboard.press("ArrowLeft")
    judge.ready()
    judge.page.keyboard.press("z")
    judge.ready()
    assert judge.question == first
    judge.page.keyboard.press("ArrowRight")
    judge.ready()
    watched.context.unroute_all()
    judge.sent()
    assert kept() == ["right"]


def test_what_was_taken_back_offline_is_not_counted(watched: Watched, link: str, kept: Kept) -> None:
    """Neither among the answers that wait, nor in the progress when they have arrived."""
    judge = watched.judge(link)
    watched.context.route("**/v1/**", lambda route: route.abort())
    for key in ("ArrowLeft", "ArrowRight", "z"):
        judge.strike(key)
        judge.ready()
    judge.says("Your answer is kept here and will be sent.")
    judge.strike("z")
    judge.ready()
    judge.says("What you took back is kept here and will be sent.")
    judge.page.keyboard.press("ArrowLeft")
    judge.ready()
    watched.context.unroute_all()
    judge.sent()
    assert kept() == ["left"]
    assert judge.page.inner_text("#progress").startswith("You have given 1 answer.")


def test_an_answer_that_did_not_count_is_not_taken_back(
    browser: Browser, running: Running, watched: Watched, link: str, kept: Kept
) -> None:
    """Undo after an answer that came too late takes back the one that counts, and says nothing of events and ids."""
    here = watched.judge(link)
    elsewhere = Watched(browser, running.url)
    there = elsewhere.judge(link)
    first = here.question
    here.answer("left")
    there.page.keyboard.press("ArrowRight")
    there.says("That pair was answered already, in another window: the first answer counts.")
    there.ready()
    there.press("z")
    assert there.question == first
    assert not there.page.is_visible("#notice")
    assert kept() == []
    elsewhere.close()


def test_a_question_answered_in_one_tab_is_passed_over_in_the_other(
    watched: Watched, link: str, kept: Kept
) -> None:
    """Both show the same question all the time; whatever is answered in one is asked in neither again."""
    here, there = watched.judge(link), watched.judge(link)
    assert there.question == here.question
    seen = []
    for tab, other in [(here, there), (there, here), (here, there), (there, here)]:
        before = tab.question
        seen.append(before)
        tab.page.bring_to_front()
        tab.answer("left")
        other.moved_on(before)
    assert len(set(seen)) == 4
    assert len(kept()) == 4
    watched.was_quiet()


def test_a_question_answered_in_another_browser_is_passed_over(
    browser: Browser, running: Running, watched: Watched, link: str, kept: Kept
) -> None:
    """The page says what happened and goes on; the first answer counts."""
    here = watched.judge(link)
    elsewhere = Watched(browser, running.url)
    there = elsewhere.judge(link)
    here.answer("left")
    there.page.keyboard.press("ArrowRight")
    there.says("That pair was answered already, in another window: the first answer counts.")
    there.ready()
    assert kept() == ["left"]
    there.answer("tie")
    assert kept() == ["left", "tie"]
    elsewhere.close()
