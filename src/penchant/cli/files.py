"""``penchant check`` and ``penchant convert``: what a file holds, and the same in another format."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.coactive_check import check_coactive
from penchant.cli.command import naming, note_saved, report
from penchant.cli.inputs import STUDY, called, files_read, holds_study, read, read_as, unused
from penchant.cli.options import File, Force, Format, Json, Strict, option
from penchant.cli.outputs import PRINTED, check_new, check_outputs, print_json, print_rows
from penchant.cli.places import StudyPlace, study_place
from penchant.cli.terminal import Terminal, opened, overview_table, rows_table, working
from penchant.errors import InvalidInput
from penchant.progress import part

if TYPE_CHECKING:
    from penchant.formats import Reading
    from penchant.store import Inspection
    from penchant.study_reports import Checks

_MOST_CELLS = 20_000_000

In = Annotated[
    StudyPlace,
    typer.Argument(metavar="IN", parser=study_place, help="The file to read.", show_default=False),
]
Out = Annotated[
    Path, typer.Argument(metavar="OUT", help="The file to write; - prints it.", show_default=False)
]
From = Annotated[
    str | None,
    option("NAME", "The format of IN; recognised unless given.", "--from"),
]
To = Annotated[
    str | None,
    option("NAME", "The format of OUT; by its ending unless given.", "--to"),
]


def check(
    file: File, columns: Mapping[str, Any], json: Json = False, format: Format = None, strict: Strict = False
) -> None:
    """Report what is in FILE, check by check.

    Of a study also what is doubtful about its answers and its judges; of one that presents orders, how its first places
    did and who wins. Of a study whose file is damaged: where, and
    what can still be read; the exit status is then 1.
    """
    inspection = _inspected(file, format)
    if inspection is not None and not inspection.sound:
        _report_damage(inspection, json)
        raise typer.Exit(1)
    if inspection is not None and _is_coactive(file):
        check_coactive(file, json, str(inspection))
        return
    reading = read(file, format=format, strict=strict, columns=columns)
    from penchant.counts import counted
    from penchant.overview import Overview

    with working("checking"):
        is_study = reading.format == STUDY
        with part(0, 2 if is_study else 1):
            overview = Overview.of(reading.preferences)
        checks = _checked(file) if is_study else None
        alphas = _alphas(reading)
    if json:
        refused = [{"line": row.line, "reason": row.reason} for row in reading.refusals]
        how = {"format": reading.format, "columns": dict(reading.columns), "rows": reading.n_rows}
        found = {**how, "refused": refused, "skipped": dict(reading.skipped), **overview.to_dict()}
        if alphas:
            found["alpha"] = alphas
        if checks is not None:
            found |= json_text.loads(checks.to_json())
        print_json(found, indent=2)
        return
    terminal = Terminal()
    roles = ", ".join(f"{role} = {name}" for role, name in reading.columns.items())
    terminal.say(
        f"{called(file)}, read as {reading.format}{f' ({roles})' if roles else ''}", *unused(reading)
    )
    if inspection is not None:
        terminal.say(f"File: {inspection}")
    if not reading.refusals:
        terminal.say(f"Rejected: none of {counted(reading.n_rows, 'row')}")
    terminal.show(overview_table(overview))
    if alphas:
        words = ", ".join(f"{alpha:.3f} ({scale})" for scale, alpha in alphas.items())
        terminal.say(f"Krippendorff's alpha of the ratings: {words}")
    if checks is not None:
        rows = [{"result": check.result, "check": check.name, "found": check.message} for check in checks]
        terminal.show(rows_table(rows))
    terminal.next(["rank", str(file), *read_as(columns, format)])


def _alphas(reading: Reading) -> dict[str, float]:
    """Return Krippendorff's alpha of ratings on each scale; nothing where there are none, or it is not defined."""
    if reading.ratings is None:
        return {}
    import numpy as np

    from penchant.metrics.reliability import SCALES, alpha_of_counts

    items, ratings = reading.ratings
    values, codes = np.unique(ratings, return_inverse=True)
    if len(values) * (items.max() + 1) > _MOST_CELLS:
        return {}
    counts = np.zeros((int(items.max()) + 1, len(values)))
    np.add.at(counts, (items, codes), 1.0)
    try:
        return {scale: alpha_of_counts(counts, values, scale) for scale in SCALES}
    except InvalidInput:
        return {}


def _checked(file: StudyPlace) -> Checks:
    from penchant.study import CompareStudy

    with opened(CompareStudy.open, file, write=False) as study:
        return study.check()


def _is_coactive(file: StudyPlace) -> bool:
    from penchant.study import Study

    return Study.kind_of(file) == "coactive"


def _inspected(file: StudyPlace, format: str | None) -> Inspection | None:
    """Return what a study's file holds; None for any other file, and for a study of which only a copy can be read."""
    if format is not None or not holds_study(file):
        return None
    from penchant.errors import CannotLoad
    from penchant.store import inspect

    try:
        return inspect(file)
    except CannotLoad:
        return None  # reading it reports what is wrong, or finds a way


def _report_damage(inspection: Inspection, json: bool) -> None:
    if json:
        found = {"sound": False, "expected": inspection.expected, "readable": inspection.readable}
        print_json({**found, "problems": inspection.problems}, indent=2)
        return
    terminal = Terminal()
    terminal.say(f"{inspection.path.name} is {inspection}", *(f"  {line}" for line in inspection.problems))
    terminal.next(["restore", "BACKUP.db", str(inspection.path), "--replace"])


def convert(
    file: In,
    out: Out,
    columns: Mapping[str, Any],
    source: From = None,
    target: To = None,
    force: Force = False,
    strict: Strict = False,
) -> None:
    """Write IN to OUT in another format, and list what is lost."""
    check_outputs(files_read(file, columns), [out])
    check_new([out], force, printed=True)
    reading = read(file, format=source, strict=strict, columns=columns)
    from penchant.counts import counted
    from penchant.formats import write_file

    if out == PRINTED:
        _print(reading, target)
        return
    with working(f"writing {out.name}"), naming(format="--to"):
        written = write_file(reading.preferences, out, format=target)
    note_saved(out)
    terminal = Terminal()
    terminal.say(repr(reading.preferences), *unused(reading))
    terminal.say(f"Written: {counted(written.n_rows, 'row')} as {written.format} to {out}")
    terminal.say(*([f"Lost: {what}" for what in written.lost] or ["Lost: nothing"]))
    terminal.next(["rank", str(out), *read_as({}, target)])


def _print(reading: Reading, target: str | None) -> None:
    """Print what was read in another format, CSV unless given, and report what is lost."""
    from tempfile import TemporaryDirectory

    from penchant.formats import write_file

    with TemporaryDirectory() as folder, naming(format="--to"):
        copy = Path(folder) / "out"
        written = write_file(reading.preferences, copy, format=target or "pairs")
        print_rows(copy.read_text(encoding="utf-8"))
    for line in (*unused(reading), *(f"Lost: {what}" for what in written.lost)):
        report(line)
