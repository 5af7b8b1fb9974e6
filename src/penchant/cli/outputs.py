"""What a command writes: files that must not clash with its inputs, and JSON and CSV for other programs."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from penchant.cli.command import note_saved
from penchant.cli.places import StudyPlace
from penchant.errors import InvalidInput
from penchant.text import visible

if TYPE_CHECKING:
    from penchant.ranking import Ranking

PRINTED = Path("-")
"""Stands for the standard output where a file can be named."""
_BESIDE_STUDY = ("-wal", "-shm", "-journal")  # files of SQLite
_STUDY = (".db", ".sqlite", ".sqlite3")


def check_outputs(
    inputs: Iterable[StudyPlace | None],
    outputs: Iterable[Path | None],
    pictures: Iterable[Path | None] = (),
    *,
    json: bool = False,
) -> None:
    """Reject outputs and pictures that are an input or one another, before anything is read or computed.

    Symbolic links, hard links and relative paths to one file are that file. None is an output that is not wanted;
    `PRINTED` is the standard output, which ``json`` says is taken.
    """
    named = [out for out in outputs if out is not None]
    if json and PRINTED in named:
        raise InvalidInput("--json and --csv - must not both be printed, got both: give --csv a file")
    read = [path for path in inputs if isinstance(path, Path)]
    read += [Path(f"{path}{end}") for path in read if path.suffix.lower() in _STUDY for end in _BESIDE_STUDY]
    drawn = [picture for picture in pictures if picture is not None]
    wanted = [out for out in named if out != PRINTED] + drawn
    for place, out in enumerate(wanted):
        for taken in (*read, *wanted[:place]):
            if _is_same_file(out, taken):
                what = "also read" if taken in read else "also written"
                raise InvalidInput.of(
                    str(out), "be a file of its own", f"{taken}, which is {what}", "write to another file"
                )
        if not out.parent.is_dir():
            remedy = f"make it, or correct the path of {out.name}"
            raise InvalidInput.of(str(out.parent), "be a folder", "none", remedy)
        if out.is_dir():
            raise InvalidInput.of(str(out), "be the name of a file", "a folder", "name a file in it")
    for picture in drawn:
        from penchant.plots.saving import picture_kind

        try:
            picture_kind(picture)
        except InvalidInput as error:  # as the option is called
            raise InvalidInput.of("plot", error.limit, error.received, error.remedy) from None


def check_new(outputs: Iterable[Path | None], force: bool, *, printed: bool = False) -> None:
    """Reject outputs that exist, unless they may be overwritten, and - unless the output can be ``printed``."""
    for out in outputs:
        if out == PRINTED and not printed:
            raise InvalidInput.of(
                "what is saved",
                "go to a file",
                "-, the standard output",
                "name a file, for instance model.penchant",
            )
        if out is not None and out != PRINTED and out.exists() and not force:
            raise InvalidInput.of(str(out), "not exist yet", "a file", "give --force to overwrite it")


def _is_same_file(first: Path, second: Path) -> bool:
    """Return whether two paths lead to one file, which need not exist yet."""
    try:
        return os.path.samestat(first.stat(), second.stat())
    except (OSError, ValueError):
        return first.resolve() == second.resolve()


def print_json(value: object, *, indent: int | None = None) -> None:
    """Print a value, or JSON text, with escapes for characters that a terminal would obey.

    Numbers that are not finite, which JSON does not have, become null.
    """
    text = value if isinstance(value, str) else json.dumps(_finite(value), ensure_ascii=False, indent=indent)
    typer.echo("\n".join(map(_escaped, text.split("\n"))))


def print_rows(text: str) -> None:
    """Print lines of data: exactly for another program, with visible escapes on a terminal."""
    if sys.stdout.isatty():
        text = "\n".join(map(visible, text.split("\n")))
    sys.stdout.write(text)
    sys.stdout.flush()


def write_rows(out: Path, text: str) -> None:
    """Print lines of data, or write them to a file at once."""
    if out == PRINTED:
        print_rows(text)
        return
    from penchant.saving.replacing import replace_text

    replace_text(out, text)
    note_saved(out)


def _escaped(line: str) -> str:
    if visible(line) == line:
        return line
    return "".join(sign if visible(sign) == sign else f"\\u{ord(sign):04x}" for sign in line)


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {key: _finite(inner) for key, inner in value.items()}
    return [_finite(inner) for inner in value] if isinstance(value, list | tuple) else value


def ranking_csv(ranking: Ranking) -> str:
    """Return the whole ranking as CSV, one row an item, best first, numbers in full."""
    return table_csv(json.loads(ranking.to_json())["items"], text=("item",))


def table_csv(rows: Sequence[Mapping[str, Any]], text: Sequence[str]) -> str:
    """Return rows as CSV that is safe in a spreadsheet; the columns ``text`` hold what people wrote."""
    from penchant.formats.tables import table_csv

    return table_csv(rows, {name: str if name in text else float for name in rows[0]})
