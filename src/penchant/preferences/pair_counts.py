"""Count comparisons by pairs of items, chunk by chunk, in bounded memory.

`PairCounter` takes one chunk of comparisons after the other, keeps their sums in memory up to a limit, and writes them
to temporary files above it, as sorted runs that are merged at the end. The result is a `PairCounts`, in memory or on
disk, to which models of paired comparisons are fitted.
"""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.counts import Counts, as_counts, counted
from penchant.errors import InvalidInput
from penchant.preferences.items import BAR, Items
from penchant.preferences.pair_sums import PairSums, count_pairs, first_key, merged
from penchant.preferences.preferences import Preferences
from penchant.preferences.spilling import Column, Run, merged_blocks, merged_kinds

MEMORY = 2**31
"""The bytes that counting and fitting may take unless told otherwise."""
PAIR_BYTES = 160
"""What a pair takes at most while a model is fitted in memory."""
_CHUNK = 1 << 22
_LEAST_CHUNK = 1 << 16  # comparisons that are sorted at once, however little memory there is
_BLOCK = 1 << 20
_MOST_RUNS = 64  # each is an open file
_WHOLE = re.compile(r"-?(0|[1-9]\d{0,999})", re.ASCII)


class PairBlock(NamedTuple):
    """Some pairs in their order: the two items of each, and the weights of the outcomes, shape (3, n).

    ``start`` is the place of the first of them among all.
    """

    start: int
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    weight: Floats


