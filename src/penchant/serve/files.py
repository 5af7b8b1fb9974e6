"""Files that are sent whole: a part that cannot be served would be an error in another shape than all others."""

from __future__ import annotations

from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Receive, Scope, Send


def without_range(scope: Scope) -> Scope:
    """Return a request for the whole of a file, whatever part of it was asked for.

    Examples
    --------
    >>> without_range({"headers": [(b"range", b"bytes=0-1"), (b"accept", b"*/*")]})
    {'headers': [(b'accept', b'*/*')]}
    """
    return {**scope, "headers": [pair for pair in scope["headers"] if pair[0] != b"range"]}


class WholeFiles(StaticFiles):
    """The files of a folder; servers may ignore a range, and they are small."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send a file."""
        await super().__call__(without_range(scope), receive, send)

    def file_response(self, *given: Any, **named: Any) -> Response:
        """Return the reply with a file, which offers no parts."""
        response = super().file_response(*given, **named)
        if "accept-ranges" in response.headers:
            del response.headers["accept-ranges"]
        return response
