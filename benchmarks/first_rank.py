"""What a newcomer waits for: the first command in a new process, from a file of comparisons to a ranking."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.case import Cannot, Case
from benchmarks.games import games, names

QUESTION = (
    "How long is the first ranking of 1,000 comparisons in a new process, beside evalica and arena-rank?"
)

RANK = "from penchant.cli import main; main()"
ARENA_RANK = """
import sys
import pandas as pd
from arena_rank.models.bradley_terry import BradleyTerry
from arena_rank.utils.data_utils import PairDataset
data = PairDataset.from_pandas(pd.read_csv(sys.argv[1]))
told = BradleyTerry(len(data.competitors)).compute_ratings_and_cis(data)
print(pd.DataFrame(told).sort_values("ratings", ascending=False).to_string())
"""
FILE = "FILE"
WARM, COLD = "bytecode is there", "as installed, no bytecode yet"


def cases(quick: bool) -> list[Case]:
    """Return the command with modules compiled to bytecode and without, each beside the same from peers."""
    return [row for what in (WARM, COLD) for row in rows(what)]


def rows(what: str) -> list[Case]:
    """Return the rows of one task; bytecode that was not there must be missing in each turn."""
    fresh = what == COLD
    return [
        Case(what=what, prepare=lambda: ranked(what), fresh=fresh),
        Case(
            who="evalica",
            what=what,
            requires=("evalica>=0.4.2",),
            prepare=lambda: evalica_ranked(what),
            cannot="no intervals",
            fresh=fresh,
        ),
        Case(
            who="arena-rank",
            what=what,
            requires=("arena-rank>=0.1.1",),
            prepare=lambda: arena_ranked(what),
            cannot="no command; a script of six lines",
            fresh=fresh,
        ),
        Case(who="Python alone", what=what, prepare=lambda: started(what, "-c", "pass"), fresh=fresh),
    ]


def ranked(what: str) -> Callable[[], object]:
    """Prepare ``penchant rank FILE``."""
    return started(what, "-c", RANK, "rank", FILE, text=table("winner,loser", ""))


def evalica_ranked(what: str) -> Callable[[], object]:
    """Prepare the same with evalica's command."""
    command = ("-m", "evalica", "-i", FILE, "pairwise", "bradley-terry")
    return started(what, *command, text=table("left,right,winner", ",left"))


def arena_ranked(what: str) -> Callable[[], object]:
    """Prepare the same with arena-rank."""
    return started(what, "-c", ARENA_RANK, FILE, text=table("model_a,model_b,winner", ",model_a"))


def table(header: str, ending: str) -> str:
    """Return 1,000 comparisons of 50 items as CSV."""
    better, worse = (names(50)[column] for column in games(50, 1_000))
    rows = [f"{first},{second}{ending}" for first, second in zip(better, worse, strict=True)]
    return "\n".join([header, *rows, ""])


def started(what: str, *arguments: str, text: str = "") -> Callable[[], object]:
    """Return a call that runs this Python anew, with ``text`` in place of FILE.

    Bytecode is kept in a folder of its own, which a first run fills; but for the standard library's, it is then
    taken away again where none is wanted.
    """
    folder = tempfile.TemporaryDirectory()
    file = Path(folder.name) / "comparisons.csv"
    file.write_text(text)
    command = [sys.executable, *(str(file) if word == FILE else word for word in arguments)]

    def run() -> None:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": folder.name}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
        if done.returncode:
            raise Cannot(done.stderr.strip().splitlines()[-1])

    run()
    if what == COLD:
        kept = Path(folder.name + sysconfig.get_path("stdlib"))
        for compiled in Path(folder.name).rglob("*.pyc"):
            if kept not in compiled.parents or "site-packages" in compiled.parts:
                compiled.unlink()
    return run
