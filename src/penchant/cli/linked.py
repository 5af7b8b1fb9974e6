"""Items that are linked. Answers, features and links as files in; a ``LinkedGP`` out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from penchant.cli.outputs import check_outputs
from penchant.cli.progress import counting
from penchant.cli.reading import read, unused
from penchant.cli.refusals import complain, kept_warnings
from penchant.cli.tables import read_table
from penchant.cli.utilities import read_items
from penchant.errors import InvalidInput, UnknownItem

if TYPE_CHECKING:
    from pandas import DataFrame

    from penchant.gp import LinkedGP
    from penchant.preferences import Preferences
    from penchant.preferences.items import Items

_SHOWN = 10
MOST_ANSWERS = 50_000
"""More are rejected: learning would take too long."""

Links = Annotated[
    Path | None,
    typer.Option(
        metavar="TABLE",
        help="Links between items (.csv, .tsv): two columns of ids, and perhaps one of weights.",
        show_default=False,
    ),
]


def fit_linked(
    file: Path,
    model: LinkedGP | None,
    *,
    items: Path | None,
    links: Path | None,
    without: list[str],
    save: Path | None,
    plot: Path | None,
) -> None:
    """Learn from comparisons of linked items, say what was learned, and save it; ``model`` has settings to be kept."""
    from penchant.cli.terminal import Terminal, ranking_table
    from penchant.saving import save as save_model

    check_outputs([file, items, links], [save], [plot])
    reading = read(file, format=None, strict=False, told={})
    for line in unused(reading):
        complain(line)
    with kept_warnings() as said:
        known = read_linked(
            reading.preferences, items=items, links=links, without=without, settings=model is not None
        )
        fitted = known.learned(model)
        ranking = fitted.rank()
    if save is not None:
        save_model(fitted, save)
    for line in said:
        complain(line)
    terminal = Terminal()
    terminal.say(
        f"{fitted!r}, fitted to {len(fitted.comparisons_):,} answers about {fitted.n_items_:,} items"
    )
    terminal.show(ranking_table(ranking, _SHOWN))
    if save is not None:
        terminal.say(f"Saved: {save}")
    if plot is not None:
        from penchant.plots import ranking_chart, save_chart

        terminal.say(f"Picture: {save_chart(ranking_chart(ranking), plot)}")
    given = [
        word for name, path in (("--items", items), ("--links", links)) if path for word in (name, str(path))
    ]
    terminal.next(["suggest", str(file), *given])


@dataclass(frozen=True, eq=False)
class LinkedAnswers:
    """Answers about items, and what is known of the items: features, links, both or neither.

    Attributes
    ----------
    said : Preferences
    features : array of shape (n_items, n_features), or None
    links : sparse array of shape (n_items, n_items), or None
    """

    said: Preferences
    features: Any
    links: Any

    def learned(self, model: LinkedGP | None) -> LinkedGP:
        """Return what was learned from all answers; ``model`` has settings to be kept."""
        from penchant.gp.linked_gp import learned_from

        with counting("learning") as report:
            return learned_from(
                self.said, features=self.features, links=self.links, model=model, progress=report
            )


def read_linked(
    said: Preferences, *, items: Path | None, links: Path | None, without: list[str], settings: bool
) -> LinkedAnswers:
    """Return answers with the features and links of their items, or say that they are too many to learn from.

    Features are standardised, so that the usual lengthscale fits them. Without ``settings`` these are to be learned.
    """
    from penchant.gp.linked.graph_prior import WRITTEN_OUT
    from penchant.preferences.items import Items

    if said.n_pairs + said.n_ties > MOST_ANSWERS:
        raise InvalidInput(
            f"answers must be at most {MOST_ANSWERS:,} pairs, got {said.n_pairs + said.n_ties:,}: use penchant rank, "
            "or a sample of the rows"
        )
    features = None if items is None else _standardised(read_items(items, without), items)
    edges = None if links is None else read_links(links)
    said = _without_bar(said)
    catalogue = Items.named(_names(said, edges) if features is None else features.index)
    if edges is not None and not settings and catalogue.count > WRITTEN_OUT:
        raise InvalidInput(
            f"settings of linked items are learned for at most {WRITTEN_OUT:,} items, got {catalogue.count:,}: "
            "give them, for instance --set beta=1 --set iota=1"
        )
    graph = None if edges is None else _matrix(edges, catalogue, links)
    return LinkedAnswers(said.on(catalogue), None if features is None else features.to_numpy(), graph)


def _without_bar(said: Preferences) -> Preferences:
    """Leave out both-bad answers, which compare with the bar and tell nothing about the order of the items."""
    import numpy as np

    if said.bar is None:
        return said
    told = said.comparisons()
    bad = np.isin(np.arange(len(said)), told.row[(told.better == said.bar) | (told.worse == said.bar)])
    complain(f"Left out: {bad.sum():,} answers that both are bad, which say nothing about their order")
    return said[~bad].among(np.arange(said.bar))


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


def _names(said: Preferences, edges: DataFrame | None) -> list[str]:
    linked = [] if edges is None else [*edges.iloc[:, 0], *edges.iloc[:, 1]]
    return list(dict.fromkeys([*said.items, *linked]))


def _matrix(edges: DataFrame, catalogue: Items, path: Path | None) -> Any:
    """Return the symmetric matrix of weights; a link that stands twice, either way round, counts twice."""
    from scipy import sparse

    try:
        first, second = (catalogue.encode(edges.iloc[:, place].tolist()) for place in (0, 1))
    except UnknownItem as unknown:
        raise UnknownItem(f"{path}: {unknown}") from None
    apart = first != second
    weights = edges.iloc[:, 2].to_numpy(dtype=float)[apart]
    half = sparse.coo_array((weights, (first[apart], second[apart])), shape=(catalogue.count,) * 2).tocsr()
    return half + half.T


def _standardised(features: DataFrame, path: Path) -> DataFrame:
    spread = features.std(ddof=0)
    varied = features.loc[:, spread > 0]
    if varied.shape[1] == 0:
        raise InvalidInput(f"{path} must have a column of numbers that differ, got none: add one")
    return (varied - varied.mean()) / varied.std(ddof=0)
