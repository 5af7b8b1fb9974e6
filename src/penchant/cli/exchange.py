"""``penchant export`` and ``penchant import``: events, answers and the ranking of a study as files, and back."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from penchant.cli.command import limits, report
from penchant.cli.inputs import file_or_input, holds_study, read, unused
from penchant.cli.options import Json, StudyFile, option
from penchant.cli.outputs import PRINTED, check_outputs, print_json, print_rows
from penchant.cli.terminal import Terminal, busy
from penchant.errors import InvalidInput

What = Annotated[
    str,
    option("WHAT", "events (all that a study is, as JSONL), answers or ranking (.csv, .jsonl or .parquet)."),
]


def export(
    file: StudyFile,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - prints it.", show_default=False)
    ],
    what: What = "events",
    json: Json = False,
) -> None:
    """Write events, answers or ranking of a study to a file."""
    from penchant.study import CompareStudy

    if json and out == PRINTED:
        raise InvalidInput("--json and - must not both be printed, got both: give a file")
    check_outputs([file], [out])
    with busy(f"writing {out.name}"), CompareStudy.open(file, write=False) as study:
        if out == PRINTED:
            with TemporaryDirectory() as folder:
                copy = Path(folder) / ("out.jsonl" if what == "events" else "out.csv")
                study.export(copy, what=what)
                print_rows(copy.read_text(encoding="utf-8"))
            return
        study.export(out, what=what)
    if json:
        print_json({"file": str(out), "what": what})
        return
    terminal = Terminal()
    terminal.say(f"{out}: {what} of {file}")
    terminal.next(["import", "COPY.db", str(out)] if what == "events" else ["check", str(file)])


def import_file(
    file: Annotated[
        Path, typer.Argument(metavar="FILE.db", help="A study, or where one is to be.", show_default=False)
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="Events of a study, or answers in any format that rank reads; - reads the input.",
            show_default=False,
        ),
    ],
    json: Json = False,
) -> None:
    """Make a study of exported events, or add answers to one.

    Where FILE.db is a study, IN holds answers that were given elsewhere. Otherwise IN holds the events of a study.
    """
    from penchant.study import CompareStudy, Study

    with file_or_input(source) as place, busy(f"reading {source.name}"):
        _check_kind(file, source, place)
        if holds_study(file):
            old = read(place)
            with CompareStudy.open(file) as study:
                added = study.import_answers(old.preferences, source=source.name)
                progress = study.progress()
            for line in unused(old):
                report(line)
        else:
            added = None
            with Study.from_events(file, place, limits=limits()) as study:
                progress = study.progress()
    if json:
        print_json({"file": str(file), "import": added, "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"{file}: {progress}")
    terminal.next(["undo", str(file), added] if added else ["rank", str(file)])


def _check_kind(file: Path, source: Path, place: Path) -> None:
    """Reject events where there is a study already, and anything else where there is none."""
    from penchant.study.exporting import holds_events

    if file.exists() and not holds_study(file):
        raise InvalidInput.of(str(file), "be a study, or not exist yet", "another file", "name another")
    name = "the input" if source == PRINTED else str(source)
    events = holds_events(place, limits=limits())
    if events and file.exists():
        raise InvalidInput.of(
            name, f"hold answers, since {file} is a study", "events", "make a study of them in a new file"
        )
    if not events and not file.exists():
        remedy = f"start a study from answers with penchant new {file} --answers {source}"
        raise InvalidInput.of(
            name, f"hold the events of a study, since {file} does not exist", "something else", remedy
        )
