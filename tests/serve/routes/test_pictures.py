"""Pictures over HTTP: for holders of a token of the study, of one type, and of no other study."""

from __future__ import annotations

from pathlib import Path

import pytest

from penchant.serve import create_app
from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from penchant.study.pictures import cited_pictures
from tests.serve.visitor import Visitor, rejected
from tests.study.drawn import drawn


def test_a_picture_is_for_the_study_of_the_token(tmp_path: Path, study: CompareStudy) -> None:
    """Every role gets it, nobody without a token, and nobody of another study that the same server has."""
    items = [{"id": "a", "picture": drawn()}, "b"]
    with CompareStudy.create(tmp_path / "pictures.db", items) as other:
        app = create_app([study, other])
        (hash,) = cited_pictures(other.items.values())
        place = f"/v1/pictures/{hash}"
        for role in ("owner", "judge", "app", "reader"):
            reply = Visitor(app, other.tokens.make(role, role)).get(place)
            assert (reply.status_code, reply.content) == (200, other.picture(hash))
            assert reply.headers["Content-Type"] == "image/webp"
            assert reply.headers["X-Content-Type-Options"] == "nosniff"
            assert reply.headers["Cache-Control"] == "no-store"
        judge = Visitor(app, other.tokens.make("judge", "ann"))
        asked = judge.asked()
        shown = next(asked[side] for side in ("left", "right") if asked[side]["id"] == "a")
        assert (shown["picture"], shown["size"]) == (hash, [60, 40])
        rejected(Visitor(app).get(place), 401, "no_token")
        rejected(Visitor(app, study.tokens.make("owner", "me")).get(place), 404, "unknown")
        rejected(judge.get("/v1/pictures/nothing"), 404, "unknown")


def test_contexts_of_a_study_of_orders_are_no_pictures(seller: Visitor, search: CoactiveStudy) -> None:
    """What a presentation cites stands in the same table, and is not given out."""
    search.present(["a", "b"])
    (hash,) = search._state.citing
    rejected(seller.get(f"/v1/pictures/{hash}"), 404, "unknown")


@pytest.mark.parametrize("picture", ["/etc/hostname", "tea.png", "https://example.org/tea.png", 5])
def test_no_request_makes_the_server_open_a_file(
    owner: Visitor, study: CompareStudy, picture: object
) -> None:
    """A picture in a body is a text, and one that the study does not have is rejected."""
    new = {"id": "x", "items": [{"title": "New", "picture": picture}]}
    assert "pathlib" in rejected(owner.post("/v1/items", new), 422, "invalid")
    rejected(owner.patch("/v1/items/Tea", {"id": "y", "fields": {"picture": picture}}), 422, "invalid")
    assert study.items["Tea"].picture == ""
