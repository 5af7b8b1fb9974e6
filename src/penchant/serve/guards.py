"""Guards against forged, flooding and oversized requests, and against replies that leak or mislead.

One layer around the application reads the headers once and lets each guard look at them; a guard's docstring names
the attack that it stops.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Protocol

from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from penchant.serve.address import Address
from penchant.serve.errors import ErrorReply, unexpected
from penchant.serve.forwarded import Proxies, limited_as, parsed_forwarded
from penchant.serve.limits import Bodies, Limits, Rates
from penchant.serve.nesting import is_deeper
from penchant.serve.rejection import Rejection

FEEDBACK = "/v1/feedback"
"""The one path that pages of other sites may post to."""
_BODIES = frozenset({"POST", "PUT", "PATCH", "DELETE"})
_READ = frozenset(
    {
        b"host", b"origin", b"content-type", b"content-length", b"transfer-encoding", b"authorization",
        b"forwarded", b"x-forwarded-for", b"x-forwarded-proto", b"x-forwarded-host",
    }
)  # fmt: skip
_SAFE = [
    (
        b"content-security-policy",
        b"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; "
        b"base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
]
_SAFE_NAMES = frozenset(name for name, _ in _SAFE) | {b"cache-control"}
_LENGTHS = frozenset({b"content-length", b"transfer-encoding"})
_SHOWN = 60
_PREFLIGHT_SECONDS = 600
CheckSender = Callable[[Scope], None]
"""Returns where a request comes from somebody who may send large bodies, and raises `ErrorReply` otherwise."""


class Incoming:
    """What the guards read of a request: one pass over its headers, of which a repeated one is a list with commas."""

    __slots__ = ("client", "guest", "headers", "method", "path", "proxied", "scope", "size")

    def __init__(self, scope: Scope) -> None:
        found: dict[bytes, bytes] = {}
        size = len(scope.get("raw_path") or b"") + len(scope.get("query_string", b""))
        for name, value in scope["headers"]:
            size += len(name) + len(value) + 4
            if name in _READ:
                found[name] = found[name] + b", " + value if name in found else value
        self.scope, self.headers, self.size = scope, found, size
        self.method: str = scope["method"]
        self.path: str = scope.get("path", "")
        self.client: str = (scope.get("client") or ("",))[0]
        self.proxied = False
        self.guest: str | None = None
        """The origin of another site that may send feedback, where the request came from there."""

    @property
    def has_body(self) -> bool:
        """Whether there may be something to read."""
        return self.method in _BODIES or not self.headers.keys().isdisjoint(_LENGTHS)

    def text(self, name: bytes, default: str = "") -> str:
        """Return a header as text."""
        value = self.headers.get(name)
        return default if value is None else value.decode("latin-1")


class Guard(Protocol):
    """Looks at a request before the application does."""

    def passed(self, request: Incoming) -> None:
        """Return, or raise `ErrorReply`."""


class ProxyGuard:
    """Stop forged addresses, and plain HTTP around the proxy: forwarded headers count only from a named proxy.

    Where only the proxy speaks HTTPS and the server can be reached from outside, nobody else is served.
    """

    def __init__(self, address: Address) -> None:
        self._proxies = Proxies(address.proxies)
        outside = not (address.secure or address.allow_http or address.number.is_loopback)
        self._alone = bool(self._proxies) and outside

    def passed(self, request: Incoming) -> None:
        """Take the client, the scheme and the host from the proxy's headers."""
        if not self._proxies:
            return
        if request.client not in self._proxies:
            if self._alone:
                raise Rejection(
                    403, "not_through_proxy", "requests must come through the proxy, got one that did not",
                    "use the public address",
                )  # fmt: skip
            return
        request.proxied = True
        named = self._named(request)
        client = self._proxies.client(named.get("for", ""))
        if client is not None:
            request.client = client
            request.scope["client"] = (client, 0)
        if named.get("proto") in ("http", "https"):
            request.scope["scheme"] = named["proto"]
        if "host" in named:
            request.headers[b"x-forwarded-host"] = named["host"].encode("latin-1")

    @staticmethod
    def _named(request: Incoming) -> dict[str, str]:
        if b"x-forwarded-for" not in request.headers and b"forwarded" in request.headers:
            return parsed_forwarded(request.text(b"forwarded"))
        proto = request.text(b"x-forwarded-proto").rpartition(",")[2].strip().lower()
        return {"for": request.text(b"x-forwarded-for"), "proto": proto}


