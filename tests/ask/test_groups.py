"""Groups of items that answers connect."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.ask import Groups, next_pair
from penchant.errors import InvalidInput
from tests.ask.test_fast_choice import Dense, Plain, moments


def reached(n_items: int, pairs: list[tuple[int, int]], start: int) -> set[int]:
    """Return the items that a chain of pairs joins with ``start``, by visiting them."""
    found, open_items = {start}, [start]
    while open_items:
        item = open_items.pop()
        near = {b if a == item else a for a, b in pairs if item in (a, b)} - found
        found |= near
        open_items.extend(near)
    return found


@given(st.integers(1, 12), st.data())
def test_groups_are_what_chains_of_answers_connect(n_items: int, data: st.DataObject) -> None:
    """Joined one by one or all at once, items have one label exactly where a chain joins them."""
    row = st.integers(0, n_items - 1)
    pairs = data.draw(st.lists(st.tuples(row, row), max_size=15))
    groups = Groups(n_items)
    for a, b in pairs:
        before = groups.count
        assert groups.join(a, b) == (groups.count < before)
    for found in (groups, Groups.of(n_items, pairs)):
        labels = found.labels()
        for item in range(n_items):
            assert set(np.flatnonzero(labels == labels[item]).tolist()) == reached(n_items, pairs, item)
        assert found.count == len(set(labels.tolist()))


@given(st.integers(0, 1000))
def test_groups_made_at_once_go_on_as_those_made_one_by_one(seed: int) -> None:
    """After `Groups.of`, further answers and items are joined as ever."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, 9, (12, 2))
    made, grown = Groups.of(9, pairs[:6]), Groups(6)
    for a, b in pairs[:6] % 6:
        grown.join(a, b)
    grown.add(3)
    made = Groups.of(9, pairs[:6] % 6)
    for a, b in pairs[6:]:
        made.join(a, b)
        grown.join(a, b)
    assert made.count == grown.count
    assert len(made) == len(grown) == 9
    same = [labels[:, None] == labels for labels in (made.labels(), grown.labels())]
    np.testing.assert_array_equal(*same)


def test_pairs_of_other_rows_are_rejected() -> None:
    """They are named."""
    with pytest.raises(InvalidInput, match="pairs must be of rows from 0 to 2, got 0 to 3"):
        Groups.of(3, [(0, 3)])


def asked(kind: type[Plain], n_items: int, n_answers: int, seed: int, **wishes: object) -> Groups:
    """Ask questions, with a belief that changes at random, and return the groups that the answers connect."""
    rng = np.random.default_rng(seed)
    groups, answers = Groups(n_items), np.zeros(n_items, dtype=np.int64)
    mean, cov = moments(n_items, seed)
    recent: list[tuple[int, int]] = []
    for _ in range(n_answers):
        pair = next_pair(kind(mean, cov), answers, groups=groups.labels(), avoid=recent, **wishes)  # type: ignore[arg-type]
        groups.join(*pair)
        answers[list(pair)] += 1
        recent = [*recent, pair][-3:]
        mean = mean + rng.normal(size=n_items) * (rng.random(n_items) < 0.2)
    return groups


@pytest.mark.parametrize("kind", [Plain, Dense])
@given(seed=st.integers(0, 10_000), n_items=st.integers(2, 30))
def test_as_many_answers_as_items_less_one_join_all(kind: type[Plain], seed: int, n_items: int) -> None:
    """Whatever the answers, n − 1 questions leave one group: 30 items never end in two after 38 answers."""
    assert asked(kind, n_items, n_items - 1, seed).count == 1


@pytest.mark.parametrize("kind", [Plain, Dense])
def test_many_items_are_joined_too(kind: type[Plain]) -> None:
    """Of more than 100 items, where candidates are neighbours in the order."""
    assert asked(kind, 130, 129, 0).count == 1
    assert asked(kind, 130, 133, 1, rule="top", top=10).count == 1


@pytest.mark.parametrize("kind", [Plain, Dense])
@given(seed=st.integers(0, 10_000), n_items=st.integers(4, 20))
def test_forbidden_pairs_and_excluded_items_do_not_keep_groups_apart(
    kind: type[Plain], seed: int, n_items: int
) -> None:
    """As long as allowed pairs can join all items that are left, 2n questions do."""
    rng = np.random.default_rng(seed)
    excluded = rng.choice(n_items, n_items // 5, replace=False)
    left = np.setdiff1d(np.arange(n_items), excluded)
    both = rng.integers(0, n_items, (n_items * n_items // 3, 2))
    forbidden = both[both[:, 0] != both[:, 1]]
    allowed = [
        (a, b)
        for a in left
        for b in left
        if a < b and not ((forbidden == (a, b)) | (forbidden == (b, a))).all(axis=1).any()
    ]
    if len(left) < 2 or not allowed:
        return
    possible = Groups.of(n_items, allowed)
    found = asked(kind, n_items, 2 * n_items, seed, forbidden=forbidden, excluded=excluded)
    np.testing.assert_array_equal(
        found.labels()[left][:, None] == found.labels()[left],
        possible.labels()[left][:, None] == possible.labels()[left],
    )


@pytest.mark.parametrize("kind", [Plain, Dense])
def test_groups_are_joined_where_all_neighbours_are_forbidden(kind: type[Plain]) -> None:
    """Of more than 100 items, a pair that joins two groups is found wherever it stands in the order."""
    n_items = 130
    belief = kind(np.linspace(3, -3, n_items), np.eye(n_items))
    groups = np.zeros(n_items, dtype=np.int64)
    groups[60] = 1
    forbidden = [(60, other) for other in range(1, n_items) if other != 60]
    pair = next_pair(belief, np.full(n_items, 2), groups=groups, forbidden=forbidden)
    assert pair == (0, 60)
    assert next_pair(belief, np.full(n_items, 2), groups=groups, forbidden=forbidden, avoid=[pair]) != pair
