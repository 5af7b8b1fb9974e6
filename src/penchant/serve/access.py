"""Authorisation: find the token of a request, and check that its role may do what is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Header, Request

from penchant.serve.errors import ErrorReply
from penchant.study import CompareStudy, Token

RIGHTS: dict[str, frozenset[str]] = {
    "answer": frozenset({"judge"}),
    "look": frozenset({"owner", "reader", "app"}),
    "run": frozenset({"owner"}),
}
"""Each right, and the roles that have it."""
_WRONG_ROLE = {
    "answer": ("not_a_judge", "This needs a judge's link: open the one that was made for you."),
    "look": ("not_a_reader", "This page is for the owner of the study: open the link that you were given."),
    "run": ("not_the_owner", "This is for the owner of the study: open the link that you were given."),
}


def allowed(right: str) -> Callable[..., Token]:
    """Return the check that a request carries a token whose role has ``right``; it returns the token."""

    def check(request: Request, authorization: Annotated[str, Header()] = "") -> Token:
        scheme, _, text = authorization.partition(" ")
        if scheme.lower() != "bearer" or not text.strip():
            raise ErrorReply(
                401, "no_token", "Open the whole link that you were given: this address alone is not enough."
            )
        study: CompareStudy = request.app.state.study
        token = study.tokens.find(text.strip())
        if token is None:
            raise ErrorReply(
                401, "wrong_token", "This link does not work, or not any more: ask for a new one."
            )
        if token.role not in RIGHTS[right]:
            raise ErrorReply(403, *_WRONG_ROLE[right])
        return token

    return check


def own_id(token: Token, id: str) -> str:
    """Return the id in the log for an id that was sent with ``token``.

    Ids that clients send live in a space of their own for each token: whatever a client sends, it cannot meet an
    event of the study or of anybody else. A client's id holds no slash.
    """
    return f"http/{token.id}/{id}"
