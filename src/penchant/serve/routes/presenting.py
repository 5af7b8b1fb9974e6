"""Presentations and feedback."""

from __future__ import annotations

import re
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import numpy as np
from fastapi import APIRouter, Request
from starlette.concurrency import run_in_threadpool

from penchant.errors import Conflict, InvalidInput
from penchant.serve.access import (
    Access,
    Credentials,
    Presenter,
    access_of,
    coactive_study,
    with_right,
)
from penchant.serve.errors import ErrorReply, taken
from penchant.serve.logs import note
from penchant.serve.messages import FeedbackIn, FeedbackOut, PresentationIn, PresentationOut
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import body_of, replies, takes
from penchant.serve.served import Served, Studies

if TYPE_CHECKING:
    from penchant.study.coactive import CoactiveStudy

router = APIRouter(route_class=StrictRoute)
_TABLE = {"ids", "features", "rows"}
_FORMS = "give ids of items, features by id, or a table of ids, features and rows"
_SECRET = re.compile(r"p-[0-9a-f]{40}")


@dataclass(frozen=True)
class Table:
    """Candidates with dense features, as a coactive study reads a pandas table."""

    index: list[str]
    columns: list[str]
    rows: list[list[float]]

    def to_numpy(self) -> Any:
        """Return the rows as a matrix."""
        try:
            return np.array(self.rows, dtype=np.float64)
        except OverflowError:
            raise InvalidInput.of(
                "candidates.rows", "hold numbers within ±1e+100", "a larger one", "correct it"
            ) from None

    @classmethod
    def of(cls, given: dict[str, Any]) -> Table:
        """Return the table of a body, or name what is wrong with it."""
        ids, features, rows = (given[name] for name in ("ids", "features", "rows"))
        for name, listed in (("ids", ids), ("features", features)):
            if not set(map(type, listed)) <= {str}:
                raise InvalidInput.of(f"candidates.{name}", "be texts", "others", "write them in quotes")
        if len(rows) != len(ids):
            raise InvalidInput.of(
                "candidates.rows", f"be {len(ids)} rows, one for each id", len(rows), "correct them"
            )
        for id, row in zip(ids, rows, strict=True):
            if not isinstance(row, list) or len(row) != len(features):
                received = len(row) if isinstance(row, list) else "something else"
                limit = f"be a list of {len(features)} numbers"
                raise InvalidInput.of(f"the row of candidate {ascii(id)[:60]}", limit, received, "correct it")
            if not set(map(type, row)) <= {int, float}:
                raise InvalidInput.of(
                    f"the row of candidate {ascii(id)[:60]}",
                    "hold numbers only",
                    "others",
                    "name categories by candidate",
                )
        return cls(ids, features, rows)


@router.post(
    "/presentations",
    responses=replies(404, 409, body=True, writes=True),
    openapi_extra=takes(PresentationIn),
)
async def presentations(request: Request, presenter: Presenter) -> PresentationOut:
    """Put candidates in the order that is best by what was learned, under an id for feedback.

    The same id and content again gets the same presentation.
    """
    return await present(await body_of(request, PresentationIn), presenter)


async def present(body: PresentationIn, presenter: Access) -> PresentationOut:
    """Return the presentation that ``body`` asks for."""
    study = presenter.coactive
    context, event = _context(body.candidates), presenter.secret_id(body.id)

    def work() -> PresentationOut:
        duplicate = study.has_event(event)
        try:
            made = study.present(
                context, user=body.user, learn=body.learn, interleave=body.interleave, event_id=event
            )
        except Conflict:
            raise taken(body.id) from None
        except InvalidInput as error:
            raise _worded(error) from None
        return PresentationOut(
            id=made.id,
            order=list(made.order),
            teams=None if made.teams is None else list(made.teams),
            learn=made.learn,
            duplicate=duplicate,
        )

    return await presenter.call(work)


