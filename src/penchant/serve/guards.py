"""Guards against forged and oversized requests, and against replies that leak or mislead.

Each is a small layer around the application; its docstring names the attack that it stops.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penchant.serve.errors import ErrorReply, unexpected

BODY_LIMIT = 64 * 1024
_BODIES = {"POST", "PUT", "PATCH", "DELETE"}
_SAFE = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class Guard(ABC):
    """A layer that looks at each HTTP request before the application does."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            passed = await self.passed(scope, receive)
        except ErrorReply as error:
            await error.response()(scope, receive, send)
        else:
            await self.app(scope, passed, send)

    @abstractmethod
    async def passed(self, scope: Scope, receive: Receive) -> Receive:
        """Return where the application reads the body from, or raise `ErrorReply`."""


class HostGuard(Guard):
    """Stop DNS rebinding: a foreign name that is made to point at this computer makes a foreign page "same-origin".

    The browser still sends the foreign name as Host, so only our own names may stand there, once.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        super().__init__(app)
        self.names = frozenset(names)

    async def passed(self, scope: Scope, receive: Receive) -> Receive:
        """Reject any Host but ours."""
        hosts = Headers(scope=scope).getlist("host")
        if len(hosts) != 1 or hosts[0].lower() not in self.names:
            allowed = ", ".join(sorted(self.names))
            came = ascii(hosts[0][:60]) if hosts else "none"
            raise ErrorReply(
                421, "wrong_host", f"Host must be one of {allowed}, got {came}: open the link as it was given"
            )
        return receive


class OriginGuard(Guard):
    """Stop cross-site requests: another page, even on another port of this computer, posting in a visitor's name."""

    def __init__(self, app: ASGIApp, origins: Iterable[str]) -> None:
        super().__init__(app)
        self.origins = frozenset(origins)

    async def passed(self, scope: Scope, receive: Receive) -> Receive:
        """Reject any Origin but ours; programs send none."""
        for origin in Headers(scope=scope).getlist("origin"):
            if origin.lower() not in self.origins:
                message = (
                    f"Origin must be this server's own, got {origin[:60]!a}: use the page that it serves"
                )
                raise ErrorReply(403, "wrong_origin", message)
        return receive


class JsonGuard(Guard):
    """Stop simple-form CSRF: HTML forms can post text and form fields anywhere unasked, but never JSON."""

    async def passed(self, scope: Scope, receive: Receive) -> Receive:
        """Reject any request with a body that is not declared as JSON."""
        kind = Headers(scope=scope).get("content-type", "")
        if scope["method"] in _BODIES and kind.partition(";")[0].strip().lower() != "application/json":
            message = f"Content-Type must be application/json, got {kind[:60]!a}: send JSON"
            raise ErrorReply(415, "not_json", message)
        return receive


class BodyGuard(Guard):
    """Stop memory exhaustion by endless bodies, announced or, in chunks, unannounced."""

    async def passed(self, scope: Scope, receive: Receive) -> Receive:
        """Reject a body over the limit: unread where its length is announced, else as soon as it is exceeded."""
        announced = Headers(scope=scope).get("content-length", "0")
        if not announced.isdecimal() or int(announced[:20]) > BODY_LIMIT:
            raise _too_large(f"{announced[:20]} bytes")
        body, message = bytearray(), await receive()
        while message["type"] == "http.request":
            body += message.get("body", b"")
            if len(body) > BODY_LIMIT:
                raise _too_large("more")
            if not message.get("more_body", False):
                message = {"type": "http.request", "body": bytes(body), "more_body": False}
                break
            message = await receive()
        waiting = [message]

        async def replayed() -> Message:
            return waiting.pop() if waiting else await receive()

        return replayed


def _too_large(came: str) -> ErrorReply:
    return ErrorReply(
        413, "too_large", f"the body must have at most {BODY_LIMIT} bytes, got {came}: send less at once"
    )


class SafeReplies:
    """Stop what a browser would otherwise allow, should a guard fail, and internals from leaking through error pages.

    Scripts or styles smuggled in through a title, framing for clickjacking, sniffed types, links leaking in
    Referer, answers kept in a shared cache. No CORS header is ever sent. What fails unexpectedly goes to the log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to every response, also to errors; answer a failure with the one error shape."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                headers = MutableHeaders(scope=message)
                headers.update(_SAFE)
                # Files of the page are asked about again each time, so that an upgrade shows at once.
                headers["Cache-Control"] = "no-cache" if scope["path"].startswith("/static/") else "no-store"
            await send(message)

        try:
            await self.app(scope, receive, send_safely)
        except Exception as error:
            if started:
                raise
            await unexpected(error)(scope, receive, send_safely)
