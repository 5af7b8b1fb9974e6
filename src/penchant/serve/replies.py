"""What the description of the interface says about the replies of each route."""

from __future__ import annotations

from typing import Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ValidationError

from penchant.serve.messages import AnsweredOut, ErrorOut

Model = TypeVar("Model", bound=BaseModel)

DESCRIPTIONS = {
    400: "The request cannot be read: it is not whole, or its body is not JSON.",
    401: "There is no token, or one that does not work.",
    403: "The token's role may not do this, or the request comes from a foreign page.",
    404: "What is named does not exist.",
    405: "The path takes other methods.",
    408: "The request came too slowly.",
    409: "The id was used for something else.",
    413: "The body is too large.",
    415: "The body is not declared as JSON.",
    421: "The request was sent under a name that is not the server's.",
    422: "A field of the body or a parameter of the query is missing, unknown or out of its limits.",
    429: "Too many requests: wait for the seconds of Retry-After.",
    431: "The address with its headers is too long.",
    500: "An error inside Penchant.",
    503: "Too many wait, or nothing can be written now: send it again under the same id after Retry-After.",
    507: "The disk is full: nothing was lost, send it again under the same id later.",
}
ALWAYS = (400, 403, 405, 408, 413, 421, 422, 429, 431, 500, 503)
"""What any request may get."""
WITH_TOKEN = (401,)
WITH_BODY = (415,)
WRITING = (507,)
_RETRY_AFTER = {
    "Retry-After": {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
}
_HEADERS = {
    401: {"WWW-Authenticate": {"description": "Bearer.", "schema": {"type": "string"}}},
    429: _RETRY_AFTER,
    503: _RETRY_AFTER,
    507: _RETRY_AFTER,
}


def replies(
    *statuses: int, body: bool = False, token: bool = True, writes: bool = False
) -> dict[int | str, Any]:
    """Return the error replies of a route for its description.

    Parameters
    ----------
    *statuses : int
        Those that only some routes have.
    body, token, writes : bool
        Whether the route takes a body, needs a token, and writes.
    """
    listed = {
        *ALWAYS,
        *statuses,
        *(WITH_BODY if body else ()),
        *(WITH_TOKEN if token else ()),
        *(WRITING if writes else ()),
    }
    return {status: _error(status) for status in sorted(listed)}


def _error(status: int) -> dict[str, Any]:
    headers = {"headers": _HEADERS[status]} if status in _HEADERS else {}
    return {"model": ErrorOut, "description": DESCRIPTIONS[status], **headers}


ANSWERED: dict[int | str, dict[str, Any]] = {
    409: {
        "model": AnsweredOut | ErrorOut,
        "description": "The question was answered already, with the next one; or the id was used for something else.",
    }
}


def takes(model: type[BaseModel], *, text: bool = False) -> dict[str, Any]:
    """Return the description of a body that `body_of` reads."""
    schema = {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}
    kinds = ("application/json", "text/plain") if text else ("application/json",)
    return {"requestBody": {"required": True, "content": dict.fromkeys(kinds, schema)}}


async def body_of(request: Request, model: type[Model]) -> Model:
    """Return the checked body of a request, read by Pydantic from its bytes.

    That is faster for large bodies, and does not ask for the type of the content.
    """
    try:
        return model.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError(error.errors(include_url=False)) from None
