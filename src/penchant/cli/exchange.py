"""``penchant export`` and ``penchant import``: what a study holds as files, and back."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer

from penchant.cli.command import limits, report
from penchant.cli.inputs import file_or_input, holds_study, not_stored, read, rejected, unused
from penchant.cli.kinds import COACTIVE, editable
from penchant.cli.options import Json, StudyFile, option
from penchant.cli.outputs import PRINTED, check_outputs, print_json, print_rows
from penchant.cli.places import ADDRESS, StudyPlace, study_exists, study_place
from penchant.cli.terminal import Terminal, opened, working, working_with
from penchant.errors import InvalidInput

What = Annotated[
    str,
    option(
        "WHAT",
        "events (all that a study is, as JSONL), answers or ranking (.csv, .jsonl or .parquet), or of a study that "
        "presents orders presentations (JSONL that learn reads).",
    ),
]


def export(
    file: StudyFile,
    out: Annotated[
        Path, typer.Argument(metavar="OUT", help="The file to write; - prints it.", show_default=False)
    ],
    what: What = "events",
    json: Json = False,
) -> None:
    """Write what a study holds, or what follows from it, to a file."""
    from penchant.study import Study

    if json and out == PRINTED:
        raise InvalidInput("--json and - must not both be printed, got both: give a file")
    check_outputs([file], [out])
    with working_with(f"writing {out.name}", Study.open, file, write=False) as opened:
        study = editable(opened)
        if out == PRINTED:
            with TemporaryDirectory() as folder:
                copy = Path(folder) / ("out.csv" if what in ("answers", "ranking") else "out.jsonl")
                study.export(copy, what=what)
                print_rows(copy.read_text(encoding="utf-8"))
            return
        study.export(out, what=what)
    if json:
        print_json({"file": str(out), "what": what})
        return
    terminal = Terminal()
    terminal.say(f"{out}: {what} of {file}")
    following = {
        "events": ["import", "COPY.db", str(out)],
        "presentations": ["learn", str(out), "--save", "OUT"],
    }
    terminal.next(following.get(what, ["check", str(file)]))


def import_file(
    file: Annotated[
        StudyPlace,
        typer.Argument(
            metavar="FILE.db",
            parser=study_place,
            help=f"A study, or where one is to be: a file, or {ADDRESS}.",
            show_default=False,
        ),
    ],
    source: Annotated[
        Path,
        typer.Argument(
            metavar="IN",
            help="Events of a study, answers in any format that rank reads, or a log of presentations; - reads the "
            "input.",
            show_default=False,
        ),
    ],
    json: Json = False,
) -> None:
    """Make a study of exported events, or add to one.

    Where FILE.db is a study, IN holds answers that were given elsewhere, or for one that presents orders a log of
    presentations. Otherwise IN holds the events of a study.
    """
    from penchant.study import CompareStudy, Study

    with file_or_input(source) as place, working(f"reading {source.name}"):
        _check_kind(file, source, place)
        added: str | int | None = None
        if not study_exists(file):
            with Study.from_events(file, place, limits=limits()) as made:
                progress, kind = made.progress(), made.kind
        elif (kind := Study.kind_of(file)) == COACTIVE:
            added, progress = _import_presentations(file, place)
        else:
            old = read(place)
            with opened(CompareStudy.open, file) as study:
                added = study.import_answers(old.preferences, source=source.name)
                progress = study.progress()
            for line in (*unused(old), *not_stored(old)):
                report(line)
    if json:
        print_json({"file": str(file), "import": added, "progress": progress})
        return
    terminal = Terminal()
    terminal.say(f"{file}: {progress}")
    if kind == COACTIVE:
        terminal.next(["weights", str(file)])
    else:
        terminal.next(["undo", str(file), str(added)] if added else ["rank", str(file)])


def _import_presentations(file: StudyPlace, place: Path) -> tuple[int, str]:
    """Let a coactive study learn a log; return how many lines it learned, and its progress."""
    from penchant.counts import counted
    from penchant.formats import PresentationLog
    from penchant.study.coactive import CoactiveStudy

    log = PresentationLog(place, limits=limits())
    with opened(CoactiveStudy.open, file) as study:
        added = study.import_presentations(log)
        progress = study.progress()
    for line in rejected(log.refusals, counted(log.n_rows, "line")) if log.refusals else ():
        report(line)
    return added, progress


def _check_kind(file: StudyPlace, source: Path, place: Path) -> None:
    """Reject events where there is a study already, and anything else where there is none."""
    from penchant.study.exporting import holds_events

    exists = study_exists(file)
    if exists and not holds_study(file):
        raise InvalidInput.of(str(file), "be a study, or not exist yet", "another file", "name another")
    name = "the input" if source == PRINTED else str(source)
    events = holds_events(place, limits=limits())
    if events and exists:
        raise InvalidInput.of(
            name,
            f"hold answers or presentations, since {file} is a study",
            "events",
            "make a study of them in a new file",
        )
    if not events and not exists:
        remedy = f"start a study from answers with penchant new {file} --answers {source}"
        raise InvalidInput.of(
            name, f"hold the events of a study, since {file} does not exist", "something else", remedy
        )
