"""The client behind proxies."""

from __future__ import annotations

import pytest

from penchant.serve.forwarded import Proxies, limited_as, parsed_forwarded

PROXIES = Proxies(["127.0.0.1/32", "10.0.0.0/8", "2001:db8::/32"])


@pytest.mark.parametrize(
    ("listed", "client"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("203.0.113.9, 192.0.2.1", "192.0.2.1"),
        ("192.0.2.1, 10.1.2.3, 127.0.0.1", "192.0.2.1"),
        ("192.0.2.1:4711", "192.0.2.1"),
        ("[2001:0dc8::0001]:4711", "2001:dc8::1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("10.0.0.1, 127.0.0.1", "10.0.0.1"),
        ("", None),
        ("unknown", None),
        ("192.0.2.1, _hidden", None),
        ("192.0.2.1, ", None),
    ],
)
def test_the_nearest_address_that_is_no_proxy_is_the_client(listed: str, client: str | None) -> None:
    """What stands further left was sent by the client itself; where an entry is no address, nothing is believed."""
    assert PROXIES.client(listed) == client


def test_proxies_are_known_by_number_and_network() -> None:
    """Also under the IPv6 form of an IPv4 address; nobody is one where none was named."""
    assert all(address in PROXIES for address in ("127.0.0.1", "10.9.9.9", "2001:db8::1", "::ffff:10.0.0.1"))
    assert not any(address in PROXIES for address in ("127.0.0.2", "192.0.2.1", "", "localhost"))
    assert not Proxies()
    assert "127.0.0.1" not in Proxies()


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("for=192.0.2.1", {"for": "192.0.2.1"}),
        ("For=192.0.2.1; Proto=https", {"for": "192.0.2.1", "proto": "https"}),
        ('for="[2001:db8::1]:80", for=192.0.2.1;host=a', {"for": "[2001:db8::1]:80, 192.0.2.1", "host": "a"}),
        ("proto=https;host=evil, for=192.0.2.1", {"for": ", 192.0.2.1"}),
        ("", {"for": ""}),
        (";;=,", {"for": ", "}),
    ],
)
def test_the_forwarded_header_of_rfc_7239(text: str, found: dict[str, str]) -> None:
    """Scheme and host are those that the nearest proxy names."""
    assert parsed_forwarded(text) == found


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::"),
        ("2001:db8:1:2:ffff::", "2001:db8:1:2::"),
        ("fe80::1%eth0", "fe80::"),
        ("", ""),
        ("testclient", "testclient"),
    ],
)
def test_one_household_is_limited_as_one(address: str, key: str) -> None:
    """Floods from the addresses of one IPv6 network count together."""
    assert limited_as(address) == key
