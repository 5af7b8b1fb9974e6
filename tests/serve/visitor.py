"""Somebody who talks to the application, with a token or without, politely or not."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from fastapi import FastAPI
from httpx import ASGITransport, AsyncClient, Response

HERE = "http://127.0.0.1:8000"
Result = TypeVar("Result")


def finished(work: Coroutine[Any, Any, Result]) -> Result:
    """Wait for ``work`` on a thread of its own: a browser that was driven before keeps a loop running on this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


class Visitor:
    """Sends requests in process; nothing is listened on."""

    def __init__(self, app: FastAPI, token: str | None = None) -> None:
        self.app = app
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}

    def request(self, method: str, path: str, **options: Any) -> Response:
        async def sent() -> Response:
            transport = ASGITransport(self.app, raise_app_exceptions=False)
            async with AsyncClient(transport=transport, base_url=HERE, headers=self.headers) as client:
                return await client.request(method, path, **options)

        return finished(sent())

    def at_once(self, requests: Iterable[tuple[str, str, Any]]) -> list[Response]:
        """Send requests, each a method, a path and a body, all at once, and return the replies in their order."""

        async def sent() -> list[Response]:
            transport = ASGITransport(self.app, raise_app_exceptions=False)
            async with AsyncClient(transport=transport, base_url=HERE, headers=self.headers) as client:
                return await asyncio.gather(
                    *(client.request(method, path, json=body) for method, path, body in requests)
                )

        return finished(sent())

    def patch(self, path: str, body: object, **options: Any) -> Response:
        return self.request("PATCH", path, json=body, **options)

    def get(self, path: str, **options: Any) -> Response:
        return self.request("GET", path, **options)

    def post(self, path: str, body: object, **options: Any) -> Response:
        return self.request("POST", path, json=body, **options)

    def sends(self, path: str, content: Any) -> Response:
        """Post a body as it is, declared as JSON."""
        return self.request("POST", path, content=content, headers={"Content-Type": "application/json"})

    def asked(self) -> dict[str, Any]:
        """The question that is put to this judge now."""
        reply = self.post("/v1/questions", {})
        assert reply.status_code == 200, reply.text
        return dict(reply.json())

    def answers(self, event: str, choice: str, question: str | None = None) -> Response:
        body = {"id": event, "question": question or self.asked()["id"], "choice": choice}
        return self.post("/v1/answers", body)


def rejected(reply: Response, status: int, code: str) -> str:
    """Check that a reply is an error in the one shape, and return its message."""
    assert reply.status_code == status, reply.text
    body = reply.json()
    assert set(body) == ({"error", "next"} if code == "answered" else {"error"})
    assert set(body["error"]) == {"code", "message", "hint"}
    assert body["error"]["code"] == code
    assert body["error"]["hint"], "an error says what to do"
    return f"{body['error']['message']}: {body['error']['hint']}"
