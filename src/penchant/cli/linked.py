"""``penchant fit linked`` and ``penchant suggest``: learn about linked items, and choose pairs to ask about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.command import kept_warnings, note_saved, report
from penchant.cli.inputs import (
    files_read,
    read,
    read_as,
    read_features,
    read_reported,
    read_table,
    unused,
)
from penchant.cli.options import (
    Csv,
    File,
    Force,
    Format,
    Items,
    Json,
    Save,
    Setting,
    Strict,
    Without,
    made,
    model_option,
    option,
    picture_option,
)
from penchant.cli.outputs import PRINTED, check_new, check_outputs, print_json, table_csv, write_rows
from penchant.cli.terminal import Terminal, busy, drawn, rows_table, working
from penchant.errors import InvalidInput, Text, UnknownItem
from penchant.registry import MODELS, find
from penchant.text import percent

if TYPE_CHECKING:
    from pandas import DataFrame

    from penchant.gp import LinkedGP
    from penchant.preferences import Preferences
    from penchant.preferences.items import Items as Catalogue

_SHOWN = 10
_NAMED = 5  # more ids than that are only counted
_MODEL = "linked-gp"
MOST_ANSWERS = 50_000
"""More are rejected: learning would take too long."""

Links = Annotated[
    Path | None,
    option("TABLE", "Links between items (.csv, .tsv): two columns of ids, and perhaps one of weights."),
]


def fit_linked(
    file: File,
    model: Annotated[str, model_option("linked", "What to fit.")] = _MODEL,
    items: Items = None,
    links: Links = None,
    setting: Setting = None,
    save: Save = None,
    force: Force = False,
    plot: Annotated[Path | None, picture_option("Draw the ranking")] = None,
    without: Without = None,
) -> None:
    """Learn from comparisons of items that have features, links or both; settings are learned unless given."""
    from penchant.saving import save as save_model

    check_outputs([file, items, links], [save], [plot])
    check_new([save], force)
    entry = find(model, "linked")
    given = made(entry, setting) if setting else None
    preferences = read_reported(file).preferences
    with kept_warnings() as warned:
        answers = read_linked(preferences, items, links, without or [], settings=given is not None)
        fitted = answers.learned(given)
        ranking = fitted.rank()
    if save is not None:
        save_model(fitted, save)
        note_saved(save)
    for line in warned:
        report(line)
    terminal = Terminal()
    terminal.say(
        f"{fitted!r}, fitted to {len(fitted.comparisons_):,} answers about {fitted.n_items_:,} items"
    )
    terminal.show(rows_table(ranking.rows(_SHOWN)))
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import ranking_chart

        terminal.say(f"Picture: {drawn(lambda: ranking_chart(ranking), plot)}")
    tables = (("--items", items), ("--links", links))
    terminal.next(
        ["suggest", str(file), *(word for name, path in tables if path for word in (name, str(path)))]
    )


def suggest(
    file: File,
    columns: Mapping[str, Any],
    items: Items = None,
    links: Links = None,
    count: Annotated[int, typer.Option(min=1, help="How many pairs.")] = 10,
    top: Annotated[
        int | None,
        option("K", "Settle the best K only, not the whole order.", min=1),
    ] = None,
    setting: Setting = None,
    csv: Csv = None,
    json: Json = False,
    without: Without = None,
    format: Format = None,
    strict: Strict = False,
) -> None:
    """Choose the pairs of FILE's items to ask people about next, and report how settled the order is."""
    from penchant.ask import next_pairs, settled
    from penchant.ask.value import DEFAULT, check_top

    if without and items is None:
        raise InvalidInput(
            "--without must be given with --items, got it alone: give the table that has the column"
        )
    check_outputs([*files_read(file, columns), items, links], [csv], json=json)
    reading = read(file, format=format, strict=strict, columns=columns)
    given = made(MODELS[_MODEL], setting) if setting else None
    with kept_warnings() as warned:
        answers = read_linked(reading.preferences, items, links, without or [], settings=given is not None)
        n_items = answers.preferences.n_items
        check_top(top, n_items)
        model = answers.learned(given)
        most = n_items * (n_items - 1) // 2
        rule = DEFAULT if top is None else "top"
        with working("choosing pairs"):
            pairs = next_pairs(model, count=min(count, most), rule=rule, top=top)
        with working("estimating how settled the order is"):
            state = settled(model, top=top) if _can_be_judged(n_items, top) else None
    rows = [_row(model, *pair) for pair in pairs]
    if json:
        print_json({"pairs": rows, "settled": None if state is None else vars(state)})
    if csv is not None:
        named = [{"left": row["left"], "right": row["right"]} for row in rows]
        write_rows(csv, table_csv(named, text=("left", "right")))
    for line in (*unused(reading), *warned):
        report(line)
    if json or csv == PRINTED:
        return
    terminal = Terminal()
    terminal.say(repr(reading.preferences), f"Model: {model!r}")
    terminal.show(rows_table([{**row, "left wins": percent(row["left wins"])} for row in rows]))
    terminal.say(f"Settled: {_not_judged(n_items, top) if state is None else state}")
    if csv is not None:
        terminal.say(f"Pairs: {csv}")
    terminal.next(["rank", str(file), *read_as(columns, format)])


