"""When the network fails: the answer is kept, sent again under its id, and counts once."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from playwright.sync_api import Route

from tests.browser.watched import Watched

pytestmark = [
    pytest.mark.needs("chromium"),
]

ANSWERS = "**/v1/answers"


Kept = Callable[[], list[str]]


def test_keys_pressed_while_an_answer_is_under_way_answer_nothing(
    watched: Watched, link: str, kept: Kept
) -> None:
    """However many keys come before the reply, and just after it, one question is answered."""
    judge = watched.judge(link)
    held: list[Route] = []
    judge.page.route(ANSWERS, lambda route: held.append(route))
    before = judge.question
    for key in ("ArrowLeft", "ArrowRight", "ArrowLeft", "s", "z"):
        judge.page.keyboard.press(key)
    judge.page.wait_for_timeout(200)
    assert len(held) == 1
    held[0].continue_()
    judge.moved_on(before)
    watched.was_quiet()
    assert kept() == ["left"]


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
    judge.says("Your answer is kept here and will be sent.")
    judge.moved_on(before)
    assert judge.page.is_hidden("#notice")
    assert len(sent) == 2
    assert sent[0] == sent[1]
    assert kept() == ["right"]


def test_an_answer_waits_for_the_server_over_a_reload(watched: Watched, link: str, kept: Kept) -> None:
    """Given while the server is down and kept over a reload of the page, it arrives once the server is back."""
    judge = watched.judge(link)
    judge.answer("left")
    judge.page.route("**/v1/*", lambda route: route.abort())
    judge.page.keyboard.press("ArrowRight")
    judge.says("Your answer is kept here and will be sent.")
    judge.page.reload()
    judge.says("Your answer is kept here and will be sent.")
    judge.page.unroute_all()
    judge.ready()
    assert kept() == ["left", "right"]


def test_a_question_answered_in_another_tab_is_passed_over(watched: Watched, link: str) -> None:
    """The second tab says what happened and shows an open question."""
    here, there = watched.judge(link), watched.judge(link)
    before = there.question
    here.answer("left")
    there.page.keyboard.press("ArrowRight")
    there.says("This question was answered already: go on with the next one.")
    there.moved_on(before)
    assert there.question == here.question
