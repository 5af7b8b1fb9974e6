"""Where a server is, and the token for it: checked, and from the link that the server printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qs, urlsplit

from penchant.checks import shown
from penchant.errors import Argument, InvalidInput, Text

_PAGES = ("/owner", "/search", "/")


@dataclass(frozen=True)
class Address:
    """The address of a server, without a slash at its end, and the token, which its repr leaves out.

    Attributes
    ----------
    url : str
    token : str
    local : bool
        Whether the server is on this computer.
    """

    url: str
    token: str = field(repr=False)
    local: bool = False

    @classmethod
    def of(cls, url: str, token: str, *, allow_http: bool = False) -> Address:
        """Return the address, or raise `InvalidInput`, which never quotes a token.

        Examples
        --------
        >>> Address.of("http://localhost:8000/", "SECRET")
        Address(url='http://localhost:8000', local=True)
        """
        parts = _split(url)
        if parts.username is not None or parts.query or parts.fragment:
            raise InvalidInput.of(
                "url", "be the address of a server and nothing else", "more", "give a whole link to from_link"
            )
        local = _is_local(parts.hostname or "")
        if parts.scheme == "http" and not (local or allow_http):
            raise InvalidInput.of(
                "url",
                "begin with https:// unless the server is on this computer",
                shown(url),
                Text("others on the way would read the token: give ", Argument("allow_http", True)),
            )
        return cls(url.rstrip("/"), _checked_token(token), local)

    @classmethod
    def of_link(cls, link: str, *, allow_http: bool = False) -> Address:
        """Return the address and the token of a link that a server printed.

        Examples
        --------
        >>> Address.of_link("http://127.0.0.1:8000/#judge=ann&token=SECRET")
        Address(url='http://127.0.0.1:8000', local=True)
        """
        parts = _split(link)
        tokens = parse_qs(parts.fragment).get("token", [])
        if len(tokens) != 1:
            raise InvalidInput.of(
                "link", "hold a token behind its #", "none", "give the whole link that the server printed"
            )
        path = parts.path
        for page in _PAGES:
            path = path.removesuffix(page)
        return cls.of(f"{parts.scheme}://{parts.netloc}{path}", tokens[0], allow_http=allow_http)


def _split(url: object) -> SplitResult:
    """Return the parts of an address; one that cannot be read may be a token, and is not quoted."""
    example = "give for instance http://127.0.0.1:8000"
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        if parts is not None and parts.scheme in ("http", "https") and parts.hostname and parts.port != 0:
            return parts
    except ValueError:
        pass
    raise InvalidInput.of("url", "begin with http:// or https:// and name a server", "another", example)


def _is_local(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _checked_token(token: object) -> str:
    if isinstance(token, str) and token and token.isascii() and token.isprintable() and " " not in token:
        return token
    raise InvalidInput.of(
        "token", "be a text without blanks", "another", "give what stands behind token= in a link"
    )
