"""Build wheel and sdist from a clean checkout and try them in clean environments: ``make release [PYTHON=python3.13]``.

``make release CHROOT=trixie`` tries the wheel in a fresh installation of that Debian, with its Python, instead.

Newest and lowest versions of the dependencies, without extras and with all of them. Each environment ranks a file,
draws a picture, fits models of several families, and serves a page or says what to install; the one with the newest
versions and all extras does so again as a user without rights, whose home cannot be written to. Needs uv; a fresh
Debian needs debootstrap and root's rights too.
"""

from __future__ import annotations

import argparse
import os
import pwd
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
_PACKAGES = "python3,python3-venv,ca-certificates"
_PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
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


def run(
    *command: object,
    cwd: Path | None = None,
    fails: bool = False,
    home: Path | None = None,
    plain: bool = False,
    root: Path | None = None,
) -> str:
    """Run a command, with another home, as a user without rights or with another root, and return what it printed.

    One that must fail must say why.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    words = [str(word) for word in command]
    user: dict[str, Any] = {}
    if root is not None:
        inside = ["-C", _inside(cwd, root), f"HOME={_inside(home, root)}", f"PATH={_PATH}"]
        who = ["--userspec=nobody:nogroup"] if plain else []
        words = ["chroot", *who, str(root), "env", *inside, *words]
        cwd = None
    else:
        if home is not None:
            environment["HOME"] = str(home)
        if plain:
            user = {"user": "nobody", "group": pwd.getpwnam("nobody").pw_gid, "extra_groups": []}
    done = subprocess.run(
        words, cwd=cwd, env=environment, capture_output=True, text=True, check=False, **user
    )
    if (done.returncode != 0) != fails:
        raise SystemExit(f"{' '.join(words)}: status {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def _inside(path: Path | None, root: Path) -> str:
    """Return a path as it is called below another root, the root itself for None."""
    return "/" if path is None else f"/{path.relative_to(root)}"


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


def attempt(
    programs: Path,
    folder: Path,
    *,
    extras: bool,
    home: Path | None = None,
    plain: bool = False,
    root: Path | None = None,
) -> None:
    """Do first things with an installation."""
    votes = folder / "votes.csv"
    votes.write_text("winner,loser\ntea,coffee\ntea,water\ncoffee,water\nwater,tea\n", encoding="utf-8")
    (folder / "items.csv").write_text("id\ntea\ncoffee\nwater\n", encoding="utf-8")
    penchant, by = programs / "penchant", {"cwd": folder, "home": home, "plain": plain, "root": root}
    assert '"numpy"' in run(penchant, "--version", "--json", **by)
    assert "tea" in run(penchant, "rank", votes.name, "--plot", "ranking.png", **by)
    run(programs / "python", "-W", "ignore", "-c", MODELS, **by)
    run(penchant, "new", "study.db", "items.csv", **by)
    served = run(penchant, "serve", "study.db", "--port", "0", "--for", "1", fails=not extras, **by)
    assert ("http://127.0.0.1" if extras else "pip install 'penchant[serve]'") in served, served


def attempt_plainly(programs: Path, folder: Path) -> str:
    """Do them with a home that cannot be written to, without root's rights where that is possible; say how."""
    home, work = folder / "home", folder / "work"
    home.mkdir()
    work.mkdir()
    plain = os.geteuid() == 0 and _for_everybody(programs / "python")
    if plain:
        shutil.chown(work, "nobody")
    home.chmod(0o555)
    attempt(programs, work, extras=True, home=home, plain=plain)
    if plain:
        return "without root, with a home that cannot be written to"
    return "with a home that only root can write to" + (
        " (not without root: nobody else may run this Python)" if os.geteuid() == 0 else ""
    )


def _for_everybody(program: Path) -> bool:
    """Return whether users without rights can run a program."""
    try:
        run(program, "-c", "", plain=True)
    except PermissionError:
        return False
    return True


def attempt_in_debian(suite: str, folder: Path, wheel: Path) -> str:
    """Install a Debian below ``folder``, and do first things there as root and without rights; return what was used."""
    root, home = folder / suite, folder / suite / "home" / "plain"
    sources = run("apt-get", "indextargets", "--format", "$(SITE)").split()
    run("debootstrap", "--variant=minbase", f"--include={_PACKAGES}", suite, root, sources[0])
    for name in ("etc/resolv.conf", "etc/pip.conf", "etc/ssl/certs/ca-certificates.crt"):
        if Path("/", name).exists():
            shutil.copy(Path("/", name), root / name)
    shutil.copy(wheel, root)
    python = Path("/opt/penchant/bin/python")
    run("python3", "-m", "venv", python.parents[1], root=root)
    install = ["-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
    run(python, *install, f"/{wheel.name}[all]", root=root)
    home.mkdir(parents=True)
    home.chmod(0o555)
    for plain in (False, True):
        work = root / "srv" / f"work-{plain}"
        work.mkdir()
        if plain:
            run("chown", "nobody", f"/srv/{work.name}", root=root)
        attempt(python.parent, work, extras=True, home=home, plain=plain, root=root)
    return run(python, "--version", root=root).strip()


def main() -> None:
    """Print a line for each environment."""
    parser = argparse.ArgumentParser(prog="make release", description="Build wheel and sdist, and try them.")
    parser.add_argument(
        "--chroot", metavar="SUITE", help="try the wheel in a fresh Debian of this name instead"
    )
    suite = parser.parse_args().chroot
    for program in ("uv", *(("debootstrap",) if suite else ())):
        if shutil.which(program) is None:
            raise SystemExit(
                f"make release needs {program}, which was not found: install it, or put it into PATH"
            )
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        folder.chmod(0o755)  # users without rights run what is installed here
        checkout, sdist, wheel = build(folder)
        print(f"sdist {sdist.stat().st_size:,} bytes, wheel {wheel.stat().st_size:,} bytes", flush=True)
        if suite:
            python = attempt_in_debian(suite, folder, wheel)
            print(
                f"Debian {suite}, {python}, newest versions, all extras: works, as root and without rights,"
            )
            print(f"with a home that cannot be written to\n{time.monotonic() - start:,.0f} s", flush=True)
            return
        for lowest in (False, True):
            for extras in (False, True):
                programs = install(folder, checkout, wheel, lowest=lowest, extras=extras)
                size = sum(file.stat().st_size for file in programs.parent.rglob("*") if file.is_file())
                attempt(programs, _new(folder), extras=extras)
                words = f"{'lowest' if lowest else 'newest'} versions, {'all' if extras else 'no'} extras"
                print(f"Python {sys.version.split()[0]}, {words}: {size / 1e6:,.0f} MB, works", flush=True)
                if extras and not lowest:
                    print(f"and works {attempt_plainly(programs, _new(folder))}", flush=True)
                shutil.rmtree(programs.parent)
    print(f"{time.monotonic() - start:,.0f} s", flush=True)


def _new(folder: Path) -> Path:
    """Return a new folder that everybody can read."""
    made = Path(tempfile.mkdtemp(dir=folder))
    made.chmod(0o755)
    return made


if __name__ == "__main__":
    main()