class PairCounts:
    """How often each pair of items was compared, and with what outcome.

    `penchant.count` makes it from files, `PairCounter` from arrays, and `PairCounts.of` from preferences.
    `BradleyTerry` and `Thurstone` are fitted to it as to preferences. Counts in memory can be added, which joins their
    items.

    Parameters
    ----------
    catalogue : Items
    starts : int array of shape (n_items + 1,)
        The places at which the pairs of each first item begin.
    second : Column
        The second item of each pair.
    weight : sequence of three Columns
        The weight of the comparisons that prefer the first, that prefer the second, and of ties; None where it is 0.

    Attributes
    ----------
    n_pairs : int
        How many different pairs were compared.
    on_disk : bool
        Whether the pairs are in temporary files.

    Examples
    --------
    >>> counts = PairCounts.of(Preferences.from_pairs([("tea", "coffee"), ("tea", "coffee"), ("coffee", "water")]))
    >>> counts
    PairCounts: 3 comparisons of 3 items, 2 different pairs
    >>> counts + PairCounts.of(Preferences.from_pairs([("coffee", "milk")]))
    PairCounts: 4 comparisons of 4 items, 3 different pairs
    """

    def __init__(
        self, catalogue: Items, starts: Ints, second: Column, weight: Sequence[Column | None]
    ) -> None:
        self.catalogue, self.starts = catalogue, starts
        self._second, self._weight = second, tuple(weight)
        self.n_pairs = len(second)
        self.on_disk = second.folder is not None
        self._compared, self._totals = np.zeros(catalogue.count), np.zeros(3)
        for block in self.blocks():
            together = block.weight.sum(axis=0)
            self._totals += block.weight.sum(axis=1)
            self._compared += np.bincount(block.first, together, catalogue.count)
            self._compared += np.bincount(block.second, together, catalogue.count)

    @classmethod
    def of(cls, preferences: Preferences) -> PairCounts:
        """Count the comparisons of preferences, stated or implied, in memory."""
        counter = PairCounter(memory=None)
        counter.add_preferences(preferences)
        return counter.finish(preferences.catalogue)

    @classmethod
    def of_blocks(cls, catalogue: Items, blocks: Iterable[PairSums], folder: Path | None) -> PairCounts:
        """Return the counts of sums that come in the order of their pairs.

        Parameters
        ----------
        folder : path or None
            Where the pairs are kept; None: in memory, which takes a single block.
        """
        numbers = np.zeros(catalogue.count + 1, np.int64)
        second: Column | None = None
        weight: list[Column | None] = []
        for sums in blocks:
            numbers[1:] += np.bincount(sums.first, minlength=catalogue.count)
            others = sums.second.astype(np.int32)
            if second is None:
                second = Column(others, folder)
                weight = [None if column is None else Column(column, folder) for column in sums.weight]
                continue
            second.append(others)
            for column, values in zip(weight, sums.weight, strict=True):
                if column is not None and values is not None:
                    column.append(values)
        if second is None:
            second, weight = Column(np.empty(0, np.int32)), [None] * 3
        return cls(catalogue, np.cumsum(numbers), second, weight)

    def __len__(self) -> int:
        return self.n_pairs

    def __repr__(self) -> str:
        number = counted(self.n_comparisons, "comparison")
        real = self.catalogue.count - self.catalogue.bar
        where = " on disk" if self.on_disk else ""
        pairs = counted(self.n_pairs, "different pair")
        return f"PairCounts: {number} of {counted(real, 'item')}, {pairs}{where}"

    @property
    def n_items(self) -> int:
        """The number of items, the bar included."""
        return self.catalogue.count

    @property
    def n_comparisons(self) -> int | float:
        """The weight of all comparisons; a whole number where all weights are."""
        total = float(self._totals.sum())
        return int(total) if total.is_integer() else total

    @property
    def outcomes(self) -> tuple[float, float, float]:
        """The weight of the comparisons that prefer the first of their pair, the second, and neither."""
        first, second, tied = map(float, self._totals)
        return first, second, tied

    def compared(self) -> Counts:
        """Return in how many comparisons each item took part, shape (n_items,); weights count repetitions."""
        return as_counts(self._compared, whole=bool((self._compared == np.rint(self._compared)).all()))

    def blocks(self, size: int = _BLOCK) -> Iterator[PairBlock]:
        """Yield the pairs in order, at most ``size`` at a time."""
        for start in range(0, self.n_pairs, size):
            stop = min(start + size, self.n_pairs)
            weight = np.zeros((3, stop - start))
            for row, column in zip(weight, self._weight, strict=True):
                if column is not None:
                    row[:] = column.read(start, stop)
            yield PairBlock(start, self.first(start, stop), self._second.read(start, stop), weight)

    def first(self, start: int, stop: int) -> NDArray[np.int32]:
        """Return the first item of the pairs from ``start`` to ``stop``."""
        low = int(np.searchsorted(self.starts, start, side="right")) - 1
        high = int(np.searchsorted(self.starts, stop, side="left"))
        bounds = np.clip(self.starts[low : high + 1], start, stop)
        return np.repeat(np.arange(low, high, dtype=np.int32), np.diff(bounds))

    def second(self, start: int, stop: int) -> NDArray[np.int32]:
        """Return the second item of the pairs from ``start`` to ``stop``."""
        return self._second.read(start, stop)

    def arrays(self) -> tuple[NDArray[np.int32], Floats]:
        """Return all pairs, shape (2, n_pairs), and the weights of their outcomes, shape (3, n_pairs), in memory."""
        pairs, weight = np.empty((2, self.n_pairs), np.int32), np.empty((3, self.n_pairs))
        for block in self.blocks():
            part = slice(block.start, block.start + len(block.first))
            pairs[0, part], pairs[1, part], weight[:, part] = block.first, block.second, block.weight
        return pairs, weight

    def ties_as_half_wins(self) -> PairCounts:
        """Return counts in which each tie is half a win for each of the two, in memory or on disk as these are.

        Examples
        --------
        >>> counts = PairCounts.of(Preferences.from_pairs([("tea", "water"), ("tea", "water")], tie=[True, False]))
        >>> counts.ties_as_half_wins().outcomes
        (1.5, 0.5, 0.0)
        """
        folder = self._second.folder
        blocks = self.blocks() if folder is not None else self.blocks(max(self.n_pairs, 1))
        halved = (
            PairSums(
                first_key(block.first) | block.second,
                (block.weight[0] + block.weight[2] / 2, block.weight[1] + block.weight[2] / 2, None),
            )
            for block in blocks
        )
        return PairCounts.of_blocks(self.catalogue, halved, folder)

    def scratch(self, dtype: Any) -> Column:
        """Return a column of numbers, one a pair, to be written and read, where the pairs are."""
        folder = self._second.folder
        return Column(np.zeros(self.n_pairs if folder is None else 0, dtype), folder)

    def __add__(self, other: PairCounts) -> PairCounts:
        """Return the counts of both, in memory, on the items of both."""
        if not isinstance(other, PairCounts):
            return NotImplemented
        if self.on_disk or other.on_disk:
            raise InvalidInput(
                "counts that are added must be in memory, got some on disk: count all files at once"
            )
        catalogue = _joined(self.catalogue, other.catalogue)
        sums = [counts._renumbered(catalogue) for counts in (self, other)]
        return PairCounts.of_blocks(catalogue, [merged(sums)], None)

    def _renumbered(self, catalogue: Items) -> PairSums:
        """Return the sums of counts in memory, with the items numbered as in ``catalogue``, which holds all of them."""
        columns = tuple(None if column is None else column.read(0, self.n_pairs) for column in self._weight)
        keys = first_key(self.first(0, self.n_pairs)) | self.second(0, self.n_pairs)
        sums = PairSums(keys, columns)
        if catalogue == self.catalogue:
            return sums
        place = {name: index for index, name in enumerate(catalogue.ids)}
        return sums.renumbered(np.array([place[name] for name in self.catalogue.ids], dtype=np.int64))


