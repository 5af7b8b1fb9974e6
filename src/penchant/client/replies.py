"""Replies of a server as results, and its errors as the exceptions of the library."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from penchant.client.reading import question_of
from penchant.errors import (
    CannotStore,
    Conflict,
    InvalidInput,
    NoSpace,
    NotAllowed,
    PenchantError,
    ServerFailed,
    UnknownItem,
    Unreachable,
    WrongKind,
)
from penchant.text import visible

T = TypeVar("T")

_BY_CODE: Mapping[str, type[PenchantError]] = {
    "unknown": UnknownItem,
    "wrong_kind": WrongKind,
    "not_kept": CannotStore,
    "no_space": NoSpace,
}
_BY_STATUS: Mapping[int, type[PenchantError]] = {
    401: NotAllowed,
    403: NotAllowed,
    408: Unreachable,
    409: Conflict,
    429: Unreachable,
    500: ServerFailed,
    502: Unreachable,
    503: Unreachable,
    504: Unreachable,
    507: NoSpace,
}
_LONGEST = 1000


@dataclass(frozen=True)
class Reply:
    """What a server sent; names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    content: bytes


@dataclass(frozen=True)
class NoReply:
    """Why there is no reply; ``final`` where the next attempt would fail in the same way."""

    reason: str
    final: bool = False


Outcome = Reply | NoReply


def result(outcome: Outcome, read: Callable[[Any], T], *, sent: str = "", url: str = "", made: int = 1) -> T:
    """Return what ``read`` makes of the JSON of a reply, or raise what went wrong.

    Parameters
    ----------
    outcome : Reply or NoReply
        The last one.
    read : callable
        Takes the JSON, and fails with KeyError, TypeError or ValueError where it is something else.
    sent : str
        The id of what was written.
    url : str
        Of the server, for messages.
    made : int
        How often it was sent.
    """
    if isinstance(outcome, NoReply) or not 200 <= outcome.status < 300:
        raise error(outcome, sent=sent, url=url, made=made)
    try:
        return read(json.loads(outcome.content))
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError):
        pass
    raise ServerFailed.of(
        f"the reply of {url}",
        "be one of Penchant's",
        "something else",
        "check the address, and that client and server are of one version",
    )


def error(outcome: Outcome, *, sent: str = "", url: str = "", made: int = 1) -> PenchantError:
    """Return the exception for a request that failed."""
    if isinstance(outcome, NoReply):
        often = f" {made} times" if made > 1 else ""
        remedy = "see that it runs and can be reached" + (f", and send {sent!r} again" if sent else "")
        found: PenchantError = Unreachable.of(f"the server at {url}", "reply", outcome.reason + often, remedy)
    else:
        found = _rejected(outcome, url)
    if isinstance(found, Unreachable | CannotStore):
        found.event_id = sent
    return found


def _rejected(reply: Reply, url: str) -> PenchantError:
    body = _body(reply)
    details = body.get("error")
    if not isinstance(details, Mapping) or not isinstance(details.get("message"), str):
        return _of_nobody(reply, url)
    code, message, hint = (str(details.get(name) or "") for name in ("code", "message", "hint"))
    kind = _BY_CODE.get(code) or _BY_STATUS.get(
        reply.status, InvalidInput if reply.status < 500 else ServerFailed
    )
    message, hint = visible(message)[:_LONGEST], visible(hint)[:_LONGEST]
    found = kind(f"{message.rstrip('.:')}: {hint}" if hint else message)
    found.remedy = hint
    if isinstance(found, Conflict):
        found.next = _next(body)
    return found


def _of_nobody(reply: Reply, url: str) -> PenchantError:
    """Return the error for a reply without Penchant's error: something else answers there, or stands before it."""
    kind = _BY_STATUS.get(reply.status, ServerFailed)
    if kind is Conflict:
        kind = ServerFailed
    remedy = "check the address" if reply.status < 500 else "see that it runs, and send it again"
    return kind.of(f"the server at {url}", "reply as Penchant does", f"status {reply.status}", remedy)


def _body(reply: Reply) -> Mapping[str, Any]:
    try:
        body = json.loads(reply.content)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, Mapping) else {}


def _next(body: Mapping[str, Any]) -> Any:
    try:
        return question_of(body["next"])
    except (KeyError, TypeError, ValueError):
        return None