class HeadGuard:
    """Stop memory exhaustion by headers, and smuggled requests: two lengths, of which a proxy believes the other."""

    def __init__(self, limits: Limits) -> None:
        self._most = limits.head_bytes

    def passed(self, request: Incoming) -> None:
        """Reject headers over the limit, and a length beside chunks."""
        if request.size > self._most:
            message = f"address and headers must have at most {self._most} bytes, got {request.size}"
            raise Rejection(431, "too_large", message, "send fewer or shorter ones")
        if b"transfer-encoding" in request.headers and b"content-length" in request.headers:
            message = "the body must have a length or be chunked, got both"
            raise Rejection(400, "bad_request", message, "leave Content-Length out")
        if request.headers.get(b"transfer-encoding", b"chunked").strip().lower() != b"chunked":
            message = "Transfer-Encoding must be chunked, got another"
            raise Rejection(400, "bad_request", message, "send the body as it is")


class AddressRateGuard:
    """Stop floods from one address, whatever tokens they carry."""

    def __init__(self, limits: Limits) -> None:
        self._rates = Rates(limits.address_rate, limits.address_burst)

    def passed(self, request: Incoming) -> None:
        """Count the request for its address."""
        self._rates.check(limited_as(request.client), time.monotonic(), "address")


class TokenRateGuard:
    """Stop floods with one token from many addresses; counted before the token is looked up."""

    def __init__(self, limits: Limits) -> None:
        self._rates = Rates(limits.token_rate, limits.token_burst)

    def passed(self, request: Incoming) -> None:
        """Count the request for its token, of which only a hash is kept."""
        carried = request.headers.get(b"authorization")
        if carried is not None:
            # Of several headers the first counts, and blanks do not: they must not make one token look like many.
            token = carried.decode("latin-1").partition(",")[0].partition(" ")[2].strip()
            self._rates.check(hash(token), time.monotonic(), "token")


