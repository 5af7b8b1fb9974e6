"""``penchant suggest``. What people said so far in; the pairs to ask about next out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.documents import Without
from penchant.cli.exports import print_json, print_rows
from penchant.cli.learners import LEARNERS, LearnerName
from penchant.cli.linked import Links, read_linked
from penchant.cli.options import File, Format, Json, Setting, Strict, typed
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
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
    setting: Setting = None,
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
    from penchant.ask.rules import DEFAULT, check_top
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
    given = LEARNERS[LearnerName.linked_gp].made(setting) if setting else None
    with kept_warnings() as warned:
        known = read_linked(said, items=items, links=links, without=without or [], settings=given is not None)
        n_items = known.said.n_items
        check_top(top, n_items)
        model = known.learned(given)
        most = n_items * (n_items - 1) // 2
        rule = DEFAULT if top is None else "top"
        with busy("choosing pairs"):
            pairs = next_pairs(model, model.counts_, min(count, most), rule=rule, top=top, noise=_NOISE)
        with busy("judging how sure it is"):
            state = settled(model, top=top, noise=_NOISE) if _judged(n_items, top) else None
    rows = [_row(model, *pair) for pair in pairs]
    if json:
        print_json({"pairs": rows, "settled": None if state is None else vars(state)})
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
    terminal.say(f"Settled: {_not_judged(n_items, top) if state is None else state}")
    if csv is not None:
        terminal.say(f"Pairs: {csv}")
    terminal.next(["rank", str(file), *typed(told, format)])


def _judged(n_items: int, top: int | None) -> bool:
    """Whether `settled` draws so many items together."""
    from penchant.ask.stopping import MOST_ITEMS

    return n_items <= MOST_ITEMS or (top is not None and top < MOST_ITEMS)


def _not_judged(n_items: int, top: int | None) -> str:
    from penchant.ask.stopping import MOST_ITEMS

    what = "the whole order" if top is None else f"the top {top:,}"
    return f"{what} of {n_items:,} items is not judged: give --top, below {MOST_ITEMS:,}"


def _row(model: LinkedGP, first: int, second: int) -> dict[str, Any]:
    names = model.items_
    chance = float(model.win_probability(first, second))
    return {"left": names[first], "right": names[second], "left wins": chance}


def _csv(rows: list[dict[str, Any]]) -> str:
    from penchant.cli.exports import table_csv

    return table_csv([{"left": row["left"], "right": row["right"]} for row in rows], text=("left", "right"))
