"""Play the leaderboard: ``python -m examples.leaderboard``.

A server in a process of its own has the study, which judges and owner use over HTTP. The study, its exports, the
figures and the picture are left in a folder, and the outcome is printed. With ``--docs`` figures, picture and tables go
into the docs as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from examples.leaderboard.board import LEAST, MOST, play
from examples.leaderboard.page import FIGURES, board, outcome, write_page
from examples.leaderboard.pictures import draw
from examples.pages import DOCS


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.leaderboard", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="of the study, and of how judges read")
    parser.add_argument("--most", type=int, default=MOST, help="answers of one judge, at most")
    parser.add_argument(
        "--least", type=int, default=LEAST, help="answers before the owner decides about a judge"
    )
    parser.add_argument("--out", type=Path, default=Path("out/leaderboard"), help="where everything goes")
    parser.add_argument("--docs", action="store_true", help="write figures, picture and tables into the docs")
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    if (typed.out / "board.db").exists():
        print(f"{typed.out / 'board.db'} exists: remove it, or give another --out", file=sys.stderr)
        return 2
    figures = play(typed.out, seed=typed.seed, most=typed.most, least=typed.least)
    text = json.dumps(figures, indent=1, ensure_ascii=False) + "\n"
    (typed.out / "figures.json").write_text(text, encoding="utf-8")
    draw(figures, typed.out, ".png")
    if typed.docs:
        FIGURES.write_text(text, encoding="utf-8")
        draw(figures, DOCS)
        write_page()
    print(f"{outcome(figures)}\n\n{board(figures)}")
    print(f"\nEverything: {typed.out}. Next: penchant check {typed.out / 'board.db'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
