"""Clients that wait for nothing, and note for how long they would have."""

from __future__ import annotations

import pytest

from tests.client.both import BOTH


@pytest.fixture(params=BOTH, ids=["sync", "async"])
def kind(request: pytest.FixtureRequest) -> type:
    """Each of the two clients in turn."""
    return request.param


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """What both clients would have waited."""
    kept: list[float] = []

    async def later(seconds: float) -> None:
        kept.append(seconds)

    monkeypatch.setattr("penchant.client.synchronous.sleep", kept.append)
    monkeypatch.setattr("penchant.client.asynchronous.sleep", later)
    return kept
