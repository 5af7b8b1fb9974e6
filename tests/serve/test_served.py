"""The studies behind a server: the token alone decides which one a request is for."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from penchant.errors import InvalidInput
from penchant.serve.served import Served, Studies
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
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


def test_the_use_of_a_token_is_recorded_at_most_once_a_minute(
    study: CompareStudy, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many requests within a minute write the time of use once; a minute later it is written again."""
    recorded: list[str] = []
    token, made = study.tokens.make("judge", "ann"), Served(study)
    find = type(study.tokens).find

    def counted(self: object, text: str, **options: object) -> object:
        recorded.extend(["use"] if options.get("record", True) else [])
        return find(self, text, **options)

    monkeypatch.setattr(type(study.tokens), "find", counted)

    async def many() -> None:
        for _ in range(5):
            assert made.find(token) is not None
        assert made.find("another") is None

    finished(many())
    assert recorded == ["use"]
    (known,) = study.tokens.list()
    later = (known.used or 0) + 61
    monkeypatch.setattr("penchant.serve.served.time.time", lambda: later)
    finished(many())
    assert len(recorded) == 2


def test_stopping_wakes_every_study(study: CompareStudy, search: CoactiveStudy) -> None:
    """Streams look again, and see that the server is about to end."""
    woken: list[str] = []
    studies = Studies([study, search])
    for each in studies.all:
        each.changes.wake = lambda kind=each.study.kind: woken.append(kind)  # type: ignore[method-assign]
    studies.stop()
    assert studies.stopping
    assert woken == ["compare", "coactive"]
