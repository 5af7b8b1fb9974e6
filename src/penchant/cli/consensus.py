"""``penchant consensus``: one order for many voters, how near it is to theirs, and where majorities run in circles."""

from __future__ import annotations

import json as json_text
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import kept_warnings, report
from penchant.cli.inputs import files_read, read, read_as, unused
from penchant.cli.options import Csv, File, Format, Json, Strict, picture_option
from penchant.cli.outputs import PRINTED, check_outputs, print_json, table_csv, write_rows
from penchant.cli.terminal import Terminal, drawn, rows_table, working

if TYPE_CHECKING:
    from penchant.consensus import Consensus


class MethodName(StrEnum):
    """What ``--method`` accepts: the values of `penchant.consensus.METHODS`."""

    kemeny = "kemeny"
    cohen = "cohen"
    borda = "borda"
    copeland = "copeland"


class UnrankedName(StrEnum):
    """What ``--unranked`` accepts."""

    ignored = "ignored"
    last = "last"


_ABOUT = {
    "kemeny": "of all orders one that contradicts the fewest preferences",
    "cohen": "again and again the item most preferred to those left",
    "borda": "by the preferences for an item less those against it",
    "copeland": "by the majorities won less those lost",
}
_TAKES = "a tie and a pair that a voter does not rank count for neither"
_LAST = (
    "a tie counts for neither, and an item that a voter does not rank comes after those that the voter ranks"
)

Method = Annotated[MethodName, typer.Option(help="Which order to show; all are compared.")]
Unranked = Annotated[
    UnrankedName, typer.Option(help="An item that a voter does not rank: says nothing, or comes last.")
]
Seconds = Annotated[float, typer.Option(min=0, help="The time for the search of the Kemeny order.")]
Top = Annotated[int, typer.Option(min=1, metavar="K", help="How many rows the table shows.")]
Plot = Annotated[Path | None, picture_option("Draw who is preferred to whom, in this order")]


def consensus(
    file: File,
    columns: Mapping[str, Any],
    method: Method = MethodName.kemeny,
    unranked: Unranked = UnrankedName.ignored,
    seconds: Seconds = 30.0,
    top: Top = 50,
    json: Json = False,
    csv: Csv = None,
    plot: Plot = None,
    format: Format = None,
    strict: Strict = False,
) -> None:
    """Find the one order that agrees best with all voters."""
    check_outputs(files_read(file, columns), [csv], [plot], json=json)
    reading = read(file, format=format, strict=strict, columns=columns)
    from penchant.consensus import consensus as aggregated

    with kept_warnings() as warned, working("searching the order"):
        found = aggregated(reading.preferences, method.value, unranked=unranked.value, seconds=seconds)
    if json or csv == PRINTED:
        if json:
            print_json(found.to_json())
        _write(found, csv, plot)
        for line in (*unused(reading), *warned):
            report(line)
        return
    terminal = Terminal()
    takes = _LAST if unranked is UnrankedName.last else _TAKES
    terminal.say(repr(reading.preferences), *unused(reading))
    terminal.say(f"Order: {method.value}, {_ABOUT[method.value]}; {takes}")
    terminal.show(rows_table(found.rows(top)))
    if len(found) > top:
        terminal.say(f"… and {len(found) - top:,} more: --top {len(found)} shows them, --csv keeps them")
    terminal.say(*found.findings())
    terminal.show(rows_table(found.method_rows()))
    for line in warned:
        report(line)
    terminal.say(*_write(found, csv, plot))
    same = [str(file), *read_as(columns, format)]
    following = ["rank", *same] if plot is not None else ["consensus", *same, "--plot", "consensus.png"]
    terminal.next(following)


def _write(found: Consensus, csv: Path | None, plot: Path | None) -> list[str]:
    """Write the files that were asked for, and return a line about each."""
    lines = []
    if csv is not None:
        rows = json_text.loads(found.to_frame().to_json(orient="records"))
        write_rows(csv, table_csv(rows, text=("item",)))
        lines.append(f"Table: {csv}")
    if plot is not None:
        from penchant.plots import pairwise_chart

        lines.append(f"Picture: {drawn(lambda: pairwise_chart(found), plot)}")
    return lines
