"""Whether the server works, its figures, and what study a token is for."""

from __future__ import annotations

from dataclasses import asdict
from typing import cast

from fastapi import APIRouter, Request
from fastapi.responses import Response

from penchant.serve.access import Anybody, Reader
from penchant.serve.errors import RETRY_AFTER, RETRY_SOON, ErrorReply
from penchant.serve.messages import Health, Role, StudyOut
from penchant.serve.metrics import CONTENT_TYPE, Metrics
from penchant.serve.progress import progress_of
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.serve.served import Studies
from penchant.study import CompareStudy
from penchant.text import visible, visible_lines

router = APIRouter(route_class=StrictRoute)


@router.get("/health", responses=replies(token=False))
def health(request: Request) -> Health:
    """Report, to anybody, whether answers can be written."""
    studies: Studies = request.app.state.studies
    if any(served.study.is_standby for served in studies.all):
        raise ErrorReply(
            503,
            "standby",
            "Another process writes a study, and this one reads it",
            "send requests that write to the other process",
            {"Retry-After": str(RETRY_SOON)},
        )
    if any(served.study.problem() is not None for served in studies.all):
        raise ErrorReply(
            503,
            "failing",
            "Nothing can be written to a study",
            "see the server's terminal",
            {"Retry-After": str(RETRY_AFTER)},
        )
    return Health(status="ok")


@router.get(
    "/metrics",
    responses={200: {"content": {"text/plain": {"schema": {"type": "string"}}}}, **replies()},
    response_class=Response,
)
async def metrics(request: Request, reader: Reader) -> Response:
    """Return figures of the token's study and of the requests to it, as Prometheus reads them."""
    found: Metrics = request.app.state.metrics
    text = await reader.in_thread(lambda: found.text(reader.served))
    return Response(text, media_type=CONTENT_TYPE)


@router.get("/study", responses=replies())
async def study(somebody: Anybody) -> StudyOut:
    """Return what the study of the token is, and whose token it is."""

    def work() -> StudyOut:
        found = somebody.served.study
        settings = found.settings
        return StudyOut(
            id=found.identity,
            title=visible(found.title),
            kind="compare" if isinstance(found, CompareStudy) else "coactive",
            question=visible_lines(settings.get("question", "")),
            instructions=visible_lines(settings.get("instructions", "")),
            progress=found.progress(),
            revision=found.revision(),
            role=cast("Role", somebody.token.role),
            name=visible(somebody.name),
            **asdict(progress_of(found, somebody.name if somebody.token.role == "judge" else None)),
        )

    return await somebody.call(work)
