"""Where it may be: on this computer."""

from __future__ import annotations

import pytest

from penchant.errors import InvalidInput
from penchant.serve.address import Address


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "example.org", "", "127.0.0.2"])
def test_other_computers_cannot_be_let_in(host: str) -> None:
    """Anything but loopback is rejected, with the way that does work."""
    with pytest.raises(InvalidInput, match=r"host must be 127\.0\.0\.1, localhost, ::1, got .*ssh -L 8000"):
        Address(host)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_is_a_port(port: int) -> None:
    """Ports out of range are rejected with a message."""
    with pytest.raises(InvalidInput, match=r"port must be a whole number from 0 to 65535, got"):
        Address(port=port)


def test_links_lead_where_it_listens() -> None:
    """The number of IPv6 stands in brackets."""
    assert Address("::1", 9).url == "http://[::1]:9"
    assert Address("localhost").url == "http://localhost:8000"


def test_the_usual_port_of_the_web_is_left_out_by_browsers() -> None:
    """On port 80 a Host without a port is ours as well."""
    assert {"127.0.0.1", "127.0.0.1:80"} < Address(port=80).names
    assert "127.0.0.1" not in Address().names
