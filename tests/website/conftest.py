"""The site, built once for all tests."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from website.repository import ROOT

PATIENCE = 900.0  # s, on a busy machine; alone it takes half a minute


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The folder into which the site was built, as ``make docs`` builds it, once for all processes of a run."""
    place = tmp_path_factory.getbasetemp()
    shared = (place if worker_id == "master" else place.parent) / "site"
    ready = shared.with_name("site-is-built")
    try:
        shared.mkdir()
    except FileExistsError:
        until = time.monotonic() + PATIENCE
        while not ready.exists():
            assert time.monotonic() < until, "another process did not build the site"
            time.sleep(0.2)
    else:
        build(shared)
        ready.touch()
    return shared


def build(folder: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
