"""What httpx is told, and what becomes of its exceptions."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import httpx
import pytest

from penchant.client import calls
from penchant.client.address import Address
from penchant.client.stream import SILENCE
from penchant.client.transport import listening, no_reply, options, reply, request
from penchant.errors import InvalidInput
from tests.client.fake import TOKEN, URL


def test_the_token_goes_into_a_header_and_nowhere_else() -> None:
    """Not into the address, and redirects do not carry it away."""
    given = options(Address.of(URL, TOKEN), 3.0)
    assert given["headers"]["Authorization"] == f"Bearer {TOKEN}"
    assert given["follow_redirects"] is False
    assert TOKEN not in str(request(calls.ask(), URL))


class Weights(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        content = b'{"weights": {"price": 1.5}}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        pass


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_proxy_of_the_environment_is_not_used_for_this_computer(
    kind: Any, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would get the token in the clear."""
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    for name in ("HTTP_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
        monkeypatch.setenv(name.lower(), "http://127.0.0.1:9")
    with HTTPServer(("127.0.0.1", 0), Weights) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        with kind(f"http://{host}:{server.server_port}", TOKEN, retries=0) as client:
            assert client.weights() == {"price": 1.5}
        server.shutdown()


@pytest.mark.parametrize(
    ("url", "direct"),
    [
        ("http://127.0.0.1:8000", {"all://127.0.0.1": None}),
        ("http://[::1]:8000", {"all://[::1]": None}),
        ("https://localhost/penchant", {"all://localhost": None}),
        ("https://example.org", {}),
    ],
)
def test_which_servers_are_reached_without_a_proxy(url: str, direct: dict) -> None:
    """Those on this computer, whatever the port; httpx takes the patterns."""
    given = options(Address.of(url, TOKEN), 3.0)
    assert given["mounts"] == direct
    httpx.Client(**given).close()


def test_bodies_are_json_and_reads_have_none() -> None:
    """The type is named where there is a body."""
    assert request(calls.ask(), URL)["headers"] == {"Content-Type": "application/json"}
    assert request(calls.rank(), URL)["headers"] == {}


def test_a_stream_may_be_silent_for_longer() -> None:
    """Its comments come more seldom than replies."""
    given = listening(calls.changes(), URL, {"Last-Event-ID": "3"}, 10.0)
    assert (given["timeout"].read, given["timeout"].connect) == (SILENCE, 10.0)
    assert given["headers"] == {"Last-Event-ID": "3"}


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), None, "3"])
def test_a_timeout_is_a_number_above_0(timeout: object) -> None:
    """Without one a call could wait for ever."""
    with pytest.raises(InvalidInput, match="timeout"):
        options(Address.of(URL, TOKEN), timeout)


@pytest.mark.parametrize(
    ("problem", "final"),
    [
        (httpx.ConnectError("[Errno 111] Connection refused"), False),
        (httpx.ReadTimeout(""), False),
        (httpx.RemoteProtocolError("Server disconnected"), False),
        (httpx.UnsupportedProtocol("no"), True),
        (httpx.ConnectError("[SSL: CERTIFICATE_VERIFY_FAILED] self-signed"), True),
    ],
)
def test_what_cannot_get_better_is_final(problem: httpx.RequestError, final: bool) -> None:
    """A wrong certificate is not asked for six times."""
    found = no_reply(problem)
    assert found.final is final
    assert found.reason


def test_names_of_headers_are_lower_case() -> None:
    """Whatever the server wrote."""
    assert reply(httpx.Response(503, headers={"Retry-After": "5"})).headers["retry-after"] == "5"
