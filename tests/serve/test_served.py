"""The studies behind a server: the token alone decides which one a request is for."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from itertools import chain

import pytest
from fastapi import FastAPI

from penchant.errors import InvalidInput
from penchant.serve.served import Served, Studies
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from penchant.study.tokens import Tokens
from tests.serve.visitor import Visitor, finished, rejected


def test_a_token_opens_its_own_study_and_no_other(
    both: FastAPI, study: CompareStudy, search: CoactiveStudy
) -> None:
    """Two studies behind one address; each owner sees their own, and a token of neither opens none."""
    for kept, kind in ((study, "compare"), (search, "coactive")):
        found = Visitor(both, kept.tokens.make("owner", "me")).get("/v1/study").json()
        assert (found["title"], found["kind"], found["role"]) == (kept.title, kind, "owner")
    rejected(Visitor(both, "x" * 43).get("/v1/study"), 401, "wrong_token")


def test_what_the_other_kind_of_study_does_is_named(
    both: FastAPI, study: CompareStudy, shop: Visitor, seller: Visitor
) -> None:
    """A request that a study of this kind cannot serve is 422 wrong_kind, whatever the token may do."""
    ann, app = (Visitor(both, study.tokens.make(role, role)) for role in ("judge", "app"))
    for reply in (
        app.post("/v1/presentations", {"id": "p", "candidates": ["Tea"]}),
        app.post("/v1/feedback", {"id": "f", "presentation": "p", "clicked": []}),
        app.get("/v1/weights"),
        app.get("/v1/interleaving"),
        shop.get("/v1/ranking"),
        shop.get("/v1/settled"),
        seller.get("/v1/judges"),
        seller.post("/v1/judges", {"name": "ann"}),
        seller.patch("/v1/judges/ann", {"id": "j", "aside": True}),
    ):
        rejected(reply, 422, "wrong_kind")
    assert ann.post("/v1/questions", {}).status_code == 200


def test_a_server_needs_a_study() -> None:
    """None at all is rejected with a message."""
    with pytest.raises(InvalidInput, match="studies must be at least one, got none: give a study"):
        Studies([])


@pytest.fixture
def recorded(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The tokens of each write of uses."""
    writes: list[list[str]] = []
    record = Tokens.record

    def counted(self: Tokens, tokens: Iterable[str]) -> None:
        writes.append(list(tokens))
        record(self, writes[-1])

    monkeypatch.setattr(Tokens, "record", counted)
    return writes


def test_the_use_of_a_token_is_recorded_at_most_once_a_minute(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch, recorded: list[list[str]]
) -> None:
    """Many requests within a minute write the time of use once; a minute later it is written again."""
    token, made = study.tokens.make("judge", "ann"), Served(study)

    async def many() -> None:
        for _ in range(5):
            assert made.find(token) is not None
        assert made.find("another") is None

    finished(many())
    assert recorded == [[token]]
    (known,) = study.tokens.list()
    later = (known.used or 0) + 61
    monkeypatch.setattr("penchant.serve.served.time.time", lambda: later)
    made._write_uses_at = 0
    finished(many())
    assert len(recorded) == 2


def test_the_uses_of_many_tokens_are_written_together(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch, recorded: list[list[str]]
) -> None:
    """The first one at once, and all others of the same second in one write: answers wait for each."""
    tokens, made = [study.tokens.make("judge", f"j{number}") for number in range(9)], Served(study)
    monkeypatch.setattr("penchant.serve.served.USES_TOGETHER", 0.05)

    async def all_at_once() -> None:
        for token in tokens:
            assert made.find(token) is not None
        while len(recorded) < 2:
            await asyncio.sleep(0.01)

    finished(all_at_once())
    assert recorded == [tokens[:1], tokens[1:]]
    assert all(token.used for token in study.tokens.list())


def test_what_is_not_yet_recorded_is_when_the_server_ends(
    study: CompareStudy, recorded: list[list[str]]
) -> None:
    """Uses of the last second are not lost, and trouble with them keeps no server from ending."""
    tokens, studies = [study.tokens.make("judge", f"j{number}") for number in range(3)], Studies(study)

    async def all_at_once() -> None:
        for token in tokens:
            assert studies.find(token) is not None

    finished(all_at_once())
    studies.stop()
    assert sorted(chain.from_iterable(recorded)) == sorted(tokens)
    assert all(token.used for token in study.tokens.list())
    studies.all[0]._uses = ["more"]
    study.close()
    studies.stop()


def test_stopping_wakes_every_study(study: CompareStudy, search: CoactiveStudy) -> None:
    """Streams look again, and see that the server is about to end."""
    woken: list[str] = []
    studies = Studies([study, search])
    for each in studies.all:
        each.changes.wake = lambda kind=each.study.kind: woken.append(kind)  # type: ignore[method-assign]
    studies.stop()
    assert studies.stopping
    assert woken == ["compare", "coactive"]
