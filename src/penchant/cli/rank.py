"""``penchant rank``. A file of what people said in; a ranked table, files and pictures out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.exports import print_json, print_rows, ranking_csv
from penchant.cli.models import ModelName, made, usual_model
from penchant.cli.options import File, Format, Json, Strict, typed
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.reading import STUDY, files_read, model_of_study, read, unused
from penchant.cli.refusals import complain, kept_warnings
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.formats import Reading
    from penchant.ranking import Ranking
    from penchant.worth.worth_model import WorthModel

_SHOWN = 50
_PRINTED = Path("-")
_ERRORS = {
    "model": "each comparison counts by itself",
    "row": "comparisons of one row go together (sandwich errors, clustered by row)",
    "source": "comparisons of one page go together (sandwich errors, clustered by page)",
    "judge": "comparisons of one judge go together (sandwich errors, clustered by judge)",
}

Model = Annotated[
    ModelName | None,
    typer.Option(help="What to fit; chosen by what the rows are unless given.", show_default=False),
]
Level = Annotated[float, typer.Option(help="The probability that an interval or range holds.")]
Prior = Annotated[
    float | None,
    typer.Option(
        help="The precision of the prior on scores; bradley-terry and thurstone learn it if it is not given.",
        show_default=False,
    ),
]
Top = Annotated[int, typer.Option(min=1, metavar="K", help="How many rows the table shows.")]
Csv = Annotated[
    Path | None,
    typer.Option(metavar="OUT", help="Write the whole table as CSV; - prints it.", show_default=False),
]
Plot = Annotated[
    Path | None,
    typer.Option(metavar="OUT", help="Draw the ranking: .png, .svg or .html.", show_default=False),
]
Matrix = Annotated[
    Path | None,
    typer.Option(metavar="OUT", help="Draw who beats whom: .png, .svg or .html.", show_default=False),
]


def rank(
    file: File,
    told: Mapping[str, Any],
    model: Model = None,
    level: Level = 0.95,
    prior: Prior = None,
    top: Top = _SHOWN,
    json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    matrix: Matrix = None,
    format: Format = None,
    strict: Strict = False,
) -> None:
    """Rank the items of FILE, and say how sure that is."""
    _check_outputs(files_read(file, told), json, csv, plot, matrix)
    reading = read(file, format=format, strict=strict, told=told)
    chosen, why = _model(reading, model, prior)
    with kept_warnings() as said, busy(f"fitting {type(chosen).__name__}"):
        fitted = chosen.fit(reading.preferences)
        ranking = fitted.rank(level=level)
    if json or csv == _PRINTED:
        if json:
            print_json(ranking.to_json())
        else:
            print_rows(ranking_csv(ranking))
        for line in (*unused(reading), *said):
            complain(line)
        _write(ranking, fitted, csv, plot, matrix)
        return
    from penchant.cli.terminal import Terminal, ranking_table

    terminal = Terminal()
    terminal.say(repr(reading.preferences), *unused(reading), f"Model: {ranking.model}{why}")
    terminal.show(ranking_table(ranking, top))
    terminal.say(*_below(ranking, fitted, top))
    for line in said:
        complain(line)
    terminal.say(*_write(ranking, fitted, csv, plot, matrix))
    same = [str(file), *typed(told, format)]
    doubtful = plot is not None or reading.refusals or said
    terminal.next(["check", *same] if doubtful else ["rank", *same, "--plot", "ranking.png"])


def _model(reading: Reading, name: ModelName | None, prior: float | None) -> tuple[WorthModel, str]:
    """Return the model to fit, and why it if nobody asked for it."""
    if name is None and prior is None and reading.format == STUDY:
        return model_of_study(reading.path), ", the study's own (--model takes another)"
    name, why = (name, "") if name else usual_model(reading.preferences)
    return made(name, prior=prior), why


def _check_outputs(inputs: list[Path], json: bool, csv: Path | None, *pictures: Path | None) -> None:
    """Refuse outputs that clash with one another or with the input, before anything takes time."""
    if json and csv == _PRINTED:
        raise InvalidInput("--json and --csv - must not both be printed, got both: give --csv a file")
    check_outputs(inputs, [csv] if csv != _PRINTED else [], pictures)


def _below(ranking: Ranking, fitted: WorthModel, top: int) -> list[str]:
    """Return what is said below the table: rows not shown, the bar, and where the errors come from."""
    lines = []
    if len(ranking) > top:
        lines.append(f"… and {len(ranking) - top:,} more: --top {len(ranking)} shows them, --csv keeps them")
    lines += [f"Certain at {100 * ranking.level:g} %: {line}" for line in ranking.certain()]
    lines += ranking.notes()
    errors = getattr(fitted, "errors_", None)
    return lines if errors is None else [*lines, f"Errors: {_ERRORS.get(errors, errors)}"]


def _write(
    ranking: Ranking, fitted: WorthModel, csv: Path | None, plot: Path | None, matrix: Path | None
) -> list[str]:
    """Write the files that were asked for, and return a line about each."""
    lines = []
    if csv is not None and csv != _PRINTED:
        from penchant.saving.replacing import replace_text

        replace_text(csv, ranking_csv(ranking))
        lines.append(f"Table: {csv}")
    if plot is not None or matrix is not None:
        from penchant.plots import ranking_chart, save_chart, win_matrix_chart

        with busy("drawing"):
            if plot is not None:
                lines.append(f"Picture: {save_chart(ranking_chart(ranking), plot)}")
            if matrix is not None:
                lines.append(f"Picture: {save_chart(win_matrix_chart(fitted), matrix)}")
    return lines
