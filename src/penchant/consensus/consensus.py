"""`consensus`: the order of all items that agrees best with the orders of many voters, by four methods."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np

from penchant.checks import Floats, Ints, check_number, one_of
from penchant.consensus.linear_ordering import contradicted, kemeny
from penchant.consensus.pairwise import pairwise_counts, shortest_cycle, tiers, winner
from penchant.counts import Count, Counts, are_whole, as_counts, counted, shown_count
from penchant.errors import InvalidInput
from penchant.orders import cohen_order, order_from_scores
from penchant.preferences import Preferences
from penchant.text import percent, text_table

if TYPE_CHECKING:
    from pandas import DataFrame

Method = Literal["kemeny", "cohen", "borda", "copeland"]
METHODS: tuple[Method, ...] = ("kemeny", "cohen", "borda", "copeland")
UNRANKED = ("ignored", "last")
SECONDS = 30.0
_SHOWN = 20


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """One order for many voters, and how well it and other orders agree with them. `consensus` makes it.

    Attributes
    ----------
    order : tuple of str
        Ids, best first.
    method : str
    distance : int or float
        The weight of the preferences of a voter for one item over another that the order contradicts.
    bound : int or float
        What every order contradicts at least.
    proven : bool
        Whether no order contradicts less: ``distance`` is equal to ``bound``. Other orders may do as well.
    pairwise : array of shape (n, n)
        The weight of the voters who prefer ``order[i]`` to ``order[j]``. What stands below the diagonal adds up to
        ``distance``.
    condorcet, loser : str or None
        The item that a majority prefers to each other one, and the one to which a majority prefers each other one.
    cycles : tuple of tuples of str
        A shortest cycle of majorities in each group of items that such cycles connect: each item is preferred by a
        majority to the next, and the last to the first.
    tiers : tuple of tuples of str
        The groups inside which majorities lead from each item to each other, best first. A Kemeny order puts every
        item of a group before those of the next, if a majority prefers one of the group to one of those.
    orders : dict
        The order of each method.
    distances : dict
        The distance of each method.
    borda, copeland : dict
        The scores of each item: the preferences for it less those against it, and the majorities that it wins less
        those that it loses.
    total : int or float
        The weight of all preferences of a voter for one item over another.
    voters : int or float
        The weight of all rows.

    Examples
    --------
    >>> from penchant import Preferences
    >>> votes = Preferences.from_rankings([["tea", "coffee"], ["tea", "water"], ["coffee", "water"]])
    >>> found = consensus(votes)
    >>> found.order, found.condorcet, found.loser
    (('tea', 'coffee', 'water'), 'tea', 'water')
    >>> found.borda
    {'coffee': 0, 'tea': 2, 'water': -2}
    """

    order: tuple[str, ...]
    method: str
    distance: Count
    bound: Count
    proven: bool
    pairwise: Counts
    condorcet: str | None
    loser: str | None
    cycles: tuple[tuple[str, ...], ...]
    tiers: tuple[tuple[str, ...], ...]
    orders: Mapping[str, tuple[str, ...]]
    distances: Mapping[str, Count]
    borda: Mapping[str, Count]
    copeland: Mapping[str, int]
    total: Count
    voters: Count

    def __len__(self) -> int:
        return len(self.order)

    def rows(self, most: int | None = None) -> list[dict[str, str]]:
        """Return what a table shows of each item (or of the first ``most``), as text."""
        places = {name: _places(order) for name, order in self.orders.items() if name != self.method}
        return [
            {
                "rank": str(rank),
                "item": item,
                **{name: str(place[item]) for name, place in places.items()},
                "for − against": shown_count(self.borda[item]),
                "majorities": f"{self.copeland[item]:+d}",
            }
            for rank, item in enumerate(self.order[:most], 1)
        ]

    def method_rows(self) -> list[dict[str, str]]:
        """Return what a table shows of each method, as text: what its order contradicts, and its first items."""
        return [
            {
                "method": name,
                "contradicts": shown_count(self.distances[name]),
                "share": percent(float(self.distances[name]) / max(float(self.total), 1e-300), 1),
                "first": ", ".join(order[:3]) + (", …" if len(order) > 3 else ""),
            }
            for name, order in self.orders.items()
        ]

    def findings(self) -> list[str]:
        """Return as sentences how near the order is, the Condorcet winner and loser, and the cycles."""
        of_all = f"{shown_count(self.distance)} of {counted(self.total, 'preference')}"
        share = percent(float(self.distance) / max(float(self.total), 1e-300), 1)
        if self.proven:
            near = "proven: no order contradicts less"
        else:
            near = f"not proven to be the least: every order contradicts at least {shown_count(self.bound)}"
        lines = [f"The order contradicts {of_all} ({share}); {near}"]
        lines.append(
            f"Condorcet winner: {self.condorcet}" if self.condorcet else "Condorcet winner: there is none"
        )
        if self.loser:
            lines.append(f"Condorcet loser: {self.loser}")
        lines += [f"Cycle of majorities: {' > '.join([*cycle, cycle[0]])}" for cycle in self.cycles]
        return lines

    def to_frame(self) -> DataFrame:
        """Return one row an item, best first: its rank by each method, its Borda and its Copeland score."""
        from pandas import DataFrame

        places = {name: _places(order) for name, order in self.orders.items()}
        columns: dict[str, Any] = {"rank": range(1, len(self) + 1), "item": list(self.order)}
        columns |= {name: [place[item] for item in self.order] for name, place in places.items()}
        columns["borda_score"] = [self.borda[item] for item in self.order]
        columns["copeland_score"] = [self.copeland[item] for item in self.order]
        return DataFrame(columns)

    def pairwise_frame(self) -> DataFrame:
        """Return ``pairwise`` with the ids of the items as its index and columns."""
        from pandas import DataFrame

        return DataFrame(self.pairwise, index=list(self.order), columns=list(self.order))

    def to_json(self) -> str:
        """Return everything as JSON text."""
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return json.dumps(fields | {"pairwise": self.pairwise.tolist()}, ensure_ascii=False, allow_nan=False)

    def __repr__(self) -> str:
        lines = text_table(self.rows(_SHOWN), right={"rank", *METHODS, "for − against", "majorities"})
        if len(self) > _SHOWN:
            lines.append(f"… and {len(self) - _SHOWN:,} more: to_frame() has them all")
        return "\n".join([*lines, *self.findings()])

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        """Return the picture that a notebook shows, also offline, with the text beside it."""
        from penchant.plots import pairwise_chart, svg_text

        return {"image/svg+xml": svg_text(pairwise_chart(self)), "text/plain": repr(self)}


def consensus(
    preferences: Preferences,
    method: Method = "kemeny",
    *,
    unranked: Literal["ignored", "last"] = "ignored",
    seconds: float = SECONDS,
) -> Consensus:
    """Return the order that agrees with the voters, and how well, by all methods.

    A row is a voter, or as many as its weight says. A pair of items counts where a voter prefers one to the other; a
    tie, and a pair that a voter does not rank, count for neither, so that they change no distance.

    - ``"kemeny"``: of all orders one that contradicts the fewest preferences (Kemeny 1959). It is searched with an
      integer programme in each group of items that majorities connect in cycles, and is exact unless the time runs out.
    - ``"cohen"``: again and again the item with most preferences for it less those against it, among the items left.
    - ``"borda"``: by the preferences for an item less those against it. Where all voters rank all items this is Borda's
      count.
    - ``"copeland"``: by the majorities that an item wins less those that it loses.

    Equal scores are in the order of the items. The bar of both-bad answers is left out.

    Parameters
    ----------
    preferences : Preferences
        Rankings, choices or comparisons of at most 2,000 items.
    method : {"kemeny", "cohen", "borda", "copeland"}, default "kemeny"
        Which of the orders is ``order``; all four are computed.
    unranked : {"ignored", "last"}, default "ignored"
        What it says of an item that a voter does not rank: nothing, or that all ranked ones are preferred to it.
    seconds : float, default 30
        The time for the search of the Kemeny order. If it ends before the order is proven, ``order`` is the best that
        was found and ``bound`` what was proven, which then depend on the machine.

    Examples
    --------
    >>> votes = [["tea", "coffee", "water"], ["coffee", "water", "tea"], ["water", "tea", "coffee"]]
    >>> found = consensus(Preferences.from_rankings(votes, weight=[4, 3, 2]))
    >>> found.order, found.distance, found.proven
    (('tea', 'coffee', 'water'), 10, True)
    >>> found.condorcet, found.cycles
    (None, (('coffee', 'water', 'tea'),))

    References
    ----------
    Kemeny, Mathematics without numbers, Daedalus 88 (1959). Conitzer, Davenport and Kalagnanam, Improved bounds for
    computing Kemeny rankings, AAAI (2006).
    """
    one_of("method", method, METHODS)
    one_of("unranked", unranked, UNRANKED)
    check_number("seconds", seconds, least=0, remedy=f"{SECONDS:g} is usual")
    counts = pairwise_counts(preferences, unranked=unranked)
    if not counts.any():
        raise InvalidInput.of(
            "preferences", "prefer some item to another", "none that do", "add rankings of two items or more"
        )
    best = kemeny(counts, seconds=seconds)
    net = counts - counts.T
    majorities = np.sign(net).astype(np.int64).sum(axis=1)
    found = {
        "kemeny": best.order,
        "cohen": cohen_order(counts),
        "borda": order_from_scores(net.sum(axis=1)),
        "copeland": order_from_scores(majorities),
    }
    return _result(preferences, method, counts, found, best.bound, majorities)


def _result(
    preferences: Preferences,
    method: str,
    counts: Floats,
    found: Mapping[str, Ints],
    bound: float,
    majorities: Ints,
) -> Consensus:
    names = preferences.items[: len(counts)]
    whole = are_whole(preferences.weight)

    def ids(indices: Sequence[int] | Ints) -> tuple[str, ...]:
        return tuple(names[item] for item in indices)

    def count(value: float) -> Count:
        return cast("Count", as_counts(np.array([value]), whole=whole)[0].item())

    order = found[method]
    groups = tiers(counts)
    best, last = winner(counts), winner(counts.T)
    distances = {name: count(contradicted(counts, by)) for name, by in found.items()}
    least = count(np.ceil(bound - 1e-6)) if whole else bound
    net = (counts - counts.T).sum(axis=1).tolist()
    return Consensus(
        order=ids(order),
        method=method,
        distance=distances[method],
        bound=least,
        proven=bool(distances[method] <= least),
        pairwise=as_counts(counts[np.ix_(order, order)], whole=whole),
        condorcet=None if best is None else names[best],
        loser=None if last is None else names[last],
        cycles=tuple(_cycle(counts, members, names) for members in groups if len(members) > 1),
        tiers=tuple(map(ids, groups)),
        orders={name: ids(by) for name, by in found.items()},
        distances=distances,
        borda={name: count(value) for name, value in zip(names, net, strict=True)},
        copeland=dict(zip(names, majorities.tolist(), strict=True)),
        total=count(float(counts.sum())),
        voters=preferences.n_answers,
    )


def _cycle(counts: Floats, members: Ints, names: Sequence[str]) -> tuple[str, ...]:
    inside = counts[np.ix_(members, members)]
    return tuple(names[members[item]] for item in shortest_cycle(inside > inside.T))


def _places(order: Sequence[str]) -> dict[str, int]:
    return {item: place for place, item in enumerate(order, 1)}