class HostGuard:
    """Stop DNS rebinding: a foreign name that is made to point at this computer makes a foreign page "same-origin".

    The browser still sends the foreign name as Host, so only our own names may stand there, once, and in
    X-Forwarded-Host where a proxy sends that.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self._names = frozenset(name.encode() for name in names)

    def passed(self, request: Incoming) -> None:
        """Reject any Host but ours."""
        self._check("Host", request.headers.get(b"host"))
        if request.proxied and b"x-forwarded-host" in request.headers:
            self._check("X-Forwarded-Host", request.headers[b"x-forwarded-host"])

    def _check(self, header: str, host: bytes | None) -> None:
        if host is None or host.lower() not in self._names:
            allowed = ", ".join(sorted(name.decode() for name in self._names))
            received = "none" if host is None else ascii(host[:_SHOWN].decode("latin-1"))
            raise Rejection(
                421,
                "wrong_host",
                f"{header} must be one of {allowed}, got {received}",
                "open the link as it was given",
            )


class OriginGuard:
    """Stop cross-site requests: another page, even on another port of this computer, posting in a visitor's name.

    Pages of origins that the owner has named may send feedback, and nothing else.
    """

    def __init__(self, origins: Iterable[str], guests: Iterable[str] = ()) -> None:
        self._origins = frozenset(origin.encode() for origin in origins)
        self._guests = frozenset(guest.encode() for guest in guests)

    def passed(self, request: Incoming) -> None:
        """Reject any Origin but ours; programs send none."""
        origin = request.headers.get(b"origin")
        if origin is None or origin.lower() in self._origins:
            return
        if (
            request.path == FEEDBACK
            and request.method in ("POST", "OPTIONS")
            and origin.lower() in self._guests
        ):
            request.guest = origin.decode("ascii")
            return
        received = ascii(origin[:_SHOWN].decode("latin-1"))
        raise Rejection(
            403,
            "wrong_origin",
            f"Origin must be this server's own, got {received}",
            "use the page that it serves",
        )


class JsonGuard:
    """Stop simple-form CSRF: HTML forms can post text and form fields anywhere unasked, but never JSON.

    A page that may send feedback may send it as text, as `navigator.sendBeacon` does: no cookie makes it anybody's.
    """

    def passed(self, request: Incoming) -> None:
        """Reject any request with a body that is not declared as JSON."""
        if request.method not in _BODIES:
            return
        kind = request.text(b"content-type")
        if request.method == "DELETE" and not kind and not _announces_body(request):
            return  # no form can send this method, so that it needs no body to prove where it comes from
        plain = kind.partition(";")[0].strip().lower()
        if request.guest is not None and plain == "text/plain":
            others = [pair for pair in request.scope["headers"] if pair[0] != b"content-type"]
            request.scope["headers"] = [*others, (b"content-type", b"application/json")]
        elif plain != "application/json":
            message = f"Content-Type must be application/json, got {kind[:_SHOWN]!a}"
            raise Rejection(415, "not_json_type", message, "send JSON")


def _check_utf8(body: bytearray) -> None:
    """Stop brackets hidden from the limit of nesting: half of a character in UTF-16 can look like a quote."""
    try:
        body.decode()
    except UnicodeDecodeError:
        valid = False
    else:
        valid = b"\0" not in body  # no JSON holds it as it is, and UTF-16 and UTF-32 do
    if not valid:
        message = "the body must be JSON in UTF-8, got other bytes"
        raise Rejection(400, "not_json", message, "encode it as UTF-8, without compression")


def _announces_body(request: Incoming) -> bool:
    chunked, length = b"transfer-encoding" in request.headers, request.headers.get(b"content-length", b"0")
    return chunked or length != b"0"


class BodyGuard:
    """Stop memory exhaustion by endless bodies, announced or, in chunks, unannounced; and by nested brackets.

    Large bodies take long to parse, while everybody waits: they are taken from those whom ``check_sender`` lets
    through, and from nobody else.
    """

    def __init__(self, limits: Limits, check_sender: CheckSender | None = None) -> None:
        self._limits, self._check_sender = limits, check_sender
        self._bodies = Bodies(limits.all_body_bytes)

    def passed(self, request: Incoming) -> None:
        """Reject an announced length over the limit before anything is read."""
        announced = request.headers.get(b"content-length")
        if announced is not None and (
            not announced.isdigit() or int(announced[:20]) > self._limits.body(request.method, request.path)
        ):
            raise self._too_large(request, f"{announced[:20].decode('latin-1')} bytes")
        if announced is not None:
            self._check_large(request, int(announced))

    def _check_large(self, request: Incoming, size: int) -> None:
        if size > self._limits.body_bytes and self._check_sender is not None:
            self._check_sender(request.scope)

    async def read(self, request: Incoming, receive: Receive) -> bytes | None:
        """Return the body, to be given to `free`; or None where the client went away."""
        if not request.has_body:
            return b""
        most, body, held = self._limits.body(request.method, request.path), bytearray(), 0
        try:
            while True:
                message = await receive()
                if message["type"] != "http.request":
                    return None
                part = message.get("body", b"")
                if len(body) + len(part) > most:
                    raise self._too_large(request, "more")
                if b"content-length" not in request.headers:
                    self._check_large(request, len(body) + len(part))
                self._bodies.hold(len(part))
                held += len(part)
                body += part
                if not message.get("more_body", False):
                    break
            _check_utf8(body)
            self._flat(body)
            held = 0  # until `free`
            return bytes(body)
        finally:
            self._bodies.free(held)

    def _flat(self, body: bytearray) -> None:
        if is_deeper(body, self._limits.depth):
            message = f"JSON must be nested at most {self._limits.depth} deep, got deeper"
            raise Rejection(422, "invalid", message, "send it flatter")

    def free(self, body: bytes) -> None:
        """Count a body as done with."""
        self._bodies.free(len(body))

    def _too_large(self, request: Incoming, received: str) -> Rejection:
        most = self._limits.body(request.method, request.path)
        return Rejection(
            413, "too_large", f"the body must have at most {most} bytes, got {received}", "send less at once"
        )


class Guards:
    """The layer that lets every guard look at a request before the application does."""

    def __init__(
        self, app: ASGIApp, address: Address, limits: Limits, check_sender: CheckSender | None = None
    ) -> None:
        self.app = app
        self.body = BodyGuard(limits, check_sender)
        self.guards: tuple[Guard, ...] = (
            ProxyGuard(address),
            HeadGuard(limits),
            AddressRateGuard(limits),
            HostGuard(address.names),
            OriginGuard(address.origins, address.allowed),
            JsonGuard(),
            TokenRateGuard(limits),
            self.body,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it with an error."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Incoming(scope)
        try:
            for guard in self.guards:
                guard.passed(request)
            body = await self.body.read(request, receive)
        except ErrorReply as error:
            await error.response()(scope, receive, _answering(request.guest, send))
            return
        if body is not None:
            try:
                await self._served(request, body, receive, _answering(request.guest, send))
            finally:
                self.body.free(body)

    async def _served(self, request: Incoming, body: bytes, receive: Receive, send: Send) -> None:
        if request.guest is not None and request.method == "OPTIONS":
            await _preflight()(request.scope, receive, send)
        else:
            await self.app(request.scope, replayed(body, receive) if request.has_body else receive, send)


def replayed(body: bytes, receive: Receive) -> Receive:
    """Return ``receive`` with the body that was read from it, whole, before everything else."""
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


def _preflight() -> Response:
    """Return the answer to a browser that asks whether a page of another site may send feedback.

    The page may not send Authorization: a token in it would be everybody's.
    """
    allowed = {
        "Access-Control-Allow-Methods": "POST",
        "Access-Control-Allow-Headers": "Content-Type",
        "Access-Control-Max-Age": str(_PREFLIGHT_SECONDS),
    }
    return Response(status_code=204, headers=allowed)


def _answering(origin: str | None, send: Send) -> Send:
    """Return ``send`` with the headers that let a page of ``origin``, if it is another site's, read the reply."""
    if origin is None:
        return send

    async def answering(message: Message) -> None:
        if message["type"] == "http.response.start":
            named = [(b"access-control-allow-origin", origin.encode()), (b"vary", b"Origin")]
            message = {**message, "headers": [*message.get("headers", ()), *named]}
        await send(message)

    return answering


class SafeReplies:
    """Stop what a browser would otherwise allow, should a guard fail, and internals from leaking through error pages.

    Scripts or styles smuggled in through a title, framing for clickjacking, sniffed types, links leaking in
    Referer, answers kept in a shared cache. What fails unexpectedly goes to the log.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers to every response, also to errors; answer a failure with the one error shape."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        started = False
        # Files of the page are asked about again each time, so that an upgrade shows at once.
        cache = b"no-cache" if scope["path"].startswith("/static/") else b"no-store"

        async def send_safely(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                others = [pair for pair in message.get("headers", ()) if pair[0] not in _SAFE_NAMES]
                message = {**message, "headers": [*others, *_SAFE, (b"cache-control", cache)]}
            await send(message)

        try:
            await self.app(scope, receive, send_safely)
        except Exception as error:
            if started:
                raise
            await unexpected(error)(scope, receive, send_safely)


def guard_layers(
    address: Address, limits: Limits, check_sender: CheckSender | None = None
) -> list[Middleware]:
    """Return the layers to put around an application that is reached at ``address``."""
    guards = Middleware(Guards, address=address, limits=limits, check_sender=check_sender)
    return [Middleware(SafeReplies), guards]
