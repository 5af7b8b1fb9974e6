"""Play the week: ``python -m examples.search``.

A server in a process of its own has two studies, which people use over HTTP. Both studies, the figures and the pictures
are left in a folder, and who wins is printed. With ``--docs`` figures, pictures and tables go into the docs as well.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

from examples.search.page import DOCS, FIGURES, who_wins, write_page
from examples.search.pictures import draw
from examples.search.week import play


def main(words: list[str] | None = None) -> int:
    """Run the command."""
    parser = argparse.ArgumentParser(prog="python -m examples.search", description=__doc__)
    parser.add_argument("--days", type=int, default=7, help="how many days are played")
    parser.add_argument("--searches", type=int, default=150, help="searches a day")
    parser.add_argument("--seed", type=int, default=1, help="of people, queries and clicks")
    parser.add_argument("--in-process", action="store_true", help="use the studies without a server: faster")
    parser.add_argument("--out", type=Path, default=Path("out/search"), help="where everything goes")
    parser.add_argument(
        "--docs", action="store_true", help="write figures, pictures and tables into the docs"
    )
    typed = parser.parse_args(words)
    typed.out.mkdir(parents=True, exist_ok=True)
    taken = [typed.out / name for name in ("plain.db", "search.db") if (typed.out / name).exists()]
    if taken:
        print(f"{taken[0]} exists: remove it, or give another --out", file=sys.stderr)
        return 2
    figures = play(
        typed.out, days=typed.days, searches=typed.searches, seed=typed.seed, in_process=typed.in_process
    )
    text = json.dumps(figures, indent=1, ensure_ascii=False) + "\n"
    (typed.out / "figures.json").write_text(text, encoding="utf-8")
    draw(figures, typed.out, ".png")
    if typed.docs:
        FIGURES.write_text(text, encoding="utf-8")
        draw(figures, DOCS)
        write_page()
    print(who_wins(figures))
    print(f"\nEverything: {typed.out}. Next: penchant check {typed.out / 'search.db'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
