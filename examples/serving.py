"""Serve studies from a process of its own, for as long as an example uses them.

``python -m examples.serving SECONDS FILE.db …`` is that process: it listens on a free port of this computer only, and
ends by itself.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from penchant.serve import serve

LONGEST = 600.0
"""Seconds after which a server ends whatever happens."""
_ROOT = Path(__file__).parents[1]
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")


@contextmanager
def served(*paths: Path, seconds: float = LONGEST) -> Iterator[str]:
    """Serve studies, yield the address of the server, and end it.

    Parameters
    ----------
    *paths : Path
        The files of the studies, which nobody else may have open to write.
    seconds : float
        The server ends by itself after so long.
    """
    words = [sys.executable, "-m", "examples.serving", f"{seconds}", *(str(path.resolve()) for path in paths)]
    with subprocess.Popen(words, cwd=_ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield _announced(process)
        finally:
            process.terminate()
            _ended(process)


def _announced(process: subprocess.Popen[str]) -> str:
    """Return the address that a server prints once it listens."""
    for line in process.stdout:
        found = _ADDRESS.search(line)
        if found:
            return found[0]
    raise RuntimeError(f"the server must listen, got its end with status {process.wait()}: see its message")


def _ended(process: subprocess.Popen[str]) -> None:
    """Wait until a server has closed its studies; one that does not is killed."""
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        raise


if __name__ == "__main__":
    serve(sys.argv[2:], port=0, for_seconds=float(sys.argv[1]))
