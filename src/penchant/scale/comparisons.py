"""Fit `BradleyTerry` and `Thurstone` on a cluster: workers count the comparisons of their partitions by pair.

The counts of all partitions are added up on the workers. The client gets the totals of the different pairs, which are
all that these models learn from, and fits the model to them as it fits any weighted comparisons.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from warnings import warn

import numpy as np

from penchant.checks import Floats, Ints, shown
from penchant.counts import counted
from penchant.errors import InvalidInput, PenchantWarning
from penchant.preferences import BAR, Items, Preferences
from penchant.scale.cluster import Cluster, dask_modules
from penchant.scale.partitions import Partition, named_errors
from penchant.worth.inference.pairs import NO_TOTALS, TIE

if TYPE_CHECKING:
    from penchant.worth.paired import PairedWorth

MOST_PAIRS = 50_000_000
"""The most different pairs that the client fits; a fit takes about 150 bytes for each."""


@dataclass(frozen=True, eq=False)
class PairCount:
    """The comparisons of some partitions, counted by pair.

    Attributes
    ----------
    ids : tuple of str, or None
        The items, sorted; None where they are rows of a table, of which there are ``n_items``.
    n_items : int
    whole : bool or None
        Whether ids are sorted as whole numbers; None where that and the order of texts are the same.
    pairs : int array of shape (2, n_pairs)
        Sorted, the lower index first.
    weight : array of shape (3, n_pairs)
        The weight of the comparisons that prefer the first, that prefer the second, and of ties.
    n_comparisons : float
    rejected : tuple of str
        The rows that could not be read, a text for each partition that has some.
    """

    ids: tuple[str, ...] | None
    n_items: int
    whole: bool | None
    pairs: Ints
    weight: Floats
    n_comparisons: float
    rejected: tuple[str, ...] = ()

    @classmethod
    def of(cls, preferences: Preferences, rejected: str = "") -> PairCount:
        """Count the comparisons of ``preferences``, stated or implied."""
        totals = NO_TOTALS.plus(preferences)
        catalogue = preferences.catalogue
        ids, whole = catalogue.names, None
        if ids is not None:
            whole = _sorted_as_numbers(tuple(name for name in ids if name != BAR))
            moved, ids = _arranged(ids, bool(whole))
            totals_pairs, weight = _renumbered(totals.pairs.astype(np.int64), totals.weight, moved)
        else:
            totals_pairs, weight = totals.pairs.astype(np.int64), totals.weight
        total = float(weight.sum())
        return cls(ids, catalogue.count, whole, totals_pairs, weight, total, (rejected,) if rejected else ())

    def __add__(self, other: PairCount) -> PairCount:
        """Return the counts of both, on the items of both."""
        if (self.ids is None) != (other.ids is None):
            raise InvalidInput(
                "items must be ids in all partitions or row numbers in all, got both: convert one of them"
            )
        whole = _both(self.whole, other.whole)
        ids, n_items = None, max(self.n_items, other.n_items)
        sides = [(self.pairs, self.weight), (other.pairs, other.weight)]
        if self.ids is not None and other.ids is not None:
            if self.ids != other.ids or whole != self.whole:
                together = tuple(dict.fromkeys((*self.ids, *other.ids)))
                ids = _arranged(together, bool(whole))[1]
                place = {name: index for index, name in enumerate(ids)}
                sides = [
                    _renumbered(*side, np.array([place[name] for name in names], dtype=np.int64))
                    for side, names in zip(sides, (self.ids, other.ids), strict=True)
                ]
            else:
                ids = self.ids
            n_items = len(ids)
        keys = np.concatenate([pairs[0] * n_items + pairs[1] for pairs, _ in sides])
        different, place_of = np.unique(keys, return_inverse=True)
        if len(different) > MOST_PAIRS:
            raise InvalidInput.of(
                "different pairs of items",
                f"be at most {MOST_PAIRS:,}, since the client fits their totals",
                f"{len(different):,}",
                "fit the most compared items alone, or count files with one machine's disk",
            )
        both = np.concatenate([weight for _, weight in sides], axis=1)
        weight = np.stack([np.bincount(place_of, row, len(different)) for row in both]).astype(np.float64)
        return PairCount(
            ids,
            n_items,
            whole,
            np.stack([different // n_items, different % n_items]),
            weight,
            self.n_comparisons + other.n_comparisons,
            (*self.rejected, *other.rejected),
        )

    def preferences(self) -> Preferences:
        """Return the totals as comparisons, one row for each outcome of each pair, weighted by its total."""
        outcome, pair = np.nonzero(self.weight > 0)
        first, second = self.pairs[:, pair]
        turned = outcome == 1
        rows = np.column_stack([np.where(turned, second, first), np.where(turned, first, second)])
        catalogue = Items(self.n_items) if self.ids is None else Items.named(self.ids)
        return Preferences._from_indices(
            catalogue, rows[:, 0], rows[:, 1], outcome == TIE, weight=self.weight[outcome, pair]
        )


def _sorted_as_numbers(ids: tuple[str, ...]) -> bool | None:
    """Say whether ids are sorted as whole numbers, False if as texts, None if as both."""
    if list(ids) == sorted(ids):
        return None if all(map(_is_whole, ids)) else False
    return all(map(_is_whole, ids))


def _is_whole(name: str) -> bool:
    return name.isascii() and name.removeprefix("-").isdigit()


def _both(first: bool | None, second: bool | None) -> bool | None:
    known = [each for each in (first, second) if each is not None]
    return all(known) if known else None


def _arranged(ids: tuple[str, ...], whole: bool) -> tuple[Ints, tuple[str, ...]]:
    """Return the place of each id among the sorted ones, and these; the bar comes last."""
    key: Any = (
        (lambda name: (name == BAR, int(name) if name != BAR else 0))
        if whole
        else (lambda name: (name == BAR, name))
    )
    arranged = tuple(sorted(ids, key=key))
    place = {name: index for index, name in enumerate(arranged)}
    return np.array([place[name] for name in ids], dtype=np.int64), arranged


def _renumbered(pairs: Ints, weight: Floats, moved: Ints) -> tuple[Ints, Floats]:
    """Return pairs of items that are called ``moved[i]``, the lower first, with the weights of their outcomes."""
    first, second = moved[pairs]
    turned = first > second
    weight = weight.copy()
    weight[0, turned], weight[1, turned] = weight[1, turned], weight[0, turned].copy()
    return np.stack([np.where(turned, second, first), np.where(turned, first, second)]), weight


def count_partition(name: str, parts: tuple[Any, ...], errors: str, options: Mapping[str, Any]) -> PairCount:
    """Read a partition on a worker and count its comparisons."""
    with named_errors(name):
        preferences, rejected = _preferences(parts, options)
        several = not preferences.statements.only_comparisons and preferences.bar is None
        if errors == "auto" and (several or preferences.source is not None):
            raise InvalidInput.of(
                "errors",
                'be "model" on a cluster where rows imply several comparisons, since only counts are kept',
                repr(errors),
                'give errors="model", whose intervals take all comparisons to be independent',
            )
        return PairCount.of(preferences, f"{name}: {rejected}" if rejected else "")


def _preferences(parts: tuple[Any, ...], options: Mapping[str, Any]) -> tuple[Preferences, str]:
    """Return the preferences of a partition, and a text about rows that were left out."""
    (given,) = parts
    if isinstance(given, Preferences):
        return given, ""
    if isinstance(given, np.ndarray):
        return Preferences.from_pairs(given), ""
    from penchant.formats import read_file, read_frame
    from penchant.formats.parsing.reading import rejected_in_short

    if isinstance(given, str):
        reading = read_file(given, **options)
    elif {"better", "worse"} <= set(options) and not set(options) - {"better", "worse", "weight", "tie"}:
        return Preferences.from_frame(given, **options), ""
    else:
        reading = read_frame(given, **options)
    return reading.preferences, rejected_in_short(reading.refusals) if reading.refusals else ""


def fit_worth(
    model: PairedWorth, partitions: list[Partition], cluster: Cluster, options: Mapping[str, Any]
) -> PairedWorth:
    """Count the comparisons of all partitions, and fit ``model`` to the totals."""
    if model.errors not in ("auto", "model"):
        raise InvalidInput.of(
            "errors",
            'be "auto" or "model" on a cluster, since only counts are kept',
            shown(model.errors),
            'give "model"',
        )
    model._check_settings(False)
    delayed = dask_modules()[0].delayed
    tasks = [
        delayed(count_partition)(partition.name, partition.parts, model.errors, dict(options))
        for partition in partitions
    ]
    futures = cluster.compute(tasks)
    total = cluster.total(futures, PairCount.__add__)
    cluster.wait(futures)
    found: PairCount = cluster.result(total)
    if found.rejected:
        more = len(found.rejected) - 1
        others = f" (and rows of {counted(more, 'other partition')})" if more else ""
        warn(found.rejected[0] + others, PenchantWarning, stacklevel=4)
    return model.fit(found.preferences())
