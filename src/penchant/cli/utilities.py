"""Utilities. Comparisons and a table of items in; a model, utilities, figures out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.learners import LEARNERS, LearnerName
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.reading import read, unused
from penchant.cli.refusals import complain, kept_warnings
from penchant.cli.tables import read_table
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from pandas import DataFrame

    from penchant.checks import Floats
    from penchant.gp import MonotoneGP, PreferenceGP
    from penchant.gp.generalisation import HeldOut

UTILITIES = (LearnerName.preference_gp, LearnerName.monotone_gp)
_BEST = 5

Items = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="Of utilities (…-gp): the features of the items (.csv, .tsv), ids in the first column.",
        show_default=False,
    ),
]


def _columns(way: str) -> Any:
    return typer.Option(
        metavar="COLUMNS",
        help=f"Of monotone-gp: features in which utility {way}, by commas.",
        show_default=False,
    )


Increasing = Annotated[str | None, _columns("must rise")]
Decreasing = Annotated[str | None, _columns("must fall")]


def fit_utility(
    file: Path,
    items: Path | None,
    model: LearnerName,
    *,
    setting: list[str],
    increasing: str | None,
    decreasing: str | None,
    without: list[str],
    save: Path | None,
    plot: Path | None,
) -> None:
    """Learn a utility of features from comparisons, say what it is, and save it."""
    from penchant.cli.terminal import Terminal, rows_table
    from penchant.saving import save as save_model

    if items is None:
        raise InvalidInput(f"{model.value} needs the features of the items, got none: give --items TABLE")
    check_outputs([file, items], [save], [plot])
    utility = LEARNERS[model].made(setting)
    for name, columns in (("increasing", increasing), ("decreasing", decreasing)):
        if columns is not None:
            _set_columns(utility, name, columns, model)
    features = read_items(items, without)
    reading = read(file, format=None, strict=False, told={})
    for line in unused(reading):
        complain(line)
    with kept_warnings() as said, busy(f"fitting {LEARNERS[model].name}"):
        utility.fit_pairs(features, reading.preferences)
    if save is not None:
        save_model(utility, save)
    for line in said:
        complain(line)
    terminal = Terminal()
    n_pairs = reading.preferences.n_pairs
    terminal.say(f"{utility!r}, fitted to {n_pairs:,} pairs of {len(features):,} items")
    if hasattr(utility, "certificate_"):
        terminal.say("Proven everywhere in the box of the items:", *repr(utility.certificate_).splitlines())
    terminal.show(rows_table(best(features.index.tolist(), *utility.predict(features, return_std=True))))
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import save_chart

        with busy("drawing"):
            terminal.say(f"Picture: {save_chart(_drawn(utility), plot)}")
    if save is not None:
        terminal.next(["evaluate", str(save), str(file), "--items", str(items)])


def predict_utility(utility: MonotoneGP | PreferenceGP, items: Path, without: list[str]) -> str:
    """Return the utility of the items of a table and its sd, as CSV."""
    from penchant.cli.exports import table_csv

    features = read_items(items, without)
    mean, deviation = utility.predict(features, return_std=True)
    rows = zip(features.index, mean.tolist(), deviation.tolist(), strict=True)
    return table_csv(
        [{"item": str(name), "utility": value, "sd": sd} for name, value, sd in rows], text=("item",)
    )


def evaluate_utility(
    utility: MonotoneGP | PreferenceGP, file: Path, items: Path | None, without: list[str]
) -> HeldOut:
    """Return how well a utility foretells comparisons of items; ties, which have no better one, are left out."""
    from penchant.gp.generalisation import HeldOut

    if items is None:
        raise InvalidInput("a utility needs the features of the items, got none: give --items TABLE")
    features = read_items(items, without)
    reading = read(file, format=None, strict=False, told={})
    for line in unused(reading):
        complain(line)
    said = reading.preferences
    rows, pairs = said.match(features), said.pairs()
    pairs = pairs[(rows[pairs] >= 0).all(axis=1)]
    if not len(pairs):
        raise InvalidInput(
            f"{file} must hold a pair of a better and a worse item, got none: give another file"
        )
    first, second = (features.iloc[rows[side]] for side in pairs.T)
    return HeldOut.of(utility.win_probability(first, second))


def read_items(path: Path, without: list[str]) -> DataFrame:
    """Return the features of items by their ids, which stand in the first column."""
    table = read_table(path, ids=1)
    absent = [name for name in without if name not in table]
    if absent:
        raise InvalidInput(f"--without must name a column of {path}, got {absent[0]!r}: correct it")
    table = table.set_index(table.columns[0]).drop(columns=without)
    words = [str(name) for name in table if table[name].dtype.kind not in "biuf"]
    if words:
        complain(f"Left out: {', '.join(words)} (no numbers)")
    return table.drop(columns=words)


def best(names: Sequence[object], mean: Floats, deviation: Floats) -> list[dict[str, str]]:
    """Return the items with the highest utility, a row each."""
    order = (-mean).argsort(kind="stable")[:_BEST]
    return [
        {"item": str(names[place]), "utility": f"{mean[place]:.3f}", "sd": f"{deviation[place]:.3f}"}
        for place in order.tolist()
    ]


def _set_columns(utility: Any, name: str, columns: str, model: LearnerName) -> None:
    if name not in utility.get_params():
        raise InvalidInput(
            f"--{name} must be given with monotone-gp only, got {model.value}: take that model"
        )
    utility.set_params(**{name: [column.strip() for column in columns.split(",")]})


def _drawn(utility: Any) -> Any:
    from penchant.plots import slices_chart, utility_chart

    return utility_chart(utility) if utility.n_features_in_ == 2 else slices_chart(utility)
