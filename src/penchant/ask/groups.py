"""Groups of items that answers connect, kept up to date answer by answer."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from penchant.checks import Ints, whole
from penchant.errors import InvalidInput


class Groups:
    """The groups of items that answers connect: two items are in one group if a chain of compared pairs joins them.

    Parameters
    ----------
    n_items : int
        Each is a group of its own at first.

    Examples
    --------
    >>> groups = Groups(4)
    >>> groups.join(0, 1)
    True
    >>> groups.join(1, 0)
    False
    >>> groups.count, groups.labels().tolist()
    (3, [0, 0, 2, 3])
    """

    def __init__(self, n_items: int) -> None:
        self._labels: Ints = np.arange(whole("n_items", n_items, 0, remedy="give the number of items"))
        self._members: dict[int, list[int]] = {}  # of groups with more than one item
        self.count = n_items

    @classmethod
    def of(cls, n_items: int, pairs: ArrayLike) -> Groups:
        """Return the groups of items with these pairs of rows, an int array of shape (m, 2)."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        groups = cls(n_items)
        rows = np.asarray(pairs, dtype=np.int64).reshape(-1, 2)
        if not len(rows):
            return groups
        if rows.min() < 0 or rows.max() >= n_items:
            raise InvalidInput.of(
                "pairs",
                f"be of rows from 0 to {n_items - 1}",
                f"{rows.min()} to {rows.max()}",
                "correct them",
            )
        edges = coo_array(
            (np.ones(len(rows), dtype=bool), (rows[:, 0], rows[:, 1])), shape=(n_items, n_items)
        )
        groups.count, found = connected_components(edges, directed=False)
        by_label = np.argsort(found, kind="stable")
        for members in np.split(by_label, np.flatnonzero(np.diff(found[by_label])) + 1):
            if len(members) > 1:
                groups._labels[members] = members[0]
                groups._members[int(members[0])] = members.tolist()
        return groups

    def __len__(self) -> int:
        return len(self._labels)

    def join(self, first: int, second: int) -> bool:
        """Join the groups of two items; False where they are in one already."""
        kept, lost = int(self._labels[first]), int(self._labels[second])
        if kept == lost:
            return False
        members = self._members.pop(kept, None) or [kept]
        added = self._members.pop(lost, None) or [lost]
        if len(members) < len(added):  # the smaller group moves: each item moves log₂ n times at most
            members, added, kept = added, members, lost
        self._labels[added] = kept
        members.extend(added)
        self._members[kept] = members
        self.count -= 1
        return True

    def add(self, count: int = 1) -> None:
        """Add items, each a group of its own."""
        n_items = len(self._labels)
        self._labels = np.concatenate([self._labels, np.arange(n_items, n_items + count)])
        self.count += count

    def labels(self) -> Ints:
        """Return the label of each item's group: the row of one of its items. Not a copy."""
        return self._labels
