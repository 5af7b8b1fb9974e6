"""The client behind a reverse proxy: forwarded headers, which are believed when a named proxy sends them."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

_REMEMBERED = 4096


class Proxies:
    """Stop forged addresses: anybody can send X-Forwarded-For and take another address to escape a limit.

    The header is read from the right, where the nearest proxy writes, up to the first address that is no proxy of
    ours; what stands before that was sent by the client and is ignored.

    Examples
    --------
    >>> proxies = Proxies(["127.0.0.1"])
    >>> "127.0.0.1" in proxies, "192.0.2.1" in proxies
    (True, False)
    >>> proxies.client("198.51.100.7, 192.0.2.1, 127.0.0.1")
    '192.0.2.1'
    """

    def __init__(self, networks: Iterable[str] = ()) -> None:
        self._networks = tuple(ip_network(network) for network in networks)
        self._is_trusted = lru_cache(_REMEMBERED)(self._is_in_a_network)

    def __bool__(self) -> bool:
        return bool(self._networks)

    def __contains__(self, address: str) -> bool:
        return self._is_trusted(address)

    def _is_in_a_network(self, address: str) -> bool:
        number = _number(address)
        return number is not None and any(number in network for network in self._networks)

    def client(self, listed: str) -> str | None:
        """Return the client of an X-Forwarded-For list, or None where an entry is no address."""
        number = None
        for entry in reversed(listed.split(",")):
            number = _number(_without_port(entry.strip()))
            if number is None or str(number) not in self:
                break
        return None if number is None else str(number)


def parsed_forwarded(text: str) -> dict[str, str]:
    """Return ``for`` as an X-Forwarded-For list, and ``proto`` and ``host`` of the nearest proxy (RFC 7239).

    Examples
    --------
    >>> parsed_forwarded('for=192.0.2.1;proto=https, for="[2001:db8::1]:4711";proto=https;host=rank.example')
    {'for': '192.0.2.1, [2001:db8::1]:4711', 'proto': 'https', 'host': 'rank.example'}
    """
    found: dict[str, str] = {}
    clients = []
    for element in text.split(","):
        pairs = (part.partition("=") for part in element.split(";"))
        named = {name.strip().lower(): value.strip().strip('"') for name, _, value in pairs}
        clients.append(named.get("for", ""))
        found = {name: named[name] for name in ("proto", "host") if name in named}
    return {"for": ", ".join(clients), **found}


@lru_cache(_REMEMBERED)
def limited_as(address: str) -> str:
    """Return the address that limits count: one household of IPv6 has 2**64 addresses, so its network stands for it.

    Examples
    --------
    >>> limited_as("2001:db8::1"), limited_as("::ffff:192.0.2.1"), limited_as("192.0.2.1")
    ('2001:db8::', '192.0.2.1', '192.0.2.1')
    """
    number = _number(address)
    if isinstance(number, IPv6Address):
        return str(IPv6Address(int(number) >> 64 << 64))
    return address if number is None else str(number)


def _number(address: str) -> IPv4Address | IPv6Address | None:
    try:
        number = ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return (isinstance(number, IPv6Address) and number.ipv4_mapped) or number


def _without_port(entry: str) -> str:
    if entry.startswith("["):
        return entry[1:].partition("]")[0]
    return entry.partition(":")[0] if entry.count(":") == 1 else entry
