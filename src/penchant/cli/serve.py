"""``penchant serve``. A study's file in; its pages, until Ctrl-C, out."""

from __future__ import annotations

from typing import Annotated

import typer

from penchant.cli.study import StudyFile
from penchant.errors import InvalidInput

Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Where to listen on this computer; 0 takes a free one.")
]
Seconds = Annotated[
    float | None,
    typer.Option("--for", metavar="SECONDS", help="Stop by itself after so long.", show_default=False),
]


def serve(file: StudyFile, port: Port = 8000, seconds: Seconds = None) -> None:
    """Show a study to judges in the browser, and the ranking to you."""
    try:
        from penchant.serve import serve as serve_study
    except ModuleNotFoundError as missing:
        raise InvalidInput(
            f"serving needs {missing.name}, which is not installed: pip install 'penchant[serve]'"
        ) from None
    serve_study(file, port=port, for_seconds=seconds)
