"""Authorisation: a request does what the role of its token may do, in its own name only."""

from __future__ import annotations

import pytest

from penchant.serve.access import RIGHTS, Access
from penchant.serve.served import Served
from penchant.study import CompareStudy
from tests.serve.visitor import Visitor, rejected


@pytest.mark.parametrize("header", [None, "", "Bearer", "Bearer ", "Basic b3duZXI6", "token"])
def test_without_a_token_nothing_is_done(stranger: Visitor, header: str | None) -> None:
    """401 with the scheme that is wanted."""
    headers = {} if header is None else {"Authorization": header}
    for reply in (
        stranger.post("/v1/questions", {}, headers=headers),
        stranger.post("/v1/judges", {"name": "x"}, headers=headers),
        stranger.get("/v1/ranking", headers=headers),
    ):
        rejected(reply, 401, "no_token")
        assert reply.headers["WWW-Authenticate"] == "Bearer"


def test_tokens_of_another_kind_are_rejected(ann: Visitor, owner: Visitor) -> None:
    """Judges see no ranking and make no judges; the owner answers nothing: 403."""
    rejected(ann.get("/v1/ranking"), 403, "not_a_reader")
    rejected(ann.post("/v1/judges", {"name": "x"}), 403, "not_the_owner")
    rejected(owner.post("/v1/questions", {}), 403, "not_a_judge")


def test_a_judge_speaks_for_nobody_else(ann: Visitor, bob: Visitor, study: CompareStudy) -> None:
    """Another judge's question is as unknown as none at all, and another's undo is out of reach."""
    others = bob.answers("event-1", "left", ann.asked()["id"])
    assert rejected(others, 404, "unknown") == rejected(bob.answers("event-1", "left", "q-0"), 404, "unknown")
    ann.answers("event-1", "left")
    ann.post("/v1/undo", {"id": "undo-1"})
    rejected(bob.post("/v1/undo", {"id": "undo-1"}), 422, "invalid")
    assert study.answers() == []


def test_two_judges_may_send_the_same_id(ann: Visitor, bob: Visitor, study: CompareStudy) -> None:
    """Each token has a space of ids of its own."""
    assert ann.answers("1", "left").json()["answer"]["id"] == "1"
    assert bob.answers("1", "right").json()["answer"]["id"] == "1"
    assert [answer.choice for answer in study.answers()] == ["left", "right"]


def test_a_token_that_was_revoked_opens_nothing(ann: Visitor, study: CompareStudy) -> None:
    """401, at once, and with what to do."""
    ann.asked()
    study.tokens.revoke(study.tokens.list()[0].id)
    assert "ask for a new one" in rejected(ann.post("/v1/questions", {}), 401, "wrong_token")


def test_ids_of_different_tokens_never_meet(ann: Visitor, bob: Visitor, study: CompareStudy) -> None:
    """The id in the log holds the token's own id, whatever was sent."""
    first, second = (Access(token, Served(study), token.id) for token in study.tokens.list())
    assert first.own_id("x") != second.own_id("x")
    assert first.own_id("x") == f"http/{first.token.id}/x"
    assert first.secret_id("x") == first.secret_id("x") != second.secret_id("x")


def test_every_role_has_a_right_and_only_owners_manage() -> None:
    """A role without any right would be a link that opens nothing."""
    assert frozenset.union(*RIGHTS.values()) == {"owner", "judge", "app", "reader"}
    assert RIGHTS["manage"] == {"owner"}
