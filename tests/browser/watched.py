"""A browser window in which nothing happens unseen: requests, errors and violations of the policy are kept."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser, ConsoleMessage, Page, Request

KEYS = {"left": "ArrowLeft", "right": "ArrowRight", "tie": "ArrowDown", "both_bad": "b", "skip": "s"}
ENABLED = """key => {
  const buttons = [...document.querySelectorAll("button")];
  const pressed = buttons.find(({ dataset }) => dataset.key === key || dataset.also === key) ?? document.activeElement;
  return pressed.getAttribute("aria-disabled") !== "true";
}"""
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
"""


class Watched:
    """Pages of one window, and what they did."""

    def __init__(self, browser: Browser, url: str, **looks: Any) -> None:
        self.url = url
        self.context = browser.new_context(**looks)
        self.context.set_default_timeout(20_000)
        self.context.add_init_script(VIOLATIONS)
        self.requests: list[str] = []
        self.troubles: list[str] = []
        self.context.on("request", self._request)
        self.context.on("console", self._console)
        self.context.on("weberror", lambda error: self.troubles.append(str(error.error)))

    def _request(self, request: Request) -> None:
        self.requests.append(request.url)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.troubles.append(message.text)

    def open(self, link: str) -> Page:
        page = self.context.new_page()
        page.goto(link)
        return page

    def judge(self, link: str) -> JudgePage:
        return JudgePage(self.open(link))

    def was_quiet(self) -> None:
        """Check that no page asked anybody else, complained or broke the policy."""
        own = (f"{self.url}/", f"blob:{self.url}/")
        outside = [url for url in self.requests if not url.startswith(own)]
        violations = [page.evaluate("violations") for page in self.context.pages]
        assert self.troubles == [], self.troubles
        assert outside == [], outside
        assert not any(violations), violations

    def close(self) -> None:
        self.context.close()


class JudgePage:
    """A judge's page, used by keyboard."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.ready()

    def ready(self) -> None:
        self.page.wait_for_selector("#questions[data-state=ready][data-question]")

    def sent(self) -> None:
        """Wait until the server has acknowledged everything."""
        self.page.wait_for_selector("#questions[data-waiting='0']", state="attached", timeout=60_000)

    @property
    def question(self) -> str:
        return str(self.page.get_attribute("#questions", "data-question"))

    @property
    def titles(self) -> tuple[str, str]:
        left, right = (str(self.page.text_content(f"#{side} .card-title")) for side in ("left", "right"))
        return left, right

    def says(self, words: str) -> None:
        self.page.locator("#notice", has_text=words).wait_for()

    def strike(self, key: str) -> None:
        """Press a key as soon as it counts: one that was pressed just now waits for a moment."""
        self.page.wait_for_function(ENABLED, arg=key)
        self.page.keyboard.press(key)

    def press(self, key: str) -> None:
        """Press a key, and wait until another question stands there and the server has taken this one."""
        before = self.question
        self.strike(key)
        self.moved_on(before)
        self.sent()

    def moved_on(self, before: str) -> None:
        self.page.wait_for_function(
            "before => document.getElementById('questions').dataset.question !== before", arg=before
        )
        self.ready()

    def answer(self, choice: str) -> None:
        self.press(KEYS[choice])
