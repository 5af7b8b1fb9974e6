"""The host and port of the server, and the names under which browsers may reach it."""

from __future__ import annotations

from dataclasses import dataclass

from penchant.checks import whole
from penchant.errors import InvalidInput

LOOPBACK = {"127.0.0.1": "127.0.0.1", "localhost": "127.0.0.1", "::1": "::1"}
"""The hosts that the server may listen on, and their addresses."""


@dataclass(frozen=True)
class Address:
    """A port on this computer, which nobody outside it can reach."""

    host: str = "127.0.0.1"
    port: int = 8000

    def __post_init__(self) -> None:
        if self.host not in LOOPBACK:
            raise InvalidInput(
                f"host must be {', '.join(LOOPBACK)}, got {self.host!r}: judges on other computers come through "
                f"a tunnel, ssh -L {self.port}:127.0.0.1:{self.port} on theirs"
            )
        whole("port", self.port, 0, 65535, remedy="8000 is usual, 0 takes a free one")

    @property
    def url(self) -> str:
        """Where links lead, without a slash at the end."""
        return f"http://{_in_url(self.host)}:{self.port}"

    @property
    def names(self) -> frozenset[str]:
        """Every Host header under which a browser on this computer may ask."""
        hosts = [_in_url(host) for host in LOOPBACK]
        named = {f"{host}:{self.port}" for host in hosts}
        return frozenset(named | set(hosts) if self.port == 80 else named)

    @property
    def origins(self) -> frozenset[str]:
        """Every Origin header that our own pages send."""
        return frozenset(f"http://{name}" for name in self.names)


def _in_url(host: str) -> str:
    return f"[{host}]" if ":" in host else host
