"""Authorisation: find the token of a request, which names the study and the role, and check what the role may do."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.types import Scope

from penchant.errors import Conflict
from penchant.serve.errors import ErrorReply, taken
from penchant.serve.live import LiveRanking
from penchant.serve.logs import note
from penchant.serve.served import Served, Studies
from penchant.study import CompareStudy, Token

if TYPE_CHECKING:
    from penchant.study.coactive import CoactiveStudy

T = TypeVar("T")

RIGHTS: dict[str, frozenset[str]] = {
    "answer": frozenset({"judge"}),
    "present": frozenset({"app", "owner"}),
    "undo": frozenset({"judge", "app", "owner"}),
    "read": frozenset({"owner", "reader", "app"}),
    "manage": frozenset({"owner"}),
    "any": frozenset({"owner", "judge", "app", "reader"}),
}
"""Each right, and the roles that have it."""
_LINK = "open the link that you were given for it"
_WRONG_ROLE = {
    "answer": ("not_a_judge", "This needs a judge's link", _LINK),
    "present": (
        "not_an_app",
        "This needs the token of an app or of the owner",
        "make one: penchant tokens make",
    ),
    "undo": ("not_allowed", "This is for judges, apps and the owner", _LINK),
    "read": ("not_a_reader", "This is for the owner of the study and those who may read it", _LINK),
    "manage": ("not_the_owner", "This is for the owner of the study", _LINK),
}

bearer = HTTPBearer(auto_error=False, description="The token of a link: it names the study and the role.")
Credentials = Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]


@dataclass(frozen=True)
class Access:
    """Who sent a request, and the study that they may use."""

    token: Token
    served: Served
    text: str = field(repr=False)

    @property
    def name(self) -> str:
        """Whose token it is."""
        return self.token.name

    @property
    def compare(self) -> CompareStudy:
        """The study, which must be one of comparisons."""
        return compare_study(self.served)

    @property
    def live(self) -> LiveRanking:
        """The current ranking of the study, which must be one of comparisons."""
        compare_study(self.served)
        assert self.served.live is not None  # noqa: S101 - a study of comparisons has one
        return self.served.live

    @property
    def coactive(self) -> CoactiveStudy:
        """The study, which must be a coactive one."""
        return coactive_study(self.served)

    def own_id(self, id: str) -> str:
        """Return the id in the log for an id that was sent with this token.

        Ids that clients send live in a space of their own for each token: whatever a client sends, it cannot meet an
        event of the study or of anybody else. A client's id holds no slash.
        """
        return f"http/{self.token.id}/{id}"

    def secret_id(self, id: str) -> str:
        """Return the id of a presentation that was asked for under ``id``.

        Whoever knows it may give feedback on it once, without a token: it follows from the token and the client's id,
        so that a request that is sent again gets the same one, and can be guessed by nobody else.
        """
        key = self.text.encode(errors="replace")
        return f"p-{hmac.new(key, f'presentation/{id}'.encode(), hashlib.sha256).hexdigest()[:40]}"

    async def call(self, work: Callable[[], T]) -> T:
        """Do what reads or writes the state of the study, with other requests in one commit."""
        return await self.served.worker.call(work)

    async def change(self, id: str, work: Callable[[str], T]) -> tuple[T, bool]:
        """Change the study under an id that a client made, which counts once.

        Parameters
        ----------
        id : str
            As it was sent: where the log has it with another content, that is an error.
        work : callable
            Makes the change under the id that it is given.

        Returns
        -------
        (T, bool)
            What ``work`` returned, and whether the change was there before this request.
        """
        study, event_id = self.served.study, self.own_id(id)

        def changed() -> tuple[T, bool]:
            duplicate = study.has_event(event_id)
            try:
                return work(event_id), duplicate
            except Conflict:
                raise taken(id) from None

        return await self.call(changed)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Do what takes long and writes nothing, in a thread of its own."""
        return await run_in_threadpool(work)


def compare_study(served: Served) -> CompareStudy:
    """Return the study of comparisons, or raise the error for another kind."""
    if isinstance(served.study, CompareStudy):
        return served.study
    raise ErrorReply(
        422, "wrong_kind", "This study presents orders and compares nothing", "use presentations and feedback"
    )


def coactive_study(served: Served) -> CoactiveStudy:
    """Return the coactive study, or raise the error for another kind."""
    if isinstance(served.study, CompareStudy):
        raise ErrorReply(
            422, "wrong_kind", "This study compares items and presents no orders", "use questions and answers"
        )
    return served.study


def allowed(right: str) -> Callable[..., Coroutine[Any, Any, Access]]:
    """Return the check that a request carries a token whose role has ``right``; it returns who sent it."""

    async def check(request: Request, credentials: Credentials) -> Access:
        return granted(request.scope, "" if credentials is None else credentials.credentials, right)

    check.__dict__["right"] = right
    return check


def roles_of(dependency: object) -> list[str]:
    """Return the roles that a check of `allowed` lets through; none where it is another dependency.

    Examples
    --------
    >>> roles_of(allowed("answer"))
    ['judge']
    """
    return sorted(RIGHTS.get(getattr(dependency, "right", ""), ()))


def granted(scope: Scope, text: str, right: str) -> Access:
    """Return who sent a request with the token ``text``, whose role must have ``right``."""
    access = access_of(scope, text)
    if access is None:
        raise _no_token()
    return with_right(access, right)


def with_right(access: Access, right: str) -> Access:
    """Return who sent a request, whose role must have ``right``."""
    if access.token.role not in RIGHTS[right]:
        raise ErrorReply(403, *_WRONG_ROLE[right])
    return access


def access_of(scope: Scope, text: str) -> Access | None:
    """Return who sent a request, None where it carries no token; one that is not known is an error."""
    text = text.strip()
    if not text:
        return None
    studies: Studies = scope["app"].state.studies
    match = studies.find(text)
    if match is None:
        raise ErrorReply(401, "wrong_token", "This link does not work, or not any more", "ask for a new one")
    access = Access(*match, text)
    note(scope, role=access.token.role, study=access.served.number)
    return access


def check_presenter(scope: Scope) -> None:
    """Raise the error for a request without a token that permits presentations, before its body is looked at."""
    granted(scope, bearer_of(scope), "present")


def bearer_of(scope: Scope) -> str:
    """Return the token that the headers of a request carry, empty where they carry none.

    A `Request` would take longer than the rest of a request that is served directly.

    Examples
    --------
    >>> bearer_of({"headers": [(b"host", b"127.0.0.1"), (b"authorization", b"Bearer 7f3a")]})
    '7f3a'
    """
    for name, value in scope["headers"]:
        if name == b"authorization":
            scheme, _, text = str(value, "latin-1").partition(" ")
            return text.strip() if scheme.lower() == "bearer" else ""
    return ""


def _no_token() -> ErrorReply:
    return ErrorReply(
        401, "no_token", "This address alone is not enough", "open the whole link that you were given"
    )


Judge = Annotated[Access, Depends(allowed("answer"))]
Presenter = Annotated[Access, Depends(allowed("present"))]
Undoer = Annotated[Access, Depends(allowed("undo"))]
Reader = Annotated[Access, Depends(allowed("read"))]
Owner = Annotated[Access, Depends(allowed("manage"))]
Anybody = Annotated[Access, Depends(allowed("any"))]
