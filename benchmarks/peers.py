"""Other people's libraries: requirements in, the interpreter of an environment that holds them out.

Each set of requirements has an environment of its own under ``.bench/``, made when a row first needs it and
kept, so that peers never meet Penchant's dependencies or each other's.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path

from benchmarks.case import Cannot

ROOT = Path(__file__).resolve().parents[1]
ENVIRONMENTS = ROOT / ".bench"


def interpreter(requires: tuple[str, ...], *, folder: Path = ENVIRONMENTS) -> Path:
    """Return the Python that has ``requires`` installed; this very one when nothing is required."""
    if not requires:
        return Path(sys.executable)
    home = environment(requires, folder)
    if not (home / "ready").exists():
        shutil.rmtree(home, ignore_errors=True)
        for command in recipe(home, requires):
            carry_out(command)
        (home / "ready").write_text("\n".join(requires) + "\n")
    return python_of(home)


def environment(requires: tuple[str, ...], folder: Path) -> Path:
    """Return the folder of an environment: one for each set of requirements and version of Python."""
    words = [sys.version, *sorted(requires)]
    return folder / f"peers-{hashlib.sha256(repr(words).encode()).hexdigest()[:12]}"


def recipe(home: Path, requires: tuple[str, ...]) -> list[list[str]]:
    """Return the commands that make the environment: uv's where it is there, else venv and pip."""
    uv, python = find_uv(), str(python_of(home))
    # pip also looks into local folders of wheels, where a small CPU build of torch may lie; uv does not.
    if uv is None or any(requirement.startswith("torch") for requirement in requires):
        return [
            [sys.executable, "-m", "venv", str(home)],
            [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *requires],
        ]
    return [
        [uv, "venv", "--quiet", "--python", sys.executable, str(home)],
        [uv, "pip", "install", "--quiet", "--compile-bytecode", "--python", python, *requires],
    ]


def find_uv() -> str | None:
    """Return uv from the path, or the one beside the running Python."""
    return shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def carry_out(command: list[str]) -> None:
    """Run one command of a recipe, and say in one line what stopped it."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line.strip() for line in (done.stderr or done.stdout).splitlines() if line.strip()]
        errors = [line for line in lines if line.lower().startswith("error")]
        raise Cannot(f"not installed: {(errors or lines or ['no reason given'])[-1]}")


def python_of(home: Path) -> Path:
    """Return the interpreter of an environment."""
    return home / "bin" / "python"
