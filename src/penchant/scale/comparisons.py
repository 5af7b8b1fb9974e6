"""Fit `BradleyTerry` and `Thurstone` on a cluster: workers count the comparisons of their partitions by pair.

The counts of all partitions, `PairCounts`, are added up on the workers. The client gets those of the different pairs,
which are all that these models learn from, and fits the model to them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats.parsing.source import NoRows
from penchant.preferences import PairCounts, Preferences
from penchant.progress import part
from penchant.scale.cluster import Cluster, dask_modules
from penchant.scale.partitions import Partition, named_errors

if TYPE_CHECKING:
    from penchant.worth.paired import PairedWorth

MOST_PAIRS = 50_000_000
"""The most different pairs that the client fits; a fit takes about 150 bytes for each."""


class PartitionCounts(NamedTuple):
    """The comparisons of some partitions, counted by pair, and texts about rows that were left out.

    ``counts`` is None where there are no comparisons.
    """

    counts: PairCounts | None
    rejected: tuple[str, ...] = ()

    def plus(self, other: PartitionCounts) -> PartitionCounts:
        """Return the counts of both, on the items of both."""
        rejected = (*self.rejected, *other.rejected)
        if self.counts is None or other.counts is None:
            return PartitionCounts(other.counts if self.counts is None else self.counts, rejected)
        return PartitionCounts(_few_enough(self.counts + other.counts), rejected)


def _few_enough(counts: PairCounts) -> PairCounts:
    if len(counts) > MOST_PAIRS:
        raise InvalidInput.of(
            "different pairs of items",
            f"be at most {MOST_PAIRS:,}, since the client fits their totals",
            f"{len(counts):,}",
            "fit the most compared items alone, or count the files on one machine with penchant.count",
        )
    return counts


def count_partition(
    name: str, parts: tuple[Any, ...], errors: str, options: Mapping[str, Any]
) -> PartitionCounts:
    """Read a partition on a worker and count its comparisons; one that is empty has none."""
    with named_errors(name):
        try:
            preferences, rejected = _preferences(parts, options)
        except NoRows as error:
            return PartitionCounts(None, (f"{name}: {error}",) if error.rejected else ())
        several = not preferences.statements.only_comparisons and preferences.bar is None
        if errors == "auto" and (several or preferences.source is not None):
            raise InvalidInput.of(
                "errors",
                'be "model" on a cluster where rows imply several comparisons, since only counts are kept',
                repr(errors),
                'give errors="model", whose intervals take all comparisons to be independent',
            )
        counts = _few_enough(PairCounts.of(preferences))
        return PartitionCounts(counts, (f"{name}: {rejected}",) if rejected else ())


def _preferences(parts: tuple[Any, ...], options: Mapping[str, Any]) -> tuple[Preferences, str]:
    """Return the preferences of a partition, and a text about rows that were left out."""
    (given,) = parts
    if isinstance(given, Preferences):
        return given, ""
    if isinstance(given, np.ndarray | list | tuple):
        if not len(given):
            raise NoRows("pairs must be at least one, got none: give some")
        return Preferences.from_pairs(given), ""
    from penchant.formats import read_file, read_frame
    from penchant.formats.parsing.reading import rejected_in_short

    if isinstance(given, str):
        reading = read_file(given, **options)
    elif isinstance(given, Mapping) or hasattr(given, "columns"):
        reading = read_frame(given, **options)
    else:
        raise InvalidInput.of(
            "a partition",
            "be Preferences, a table or pairs of items",
            shown(given),
            "let the delayed function return one of these",
        )
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
    total = cluster.total(futures, PartitionCounts.plus)
    with part(0, 2):
        cluster.wait(futures)
    counts, rejected = cluster.result(total)
    more = len(rejected) - 1
    first = "".join(rejected[:1]) + (f" (and rows of {counted(more, 'other partition')})" if more > 0 else "")
    if counts is None:
        raise InvalidInput.of(
            "partitions", "hold comparisons", first or "none in all of them", "give some that do"
        )
    if rejected:
        warn(first, PenchantWarning, stacklevel=4)
    with part(1, 2):
        return model.fit(counts)
