"""A server that is not there: it replies as it was told to, one reply a request, and keeps what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import httpx

URL = "http://127.0.0.1:8000"
TOKEN = "s3cret-token"

ITEMS = {
    "tea": {"id": "tea", "title": "Tea", "text": "hot"},
    "milk": {"id": "milk", "title": "Milk", "text": ""},
}
QUESTION = {
    "id": "q-1",
    "left": ITEMS["tea"],
    "right": ITEMS["milk"],
    "judge": "ann",
    "progress": "1 answer",
    "answered": 1,
}


def rejected(
    status: int, code: str, message: str = "No.", hint: str = "Do so.", **more: Any
) -> httpx.Response:
    headers = more.pop("headers", {})
    body = {"error": {"code": code, "message": message, "hint": hint}, **more}
    return httpx.Response(status, json=body, headers=headers)


def ok(body: Any) -> httpx.Response:
    return httpx.Response(200, json=body)


class Fake:
    """Replies in order, the last one for ever; an exception is raised instead of a reply."""

    def __init__(self, *replies: httpx.Response | Exception | dict) -> None:
        self._replies = list(replies)
        self.requests: list[httpx.Request] = []

    @property
    def transport(self) -> httpx.MockTransport:
        return httpx.MockTransport(self._handle)

    def _handle(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        reply = self._replies[0] if len(self._replies) == 1 else self._replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        if isinstance(reply, dict):
            return ok(reply)
        return httpx.Response(reply.status_code, headers=reply.headers, content=reply.content)

    @property
    def bodies(self) -> list[Any]:
        return [json.loads(request.content) for request in self.requests if request.content]

    @property
    def lines(self) -> Iterable[str]:
        return [f"{request.method} {request.url.raw_path.decode()}" for request in self.requests]
