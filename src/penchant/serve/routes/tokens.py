"""Links for judges, and tokens of all roles."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Request

from penchant.serve.access import Access, Owner, compare_study
from penchant.serve.messages import EmptyBody, LinkOut, NameIn, TokenIn, TokenMade, TokenOut
from penchant.serve.qr import modules_of
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.study.tokens import Links

router = APIRouter(route_class=StrictRoute)
TokenId = Annotated[
    str, Path(description="The id of a token, as the list of tokens and the reply to its making have it.")
]


@router.post("/judges", responses=replies(body=True, writes=True))
async def add_judge(body: NameIn, owner: Owner, request: Request) -> LinkOut:
    """Make a link under which a judge of that name answers. It is shown in this reply and never again."""
    compare_study(owner.served)
    made = await owner.in_thread(lambda: _made(owner, request, "judge", body.name))
    return LinkOut(judge=made.name, link=made.link, id=made.id, qr=made.qr)


@router.get("/tokens", responses=replies())
async def tokens(owner: Owner) -> list[TokenOut]:
    """List the tokens of the study: to whom, when made, when last used; never the token itself."""
    listed = await owner.in_thread(owner.served.study.tokens.list)
    return [TokenOut(**vars(token)) for token in listed]


@router.post("/tokens", responses=replies(body=True, writes=True))
async def make_token(body: TokenIn, owner: Owner, request: Request) -> TokenMade:
    """Make a token of any role. It is shown in this reply and never again."""
    return await owner.in_thread(lambda: _made(owner, request, body.role, body.name, body.days))


@router.delete("/tokens/{token_id}", responses=replies(404, 415, writes=True))
async def revoke_token(token_id: TokenId, owner: Owner) -> EmptyBody:
    """Make a token stop working, at once and for good."""
    await owner.in_thread(lambda: owner.served.study.tokens.revoke(token_id))
    owner.served.changes.wake()  # its streams end now, not with the next change
    return EmptyBody()


def _made(owner: Access, request: Request, role: str, name: str, days: float | None = None) -> TokenMade:
    links: Links = request.app.state.links
    study = owner.served.study
    tokens = study.tokens
    text = tokens.make(role, name, days=days)
    record = tokens.find(text, record=False)
    assert record is not None  # noqa: S101 - it was made a moment ago
    link = links.to(role, record.name, text, kind=study.kind)
    return TokenMade(**vars(record), token=text, link=link, qr=modules_of(link))
