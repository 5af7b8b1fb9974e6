"""The last step: ``penchant demo``. The bundled comparisons in; a table on the terminal and a picture out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def demo(
    out: Annotated[Path, typer.Option(help="The folder that the picture goes to.")] = Path("out/demo"),
) -> None:
    """Rank a dozen pleasant things by 240 answers of four simulated judges."""
    from rich.console import Console

    from penchant.cli.tables import ranking_table
    from penchant.examples import pleasures
    from penchant.plots import ranking_chart, save_chart
    from penchant.worth import WinRate

    console = Console()
    preferences = pleasures()
    console.print(repr(preferences), highlight=False, soft_wrap=True)
    ranking = WinRate().fit(preferences).rank()
    console.print(ranking_table(ranking), *ranking.notes(), sep="\n")
    out.mkdir(parents=True, exist_ok=True)
    picture = save_chart(ranking_chart(ranking), out / "ranking.png")
    console.print(f"Picture: {picture}", highlight=False, soft_wrap=True)
    console.print("The same in Python: README.md", highlight=False)
