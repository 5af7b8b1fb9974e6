"""Asking a team: ``python -m examples.team``.

Ten proposals, four colleagues of whom one answers at random. The study asks until the top three are settled, says whom
to look at, and draws the ranking.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np

from penchant import Study
from penchant.plots import ranking_chart, save_chart
from penchant.study import Question

PROPOSALS = (
    "faster search",
    "dark colours",
    "export to PDF",
    "single sign-on",
    "offline mode",
    "shared folders",
    "comments",
    "version history",
    "templates",
    "keyboard shortcuts",
)
WORTH = dict(zip(PROPOSALS, np.linspace(3, -3, len(PROPOSALS)), strict=True))
TEAM = ("ann", "bob", "cyd", "dan")
CARELESS = "dan"


def answer(question: Question, rng: np.random.Generator) -> str:
    """Return what a colleague chooses: by worth and noise, or at random."""
    if question.judge == CARELESS:
        return str(rng.choice(["left", "right"]))
    odds = WORTH[question.left] - WORTH[question.right]
    return "left" if rng.random() < 1 / (1 + np.exp(-odds)) else "right"


def ask(place: Path, *, most: int, seed: int) -> int:
    """Ask the team in turn until the top three are settled or ``most`` answers are given; return their number."""
    rng = np.random.default_rng(seed)
    with Study.create(place, PROPOSALS, title="What to build next", goal="top", top=3, seed=seed) as study:
        for number in range(most):
            judge = TEAM[number % len(TEAM)]
            study.tell(question := study.ask(judge), answer(question, rng))
            found = study.settled() if number % 20 == 19 else None
            if found is not None and found.enough:
                return number + 1
    return most


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.team", description=__doc__)
    parser.add_argument("--most", type=int, default=400, help="answers, at most")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("out/team"))
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    place = typed.out / "team.db"
    if place.exists():
        print(f"{place} exists: remove it, or give another --out", file=sys.stderr)
        return 2
    answers = ask(place, most=typed.most, seed=typed.seed)
    with Study.open(place, write=False) as study:
        ranking = study.rank()
        print(f"{answers} answers of {len(TEAM)} colleagues\n\n{ranking}\n\n{study.judges()}")
        print("Picture:", save_chart(ranking_chart(ranking), typed.out / "ranking.png"))
    print(f"Next: penchant serve {place}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
