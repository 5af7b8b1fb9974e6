"""The command: ``python -m benchmarks [NAME …] [--quick]``, from questions to tables and pictures.

Without names it asks all questions, and goes on where an earlier run of the same commit ended.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from benchmarks.harness import Question, discover, rounds, run
from benchmarks.peers import ROOT
from benchmarks.report import complete, on_terminal, write, write_overview
from tests.commit import current_commit


def main(arguments: list[str] | None = None) -> None:
    """Ask the questions that were named, or all of them."""
    questions = discover()
    parser = argparse.ArgumentParser(prog="make bench", description="How fast, and beside whom.")
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(questions)}; none: all")
    parser.add_argument("--quick", action="store_true", help="small sizes, three repeats: seconds a question")
    parser.add_argument("--repeats", type=int, help="warm calls of each row")
    parser.add_argument(
        "--minutes", type=float, default=math.inf, help="ask no further question after so many minutes"
    )
    parser.add_argument(
        "--again", action="store_true", help="also what was asked at this commit, where no NAME is given"
    )
    parser.add_argument("--list", action="store_true", help="say what can be asked, and end")
    parser.add_argument("--out", type=Path, default=ROOT / "out" / "bench", help="where the files go")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in questions]
    if unknown:
        parser.error(f"there is no question {unknown[0]!r}: ask one of {', '.join(questions)}")
    if options.repeats is not None and options.repeats < 1:
        parser.error(
            f"--repeats must be at least 1, got {options.repeats}: leave it out for the usual number"
        )
    console = Console(width=None if sys.stdout.isatty() else 170)
    if options.list:
        for question in questions.values():
            console.print(f"[bold]{question.name:10}[/bold] {question.text}", highlight=False)
        return
    end = time.monotonic() + 60 * options.minutes
    left = options.names or [name for name in questions if options.again or not is_asked(name, options)]
    for place, name in enumerate(left):
        if time.monotonic() > end:
            waiting = ", ".join(left[place:])
            console.print(f"Not asked yet: {waiting}. The same command goes on.", highlight=False)
            break
        ask(questions[name], console, options)
    overview = write_overview(questions, options.out)
    console.print(f"All tables together: {shown(overview)}", highlight=False)


def is_asked(name: str, options: argparse.Namespace) -> bool:
    """Return whether a question was asked at this commit, with sizes as wanted now."""
    try:
        record = json.loads((options.out / f"{name}.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return False
    commit = current_commit()
    return (record["commit"], record["quick"]) == (commit, options.quick) and not commit.endswith("dirty")


def ask(question: Question, console: Console, options: argparse.Namespace) -> None:
    """Measure one question, show its table, and write its files."""
    commit = current_commit()  # what is measured, whatever is committed meanwhile
    begun = time.monotonic()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        turns = len(question.cases(options.quick)) * rounds(options.quick, options.repeats)
        task = progress.add_task(question.name, total=turns)
        rows = run(
            question, quick=options.quick, repeats=options.repeats, step=lambda: progress.advance(task)
        )
    complete(question, rows)
    console.print(on_terminal(question, rows))
    minutes = (time.monotonic() - begun) / 60
    paths = write(question, rows, quick=options.quick, commit=commit, folder=options.out, minutes=minutes)
    console.print("Written: " + ", ".join(shown(path) for path in paths) + "\n", highlight=False)


def shown(path: Path) -> str:
    """Return a path as a reader at the repository's root would type it."""
    return str(path.relative_to(ROOT) if path.is_relative_to(ROOT) else path)


if __name__ == "__main__":
    main()
