"""Who sends a request, and what they may do: the token of a request in, its role checked, out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import Depends, Header, Request

from penchant.serve.refusals import Refused
from penchant.study import Study, Token

RIGHTS: dict[str, frozenset[str]] = {
    "answer": frozenset({"judge"}),
    "look": frozenset({"owner", "reader", "app"}),
    "run": frozenset({"owner"}),
}
"""What there is to do, and the roles that may do it."""
_WRONG_ROLE = {
    "answer": ("not_a_judge", "This needs a judge's link: open the one that was made for you."),
    "look": ("not_a_reader", "This page is for the owner of the study: open the link that you were given."),
    "run": ("not_the_owner", "This is for the owner of the study: open the link that you were given."),
}


def _token(request: Request, authorization: Annotated[str, Header()] = "") -> Token:
    scheme, _, text = authorization.partition(" ")
    if scheme.lower() != "bearer" or not text.strip():
        raise Refused(
            401, "no_token", "Open the whole link that you were given: this address alone is not enough."
        )
    study: Study = request.app.state.study
    found = study.tokens.find(text.strip())
    if found is None:
        raise Refused(401, "wrong_token", "This link does not work, or not any more: ask for a new one.")
    return found


def allowed(right: str) -> Callable[[Token], Token]:
    """Return the check that the token of a request may do ``right``."""

    def check(token: Annotated[Token, Depends(_token)]) -> Token:
        if token.role not in RIGHTS[right]:
            raise Refused(403, *_WRONG_ROLE[right])
        return token

    return check


def own_id(token: Token, id: str) -> str:
    """Return the id in the log for an id that was sent with ``token``.

    Ids that clients send live in a space of their own for each token: whatever a client sends, it cannot meet an
    event of the study or of anybody else. A client's id holds no slash.
    """
    return f"http/{token.id}/{id}"
