"""The site of the example, without a browser: what a page gets, and what it does not."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import httpx
import pytest

from examples.clicks.site import Site
from penchant import Client
from tests.client.fake import TOKEN, URL

ITEMS = [{"id": "a", "title": "A"}, {"id": "b", "title": "B"}, {"id": "c", "title": "C", "retired": True}]


@pytest.fixture
def site() -> Iterator[Site]:
    """The site in front of a study that is not there."""

    def study(request: httpx.Request) -> httpx.Response:
        if request.method == "GET":
            return httpx.Response(200, json={"items": ITEMS})
        return httpx.Response(200, json={"id": "p-1", "order": ["b", "a"], "teams": None, "learn": True})

    with Client(URL, TOKEN, transport=httpx.MockTransport(study)) as client, Site(client, port=0) as site:
        threading.Thread(target=site.serve_forever, daemon=True).start()
        yield site
        site.shutdown()


def test_a_page_gets_titles_in_order_and_no_token(site: Site) -> None:
    """What may be known to everybody: where to send feedback, and the id of the presentation."""
    found = httpx.get(f"{site.origin}/results.json", trust_env=False)
    assert found.json() == {
        "penchant": URL,
        "presentation": "p-1",
        "results": [{"id": "b", "title": "B"}, {"id": "a", "title": "A"}],
    }
    page = httpx.get(f"{site.origin}/", trust_env=False)
    assert TOKEN not in found.text + page.text + str(found.headers)
    assert len(page.text.splitlines()) <= 35
