"""The log of a study: its events, the stream of its changes, and exports."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi import Path as Part
from fastapi.responses import FileResponse, StreamingResponse
from starlette.types import Receive, Scope, Send

from penchant.errors import InvalidInput
from penchant.serve.access import Owner, Reader
from penchant.serve.errors import ErrorReply
from penchant.serve.files import without_range
from penchant.serve.messages import EventOut, EventsOut
from penchant.serve.queries import StrictRoute
from penchant.serve.replies import replies
from penchant.serve.served import FRESH, Studies

router = APIRouter(route_class=StrictRoute)
MOST_EVENTS = 1000
EXPORTS = {
    "compare": (
        "events.jsonl",
        *(f"{what}.{ending}" for what in ("answers", "ranking") for ending in ("csv", "jsonl", "parquet")),
    ),
    "coactive": ("events.jsonl", "presentations.jsonl"),
}
"""For each kind of study the files that can be exported."""
_LISTED = "; ".join(f"of a {kind} study {', '.join(files)}" for kind, files in EXPORTS.items())
FileName = Annotated[str, Part(description=f"One of these: {_LISTED}.")]
_RESUMED = "The id of the last message that came: the stream continues after it."


@router.get("/events", responses=replies())
async def events(
    owner: Owner,
    after: Annotated[
        int, Query(ge=0, le=2**53, description="The number of the last event that is known.")
    ] = 0,
    limit: Annotated[
        int, Query(ge=1, le=MOST_EVENTS, description="The most events to return.")
    ] = MOST_EVENTS,
) -> EventsOut:
    """Return events in their order, those after a number."""
    study = owner.served.study

    def work() -> EventsOut:
        last = study.last_event()
        found = islice(study.events(after, min(last, after + limit)), limit)
        return EventsOut(
            events=[
                EventOut(
                    number=event.number,
                    id=event.id,
                    kind=event.kind,
                    version=event.version,
                    time=event.time,
                    content=dict(event.content),
                )
                for event in found
            ],
            last=last,
        )

    return await owner.in_thread(work)


@router.get(
    "/changes",
    responses={
        200: {
            "description": "Server-sent events: `data` holds the revision and the kinds of the new events.",
            "content": {"text/event-stream": {"schema": {"type": "string"}}},
        },
        **replies(),
    },
    response_class=StreamingResponse,
)
async def changes(
    request: Request,
    reader: Reader,
    last_event_id: Annotated[str | None, Header(max_length=20, description=_RESUMED)] = None,
) -> StreamingResponse:
    """Report each change of the study as it happens; ``Last-Event-ID`` resumes a stream that was cut."""
    if last_event_id is not None and not (last_event_id.isascii() and last_event_id.isdecimal()):
        raise InvalidInput.of(
            "Last-Event-ID", "be a number", "something else", "send the last id of the stream"
        )
    studies: Studies = request.app.state.studies
    request.app.state.streams.enter(reader.token.id)

    after = None if last_event_id is None else int(last_event_id)
    return _Stream(
        reader.served.changes.stream(after, lambda: _may_go_on(studies, reader)),
        lambda: request.app.state.streams.leave(reader.token.id),
    )


class _Stream(StreamingResponse):
    """Server-sent events; ``left`` is called once it has ended, also where the client went away before it began."""

    def __init__(self, messages: AsyncIterator[str], left: Callable[[], None]) -> None:
        super().__init__(messages, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})
        self._left = left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send messages until there are no more."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._left()


def _may_go_on(studies: Studies, reader: Reader) -> bool:
    """Return whether a stream may send on: not after its token was revoked, or when the server is about to end."""
    found = reader.served.study.tokens.find(reader.text, record=False, within=FRESH)
    return not studies.stopping and found is not None


@router.get(
    "/exports/{file}",
    responses={
        200: {
            "description": "The file.",
            "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
        },
        **replies(404),
    },
    response_class=FileResponse,
)
async def exports(file: FileName, owner: Owner) -> FileResponse:
    """Return all of the study, or its answers, its ranking or its presentations, as a file."""
    study = owner.served.study
    files = EXPORTS[study.kind]
    if file not in files:
        raise ErrorReply(
            404, "unknown", "There is no such export of this study", f"ask for one of {', '.join(files)}"
        )
    if file.endswith(".parquet") and find_spec("pyarrow") is None:
        raise ErrorReply(
            422,
            "invalid",
            "Parquet files need pyarrow, which this server does not have",
            "ask for csv or jsonl",
        )
    folder = TemporaryDirectory(prefix="penchant-export-")
    path = Path(folder.name) / file

    def work() -> None:
        try:
            study.export(path, what=file.partition(".")[0])
        except BaseException:
            folder.cleanup()
            raise

    await owner.in_thread(work)
    return _WholeFile(path, folder)


class _WholeFile(FileResponse):
    """A file that is sent whole and then removed.

    It is made anew for each request, so parts of it would not fit together: ranges are not served.
    """

    def __init__(self, path: Path, folder: TemporaryDirectory[str]) -> None:
        super().__init__(path, filename=path.name, media_type="application/octet-stream")
        del self.headers["accept-ranges"]
        self._folder = folder

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the file."""
        try:
            await super().__call__(without_range(scope), receive, send)
        finally:
            self._folder.cleanup()
