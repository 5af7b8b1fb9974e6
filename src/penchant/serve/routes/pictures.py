"""The pictures of items, for those who hold a token of the study."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter
from fastapi import Path as PathParameter
from fastapi.responses import Response

from penchant.serve.access import Anybody
from penchant.serve.errors import ErrorReply
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.study import CompareStudy
from penchant.study.pictures import CONTENT_TYPE

router = APIRouter(route_class=StrictRoute)


@router.get(
    "/pictures/{picture}",
    responses={
        200: {
            "description": "The picture.",
            "content": {CONTENT_TYPE: {"schema": {"type": "string", "format": "binary"}}},
        },
        **replies(404),
    },
    response_class=Response,
)
async def picture(
    picture: Annotated[str, PathParameter(description="As an item of a question names it.")],
    somebody: Anybody,
) -> Response:
    """Return a picture of the token's study; its type is always the same, whatever file it came from."""
    study = somebody.served.study
    content = None
    if isinstance(study, CompareStudy):
        content = await somebody.in_thread(lambda: study.picture(picture))
    if content is None:
        raise ErrorReply(404, "unknown", "There is no such picture in this study", "ask for the item again")
    return Response(content, media_type=CONTENT_TYPE)
