"""Starting up is instant, and works where nothing can be written."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import penchant

HEAVY = {"numba", "sklearn", "pandas", "altair", "fastapi", "sqlalchemy", "dask", "torch"}
PACKAGE = Path(penchant.__file__).parent


def python(code: str, **environment: str) -> str:
    """Run ``code`` in a fresh interpreter and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **environment},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_by(code: str) -> set[str]:
    """The heavy libraries that are loaded after ``code``."""
    modules = json.loads(
        python(f"{code}\nimport sys, json; print(json.dumps(sorted(sys.modules)))").splitlines()[-1]
    )
    return {name.split(".")[0] for name in modules} & HEAVY


@pytest.mark.parametrize(
    "code",
    [
        "import penchant",
        "import penchant; penchant.Preferences, penchant.Ranking, penchant.save",
        "import penchant; penchant.Client('http://127.0.0.1:8000', 'token'), penchant.AsyncClient",
        "import penchant.orders, penchant.metrics, penchant.preferences, penchant.worth",
        "from penchant.cli import app\ntry: app(['--help'])\nexcept SystemExit: pass",
    ],
)
def test_the_way_in_loads_nothing_heavy(code: str) -> None:
    """Neither Numba nor scikit-learn, pandas or the service is loaded before it is needed."""
    assert loaded_by(code) == set()


def test_fitting_and_ranking_loads_nothing_heavy() -> None:
    """From comparisons to a printed ranking, without Numba, scikit-learn or pandas."""
    assert (
        loaded_by(
            "from penchant import Preferences\nfrom penchant.worth import WinRate\n"
            "print(WinRate().fit(Preferences.from_pairs([('a', 'b')])).rank())"
        )
        == set()
    )


def test_help_takes_little_cpu() -> None:
    """`penchant --help` needs less than 0.4 s of CPU, the best of five once its files are warm."""
    code = (
        "import os, subprocess, sys\n"
        "def once():\n"
        "    before = os.times()\n"
        "    subprocess.run([sys.executable, '-m', 'penchant', '--help'], check=True, stdout=subprocess.DEVNULL)\n"
        "    after = os.times()\n"
        "    return after.children_user + after.children_system - before.children_user - before.children_system\n"
        "print(min(once() for _ in range(5)))"
    )
    assert float(python(code)) < 0.4


def test_the_tests_run_against_the_installed_wheel() -> None:
    """What is tested is what a user installs, not the source folder."""
    if os.environ.get("PENCHANT_FROM_SOURCE"):
        pytest.skip("PENCHANT_FROM_SOURCE is set: the source folder is tested on purpose")
    assert "site-packages" in PACKAGE.parts
    assert (PACKAGE / "py.typed").exists()


def test_a_read_only_install_works(tmp_path: Path) -> None:
    """Where no cache can be written, neither beside the package nor at home, compiled code still runs."""
    copied = tmp_path / "penchant"
    shutil.copytree(PACKAGE, copied, ignore=shutil.ignore_patterns("__pycache__"))
    for folder in [copied, *(path for path in copied.rglob("*") if path.is_dir())]:
        (
            folder / "__pycache__"
        ).touch()  # a file where the cache's folder would be: not even root writes there
    code = (
        "import numpy as np, penchant\n"
        "from penchant.orders import kendall_distance\n"
        "print(penchant.__file__)\n"
        "print(kendall_distance(np.arange(1, 5001), np.arange(5000, 0, -1)))"
    )
    nowhere = str(tmp_path / "penchant" / "py.typed" / "home")
    printed = python(code, PYTHONPATH=str(tmp_path), HOME=nowhere, XDG_CACHE_HOME=nowhere).splitlines()
    assert printed[0].startswith(str(copied))
    assert int(printed[1]) == 5000 * 4999 // 2
