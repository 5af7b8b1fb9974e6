"""Build wheel and sdist from a clean checkout and try them in clean environments: ``make release [PYTHON=python3.13]``.

Newest and lowest versions of the dependencies, without extras and with all of them. Each environment ranks a file,
draws a picture, fits models of several families, and serves a page or says what to install. Needs uv.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
MODELS = """
import numpy as np
from penchant import Preferences
from penchant.gp import LinkedGP, PreferenceGP
from penchant.rankers import OrdinalRegression, RankBoost, RankSVM
from penchant.worth import CrowdBradleyTerry, PlackettLuce, Thurstone

X = np.random.default_rng(0).normal(size=(20, 3))
for model in (RankSVM(), RankBoost(5), OrdinalRegression()):
    model.fit(X, (X[:, 0] > 0).astype(int)).predict(X)
PreferenceGP().fit_pairs(X, [(0, 1), (2, 3), (4, 5), (1, 2)]).predict(X)
LinkedGP().fit(X).update([0], [1]).rank()
for model in (Thurstone(), PlackettLuce(), CrowdBradleyTerry()):
    model.fit(Preferences.from_rankings([["a", "b", "c"], ["b", "a", "c"]])).rank()
"""


def run(*command: object, cwd: Path | None = None, fails: bool = False) -> str:
    """Run a command and return what it printed; one that must fail must say why."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def build(folder: Path) -> tuple[Path, Path, Path]:
    """Return a clean checkout, the sdist made of it, and the wheel made of the sdist."""
    checkout, dist = folder / "checkout", folder / "dist"
    run("git", "clone", "--quiet", ROOT, checkout)
    run("uv", "build", "--quiet", "--python", sys.executable, "--out-dir", dist, checkout)
    return checkout, next(dist.glob("*.tar.gz")), next(dist.glob("*.whl"))


def install(folder: Path, checkout: Path, wheel: Path, *, lowest: bool, extras: bool) -> Path:
    """Return the folder of programs of a new environment that holds the wheel and its dependencies."""
    home, pins = folder / f"env-{lowest}-{extras}", folder / f"pins-{lowest}-{extras}.txt"
    run("uv", "venv", "--quiet", "--python", sys.executable, home)
    # A file of pins of its own: uv would keep those that it finds there.
    compiled = ["uv", "pip", "compile", "--quiet", checkout / "pyproject.toml", "--python", sys.executable]
    compiled += ["--resolution", "lowest-direct" if lowest else "highest", "--only-binary", ":all:"]
    run(*compiled, *(["--extra", "all"] if extras else []), "--output-file", pins)
    to = ["uv", "pip", "install", "--quiet", "--python", home / "bin" / "python"]
    run(*to, "--only-binary", ":all:", "--requirement", pins)
    run(*to, "--no-deps", wheel)
    return home / "bin"


def attempt(programs: Path, folder: Path, *, extras: bool) -> None:
    """Do first things with an installation."""
    votes = folder / "votes.csv"
    votes.write_text("winner,loser\ntea,coffee\ntea,water\ncoffee,water\nwater,tea\n", encoding="utf-8")
    (folder / "items.csv").write_text("id\ntea\ncoffee\nwater\n", encoding="utf-8")
    penchant = programs / "penchant"
    assert '"numpy"' in run(penchant, "--version", "--json", cwd=folder)
    assert "tea" in run(penchant, "rank", votes, "--plot", "ranking.png", cwd=folder)
    run(programs / "python", "-W", "ignore", "-c", MODELS, cwd=folder)
    run(penchant, "new", "study.db", "items.csv", cwd=folder)
    served = run(penchant, "serve", "study.db", "--port", "0", "--for", "1", cwd=folder, fails=not extras)
    assert ("http://127.0.0.1" if extras else "pip install 'penchant[serve]'") in served, served


def main() -> None:
    """Print a line for each environment."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        checkout, sdist, wheel = build(folder)
        print(f"sdist {sdist.stat().st_size:,} bytes, wheel {wheel.stat().st_size:,} bytes", flush=True)
        for lowest in (False, True):
            for extras in (False, True):
                programs = install(folder, checkout, wheel, lowest=lowest, extras=extras)
                size = sum(file.stat().st_size for file in programs.parent.rglob("*") if file.is_file())
                attempt(programs, Path(tempfile.mkdtemp(dir=folder)), extras=extras)
                words = f"{'lowest' if lowest else 'newest'} versions, {'all' if extras else 'no'} extras"
                print(f"Python {sys.version.split()[0]}, {words}: {size / 1e6:,.0f} MB, works", flush=True)
                shutil.rmtree(programs.parent)


if __name__ == "__main__":
    main()
