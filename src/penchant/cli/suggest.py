"""The last step: ``penchant suggest``. What people said so far in; the pairs to ask about next out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.documents import Without
from penchant.cli.exports import print_json, print_rows
from penchant.cli.linked import Links, learn_linked
from penchant.cli.options import File, Format, Json, Strict, typed
from penchant.cli.outputs import check_outputs
from penchant.cli.reading import files_read, read, unused
from penchant.cli.refusals import complain, kept_warnings
from penchant.cli.utilities import Items
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from penchant.gp import LinkedGP

_PRINTED = Path("-")
_NOISE = 0.5**0.5  # of each of two items, so that P(a beats b) = Φ(a − b), as a LinkedGP has it


def suggest(
    file: File,
    told: Mapping[str, Any],
    items: Items = None,
    links: Links = None,
    count: Annotated[int, typer.Option(min=1, help="How many pairs.")] = 10,
    top: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="K", help="Settle the best K only, not the whole order.", show_default=False
        ),
    ] = None,
    csv: Annotated[
        Path | None,
        typer.Option(metavar="OUT", help="Write the pairs as CSV; - prints them.", show_default=False),
    ] = None,
    json: Json = False,
    without: Without = None,
    format: Format = None,
    strict: Strict = False,
) -> None:
    """Say which pairs of FILE's items to ask people about next, and how settled the order is."""
    from penchant.ask import next_pairs, settled
    from penchant.ask.rules import DEFAULT
    from penchant.cli.terminal import Terminal, rows_table
    from penchant.saving.replacing import replace_text

    if json and csv == _PRINTED:
        raise InvalidInput("--json and --csv - must not both be printed, got both: give --csv a file")
    if without and items is None:
        raise InvalidInput(
            "--without must be given with --items, got it alone: give the table that has the column"
        )
    check_outputs([*files_read(file, told), items, links], [csv] if csv not in (None, _PRINTED) else [])
    reading = read(file, format=format, strict=strict, told=told)
    said = reading.preferences
    with kept_warnings() as warned:
        model = learn_linked(said, items=items, links=links, without=without or [])
        asked = _asked(model)
        most = model.n_items_ * (model.n_items_ - 1) // 2
        rule = DEFAULT if top is None else "top"
        pairs = next_pairs(model, asked, min(count, most), rule=rule, top=top, noise=_NOISE)
        state = settled(model, top=top, noise=_NOISE)
    rows = [_row(model, *pair) for pair in pairs]
    if json:
        print_json({"pairs": rows, "settled": vars(state)})
    elif csv == _PRINTED:
        print_rows(_csv(rows))
    for line in (*unused(reading), *warned):
        complain(line)
    if csv is not None and csv != _PRINTED:
        replace_text(csv, _csv(rows))
    if json or csv == _PRINTED:
        return
    terminal = Terminal()
    terminal.say(repr(said), f"Model: {model!r}")
    terminal.show(rows_table([{**row, "left wins": f"{row['left wins']:.0%}"} for row in rows]))
    terminal.say(f"Settled: {state}")
    if csv is not None:
        terminal.say(f"Pairs: {csv}")
    terminal.next(["rank", str(file), *typed(told, format)])


def _asked(model: LinkedGP) -> Any:
    import numpy as np

    return np.bincount(model.answers_.pairs.ravel(), minlength=model.n_items_)


def _row(model: LinkedGP, first: int, second: int) -> dict[str, Any]:
    names = model.items_
    chance = float(model.win_probability(first, second))
    return {"left": names[first], "right": names[second], "left wins": chance}


def _csv(rows: list[dict[str, Any]]) -> str:
    from penchant.cli.exports import table_csv

    return table_csv([{"left": row["left"], "right": row["right"]} for row in rows], text=("left", "right"))
