"""Weak orders as flat arrays, and the pairs that they imply, counted by formula.

A statement is a weak order of some items. A comparison is one of two items on two levels, a tie one of two
items on one level, a ranking one of many items, a query's graded documents likewise. The pairs that a
statement implies are never stored: the k-th of them is found from running sums, so that 100,000 items with
five grades, which imply four billion pairs, cost a megabyte.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.errors import InvalidInput

Bools = NDArray[np.bool_]
EXPANSION_LIMIT = 200_000_000


@dataclass(frozen=True, eq=False)
class Statements:
    """Weak orders of items, one after the other.

    Parameters
    ----------
    members : int32 array of shape (n_members,)
        Item indices: statement by statement, best level first, in the order of input inside a level.
    levels : int32 array of shape (n_members,)
        The level of each member inside its statement, 0 is best.
    starts : int64 array of shape (n_rows + 1,)
        Statement r holds the members ``starts[r]`` to ``starts[r + 1]``.
    tied : bool array of shape (n_rows,)
        Whether two members on one level are equal (a tie), or merely not compared.
    """

    members: NDArray[np.int32]
    levels: NDArray[np.int32]
    starts: Ints
    tied: Bools

    @classmethod
    def of_pairs(cls, better: Ints, worse: Ints, tie: Bools) -> Statements:
        """Return one statement for each pair of indices; where ``tie``, the two are equal."""
        members = np.empty((len(better), 2), dtype=np.int32)
        members[:, 0], members[:, 1] = better, worse
        levels = np.zeros_like(members)
        levels[:, 1] = ~tie
        starts = np.arange(0, 2 * len(better) + 1, 2, dtype=np.int64)
        statements = cls(members.ravel(), levels.ravel(), starts, np.ones(len(better), dtype=bool))
        vars(statements)["only_comparisons"] = True  # known here, so that the cached property need not look
        return statements

    @classmethod
    def of_answers(
        cls, better: Ints, worse: Ints, tie: Bools, bad: Bools, skip: Bools, bar: int
    ) -> Statements:
        """Return a statement for each answer: where ``bad``, the bar is above both; where ``skip``, none."""
        if not (bad.any() or skip.any()):
            return cls.of_pairs(better, worse, tie)
        kept = np.column_stack([bad, ~skip, ~skip])
        members = np.column_stack([np.full(len(better), bar), better, worse])[kept]
        levels = np.column_stack([np.zeros_like(bad), bad, ~tie])[kept]
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))]).astype(np.int64)
        return cls(members.astype(np.int32), levels.astype(np.int32), starts, ~bad)

    @classmethod
    def of_levels(
        cls, rows: Ints, members: Ints, levels: NDArray[np.generic], n_rows: int, tied: bool | Bools
    ) -> Statements:
        """Return the statements in which ``members[i]`` stands on ``levels[i]`` (low is best) of ``rows[i]``.

        The levels may be any sortable numbers; they are numbered anew from 0 inside each row.
        """
        order = np.lexsort((levels, rows))
        rows, members, levels = rows[order], members[order], levels[order]
        starts = np.searchsorted(rows, np.arange(n_rows + 1)).astype(np.int64)
        new_level = np.ones(len(rows), dtype=bool)
        new_level[1:] = (levels[1:] != levels[:-1]) | (rows[1:] != rows[:-1])
        running = np.cumsum(new_level)
        numbered = running - running[starts[rows]] if len(rows) else running
        return cls(
            members.astype(np.int32), numbered.astype(np.int32), starts, np.broadcast_to(tied, n_rows).copy()
        )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def sizes(self) -> Ints:
        """Number of members of each statement, shape (n_rows,)."""
        return np.diff(self.starts)

    @cached_property
    def only_comparisons(self) -> bool:
        """Whether each statement is about exactly two items that it relates."""
        return bool((self.sizes == 2).all() and (self.tied.all() or (self.levels[1::2] == 1).all()))

    @cached_property
    def rows(self) -> Ints:
        """The statement of each member, shape (n_members,)."""
        return np.repeat(np.arange(len(self)), self.sizes)

    @cached_property
    def level_ends(self) -> Ints:
        """For each member the position just past its level, shape (n_members,)."""
        return np.repeat(self._level_bounds[1:], np.diff(self._level_bounds))

    @cached_property
    def _level_bounds(self) -> Ints:
        """The position of the first member of each level of each statement, and the number of members."""
        first = np.ones(len(self.members), dtype=bool)
        first[1:] = (self.levels[1:] != self.levels[:-1]) | (self.rows[1:] != self.rows[:-1])
        return np.append(np.flatnonzero(first), len(self.members))

    def tallies(self, weight: Floats | None, n_items: int) -> Floats:
        """Return how often each item was better, worse and equal, weighted, shape (3, n_items), by formula."""
        each = 1.0 if weight is None else weight[self.rows]
        return np.stack([np.bincount(self.members, each * count, n_items) for count in self.member_counts])

    @property
    def member_counts(self) -> tuple[Ints, Ints, Ints]:
        """For each member, in how many comparisons of its statement it is better, worse and equal."""
        row_start, row_end = self.starts[self.rows], self.starts[1:][self.rows]
        level_start = np.repeat(self._level_bounds[:-1], np.diff(self._level_bounds))
        equal = np.where(self.tied[self.rows], self.level_ends - level_start - 1, 0)
        return row_end - self.level_ends, level_start - row_start, equal

    @cached_property
    def n_pairs(self) -> int:
        """The number of implied pairs of a better and a worse item."""
        if self.only_comparisons:
            return int(np.count_nonzero(self.levels[1::2]))
        return int((self.starts[1:][self.rows] - self.level_ends).sum())

    @property
    def n_ties(self) -> int:
        """The number of implied pairs of equal items."""
        return self.n_comparisons - self.n_pairs

    @property
    def n_comparisons(self) -> int:
        """The number of implied pairs, ties included."""
        return len(self) if self.only_comparisons else int(self._offsets[-1])

    @cached_property
    def _partners(self) -> Ints:
        """For each member the position of the first one that it is compared with."""
        return np.where(self.tied[self.rows], np.arange(1, len(self.members) + 1), self.level_ends)

    @cached_property
    def _offsets(self) -> Ints:
        """For each member the number of comparisons before its own, and at the end their total."""
        counts = self.starts[1:][self.rows] - self._partners
        return np.concatenate([[0], np.cumsum(counts)])

    def comparisons(self, start: int = 0, stop: int | None = None) -> tuple[Ints, Ints, Bools, Ints]:
        """Return the implied comparisons ``start`` to ``stop``, by formula.

        Returns
        -------
        better, worse, tie, row : arrays of shape (stop - start,)
            Item indices, whether the two are equal, and their statement.
        """
        stop = self.n_comparisons if stop is None else min(stop, self.n_comparisons)
        if stop - start > EXPANSION_LIMIT:
            raise InvalidInput(
                f"pairs can be written out up to {EXPANSION_LIMIT:,} at once, these statements imply {stop - start:,}: "
                "iterate over pair_blocks(), or use a model that takes the grades themselves"
            )
        if self.only_comparisons:
            pairs = self.members[2 * start : 2 * stop].reshape(-1, 2).astype(np.int64)
            return (
                pairs[:, 0],
                pairs[:, 1],
                self.levels[2 * start + 1 : 2 * stop : 2] == 0,
                np.arange(start, stop),
            )
        number = np.arange(start, stop)
        first = np.searchsorted(self._offsets, number, side="right") - 1
        second = self._partners[first] + number - self._offsets[first]
        return (
            self.members[first].astype(np.int64),
            self.members[second].astype(np.int64),
            self.levels[first] == self.levels[second],
            self.rows[first],
        )

    def blocks(self, size: int) -> Iterator[tuple[Ints, Ints, Bools, Ints]]:
        """Yield all comparisons in blocks of at most ``size``."""
        if size < 1:
            raise InvalidInput(f"size of a block must be at least 1, got {size}: 1,000,000 is usual")
        for start in range(0, self.n_comparisons, size):
            yield self.comparisons(start, start + size)

    def take(self, rows: Ints) -> Statements:
        """Return the statements ``rows``, in that order."""
        sizes = self.sizes[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        positions = np.arange(starts[-1]) + np.repeat(self.starts[rows] - starts[:-1], sizes)
        return Statements(self.members[positions], self.levels[positions], starts, self.tied[rows])

    def renumbered(self, new_index: Ints) -> Statements:
        """Return the same statements with item i called ``new_index[i]``."""
        return Statements(new_index[self.members].astype(np.int32), self.levels, self.starts, self.tied)

    def keep(self, new_index: Ints) -> Statements:
        """Return the statements about some items: item i is called ``new_index[i]``, and is left out where -1."""
        members = new_index[self.members]
        kept = members >= 0
        return self.of_levels(self.rows[kept], members[kept], self.levels[kept], len(self), self.tied)

    def repeated(self) -> tuple[int, int] | None:
        """Return the first statement that names an item twice, and that item; None if there is none."""
        if self.only_comparisons:
            alike = np.flatnonzero(self.members[::2] == self.members[1::2])
            return (int(alike[0]), int(self.members[2 * alike[0]])) if alike.size else None
        order = np.lexsort((self.members, self.rows))
        rows, members = self.rows[order], self.members[order]
        twice = np.flatnonzero((rows[1:] == rows[:-1]) & (members[1:] == members[:-1]))
        return (int(rows[twice[0]]), int(members[twice[0]])) if twice.size else None

    def standardised(self) -> tuple[Statements, Ints]:
        """Return an equal form in which equal statements have equal arrays, and the ties of two that were turned.

        Items on one level are in the order of their indices; a row without such items is marked as tied.
        """
        two = np.flatnonzero(self.sizes == 2)
        first = self.starts[two]
        turned = (self.levels[first + 1] == 0) & (self.members[first] > self.members[first + 1])
        members = self.members.copy()
        members[first[turned]], members[first[turned] + 1] = (
            members[first[turned] + 1],
            members[first[turned]],
        )
        tied = np.ones_like(self.tied)
        if not self.only_comparisons:
            members = members[np.lexsort((members, self.levels, self.rows))]
            n_levels = np.bincount(self.rows[self._level_bounds[:-1]], minlength=len(self))
            tied = self.tied | (n_levels == self.sizes)
        return Statements(members, self.levels, self.starts, tied), two[turned]

    def codes(self) -> Ints:
        """Return a number for each row, the same for rows with the same members, levels and meaning of ties."""
        if self.only_comparisons:
            width = int(self.members.max(initial=0)) + 1
            return (self.members[::2].astype(np.int64) * width + self.members[1::2]) * 2 + self.levels[1::2]
        seen: dict[bytes, int] = {}
        spans = zip(self.starts[:-1], self.starts[1:], self.tied, strict=True)
        keys = (
            b"%d" % tied + self.members[start:stop].tobytes() + self.levels[start:stop].tobytes()
            for start, stop, tied in spans
        )
        return np.array([seen.setdefault(key, len(seen)) for key in keys], dtype=np.int64)

    def check(self, n_items: int) -> None:
        """Raise `InvalidInput` if arrays do not fit together, as those of a damaged or hostile file may not."""
        whole = len(self.starts) > 0 and self.starts[0] == 0 and self.starts[-1] == len(self.members)
        fits = len(self.levels) == len(self.members) and len(self.starts) == len(self.tied) + 1
        inside = ((self.members >= 0) & (self.members < n_items)).all()
        if not (whole and fits and inside and (self.sizes >= 0).all() and self._levels_count_up()):
            raise InvalidInput(
                "saved preferences must hold statements about known items: the file is damaged, save it anew"
            )
        if self.repeated() is not None:
            raise InvalidInput(
                "saved preferences must name each item once a row: the file is damaged, save it anew"
            )

    def _levels_count_up(self) -> bool:
        """Whether the levels of each statement run from 0 upwards and leave none out."""
        step = np.diff(self.levels, prepend=np.int32(0))
        first = self.starts[:-1][self.sizes > 0]
        inside = np.ones(len(self.levels), dtype=bool)
        inside[first] = False
        return bool((self.levels[first] == 0).all() and np.isin(step[inside], (0, 1)).all())

    @staticmethod
    def joined(parts: list[Statements]) -> Statements:
        """Return all statements of ``parts``, one part after the other."""
        shifts = np.cumsum([0] + [len(part.members) for part in parts[:-1]])
        starts = [part.starts[:-1] + shift for part, shift in zip(parts, shifts, strict=True)]
        total = np.array([sum(len(part.members) for part in parts)])
        return Statements(
            np.concatenate([part.members for part in parts]),
            np.concatenate([part.levels for part in parts]),
            np.concatenate([*starts, total]),
            np.concatenate([part.tied for part in parts]),
        )
