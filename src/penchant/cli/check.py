"""``penchant check``. A file of what people said in; what is in it, check by check, out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import typer

from penchant.cli.exports import print_json
from penchant.cli.options import File, Format, Json, Strict, typed
from penchant.cli.progress import busy
from penchant.cli.reading import holds_study, read, unused

if TYPE_CHECKING:
    from pathlib import Path

    from penchant.formats import Reading
    from penchant.store import Inspection


def check(
    file: File, told: Mapping[str, Any], json: Json = False, format: Format = None, strict: Strict = False
) -> None:
    """Report what is in FILE, check by check.

    Of a study whose file is damaged: where, and what can still be read; the exit status is then 1.
    """
    inspection = _inspected(file, format)
    if inspection is not None and not inspection.sound:
        _report(inspection, json)
        raise typer.Exit(1)
    reading = read(file, format=format, strict=strict, told=told)
    from penchant.overview import Overview

    with busy("looking"):
        overview = Overview.of(reading.preferences)
    if json:
        refused = [{"line": refusal.line, "reason": refusal.reason} for refusal in reading.refusals]
        read_as = {"format": reading.format, "columns": dict(reading.columns), "rows": reading.n_rows}
        found = {**read_as, "refused": refused, "skipped": dict(reading.skipped), **overview.to_dict()}
        print_json(found, indent=2)
        return
    from penchant.cli.terminal import Terminal, overview_table
    from penchant.counts import counted

    terminal = Terminal()
    terminal.say(f"{file.name}, read as {reading.format}{_roles(reading)}", *unused(reading))
    if inspection is not None:
        terminal.say(f"File: {inspection}")
    if not reading.refusals:
        terminal.say(f"Refused: none of {counted(reading.n_rows, 'row')}")
    terminal.show(overview_table(overview))
    terminal.next(["rank", str(file), *typed(told, format)])


def _inspected(file: Path, format: str | None) -> Inspection | None:
    """Return what a study's file holds; None of any other file, and of a study that only a copy can be read of."""
    if format is not None or not holds_study(file):
        return None
    from penchant.errors import CannotLoad
    from penchant.store import inspect

    try:
        return inspect(file)
    except CannotLoad:
        return None  # reading it reports what is wrong, or finds a way


def _report(inspection: Inspection, json: bool) -> None:
    if json:
        found = {"sound": False, "expected": inspection.expected, "readable": inspection.readable}
        print_json({**found, "problems": inspection.problems}, indent=2)
        return
    from penchant.cli.terminal import Terminal

    terminal = Terminal()
    terminal.say(f"{inspection.path.name} is {inspection}", *(f"  {line}" for line in inspection.problems))
    terminal.next(["restore", "BACKUP.db", str(inspection.path), "--replace"])


def _roles(reading: Reading) -> str:
    roles = ", ".join(f"{role} = {name}" for role, name in reading.columns.items())
    return f" ({roles})" if roles else ""
