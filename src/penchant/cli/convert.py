"""``penchant convert``. A file in one format in; the same in another, and what was lost, out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from penchant.cli.options import Strict, typed
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.reading import files_read, read, unused
from penchant.errors import InvalidInput

In = Annotated[Path, typer.Argument(metavar="IN", help="The file to read.", show_default=False)]
Out = Annotated[Path, typer.Argument(metavar="OUT", help="The file to write.", show_default=False)]
From = Annotated[
    str | None,
    typer.Option(
        "--from", metavar="NAME", help="The format of IN; recognised unless given.", show_default=False
    ),
]
To = Annotated[
    str | None,
    typer.Option(
        "--to", metavar="NAME", help="The format of OUT; told by its ending unless given.", show_default=False
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Overwrite OUT if it is there.")]


def convert(
    file: In,
    out: Out,
    told: Mapping[str, Any],
    source: From = None,
    target: To = None,
    force: Force = False,
    strict: Strict = False,
) -> None:
    """Write IN to OUT in another format, and list what is lost."""
    check_outputs(files_read(file, told), [out])
    if out.exists() and not force:
        raise InvalidInput(f"{out} must not be there yet, got a file: give --force to overwrite it")
    reading = read(file, format=source, strict=strict, told=told)
    from penchant.cli.terminal import Terminal
    from penchant.counts import counted
    from penchant.formats import write_file

    with busy(f"writing {out.name}"):
        written = write_file(reading.preferences, out, format=target)
    terminal = Terminal()
    terminal.say(repr(reading.preferences), *unused(reading))
    terminal.say(f"Written: {counted(written.n_rows, 'row')} as {written.format} to {out}")
    terminal.say(*([f"Lost: {what}" for what in written.lost] or ["Lost: nothing"]))
    terminal.next(["rank", str(out), *typed({}, target)])
