"""The last step, inside: ``penchant fit`` of utilities. Comparisons and a table of items in; a model out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.learners import LEARNERS, LearnerName
from penchant.cli.outputs import check_outputs
from penchant.cli.progress import busy
from penchant.cli.reading import read, unused
from penchant.cli.refusals import complain, kept_warnings
from penchant.errors import InvalidInput

if TYPE_CHECKING:
    from pandas import DataFrame

    from penchant.gp import MonotoneGP, PreferenceGP

UTILITIES = (LearnerName.preference_gp, LearnerName.monotone_gp)
_BEST = 5

Items = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="Of preference-gp and monotone-gp: the features of the items (.csv, .tsv), ids in the first column.",
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
    check_outputs(file, [save], [plot])
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
    terminal.show(rows_table(best(utility, features)))
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import save_chart

        with busy("drawing"):
            terminal.say(f"Picture: {save_chart(_drawn(utility), plot)}")


def read_items(path: Path, without: list[str]) -> DataFrame:
    """Return the features of items by their ids, which stand in the first column."""
    import pandas as pd

    from penchant.cli.documents import TABLES

    kind = path.suffix.lower()
    if kind not in TABLES:
        raise InvalidInput(f"{path} must be a table that ends in {' or '.join(TABLES)}: give such a file")
    try:
        table = pd.read_csv(path, sep=TABLES[kind], index_col=0, converters={0: str})
    except (pd.errors.ParserError, pd.errors.EmptyDataError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} cannot be read as a table ({error}): repair it") from None
    absent = [name for name in without if name not in table]
    if absent:
        raise InvalidInput(f"--without must name a column of {path}, got {absent[0]!r}: correct it")
    table = table.drop(columns=without)
    words = [str(name) for name in table if table[name].dtype.kind not in "biuf"]
    if words:
        complain(f"Left out: {', '.join(words)} (no numbers)")
    return table.drop(columns=words)


def best(utility: MonotoneGP | PreferenceGP, features: DataFrame) -> list[dict[str, str]]:
    """Return the items with the highest utility, a row each."""
    mean, deviation = utility.predict(features, return_std=True)
    order = (-mean).argsort(kind="stable")[:_BEST]
    return [
        {"item": str(features.index[place]), "utility": f"{mean[place]:.3f}", "sd": f"{deviation[place]:.3f}"}
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