def _can_be_judged(n_items: int, top: int | None) -> bool:
    """Return whether `settled` draws so many items together."""
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


@dataclass(frozen=True, eq=False)
class LinkedAnswers:
    """Answers about items that have features, links, both or neither.

    Attributes
    ----------
    preferences : Preferences
    features : array of shape (n_items, n_features), or None
    links : sparse array of shape (n_items, n_items), or None
    """

    preferences: Preferences
    features: Any
    links: Any

    def learned(self, model: LinkedGP | None) -> LinkedGP:
        """Return a model fitted to all answers; ``model`` has settings to be kept."""
        from penchant.gp.linked_gp import learned_from

        with busy("learning", steps=True) as progress:
            return learned_from(
                self.preferences, features=self.features, links=self.links, model=model, progress=progress
            )


def read_linked(
    preferences: Preferences, items: Path | None, links: Path | None, without: list[str], *, settings: bool
) -> LinkedAnswers:
    """Return answers with the features and links of their items, or reject more answers than can be learned from.

    Features are standardised, so that the usual lengthscale fits them. Without ``settings`` these are to be learned.
    The items are those of the table; without one those of the answers and of the links, and those of the links alone
    are reported, since one of them may be misspelt.
    """
    from penchant.counts import counted
    from penchant.gp.linked.graph_prior import WRITTEN_OUT
    from penchant.preferences.items import Items as Catalogue

    count = preferences.n_pairs + preferences.n_ties
    if count > MOST_ANSWERS:
        raise InvalidInput(
            f"answers must be at most {MOST_ANSWERS:,} pairs, got {count:,}: use penchant rank, "
            "or a sample of the rows"
        )
    table = None if items is None else read_features(items, without)
    edges = None if links is None else read_links(links)
    preferences = _without_bar(preferences)
    names = list(preferences.items if table is None else table.index)
    if edges is not None and table is None:
        both_ends = dict.fromkeys([*edges.iloc[:, 0], *edges.iloc[:, 1]])
        answered = set(names)
        unanswered = [name for name in both_ends if name not in answered]
        if unanswered and names:
            shown = ", ".join(unanswered[:_NAMED]) + (", …" if len(unanswered) > _NAMED else "")
            report(f"Note: {counted(len(unanswered), 'item')} of {links} without answers: {shown}")
        names += unanswered
    catalogue = Catalogue.named(names)
    if edges is not None and not settings and catalogue.count > WRITTEN_OUT:
        raise InvalidInput(
            f"settings of linked items are learned for at most {WRITTEN_OUT:,} items, got {catalogue.count:,}: "
            "give them, for instance --set beta=1 --set iota=1"
        )
    graph = None if edges is None else _matrix(edges, catalogue, links)
    if table is None or (edges is not None and table.shape[1] == 0):  # a table of ids alone names the items
        return LinkedAnswers(preferences.on(catalogue), None, graph)
    return LinkedAnswers(preferences.on(catalogue), _standardised(table, items).to_numpy(), graph)


def _without_bar(preferences: Preferences) -> Preferences:
    """Leave out both-bad answers, which compare with the bar and not with one another."""
    import numpy as np

    bar = preferences.bar
    if bar is None:
        return preferences
    pairs = preferences.comparisons()
    bad = np.isin(np.arange(len(preferences)), pairs.row[(pairs.better == bar) | (pairs.worse == bar)])
    report(f"Left out: {bad.sum():,} answers that both are bad, which say nothing about their order")
    return preferences[~bad].among(np.arange(bar))


def read_links(path: Path) -> DataFrame:
    """Return the links of a table: two columns of ids and one of weights, which are 1 where there is none."""
    table = read_table(path, ids=2)
    if table.shape[1] == 2:
        return table.assign(weight=1.0)
    if table.shape[1] != 3 or table.iloc[:, 2].dtype.kind not in "iuf":
        raise InvalidInput(
            f"{path} must have two columns of ids and perhaps one of weights, got "
            f"{', '.join(map(str, table))}: keep those"
        )
    return table


def _matrix(edges: DataFrame, catalogue: Catalogue, path: Path | None) -> Any:
    """Return the symmetric matrix of weights; a link that is given twice, either way round, counts twice."""
    from scipy import sparse

    try:
        first, second = (catalogue.encode(edges.iloc[:, place].tolist()) for place in (0, 1))
    except UnknownItem as unknown:
        raise UnknownItem(Text(f"{path}: ", unknown.args[0])) from None
    apart = first != second
    weights = edges.iloc[:, 2].to_numpy(dtype=float)[apart]
    half = sparse.coo_array((weights, (first[apart], second[apart])), shape=(catalogue.count,) * 2).tocsr()
    return half + half.T


def _standardised(features: DataFrame, path: Path | None) -> DataFrame:
    spread = features.std(ddof=0)
    varied = features.loc[:, spread > 0]
    if varied.shape[1] == 0:
        raise InvalidInput(f"{path} must have a column of numbers that differ, got none: add one")
    return (varied - varied.mean()) / varied.std(ddof=0)
