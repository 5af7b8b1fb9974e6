"""The commands ``penchant backup`` and ``penchant restore``: copies of a study that is in use."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penchant.cli.study import StudyFile

Replace = Annotated[bool, typer.Option("--replace", help="Replace a file that is there.")]


def backup(
    file: StudyFile,
    copy: Annotated[Path, typer.Argument(metavar="COPY.db", help="Where the copy is to be.")],
    replace: Replace = False,
) -> None:
    """Copy a study to another file, also while it is served."""
    from penchant.cli.terminal import Terminal
    from penchant.study import Study

    with Study.open(file, write=False) as study:
        study.backup(copy, replace=replace)
        terminal = Terminal()
        terminal.say(f"{copy}: {study.progress()}")
        terminal.next(["restore", str(copy), str(file), "--replace"])


def restore(
    copy: Annotated[Path, typer.Argument(metavar="COPY.db", help="A copy that penchant backup made.")],
    file: StudyFile,
    replace: Replace = False,
) -> None:
    """Make a study out of a backup, after reading all of it. What --replace replaces is kept as FILE.db.replaced."""
    from penchant.cli.terminal import Terminal
    from penchant.study import Study

    Study.restore(copy, file, replace=replace)
    with Study.open(file, write=False) as study:
        terminal = Terminal()
        terminal.say(f"{file}: {study.progress()}")
        terminal.next(["serve", str(file)])
