"""The server of the site: it holds the token and asks for an order for each visit; the page gets only that order."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from penchant import Client

PAGE = Path(__file__).with_name("index.html")


class Site(ThreadingHTTPServer):
    """The site, on a port of this computer; 0 takes a free one.

    Parameters
    ----------
    client : Client
        With the token of an app.
    port : int
    """

    daemon_threads = True

    def __init__(self, client: Client, port: int = 8001) -> None:
        super().__init__(("127.0.0.1", port), Page)
        self.client = client
        self.origin = f"http://127.0.0.1:{self.server_port}"

    def results(self) -> dict[str, Any]:
        """Return what a visitor sees: titles in the learned order, under the id that feedback names."""
        items = {id: item for id, item in self.client.items().items() if not item.retired}
        shown = self.client.present(list(items))
        return {
            "penchant": self.client.url,
            "presentation": shown.id,
            "results": [{"id": id, "title": items[id].title} for id in shown.order],
        }


class Page(BaseHTTPRequestHandler):
    """The page, its results, and what stands behind a link."""

    server: Site

    def do_GET(self) -> None:
        """Reply to a browser."""
        if self.path == "/":
            self._reply("text/html; charset=utf-8", PAGE.read_bytes())
        elif self.path == "/results.json":
            self._reply("application/json", json.dumps(self.server.results()).encode())
        else:
            self._reply("text/plain; charset=utf-8", b"Here it is.")

    def _reply(self, kind: str, content: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Say nothing."""
