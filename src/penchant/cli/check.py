"""The last step: ``penchant check``. A file of what people said in; what is in it, check by check, out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penchant.cli.exports import print_json
from penchant.cli.options import File, Format, Json, Strict, typed
from penchant.cli.progress import busy
from penchant.cli.reading import read, unused

if TYPE_CHECKING:
    from penchant.formats import Reading


def check(
    file: File, told: Mapping[str, Any], json: Json = False, format: Format = None, strict: Strict = False
) -> None:
    """Say what is in FILE, check by check."""
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
    from penchant.formats.reading import counted

    terminal = Terminal()
    terminal.say(f"{file.name}, read as {reading.format}{_roles(reading)}", *unused(reading))
    if not reading.refusals:
        terminal.say(f"Refused: none of {counted(reading.n_rows, 'row')}")
    terminal.show(overview_table(overview))
    terminal.next(["rank", str(file), *typed(told, format)])


def _roles(reading: Reading) -> str:
    roles = ", ".join(f"{role} = {name}" for role, name in reading.columns.items())
    return f" ({roles})" if roles else ""
