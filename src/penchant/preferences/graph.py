"""The graph of comparisons: its connected components and cycles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from penchant.checks import Floats, Ints
from penchant.preferences.statements import Bools, Statements

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SHOWN_GROUPS = 4
_SHOWN_ITEMS = 3


def groups_of(labels: Ints) -> list[Ints]:
    """Return the items of each label, the largest group first, then by their first item.

    Examples
    --------
    >>> [group.tolist() for group in groups_of(np.array([0, 1, 1]))]
    [[1, 2], [0]]
    """
    order = np.argsort(labels, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    return sorted(groups, key=lambda group: (-len(group), group[0]))


def groups_caveat(labels: Ints, ids: Sequence[str]) -> str | None:
    """Return a caveat if there are groups of items that were never compared with one another, else None.

    Items without answers do not count: their 0 answers and wide intervals show it.

    Parameters
    ----------
    labels : int array of shape (n_items,)
        The group of each item.
    ids : sequence of str
    """
    groups = [group for group in groups_of(labels) if len(group) > 1]
    if len(groups) < 2:
        return None
    shown = " | ".join(shown_group(group, ids) for group in groups[:SHOWN_GROUPS])
    shown += f" | {len(groups) - SHOWN_GROUPS:,} groups more" if len(groups) > SHOWN_GROUPS else ""
    return (
        f"items are in {len(groups):,} groups that were never compared with one another "
        f"({shown}): scores of different groups meet only in the prior and cannot be compared; "
        "ask for comparisons between the groups, or rank each group alone"
    )


def shown_group(group: Ints, ids: Sequence[str]) -> str:
    """Return the ids of some items of a group, and how many more there are."""
    names = ", ".join(repr(ids[item]) for item in group[:_SHOWN_ITEMS])
    return names + (f" and {len(group) - _SHOWN_ITEMS:,} more" if len(group) > _SHOWN_ITEMS else "")


def components(statements: Statements, n_items: int, *, strong: bool) -> Ints:
    """Return for each item the number of its component, shape (n_items,).

    Linear in the members of the statements, whatever the number of pairs they imply.
    """
    if strong:
        return connected_labels(*_ladder(statements, n_items), strong=True)[:n_items]
    labels = np.arange(n_items)
    first, second = _chain(statements)
    size = max(n_items, 1 << 16)  # block by block, most of many comparisons connect nothing new
    for start in range(0, len(first), size):
        source, target = labels[first[start : start + size]], labels[second[start : start + size]]
        new = source != target
        if new.any():
            labels = connected_labels(source[new], target[new], int(labels.max()) + 1, strong=False)[labels]
    return labels


def connected_labels(source: Ints, target: Ints, n_nodes: int, *, strong: bool) -> Ints:
    """Return for each node the number of the group that edges connect it to, in both directions where ``strong``."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(source), dtype=np.int8), (source, target)), shape=(n_nodes, n_nodes))
    _, labels = connected_components(
        graph.tocsr(), directed=strong, connection="strong" if strong else "weak"
    )
    return labels.astype(np.int64)


def _neighbours(statements: Statements) -> tuple[Ints, Bools, Bools]:
    """Return positions whose next member is of the same statement; whether also on the same level; whether tied."""
    here = np.flatnonzero(statements.rows[1:] == statements.rows[:-1])
    same_level = statements.levels[here] == statements.levels[here + 1]
    return here, same_level, statements.tied[statements.rows[here]]


def _chain(statements: Statements) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return edges that connect the items of each statement: each member with the next."""
    if statements.only_comparisons:
        return statements.members[::2], statements.members[1::2]
    here, _, tied = _neighbours(statements)
    last_level = statements.levels[statements.starts[1:][statements.rows[here]] - 1]
    compared = tied | (last_level > 0)  # one level alone, not tied, compares nothing
    here = here[compared]
    return statements.members[here], statements.members[here + 1]


def _ladder(statements: Statements, n_items: int) -> tuple[Ints, Ints, int]:
    """Return edges from better to worse, and the number of nodes; each step between levels has a node of its own.

    Reachability is that of the implied pairs, with as many edges as members: without the nodes between,
    two levels of k items each would need k² edges.
    """
    if statements.only_comparisons:
        better, worse, tie, _ = statements.comparisons(0, len(statements))
        return np.concatenate([better, worse[tie]]), np.concatenate([worse, better[tie]]), n_items
    here, same_level, tied = _neighbours(statements)
    equal = here[same_level & tied]
    members = statements.members.astype(np.int64)
    # The node below each member's level.
    level = n_items + np.unique(statements.level_ends, return_inverse=True)[1]
    goes_on = statements.level_ends < statements.starts[1:][statements.rows]
    came = statements.levels > 0
    source = np.concatenate([members[equal], members[equal + 1], members[goes_on], level[came] - 1])
    target = np.concatenate([members[equal + 1], members[equal], level[goes_on], members[came]])
    return source, target, int(level.max(initial=n_items)) + 1


def weight_matrix(first: Ints, second: Ints, weight: Floats, n_items: int) -> csr_array:
    """Return the sparse matrix whose entry [i, j] is the total weight of the pairs (i, j)."""
    from scipy.sparse import coo_array

    matrix = coo_array((weight, (first, second)), shape=(n_items, n_items)).tocsr()
    matrix.sum_duplicates()
    return matrix


def count_circular_triads(wins: csr_array) -> int:
    """Return how many triples run in a circle by majority: i mostly beats j, j beats k, k beats i."""
    beats = ((wins - wins.T) > 0).astype(np.int64).tocsr()
    beaten_by = beats.T.tocsr()
    total = 0
    for start in range(0, beats.shape[0], 512):  # a block of rows at a time keeps the product small
        block = beats[start : start + 512]
        total += int((block @ beats).multiply(beaten_by[start : start + 512]).sum())
    return total // 3
