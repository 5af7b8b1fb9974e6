"""The routes that are called most, served without FastAPI: a checked body and a token in, the same reply out.

FastAPI describes these routes and serves whatever is unusual about them. Its layers and its dependency injection take
several times as long as everything else that HTTP costs an answer, so that a plain request does not pass through them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from starlette.types import ASGIApp, Receive, Scope, Send

from penchant.errors import PenchantError
from penchant.serve.access import Access, bearer_of, granted
from penchant.serve.errors import ErrorReply, error_of
from penchant.serve.guards import replayed


class DirectRoute:
    """A route that takes a body by POST under a token.

    Parameters
    ----------
    path : str
    body : subclass of BaseModel
    right : str
        What the role of the token must permit.
    endpoint : callable
        Takes the body and who sent it, and returns the reply.
    """

    def __init__(
        self,
        path: str,
        body: type[BaseModel],
        right: str,
        endpoint: Callable[[Any, Access], Awaitable[BaseModel]],
    ) -> None:
        self.path, self._body, self._right, self._endpoint = path, body, right, endpoint

    def plain(self, scope: Scope, content: bytes) -> _Plain | None:
        """Return the request if nothing is unusual about it: a valid body, and a token that may do this."""
        token = bearer_of(scope)
        if not token or scope["query_string"]:
            return None
        try:
            body = self._body.model_validate_json(content)
            access = granted(scope, token, self._right)
        except (ValidationError, ErrorReply, PenchantError):
            return None
        return _Plain(body, access, self._endpoint)


@dataclass(frozen=True)
class _Plain:
    body: BaseModel
    access: Access
    endpoint: Callable[[Any, Access], Awaitable[BaseModel]]

    async def reply(self) -> bytes:
        return (await self.endpoint(self.body, self.access)).model_dump_json().encode()


class Direct:
    """The layer inside the guards that serves plain requests to some routes and hands all others on.

    Parameters
    ----------
    app : ASGI application
        Serves all other requests.
    routes : mapping of DirectRoute
        By path.
    """

    def __init__(self, app: ASGIApp, routes: Mapping[str, DirectRoute]) -> None:
        self.app, self._routes = app, routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve a request."""
        route = self._routes.get(scope["path"]) if scope["type"] == "http" else None
        if route is None or scope["method"] != "POST":
            await self.app(scope, receive, send)
            return
        content = (await receive()).get("body", b"")  # whole, from the guards
        request = route.plain(scope, content)
        if request is None:
            await self.app(scope, replayed(content, receive), send)
            return
        scope["route"] = route
        try:
            reply = await request.reply()
        except (ErrorReply, PenchantError) as error:
            await error_of(error)(scope, receive, send)
            return
        headers = [(b"content-length", str(len(reply)).encode()), (b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        await send({"type": "http.response.body", "body": reply})
