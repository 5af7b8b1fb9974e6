"""The links that are handed out: where the server is reached, and a token behind ``#``."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import quote


@dataclass(frozen=True)
class Links:
    """Links to one server. Browsers keep what stands behind ``#`` to themselves: no log holds a token."""

    url: str

    def to(self, role: str, name: str, token: str) -> str:
        """Return the link for a token, to the page that its role uses."""
        if role == "judge":
            return f"{self.url}/#judge={quote(name, safe='')}&token={token}"
        return f"{self.url}/owner#token={token}"
