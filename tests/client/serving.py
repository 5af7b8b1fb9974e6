"""A server in a process of its own that can be killed and started again on the same port; it ends by itself."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import httpx

PROGRAM = """
import json, sys
from penchant.serve import serve
serve(json.loads(sys.argv[1]), port=int(sys.argv[2]), for_seconds=180, say=lambda line: None, **json.loads(sys.argv[3]))
"""


PATIENT = {"timeout": 120.0}
"""The settings of clients of a server that may have to compile before its first answer."""


class Serving:
    """Studies that are served on a free port of this computer."""

    def __init__(self, *paths: Path, **settings: Any) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        files = [str(path) for path in paths]
        given = [json.dumps(files if len(files) > 1 else files[0]), str(self.port), json.dumps(settings)]
        self._words = [sys.executable, "-W", "error", "-c", PROGRAM, *given]
        self.start()

    def start(self) -> None:
        """Start it, and do not wait until it listens."""
        self.process = subprocess.Popen(self._words, stdout=subprocess.DEVNULL)

    def ready(self) -> None:
        """Wait until it replies."""
        for _ in range(600):
            assert self.process.poll() is None, f"it ended with {self.process.returncode}"
            try:
                httpx.get(f"{self.url}/v1/health", trust_env=False)
            except httpx.TransportError:
                time.sleep(0.1)
            else:
                return
        raise AssertionError("it does not reply")

    def stop(self, number: signal.Signals = signal.SIGTERM) -> None:
        """End it with a signal, and wait until it is gone."""
        self.process.send_signal(number)
        self.process.wait(timeout=60)

    def __enter__(self) -> Self:
        self.ready()
        return self

    def __exit__(self, *problem: object) -> None:
        if self.process.poll() is None:
            self.stop(signal.SIGKILL)
