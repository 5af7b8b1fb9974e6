"""Query parameters: those of a route, each once, and no others."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterable
from typing import Any
from urllib.parse import parse_qsl

from fastapi import Request, Response
from fastapi.routing import APIRoute

from penchant.serve.access import roles_of
from penchant.serve.errors import ErrorReply

_SHOWN = 60


class StrictRoute(APIRoute):
    """A route that rejects query parameters which it does not know: one that is misspelled would change nothing.

    Its description ends with the roles that may use it.
    """

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        roles = {role for part in self.dependant.dependencies for role in roles_of(part.call)}
        if roles:
            self.description += f"\n\nRoles: {', '.join(sorted(roles))}."

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what serves a request."""
        serve, names = super().get_route_handler(), [field.alias for field in self.dependant.query_params]

        async def strict(request: Request) -> Response:
            query: bytes = request.scope["query_string"]
            if query:
                check_query(query, names)
            return await serve(request)

        return strict


def check_query(query: bytes, parameters: Iterable[str]) -> None:
    """Raise the error for a parameter that is none of ``parameters``, or that is given twice.

    Examples
    --------
    >>> check_query(b"a=tea&b=milk", ["a", "b", "most"])
    >>> check_query(b"A=tea", ["a", "b", "most"])
    Traceback (most recent call last):
    penchant.serve.errors.ErrorReply: the query must hold parameters of this request, got 'A'
    """
    names, seen = list(parameters), set()
    for name, _ in parse_qsl(query.decode("latin-1"), keep_blank_values=True):
        if name not in names:
            message = f"the query must hold parameters of this request, got {ascii(name)[:_SHOWN]}"
            raise ErrorReply(422, "invalid", message, _named(names))
        if name in seen:
            raise ErrorReply(422, "invalid", f"{name} must be given once, got it again", "leave one out")
        seen.add(name)


def _named(names: list[str]) -> str:
    return f"it takes {', '.join(names)}" if names else "leave it out: this request takes none"
