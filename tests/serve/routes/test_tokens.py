"""Links for judges, and tokens of all roles, over HTTP."""

from __future__ import annotations

import pytest
from fastapi import FastAPI

from penchant.study import CompareStudy
from penchant.study.coactive import CoactiveStudy
from tests.serve.visitor import Visitor, rejected


def test_the_owner_makes_links_for_judges(owner: Visitor, app: FastAPI) -> None:
    """The link carries the name and a token that asks questions in that name."""
    found = owner.post("/v1/judges", {"name": "  Zoë & Co "}).json()
    assert found["judge"] == "Zoë & Co"
    address, _, fragment = found["link"].partition("#")
    assert address == "http://127.0.0.1:8000/"
    assert fragment.startswith("judge=Zo%C3%AB%20%26%20Co&token=")
    assert Visitor(app, fragment.rpartition("token=")[2]).asked()["judge"] == "Zoë & Co"


@pytest.mark.parametrize("name", ["", "   ", "a" * 101, "a\nb", "\x00", "‮evil"])
def test_a_judge_needs_a_name(owner: Visitor, name: str) -> None:
    """Empty, endless and unprintable names are rejected with a message."""
    rejected(owner.post("/v1/judges", {"name": name}), 422, "invalid")


def test_the_owner_lists_and_revokes_tokens(owner: Visitor, ann: Visitor, study: CompareStudy) -> None:
    """The list says whose, when made and when used; a revoked token stops working at once."""
    ann.asked()
    known = {token["name"]: token for token in owner.get("/v1/tokens").json()}
    assert set(known) == {"me", "ann"}
    assert set(known["ann"]) == {"id", "role", "name", "made", "used", "expires"}
    assert known["ann"]["role"] == "judge"
    assert known["ann"]["used"] >= known["ann"]["made"]
    headers = {"Content-Type": "application/json"}
    assert owner.request("DELETE", f"/v1/tokens/{known['ann']['id']}", headers=headers).status_code == 200
    rejected(ann.post("/v1/questions", {}), 401, "wrong_token")
    rejected(owner.request("DELETE", "/v1/tokens/t-0", headers=headers), 404, "unknown")


def test_the_owner_makes_tokens_of_any_role(owner: Visitor, app: FastAPI) -> None:
    """The token in the reply works in its role until its days are over; a role that does not exist is named."""
    made = owner.post("/v1/tokens", {"role": "reader", "name": "board", "days": 1.0}).json()
    assert made["link"].endswith(f"/owner#token={made['token']}")
    assert made["expires"] == pytest.approx(made["made"] + 86400)
    board = Visitor(app, made["token"])
    assert board.get("/v1/ranking").status_code == 200
    rejected(board.post("/v1/questions", {}), 403, "not_a_judge")
    rejected(board.get("/v1/tokens"), 403, "not_the_owner")
    assert "role must be" in rejected(owner.post("/v1/tokens", {"role": "king", "name": "x"}), 422, "invalid")
    assert "days must be" in rejected(
        owner.post("/v1/tokens", {"role": "app", "name": "x", "days": -1.0}), 422, "invalid"
    )


def test_a_token_of_an_app_opens_the_page_of_its_study(
    both: FastAPI, search: CoactiveStudy, study: CompareStudy
) -> None:
    """Of a coactive study it is the page on which people search, of comparisons the one that shows the ranking."""
    for served, path in ((search, "/search#user=ann&token="), (study, "/owner#token=")):
        owner = Visitor(both, served.tokens.make("owner", "me"))
        made = owner.post("/v1/tokens", {"role": "app", "name": "ann"}).json()
        assert made["link"] == f"http://127.0.0.1:8000{path}{made['token']}"
