"""Where it listens, how it is reached, and plain HTTP that stays on this computer."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.serve.address import Address, checked_origin

RANK = "https://rank.example"


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.2", "127.255.255.254", "localhost", "::1"])
def test_this_computer_needs_nothing_more(host: str) -> None:
    """All of 127.0.0.0/8 and ::1 are loopback."""
    assert Address(host).url.startswith("http://")


@pytest.mark.parametrize(
    "given",
    [
        {"host": "192.168.1.5"},
        {"host": "192.168.1.5", "url": RANK},
        {"host": "192.168.1.5", "proxies": ["192.168.1.6"]},
        {"host": "192.168.1.5", "url": "http://rank.example", "proxies": ["192.168.1.6"]},
        {"host": "0.0.0.0", "url": RANK},
        {"host": "::", "url": RANK},
        {"url": "http://rank.example"},
        {"url": "http://rank.example", "proxies": ["127.0.0.1"]},
    ],
)
def test_plain_http_does_not_leave_this_computer(given: dict[str, Any]) -> None:
    """Links readable on the way: rejected with the three ways that do work; allowed when it is asked for."""
    with pytest.raises(
        InvalidInput, match=r"give certificate= and key=, or .*proxies=.*url=; allow_http=True"
    ):
        Address(**given)
    assert Address(**given, allow_http=True).allow_http


@pytest.mark.parametrize(
    "given",
    [
        {"host": "192.168.1.5", "secure": True},
        {"host": "0.0.0.0", "url": RANK, "secure": True},
        {"host": "192.168.1.5", "url": RANK, "proxies": ["192.168.1.0/24"]},
        {"url": RANK, "proxies": ["127.0.0.1"]},
        {"url": RANK},
    ],
)
def test_https_may(given: dict[str, Any]) -> None:
    """With a certificate, or behind a named proxy that speaks HTTPS."""
    assert Address(**given).url.startswith("https://")


@pytest.mark.parametrize("host", ["0.0.0.0", "::"])
def test_all_addresses_need_a_name(host: str) -> None:
    """Links cannot lead to an address that is every address."""
    with pytest.raises(InvalidInput, match=r"host must come with the name that links show, got .*give url="):
        Address(host, secure=True)


@pytest.mark.parametrize("host", ["example.org", "", "127.0.0.1:8000", "256.1.1.1"])
def test_a_host_is_a_number(host: str) -> None:
    """A name belongs into the public address."""
    with pytest.raises(InvalidInput, match=r"host must be an address of this computer, got .*url="):
        Address(host)


def test_a_certificate_is_for_https() -> None:
    """A public address without TLS is a mistake where there is a certificate."""
    with pytest.raises(InvalidInput, match=r"url must start with https:// where there is a certificate"):
        Address(url="http://localhost:8000", secure=True)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_is_a_port(port: int) -> None:
    """Ports out of range are rejected with a message."""
    with pytest.raises(InvalidInput, match=r"port must be a whole number from 0 to 65535, got"):
        Address(port=port)


@pytest.mark.parametrize("proxy", ["proxy.example", "127.0.0.1/8", "", "*"])
def test_a_proxy_is_an_address_or_a_network(proxy: str) -> None:
    """Names could be made to point anywhere."""
    with pytest.raises(InvalidInput, match=r"proxies must be addresses or networks, got"):
        Address(proxies=[proxy])


@pytest.mark.parametrize("everybody", ["0.0.0.0/0", "::/0"])
def test_not_everybody_is_a_proxy(everybody: str) -> None:
    """Plain HTTP beyond this computer would be allowed by another name, and every forged address believed."""
    with pytest.raises(InvalidInput, match=r"proxies must leave somebody out"):
        Address("192.0.2.7", url=RANK, proxies=[everybody])


@pytest.mark.parametrize(
    "origin",
    [
        "*", "null", "", "shop.example", "ftp://shop.example", "https://", "https://*.shop.example",
        "https://shop.example/path", "https://shop.example?q", "https://shop.example#a", "https://ann@shop.example",
        "https://shop.example:port", "https://shop.example:99999", "https://shöp.example", "https://a b.example",
        "https://shop.example\n",
    ],
)  # fmt: skip
def test_an_origin_is_a_scheme_and_a_host(origin: str) -> None:
    """Neither everybody nor nobody, and no path."""
    with pytest.raises(InvalidInput, match=r"allowed must be scheme://host or scheme://host:port, got"):
        Address(allowed=[origin])
    with pytest.raises(InvalidInput, match=r"url must be scheme://host or scheme://host:port, got"):
        Address(url=origin)


@pytest.mark.parametrize(
    ("text", "origin"),
    [
        ("https://Shop.Example", "https://shop.example"),
        ("https://shop.example/", "https://shop.example"),
        ("https://shop.example:443", "https://shop.example"),
        ("http://shop.example:80", "http://shop.example"),
        ("https://shop.example:8443", "https://shop.example:8443"),
        ("http://[::1]:3000", "http://[::1]:3000"),
        ("https://xn--shp-sna.example", "https://xn--shp-sna.example"),
    ],
)
def test_an_origin_is_written_as_browsers_do(text: str, origin: str) -> None:
    """Small letters, and the usual port left out."""
    assert checked_origin("url", text) == origin


def test_links_lead_where_it_is_reached() -> None:
    """The number of IPv6 stands in brackets; the public address comes first."""
    assert Address("::1", 9).url == "http://[::1]:9"
    assert Address("localhost").url == "http://localhost:8000"
    assert Address("127.0.0.2", secure=True).url == "https://127.0.0.2:8000"
    assert Address(url=RANK, proxies=["127.0.0.1"]).url == RANK


def test_the_port_that_was_taken_shows_in_links() -> None:
    """All else stays as it was given."""
    given = Address("127.0.0.2", 0, allowed=["https://shop.example"], proxies=["127.0.0.1"], allow_http=True)
    taken = given.at(4000)
    assert taken.url == "http://127.0.0.2:4000"
    assert (taken.allowed, taken.proxies, taken.allow_http) == (given.allowed, given.proxies, True)
    assert Address(url=RANK, port=0).at(9).url == RANK


def test_names_and_origins() -> None:
    """Our own names on our port, and the public one with and without its usual port."""
    address = Address("127.0.0.2", 8000, url=RANK)
    own = {f"{host}:8000" for host in ("127.0.0.1", "localhost", "[::1]", "127.0.0.2")}
    assert address.names == own | {"rank.example", "rank.example:443"}
    assert address.origins == {f"http://{name}" for name in own} | {RANK}
    assert Address("192.0.2.1", secure=True).names == {"192.0.2.1:8000"}
    assert Address("192.0.2.1", secure=True).origins == {"https://192.0.2.1:8000"}


def test_the_usual_port_of_the_web_is_left_out_by_browsers() -> None:
    """On port 80, or 443 with TLS, a Host without a port is ours as well."""
    assert {"127.0.0.1", "127.0.0.1:80"} < Address(port=80).names
    assert "127.0.0.1" in Address(port=443, secure=True).names
    assert "127.0.0.1" not in Address(port=443).names
    assert "127.0.0.1" not in Address().names
