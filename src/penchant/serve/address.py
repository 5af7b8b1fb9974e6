"""Where the server listens, the address that links show, and the names and origins under which it may be asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

from penchant.checks import whole
from penchant.errors import Argument, InvalidInput, Text

_LOCAL = ("127.0.0.1", "localhost", "[::1]")
_PORTS = {"http": 80, "https": 443}
_PROTECTED = Text(
    "give ",
    Argument("certificate"),
    " and ",
    Argument("key"),
    ", or name a reverse proxy with ",
    Argument("proxies"),
    " and its https address with ",
    Argument("url"),
    "; ",
    Argument("allow_http", True),
    " sends links and answers readably",
)


@dataclass(frozen=True, init=False)
class Address:
    """What the server listens on, and how people outside reach it.

    Beyond this computer it speaks HTTPS, itself or through a reverse proxy, unless ``allow_http`` is given.

    Parameters
    ----------
    host : str
        An address of this computer, or "localhost"; "0.0.0.0" and "::" listen on all and need ``url``.
    port : int
        0 takes one that is free.
    url : str, optional
        The public address, for instance ``https://rank.example``; that of host and port unless given.
    allowed : iterable of str
        Origins of other sites whose pages may send feedback, for instance ``https://shop.example``.
    proxies : iterable of str
        Addresses or networks of reverse proxies, whose forwarded headers are believed.
    secure : bool
        Whether the server itself speaks TLS.
    allow_http : bool
        Whether plain HTTP may leave this computer.

    Examples
    --------
    >>> Address().url
    'http://127.0.0.1:8000'
    >>> address = Address(url="https://rank.example", proxies=["127.0.0.1"])
    >>> address.url, "rank.example" in address.names
    ('https://rank.example', True)
    """

    host: str
    port: int
    public: str | None
    allowed: frozenset[str]
    proxies: tuple[str, ...]
    secure: bool
    allow_http: bool

    def __init__(
        self,
        host: str = "127.0.0.1",
        port: int = 8000,
        *,
        url: str | None = None,
        allowed: Iterable[str] = (),
        proxies: Iterable[str] = (),
        secure: bool = False,
        allow_http: bool = False,
    ) -> None:
        public = None if url is None else checked_origin("url", url)
        origins = frozenset(checked_origin("allowed", origin) for origin in allowed)
        values = (host, port, public, origins, tuple(map(_proxy, proxies)), secure, allow_http)
        for name, value in zip(self.__dataclass_fields__, values, strict=True):
            object.__setattr__(self, name, value)
        whole("port", port, 0, 65535, remedy="8000 is usual, 0 takes a free one")
        if self.number.is_unspecified and public is None:
            remedy = Text("give ", Argument("url"), ", or the one address to listen on")
            raise InvalidInput.of("host", "come with the name that links show", repr(host), remedy)
        self._protected()

    def _protected(self) -> None:
        """Reject plain HTTP beyond this computer: whoever is on the way could read links and use them."""
        if self.secure and not self.url.startswith("https://"):
            raise InvalidInput.of(
                "url", "start with https:// where there is a certificate", self.url, "write it so"
            )
        if self.allow_http or self.secure:
            return
        if not (self.number.is_loopback or (self.proxies and self.url.startswith("https://"))):
            raise InvalidInput.of("host", "be on this computer for plain HTTP", repr(self.host), _PROTECTED)
        if self.url.startswith("http://") and not _is_local(urlsplit(self.url).hostname or ""):
            raise InvalidInput.of("url", "start with https:// beyond this computer", self.url, _PROTECTED)

    def at(self, port: int) -> Address:
        """Return the same address on the port that was taken."""
        return Address(
            self.host,
            port,
            url=self.public,
            allowed=self.allowed,
            proxies=self.proxies,
            secure=self.secure,
            allow_http=self.allow_http,
        )

    @property
    def number(self) -> IPv4Address | IPv6Address:
        """The numeric address to listen on."""
        try:
            return ip_address("127.0.0.1" if self.host == "localhost" else self.host)
        except ValueError:
            remedy = Text("127.0.0.1 is usual; put a name into ", Argument("url"))
            raise InvalidInput.of("host", "be an address of this computer", repr(self.host), remedy) from None

    @property
    def url(self) -> str:
        """Where links lead, without a slash at the end."""
        return self.public or f"{self._scheme}://{_in_url(self.host)}:{self.port}"

    @property
    def names(self) -> frozenset[str]:
        """Every Host header under which the server may be asked: its own and the public one."""
        names = set(_with_port(self._own_hosts(), self.port, self._scheme))
        if self.public is not None:
            parts = urlsplit(self.public)
            port = parts.port or _PORTS[parts.scheme]
            names |= _with_port([_in_url(parts.hostname or "")], port, parts.scheme)
        return frozenset(names)

    @property
    def origins(self) -> frozenset[str]:
        """Every Origin header that our own pages send."""
        own = {f"{self._scheme}://{name}" for name in _with_port(self._own_hosts(), self.port, self._scheme)}
        return frozenset(own | {self.url})

    @property
    def _scheme(self) -> str:
        return "https" if self.secure else "http"

    def _own_hosts(self) -> list[str]:
        nearby = _LOCAL if self.number.is_loopback or self.number.is_unspecified else ()
        return [*nearby, _in_url(self.host)]


def checked_origin(argument: str, text: str) -> str:
    """Return an origin, scheme://host[:port], as browsers write it, or raise `InvalidInput`.

    Examples
    --------
    >>> checked_origin("url", "HTTPS://Rank.example:443/")
    'https://rank.example'
    """
    example = "write it as https://rank.example, without a path; other alphabets as xn--…"
    wrong = InvalidInput.of(argument, "be scheme://host or scheme://host:port", ascii(text), example)
    if not isinstance(text, str) or not text.isascii() or not text.isprintable() or " " in text:
        raise wrong
    try:
        parts = urlsplit(text.lower())
        host, port = parts.hostname, parts.port
    except ValueError:
        raise wrong from None
    rest = (
        parts.path.rstrip("/")
        + parts.query
        + parts.fragment
        + (parts.username or "")
        + (parts.password or "")
    )
    if parts.scheme not in _PORTS or not host or rest or "?" in text or "#" in text or "@" in text:
        raise wrong
    if not all(letter.isalnum() or letter in "-._:" for letter in host):  # * among others
        raise wrong
    shown = "" if port in (None, _PORTS[parts.scheme]) else f":{port}"
    return f"{parts.scheme}://{_in_url(host)}{shown}"


def _proxy(text: str) -> str:
    remedy = "give for instance 127.0.0.1"
    try:
        network = ip_network(text)
    except ValueError:
        raise InvalidInput.of("proxies", "be addresses or networks", ascii(text), remedy) from None
    if network.prefixlen == 0:
        raise InvalidInput.of("proxies", "leave somebody out, who is not believed", ascii(text), remedy)
    return str(network)


def _with_port(hosts: Iterable[str], port: int, scheme: str) -> set[str]:
    """Return ``hosts`` as a Host header holds them: browsers leave the usual port out."""
    hosts = list(hosts)
    named = {f"{host}:{port}".lower() for host in hosts}
    return named | {host.lower() for host in hosts} if port == _PORTS[scheme] else named


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
