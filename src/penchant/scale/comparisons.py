"""Fit `BradleyTerry` and `Thurstone` on a cluster: workers count the comparisons of their partitions by pair.

The counts of all partitions, `PairCounts`, are added up on the workers. The client gets those of the different pairs,
which are all that these models learn from, and fits the model to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple
from warnings import warn

import numpy as np

from penchant.checks import shown
from penchant.counts import counted
from penchant.errors import InvalidInput, PenchantWarning
from penchant.formats import Reading
from penchant.formats.parsing.columns import OUTCOME_IS
from penchant.formats.parsing.source import NoRows
from penchant.preferences import PairCounts, Preferences
from penchant.progress import part
from penchant.scale.cluster import Cluster, dask_modules
from penchant.scale.outcomes import may_be_unclear, meaning, outcome_evidence
from penchant.scale.partitions import Partition, named_errors

if TYPE_CHECKING:
    from penchant.worth.paired import PairedWorth

MOST_PAIRS = 50_000_000
"""The most different pairs that the client fits; a fit takes about 150 bytes for each."""


class PartitionCounts(NamedTuple):
    """The comparisons of some partitions, counted by pair, and texts about rows that were left out.

    ``counts`` is None where there are no comparisons. ``is_unclear`` says whether words of outcomes may mean an item
    or a side, which is decided for all partitions together (`outcomes`).
    """

    counts: PairCounts | None
    rejected: tuple[str, ...] = ()
    is_unclear: bool = False

    def plus(self, other: PartitionCounts) -> PartitionCounts:
        """Return the counts of both, on the items of both."""
        rejected = (*self.rejected, *other.rejected)
        is_unclear = self.is_unclear or other.is_unclear
        if self.counts is None or other.counts is None:
            return PartitionCounts(other.counts if self.counts is None else self.counts, rejected, is_unclear)
        return PartitionCounts(_few_enough(self.counts + other.counts), rejected, is_unclear)


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
            preferences, rejected, is_unclear = _preferences(parts, options)
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
        return PartitionCounts(counts, (f"{name}: {rejected}",) if rejected else (), is_unclear)


def _preferences(parts: tuple[Any, ...], options: Mapping[str, Any]) -> tuple[Preferences, str, bool]:
    """Return the preferences of a partition, a text about rows that were left out, and whether outcomes are unclear."""
    (given,) = parts
    if isinstance(given, Preferences):
        return given, "", False
    if isinstance(given, np.ndarray | list | tuple):
        if not len(given):
            raise NoRows("pairs must be at least one, got none: give some")
        return Preferences.from_pairs(given), "", False
    from penchant.formats import read_file, read_frame
    from penchant.formats.parsing.reading import rejected_in_short

    if isinstance(given, str):
        read: Callable[..., Reading] = read_file
    elif isinstance(given, Mapping) or hasattr(given, "columns"):
        read = read_frame
    else:
        raise InvalidInput.of(
            "a partition",
            "be Preferences, a table or pairs of items",
            shown(given),
            "let the delayed function return one of these",
        )
    reading, is_unclear = _read(read, given, options)
    rejected = rejected_in_short(reading.refusals) if reading.refusals else ""
    return reading.preferences, rejected, is_unclear


def _read(read: Callable[..., Reading], given: Any, options: Mapping[str, Any]) -> tuple[Reading, bool]:
    """Read a partition; where its own rows leave open what a word of an outcome means, as a side for now."""
    if options.get(OUTCOME_IS) is not None:
        return read(given, **options), False
    try:
        reading = read(given, **options)
    except NoRows:
        raise
    except InvalidInput:
        with suppress(InvalidInput, TypeError):
            return read(given, **{**options, OUTCOME_IS: "side"}), True
        raise
    return reading, may_be_unclear(reading)


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
    counts, rejected = _counted(partitions, cluster, model.errors, options)
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


def _counted(
    partitions: list[Partition], cluster: Cluster, errors: str, options: Mapping[str, Any]
) -> tuple[PairCounts | None, tuple[str, ...]]:
    """Return the counts of all partitions, and texts about rows that were left out.

    Where outcomes may be unclear, the partitions are read again for what they tell about them, and if that changes what
    some words mean, counted again.
    """
    delayed = dask_modules()[0].delayed

    def counting(partition: Partition, options: Mapping[str, Any]) -> Any:
        return delayed(count_partition)(partition.name, partition.parts, errors, dict(options))

    futures = cluster.compute([counting(each, options) for each in partitions])
    total = cluster.total(futures, PartitionCounts.plus)
    with part(0, 2):
        cluster.wait(futures)
    counts, rejected, is_unclear = cluster.result(total)
    if is_unclear:
        tasks = [delayed(outcome_evidence)(each.name, each.parts, dict(options)) for each in partitions]
        evidence = cluster.results(cluster.compute(tasks))
        outcome_is = meaning([each for each in evidence if each is not None])
        if outcome_is is not None:
            concerned = [number for number, each in enumerate(evidence) if each is not None]
            decided = {**options, OUTCOME_IS: outcome_is}
            tasks = [counting(partitions[number], decided) for number in concerned]
            for number, future in zip(concerned, cluster.compute(tasks), strict=True):
                futures[number] = future
            counts, rejected, _ = cluster.result(cluster.total(futures, PartitionCounts.plus))
    return counts, rejected