def _context(candidates: Any) -> Any:
    """Return candidates as a study reads them, or raise the error for what is none of the three forms."""
    if isinstance(candidates, list):
        return candidates
    if not isinstance(candidates, dict):
        raise InvalidInput.of("candidates", "be a list of ids or an object", ascii(candidates)[:60], _FORMS)
    if candidates.keys() == _TABLE and all(isinstance(part, list) for part in candidates.values()):
        return Table.of(candidates)
    for id, features in candidates.items():
        if not isinstance(features, dict):
            limit = "be an object of features"
            raise InvalidInput.of(f"candidate {ascii(id)[:60]}", limit, ascii(features)[:60], _FORMS)
    return candidates


def _worded(error: InvalidInput) -> InvalidInput:
    """Return an error of the study in the words of the body, in which a context is called candidates."""
    if error.argument != "context":
        return error
    return type(error).of("candidates", error.limit, error.received, _FORMS)


@router.post(
    "/feedback",
    responses=replies(404, 409, body=True, writes=True),
    openapi_extra=takes(FeedbackIn, text=True),
)
async def feedback(request: Request, credentials: Credentials) -> FeedbackOut:
    """Learn from clicks, from an improved order or from a better candidate.

    Feedback may come late, in parts and more than once. Without a token it is taken once for each presentation, from
    the origins that the server was told to allow, also as ``text/plain``, as a browser's ``sendBeacon`` sends it.
    """
    token = "" if credentials is None else credentials.credentials
    access, body = access_of(request.scope, token), await body_of(request, FeedbackIn)
    if access is not None:
        return await give_feedback(body, access)
    _check_origin(request)
    served = await run_in_threadpool(_by_presentation, request.app.state.studies, body.presentation)
    note(request.scope, role="page", study=served.number)
    try:
        return await _learned(served, body, f"beacon/{body.presentation}")
    except ErrorReply as error:
        if error.status != HTTPStatus.CONFLICT:
            raise
        raise ErrorReply(
            409,
            "conflict",
            "Without a token feedback is taken once for each presentation, and other feedback came before",
            "send what comes later with the token of an app",
        ) from None


async def give_feedback(body: FeedbackIn, access: Access) -> FeedbackOut:
    """Return what was learned from the feedback of a body that came with a token."""
    served = with_right(access, "present").served
    return await _learned(served, body, access.own_id(_required(body.id)))


async def _learned(served: Served, body: FeedbackIn, event: str) -> FeedbackOut:
    study = coactive_study(served)
    return await served.worker.call(lambda: _given(study, body, event))


def _given(study: CoactiveStudy, body: FeedbackIn, event: str) -> FeedbackOut:
    duplicate = study.has_event(event)
    try:
        given = study.feedback(
            body.presentation, clicked=body.clicked, order=body.order, better=body.better, event_id=event
        )
    except Conflict:
        raise taken(body.id or body.presentation) from None
    return FeedbackOut(
        id=body.id or body.presentation,
        presentation=given.presentation,
        order=list(given.improved),
        changed=given.changed,
        learned=given.learned,
        late=given.late,
        duplicate=duplicate,
    )


def _required(id: str | None) -> str:
    if id is None:
        raise InvalidInput.of("id", "be given", "nothing", "add it to the body")
    return id


def _check_origin(request: Request) -> None:
    """Reject what comes without a token from a page that may not send feedback."""
    if request.headers.get("origin", "").lower() not in request.app.state.address.allowed:
        raise ErrorReply(
            401,
            "no_token",
            "Feedback needs the token of an app, or must come from a page of an allowed origin",
            "send the token, or name the origin: penchant serve --allow-origin",
        )


def _by_presentation(studies: Studies, presentation: str) -> Served:
    """Return the study of a presentation whose id alone permits feedback."""
    if _SECRET.fullmatch(presentation):
        for served in studies.all:
            if served.study.kind == "coactive" and coactive_study(served).has_presentation(presentation):
                return served
    raise ErrorReply(404, "unknown", "This presentation is not known here", "present first")
