"""`AsyncClient` is `Client`, awaited: its tests are those of `test_synchronous`, and these."""

from __future__ import annotations

import asyncio
import inspect
from typing import Any

import httpx
import pytest

from penchant import AsyncClient, Client
from tests.client.both import Loop
from tests.client.fake import QUESTION, TOKEN, URL, Fake


def waited_for(work: Any) -> None:
    loop = Loop()
    try:
        loop.run(work)
    finally:
        loop.close()


PUBLIC = sorted(name for name in vars(Client) if not name.startswith("_"))


@pytest.mark.parametrize("name", PUBLIC)
def test_each_method_is_there_with_the_same_arguments(name: str) -> None:
    """And is to be awaited, or iterated over with async for."""
    ours, theirs = getattr(AsyncClient, name), getattr(Client, name)
    assert inspect.signature(ours).parameters == inspect.signature(theirs).parameters
    if name != "from_link":
        waited = (
            inspect.isasyncgenfunction if inspect.isgeneratorfunction(theirs) else inspect.iscoroutinefunction
        )
        assert waited(ours)


def test_both_have_the_same_methods() -> None:
    """None more, and none less."""
    assert sorted(name for name in vars(AsyncClient) if not name.startswith("_")) == PUBLIC


def test_calls_run_at_the_same_time() -> None:
    """One that waits for its reply does not keep the others waiting."""
    arrived = asyncio.Event()

    async def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/questions":
            await arrived.wait()
            return httpx.Response(200, json=QUESTION)
        arrived.set()
        return httpx.Response(200, json={"weights": {}})

    async def main() -> None:
        async with AsyncClient(URL, TOKEN, transport=httpx.MockTransport(handle)) as client:
            question, weights = await asyncio.gather(client.ask(), client.weights())
            assert (question.id, weights) == ("q-1", {})

    waited_for(main())


def test_leaving_a_stream_early_closes_it() -> None:
    """And the client can be used on."""
    text = 'id: 3\nevent: change\ndata: {"revision": 3, "kinds": []}\n\n'
    fake = Fake(httpx.Response(200, text=text), QUESTION)

    async def main() -> None:
        async with AsyncClient(URL, TOKEN, transport=fake.transport) as client:
            async for change in client.changes():
                assert change.revision == 3
                break
            assert (await client.ask()).id == "q-1"

    waited_for(main())
