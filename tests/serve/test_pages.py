"""The pages as they leave the server: whole, their own, and with nothing inline."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from penchant.preferences import OUTCOMES
from penchant.serve import create_app
from penchant.serve.pages import HELP, LEFT, OTHERS, RIGHT, STATIC, UNDO
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, rejected

HOSTILE = "</title><script>alert(1)</script><img src=x onerror=alert(1)> {{ 7 * 7 }} '\"&"


@pytest.mark.parametrize("path", ["/", "/owner", "/search"])
def test_a_page_asks_for_nothing_from_elsewhere(stranger: Visitor, path: str) -> None:
    """Every address in a page leads to a file of our own, which is there."""
    found = re.findall(r'(?:src|href)="([^"]+)"', stranger.get(path).text)
    assert len(found) >= 4
    for address in found:
        assert address.startswith("/static/")
        assert stranger.get(address).status_code == 200


@pytest.mark.parametrize("path", ["/", "/owner", "/search"])
def test_a_page_has_nothing_inline(stranger: Visitor, path: str) -> None:
    """No script, style or handler stands in the page itself; the policy would forbid it."""
    text = stranger.get(path).text
    assert re.findall(r"<style|\sstyle=|\son\w+=|javascript:", text) == []
    assert re.findall(r"<script(?![^>]*\ssrc=)", text) == []


@pytest.mark.parametrize("path", ["/", "/owner", "/search"])
def test_a_hostile_title_is_escaped(tmp_path: Path, path: str) -> None:
    """What the owner wrote cannot become markup or template."""
    with CompareStudy.create(tmp_path / "x.db", ["a", "b"], title=HOSTILE) as study:
        text = Visitor(create_app(study)).get(path).text
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "&lt;/title&gt;&lt;script&gt;alert(1)" in text
    assert "{{ 7 * 7 }}" in text


def test_every_answer_has_a_button_and_a_key_of_its_own(stranger: Visitor) -> None:
    """The five answers and undo are on the page, with different keys, drawn."""
    text = stranger.get("/").text
    buttons = [LEFT, RIGHT, *OTHERS, UNDO]
    assert {button.choice for button in buttons} == {*OUTCOMES, "undo"}
    keys = [key for button in (*buttons, HELP) for key in (button.key, button.also) if key]
    assert len(set(keys)) == len(keys)
    for button in buttons:
        assert re.search(rf"<kbd>{button.drawn}</kbd> <span[^>]*>{button.words}</span>", text)


def test_a_page_tells_strangers_the_title_and_nothing_else(stranger: Visitor, study: CompareStudy) -> None:
    """Neither items nor tokens stand in a page before its link has spoken."""
    for path in ("/", "/owner", "/search"):
        text = stranger.get(path).text
        assert "Drinks" in text
        assert not [item for item in ("Tea", "Coffee", "Milk") if item in text]


def test_modules_write_text_and_no_markup() -> None:
    """No module hands a string to something that would parse it."""
    for module in STATIC.glob("*.js"):
        words = module.read_text(encoding="utf-8")
        found = re.findall(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function", words
        )
        assert found == [], module.name


BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def test_an_unknown_address_is_a_page_for_people_and_json_for_programs(stranger: Visitor) -> None:
    """Under /v1 it is always the one error shape."""
    page = stranger.get("/nowhere", headers=BROWSER)
    assert page.status_code == 404
    assert page.headers["Content-Type"].startswith("text/html")
    assert "There is no such page" in page.text
    assert "nowhere" not in page.text
    for path, headers in (
        ("/nowhere", {}),
        ("/v1/nowhere", BROWSER),
        ("/static/nowhere.js", {"Accept": "*/*"}),
    ):
        rejected(stranger.get(path, headers=headers), 404, "not_found")


def test_pictures_come_from_the_page_itself_alone(stranger: Visitor) -> None:
    """No address of another site and no data in an address may be shown as a picture."""
    policy = stranger.get("/").headers["Content-Security-Policy"]
    assert "img-src 'self' blob:;" in policy