class PairCounter:
    """Counts comparisons chunk by chunk in bounded memory.

    Parameters
    ----------
    memory : int or None
        The bytes that counting, and a model that is fitted to the counts, may take, beside the names of the items.
        Different pairs that do not fit go to temporary files. None: without a limit.
    folder : path, optional
        Of the temporary files; the system's folder for such files unless given.

    Examples
    --------
    >>> counter = PairCounter()
    >>> counter.add(np.array([0, 0, 1]), np.array([1, 1, 2]))
    >>> counter.finish(Items.named(["tea", "coffee", "water"]))
    PairCounts: 3 comparisons of 3 items, 2 different pairs
    """

    def __init__(self, *, memory: int | None = MEMORY, folder: str | Path | None = None) -> None:
        if memory is not None and (not isinstance(memory, int) or isinstance(memory, bool) or memory < 1):
            raise InvalidInput.of("memory", "be a number of bytes above 0", repr(memory), "2**31 is usual")
        self._folder = Path(tempfile.gettempdir() if folder is None else folder)
        if not self._folder.is_dir():
            raise InvalidInput.of("folder", "be a folder", str(self._folder), "make it, or name another")
        self._most = 2**62 if memory is None else max(memory // PAIR_BYTES, 1)
        self._chunk = min(_CHUNK, max(self._most, _LEAST_CHUNK))
        self._held: list[PairSums] = []
        self._runs: list[Run] = []

    def add(
        self,
        better: NDArray[Any],
        worse: NDArray[Any],
        tie: NDArray[np.bool_] | None = None,
        weight: Floats | None = None,
    ) -> None:
        """Count comparisons; the arguments are those of `pair_sums.count_pairs`."""
        for start in range(0, len(better), self._chunk):
            part = slice(start, start + self._chunk)
            ties, weights = None if tie is None else tie[part], None if weight is None else weight[part]
            self._add_sums(count_pairs(better[part], worse[part], ties, weights))

    def add_preferences(self, preferences: Preferences) -> None:
        """Count the comparisons of preferences, stated or implied, by the indices of their items."""
        for block in preferences.pair_blocks():
            weight = None if preferences.weight is None else block.weight
            self.add(block.better, block.worse, block.tie, weight)

    def _add_sums(self, sums: PairSums) -> None:
        self._held.append(sums)
        while len(self._held) > 1 and len(self._held[-2]) <= 2 * len(self._held[-1]):
            self._held[-2:] = [merged(self._held[-2:])]
        if sum(map(len, self._held)) > self._most:
            self._held = [merged(self._held)]
            if len(self._held[0]) > self._most // 2:
                self._spill()

    def _spill(self) -> None:
        self._runs.append(Run.of(merged(self._held), self._folder))
        self._held = []
        if len(self._runs) == _MOST_RUNS:
            self._runs = [self._merged(self._runs)]

    def _merged(self, runs: list[Run]) -> Run:
        return Run(merged_blocks(runs, self._chunk), merged_kinds(runs), self._folder)

    def finish(self, catalogue: Items, index: Ints | None = None) -> PairCounts:
        """Return the counts; the counter is then empty.

        Parameters
        ----------
        catalogue : Items
        index : int array, optional
            The index among these of each number that was given to `add`; each number is its own index if not given.
        """
        if not self._runs:
            held, self._held = self._held, []
            blocks = [merged(held)] if held else []
            if index is not None:
                blocks = [sums.renumbered(index) for sums in blocks]
            return PairCounts.of_blocks(catalogue, blocks, None)
        if self._held:
            self._spill()
        runs, self._runs = self._runs, []
        if index is not None:
            runs = self._renumbered(runs, index)
        kinds = merged_kinds(runs)
        filled = (_filled(sums, kinds) for sums in merged_blocks(runs, self._chunk))
        counts = PairCounts.of_blocks(catalogue, filled, self._folder)
        if len(counts) > self._most:
            return counts
        # Runs held the same pairs: all of them fit into memory.
        columns = tuple(None if column is None else column.read(0, len(counts)) for column in counts._weight)
        held_columns = [None if column is None else Column(column) for column in columns]
        return PairCounts(catalogue, counts.starts, Column(counts.second(0, len(counts))), held_columns)

    def _renumbered(self, runs: list[Run], index: Ints) -> list[Run]:
        """Return runs with the items called by their index; a run that was merged is sorted in parts."""
        found: list[Run] = []
        while runs:
            run = runs.pop()  # released when its copy is written
            for start in range(0, len(run), self._most):
                part = run.read(start, start + self._most).renumbered(index)
                found.append(Run.of(part, self._folder))
                if len(found) == _MOST_RUNS:
                    found = [self._merged(found)]
        return found


def _filled(sums: PairSums, kinds: Sequence[np.dtype[Any] | None]) -> PairSums:
    """Return sums whose columns have these types."""
    columns = tuple(
        None
        if kind is None
        else np.zeros(len(sums), kind)
        if column is None
        else column.astype(kind, copy=False)
        for column, kind in zip(sums.weight, kinds, strict=True)
    )
    return PairSums(sums.keys, columns)


def _joined(first: Items, second: Items) -> Items:
    """Return the items of both, sorted: whole numbers by value where both have them so, all else as text."""
    items = first.union(second)
    if first == second or items.names is None:
        return items
    names = items.names[: items.count - items.bar]
    if _are_by_value(first) and _are_by_value(second):
        ordered = sorted(names, key=lambda name: (int(name), name))
    else:
        ordered = sorted(names)
    return Items.named((*ordered, BAR) if items.bar else ordered)


def _are_by_value(items: Items) -> bool:
    """Whether all ids are whole numbers in their order."""
    names = items.ids[: items.count - items.bar]
    if not all(map(_WHOLE.fullmatch, names)):
        return False
    values = list(map(int, names))
    return values == sorted(values)
