"""``penchant serve`` and ``penchant demo``: a study's pages in the browser, and an example to try."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from penchant.cli.options import StudyFile, option
from penchant.cli.rank import rank
from penchant.cli.terminal import Terminal
from penchant.errors import InvalidInput

Port = Annotated[
    int, typer.Option(min=0, max=65535, help="Where to listen on this computer; 0 takes a free one.")
]
Seconds = Annotated[
    float | None,
    option("SECONDS", "Stop by itself after so long.", "--for"),
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


def demo(
    out: Annotated[Path, typer.Option(help="The folder that the files go to.")] = Path("out/demo"),
    port: Port = 8000,
    seconds: Seconds = None,
    page: Annotated[bool, typer.Option("--page/--no-page", help="Serve a study of the same things.")] = True,
) -> None:
    """Rank a dozen pleasant things, draw them, and ask about them.

    The 240 answers are bundled; they come from four simulated judges, of whom one is less careful. The study
    on the page is yours: it starts without answers and is kept for the next time. Items for other studies are put
    beside it: invented cars, and invented papers that cite one another.
    """
    from importlib.resources import files

    from penchant.examples import EXAMPLES, pleasures
    from penchant.saving.replacing import replaced
    from penchant.study import CompareStudy

    out.mkdir(parents=True, exist_ok=True)
    answers, study = out / "pleasures.csv", out / "pleasures.db"
    for name in EXAMPLES:
        with replaced(out / name) as file:
            file.write(files("penchant.examples").joinpath(name).read_bytes())
    rank(answers, {}, plot=out / "ranking.png")
    if not page:
        return
    if not study.exists():
        CompareStudy.create(study, pleasures().items[:-1], title="A dozen pleasant things").close()
    Terminal().say("", f"And now you: a study of the same things, kept in {study}")
    serve(study, port=port if _is_free(port) else 0, seconds=seconds)


def _is_free(port: int) -> bool:
    """Say whether the usual port is free: links that were made before are then good again."""
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True
