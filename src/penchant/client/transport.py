"""What both clients need of httpx: its settings, its replies and its exceptions in Penchant's words."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import httpx

from penchant._version import __version__
from penchant.checks import check_number
from penchant.client.address import Address
from penchant.client.calls import Call
from penchant.client.replies import NoReply, Reply
from penchant.client.stream import SILENCE

IDLE = 4.0
"""Seconds after which an idle connection is closed: before the server does so, just when a request is sent."""
_FINAL = (httpx.UnsupportedProtocol, httpx.LocalProtocolError)


def options(address: Address, timeout: float) -> dict[str, Any]:
    """Return the arguments of ``httpx.Client`` and ``httpx.AsyncClient``.

    Redirects are not followed, which would take the token elsewhere; and a server on this computer is never reached
    through a proxy of the environment. Many calls at once wait for a connection as long as it takes.
    """
    seconds = check_number("timeout", timeout, above=0)
    host = re.sub(r":\d+$", "", urlsplit(address.url).netloc)
    return {
        "timeout": httpx.Timeout(seconds, pool=None),
        "limits": httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=IDLE),
        "headers": {"Authorization": f"Bearer {address.token}", "User-Agent": f"penchant/{__version__}"},
        "follow_redirects": False,
        "mounts": {f"all://{host}": None} if address.local else {},
    }


def request(call: Call[Any], url: str) -> dict[str, Any]:
    """Return the arguments of ``request`` and ``stream`` for a call."""
    headers = {} if call.content is None else {"Content-Type": "application/json"}
    return {
        "method": call.method,
        "url": f"{url}{call.path}",
        "params": call.params or None,
        "content": call.content,
        "headers": headers,
    }


def listening(call: Call[Any], url: str, headers: dict[str, str], timeout: float) -> dict[str, Any]:
    """Return the arguments of ``stream`` for a stream of changes, which may be silent for long."""
    patient = httpx.Timeout(timeout, read=max(timeout, SILENCE), pool=None)
    return {**request(call, url), "headers": headers, "timeout": patient}


def reply(response: httpx.Response) -> Reply:
    """Return a response that was read."""
    headers = {name.lower(): value for name, value in response.headers.items()}
    return Reply(response.status_code, headers, response.content)


def no_reply(error: httpx.RequestError) -> NoReply:
    """Return why there is no reply.

    The exception itself is not passed on: it holds the request, and with it the token.
    """
    what = type(error).__name__
    if isinstance(error, httpx.TimeoutException):
        return NoReply(f"nothing in time ({what})")
    text = str(error) or what
    return NoReply(text, final=isinstance(error, _FINAL) or "CERTIFICATE_VERIFY_FAILED" in text)
