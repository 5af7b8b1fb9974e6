"""The commands of a page that need a server: ``penchant serve … &`` starts one, and curl asks it.

Pages name http://127.0.0.1:8000; the server listens on a free port, which commands and code are given instead.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
from pathlib import Path

from tests.client.serving import Serving

WRITTEN = "http://127.0.0.1:8000"
SERVE = re.compile(r"penchant serve (.+) &")
ASSIGNMENT = re.compile(r"([A-Z]+)=\$\((curl .+)\)")
RANDOM = re.compile(r"\b([a-z]-)[0-9a-f]{16,}")
"""Ids that differ each time, which pages show as q-…"""


class Shell:
    """What the commands of one page share: a server, and variables."""

    def __init__(self) -> None:
        self._server: Serving | None = None
        self._variables: dict[str, str] = {}

    def takes(self, command: str) -> bool:
        """Return whether the command is one of these."""
        return command.startswith("curl ") or bool(SERVE.fullmatch(command) or ASSIGNMENT.fullmatch(command))

    def run(self, command: str) -> str:
        """Run a command and return what it printed."""
        served, assigned = SERVE.fullmatch(command), ASSIGNMENT.fullmatch(command)
        if served is not None:
            self._server = Serving(*map(Path, shlex.split(served[1])))
            self._server.ready()
            return ""
        if assigned is not None:
            self._variables[assigned[1]] = self._asked(assigned[2]).strip()
            return ""
        return RANDOM.sub(r"\1…", self._asked(command))

    def real(self, text: str) -> str:
        """Return a text with the address at which the server is."""
        return text if self._server is None else text.replace(WRITTEN, self._server.url)

    def _asked(self, command: str) -> str:
        assert self._server is not None, f"{command}: start a server first"
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", self.real(command)],
            env={**os.environ, **self._variables, "NO_PROXY": "*"},
            capture_output=True,
            text=True,
            timeout=300,  # the first answer may compile
            check=False,
        )
        assert done.returncode == 0, f"{command}: {done.stderr}"
        return done.stdout.replace(self._server.url, WRITTEN)

    def close(self) -> None:
        """End the server."""
        if self._server is not None:
            self._server.__exit__()
