"""``penchant fit utility``: learn a utility of features from comparisons; predict and evaluate it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from penchant.cli.command import kept_warnings, note_saved, report
from penchant.cli.inputs import read_features, read_reported
from penchant.cli.options import (
    File,
    Force,
    Items,
    Save,
    Setting,
    Without,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import check_new, check_outputs, print_json, table_csv
from penchant.cli.places import StudyPlace
from penchant.cli.terminal import Terminal, drawn, rows_table, working
from penchant.errors import InvalidInput
from penchant.progress import step_done
from penchant.registry import find

if TYPE_CHECKING:
    from penchant.checks import Floats
    from penchant.gp import MonotoneGP, PreferenceGP
    from penchant.gp.generalisation import HeldOut

_BEST = 5
_BLOCK = 10_000  # items or pairs that are predicted at once


def _columns(way: str) -> Any:
    return option("COLUMNS", f"Features in which the utility of monotone-gp {way}, by commas.")


def fit_utility(
    file: File,
    items: Items = None,
    model: Annotated[str, model_option("utility", "What to fit.")] = "preference-gp",
    increasing: Annotated[str | None, _columns("must rise")] = None,
    decreasing: Annotated[str | None, _columns("must fall")] = None,
    setting: Setting = None,
    save: Save = None,
    force: Force = False,
    plot: Annotated[Path | None, picture_option("Draw the utility")] = None,
    without: Without = None,
) -> None:
    """Learn a utility of features from comparisons of items."""
    from penchant.saving import save as save_model

    table = _required(items)
    check_outputs([file, table], [save], [plot])
    check_new([save], force)
    entry = find(model, "utility")
    utility = made(entry, setting)
    for name, columns in (("increasing", increasing), ("decreasing", decreasing)):
        if columns is not None and name not in entry.options:
            raise InvalidInput.of(f"--{name}", "be given with monotone-gp only", model, "take that model")
        if columns is not None:
            utility.set_params(**{name: [column.strip() for column in columns.split(",")]})
    features = read_features(table, without or [])
    preferences = read_reported(file).preferences
    with kept_warnings() as warned, working(f"fitting {type(utility).__name__}"):
        utility.fit_pairs(features, preferences)
    if save is not None:
        save_model(utility, save)
        note_saved(save)
    for line in warned:
        report(line)
    terminal = Terminal()
    terminal.say(f"{utility!r}, fitted to {preferences.n_pairs:,} pairs of {len(features):,} items")
    if hasattr(utility, "certificate_"):
        terminal.say("Proven everywhere in the box of the items:", *repr(utility.certificate_).splitlines())
    terminal.show(rows_table(_best(features.index.tolist(), *utility.predict(features, return_std=True))))
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import slices_chart, utility_chart

        chart = utility_chart if utility.n_features_in_ == 2 else slices_chart
        terminal.say(f"Picture: {drawn(lambda: chart(utility), plot)}")
    if save is not None:
        ending = file.suffix if isinstance(file, Path) else ".csv"
        terminal.next(["evaluate", str(save), f"UNSEEN{ending}", "--items", str(table)])


def predict_utility(utility: MonotoneGP | PreferenceGP, items: Path, without: list[str]) -> str:
    """Return the utility of the items of a table and its sd, as CSV."""
    features = read_features(items, without)
    means, deviations = [], []
    with working("predicting"):
        for begin in range(0, len(features), _BLOCK):
            step_done(begin, len(features))
            mean, deviation = utility.predict(features.iloc[begin : begin + _BLOCK], return_std=True)
            means += mean.tolist()
            deviations += deviation.tolist()
    rows = zip(features.index, means, deviations, strict=True)
    return table_csv(
        [{"item": str(name), "utility": value, "sd": sd} for name, value, sd in rows], text=("item",)
    )


def evaluate_utility(
    utility: MonotoneGP | PreferenceGP,
    file: StudyPlace,
    items: Path | None,
    without: list[str],
    *,
    json: bool,
) -> None:
    """Print how well a utility predicts comparisons of items; ties, which have no better one, are left out."""
    found = _held_out(utility, file, items, without)
    if json:
        print_json(vars(found))
        return
    Terminal().say(
        f"log loss  {found.log_loss:.3f} ± {found.log_loss_se:.3f}  (a coin has 0.693)",
        f"right     {100 * found.accuracy:.1f} ± {100 * found.accuracy_se:.1f} % of {found.count:,} pairs",
    )


def _held_out(
    utility: MonotoneGP | PreferenceGP, file: StudyPlace, items: Path | None, without: list[str]
) -> HeldOut:
    import numpy as np

    from penchant.gp.generalisation import HeldOut

    features = read_features(_required(items), without)
    preferences = read_reported(file).preferences
    rows, pairs = preferences.match(features), preferences.pairs()
    pairs = pairs[(rows[pairs] >= 0).all(axis=1)]
    if not len(pairs):
        raise InvalidInput(
            f"{file} must hold a pair of a better and a worse item, got none: give another file"
        )
    probability, blocks = [], range(0, len(pairs), _BLOCK)
    with working("evaluating"):
        for done, start in enumerate(blocks, 1):
            first, second = (features.iloc[rows[side]] for side in pairs[start : start + _BLOCK].T)
            probability.append(utility.win_probability(first, second))
            step_done(done, len(blocks))
    return HeldOut.of(np.concatenate(probability))


def _best(names: list[object], mean: Floats, deviation: Floats) -> list[dict[str, str]]:
    """Return the items with the highest utility, a row each."""
    order = (-mean).argsort(kind="stable")[:_BEST]
    return [
        {"item": str(names[place]), "utility": f"{mean[place]:.3f}", "sd": f"{deviation[place]:.3f}"}
        for place in order.tolist()
    ]


def _required(items: Path | None) -> Path:
    if items is None:
        raise InvalidInput("a utility needs the features of the items, got none: give --items TABLE")
    return items
