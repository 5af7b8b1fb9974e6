"""The page of examples/clicks in a browser: what was clicked reaches the study, from another origin."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page

from examples.clicks.site import Site
from penchant import Client, Study
from tests.client.serving import PATIENT, Serving

FILMS = [
    {"id": name, "title": name.title(), "long": number / 4}
    for number, name in enumerate(["up", "heat", "alien"])
]


class Recorder(ThreadingHTTPServer):
    """Keeps what browsers post to it, and lets somebody wait for the next."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Post)
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.posts: list[dict[str, Any]] = []
        self.came = threading.Semaphore(0)


class _Post(BaseHTTPRequestHandler):
    server: Recorder

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        post = {"path": self.path, "type": self.headers["Content-Type"], "origin": self.headers["Origin"]}
        self.server.posts.append({**post, "body": json.loads(body), "token": self.headers["Authorization"]})
        self.send_response(200)
        self.end_headers()
        self.server.came.release()

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context()
    context.set_default_timeout(20_000)
    yield context.new_page()
    context.close()


def running(server: ThreadingHTTPServer) -> ThreadingHTTPServer:
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def visited(page: Page, origin: str, *titles: str) -> None:
    """Open the page, click links in tabs of their own but the last, and leave it by that one."""
    page.goto(origin)
    for title in titles[:-1]:
        page.get_by_role("link", name=title).dispatch_event("auxclick")  # waits until the list is there
    page.get_by_role("link", name=titles[-1]).click()
    page.wait_for_url("**/item?id=*")


def test_one_beacon_tells_what_was_clicked(page: Page) -> None:
    """As text, without a token, once, when the page is left; in the order of the clicks."""

    def study(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"items": FILMS})
        return httpx.Response(
            200, json={"id": "p-1", "order": ["heat", "up", "alien"], "teams": None, "learn": True}
        )

    with Recorder() as recorder:
        running(recorder)
        client = Client(recorder.url, "token", transport=httpx.MockTransport(study))
        with client, Site(client, port=0) as site:
            running(site)
            page.goto(site.origin)
            page.get_by_role("link", name="Heat").wait_for()
            assert page.locator("li").all_text_contents() == ["Heat", "Up", "Alien"]
            page.goto("about:blank")
            assert recorder.came.acquire(timeout=30)  # the first visit, without a click
            visited(page, site.origin, "Alien", "Up")
            assert recorder.came.acquire(timeout=30)
            site.shutdown()
        recorder.shutdown()
    first, second = recorder.posts
    assert first["body"] == {"presentation": "p-1", "clicked": []}
    assert second["body"] == {"presentation": "p-1", "clicked": ["alien", "up"]}
    for post in recorder.posts:
        assert (post["path"], post["origin"], post["token"]) == ("/v1/feedback", site.origin, None)
        assert post["type"].startswith("text/plain")


def test_a_click_on_another_site_teaches_the_study(page: Page, tmp_path: Path) -> None:
    """The site's origin is allowed; the click is on disk, and the next order follows from it."""
    place = tmp_path / "films.db"
    with Study.create(
        place, FILMS, kind="coactive", learner="perceptron", features=["long"], seed=1
    ) as study:
        token = study.tokens.make("app", "site")
    with Site(Client("http://127.0.0.1:1", token), port=0) as site:
        running(site)
        with (
            Serving(place, allow_origins=[site.origin]) as server,
            Client(server.url, token, **PATIENT) as client,
        ):
            site.client = client
            changes = client.changes(after=client.study().revision)
            visited(page, site.origin, "Alien")
            assert any("feedback" in change.kinds for change in changes)
            changes.close()
            assert client.present([film["id"] for film in FILMS]).order[0] == "alien"
        site.shutdown()
    with Study.open(place, write=False) as study:
        (given,) = study._state.feedback.values()
        assert (given.what, len(given.value)) == ("clicked", 1)
