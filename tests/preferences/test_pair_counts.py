"""Counting pairs chunk by chunk, in memory and on disk."""

from __future__ import annotations

import pickle
from collections import defaultdict
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.errors import InvalidInput
from penchant.preferences import BAR, Items, PairCounter, PairCounts, Preferences
from penchant.preferences.pair_counts import PAIR_BYTES

Row = tuple[int, int, bool, float]
SMALL = 5 * PAIR_BYTES
"""Memory for five pairs."""
ROWS = st.lists(
    st.tuples(
        st.integers(0, 6), st.integers(1, 6), st.booleans(), st.sampled_from([1.0, 2.0, 300.0, 0.25])
    ).map(lambda row: (row[0], (row[0] + row[1]) % 7, row[2], row[3])),
    min_size=1,
    max_size=60,
)


@pytest.fixture(autouse=True, scope="module")
def _small_chunks() -> Iterator[None]:
    """Let a few comparisons fill a chunk, so that small data make many runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("penchant.preferences.pair_counts._LEAST_CHUNK", 1)
        yield


def counted_slowly(rows: list[Row]) -> dict[tuple[int, int], list[float]]:
    """One comparison after the other, in a dictionary."""
    totals: dict[tuple[int, int], list[float]] = defaultdict(lambda: [0.0, 0.0, 0.0])
    for better, worse, tie, weight in rows:
        outcome = 2 if tie else int(better > worse)
        totals[min(better, worse), max(better, worse)][outcome] += weight
    return dict(sorted(totals.items()))


def as_dictionary(counts: PairCounts) -> dict[tuple[int, int], list[float]]:
    pairs, weight = counts.arrays()
    return {(int(i), int(j)): column.tolist() for (i, j), column in zip(pairs.T, weight.T, strict=True)}


def columns_of(rows: list[Row]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    better, worse, tie, weight = zip(*rows, strict=True)
    return np.array(better), np.array(worse), np.array(tie), np.array(weight)


@settings(deadline=None)
@given(ROWS, st.sampled_from([1, SMALL, 10**6]), st.integers(1, 20), st.permutations(range(7)))
def test_counts_are_those_of_a_dictionary(rows: list[Row], memory: int, size: int, order: list[int]) -> None:
    """In any memory, in chunks of any size, and with any numbering of the items before the last step."""
    counter, number = PairCounter(memory=memory), np.argsort(order)
    for start in range(0, len(rows), size):
        better, worse, tie, weight = columns_of(rows[start : start + size])
        counter.add(number[better], number[worse], tie, weight)
    counts = counter.finish(Items.named(range(7)), np.array(order))
    expected = counted_slowly(rows)
    assert as_dictionary(counts) == expected
    assert counts.n_pairs == len(counts) == len(expected)
    assert counts.n_comparisons == sum(row[3] for row in rows)
    totals = np.zeros(7)
    for better, worse, _, weight in rows:
        totals[[better, worse]] += weight
    np.testing.assert_array_equal(counts.compared(), totals)


@pytest.mark.parametrize("memory", [1, 10**6])
def test_blocks_cover_the_pairs_in_order(memory: int) -> None:
    """Also where a block ends among the pairs of one item, and where items have none."""
    counter = PairCounter(memory=memory)
    counter.add(np.array([5, 1, 1, 5, 1]), np.array([6, 4, 3, 9, 9]))
    counts = counter.finish(Items.named(range(12)))
    assert counts.on_disk == (memory == 1)
    for size in (1, 2, 100):
        blocks = list(counts.blocks(size))
        found = [
            (block.start, *pair) for block in blocks for pair in zip(block.first, block.second, strict=True)
        ]
        assert [pair for _, *pair in found] == [[1, 3], [1, 4], [1, 9], [5, 6], [5, 9]]
    assert "5 comparisons of 12 items, 5 different pairs" in repr(counts)


def test_no_comparisons_are_no_pairs() -> None:
    """Nothing is counted where nothing was added."""
    assert PairCounter().finish(Items.named(["a", "b"])).n_pairs == 0


@pytest.mark.parametrize("memory", [0, -1, 1.5, True, "2GB"])
def test_memory_is_a_number_of_bytes(memory: object) -> None:
    """Anything else is rejected."""
    with pytest.raises(InvalidInput, match="memory must be"):
        PairCounter(memory=memory)  # type: ignore[arg-type]


def test_many_runs_are_merged_on_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that there are few open files, whatever the number of comparisons."""
    from penchant.preferences import pair_counts

    monkeypatch.setattr(pair_counts, "_MOST_RUNS", 3)
    rng = np.random.default_rng(0)
    better = rng.integers(40, size=2_000)
    worse = (better + rng.integers(1, 40, size=2_000)) % 40
    counter = PairCounter(memory=SMALL)
    for start in range(0, 2_000, 50):
        counter.add(better[start : start + 50], worse[start : start + 50])
        assert len(counter._runs) < 3
    counts = counter.finish(Items.named(range(40)), np.arange(40)[::-1])
    assert counts.on_disk
    rows = [(39 - int(b), 39 - int(w), False, 1.0) for b, w in zip(better, worse, strict=True)]
    assert as_dictionary(counts) == counted_slowly(rows)


def test_runs_of_the_same_pairs_come_back_to_memory() -> None:
    """Where the different pairs fit after all."""
    counter = PairCounter(memory=SMALL)
    for _ in range(3):
        counter.add(np.arange(4), np.arange(4) + 1)
    counts = counter.finish(Items.named(range(5)))
    assert not counts.on_disk
    assert as_dictionary(counts) == {(i, i + 1): [3.0, 0.0, 0.0] for i in range(4)}


NAMES = st.sampled_from(["a", "b", "c", "10", "9"])
NAMED_ROWS = st.lists(
    st.tuples(NAMES, NAMES, st.booleans()).filter(lambda row: row[0] != row[1]), min_size=1, max_size=12
)


@given(st.lists(NAMED_ROWS, min_size=1, max_size=4))
def test_counts_of_parts_add_up_to_those_of_all(parts: list[list[tuple[str, str, bool]]]) -> None:
    """On the items of all parts, in the order in which all rows together have them."""

    def preferences_of(rows: list[tuple[str, str, bool]]) -> Preferences:
        return Preferences.from_pairs([row[:2] for row in rows], tie=[row[2] for row in rows])

    added, *others = (PairCounts.of(preferences_of(part)) for part in parts)
    for each in others:
        added = added + each
    together = PairCounts.of(preferences_of([row for part in parts for row in part]))
    assert added.catalogue == together.catalogue
    assert as_dictionary(added) == as_dictionary(together)


def test_ids_that_are_numbers_add_up_in_their_order() -> None:
    """Also where no part alone shows whether they are sorted as numbers or as texts."""

    def counts(*numbers: int) -> PairCounts:
        return PairCounts.of(
            Preferences.from_frame({"a": numbers[:1], "b": numbers[1:]}, better="a", worse="b")
        )

    assert (counts(1, 9) + counts(10, 11)).catalogue.ids == ("1", "9", "10", "11")
    assert (counts(1, 9) + counts(9, 1)).outcomes == (1, 1, 0)


def test_the_bar_stays_last_where_counts_are_added() -> None:
    """Both items of a both-bad answer lose to it."""
    answers = Preferences.from_answers(["z", "a"], ["b", "z"], ["both_bad", "left"])
    together = PairCounts.of(answers) + PairCounts.of(Preferences.from_pairs([("c", "a")]))
    assert together.catalogue.ids == ("a", "b", "c", "z", BAR)
    assert together.catalogue.bar
    assert as_dictionary(together) == {
        (0, 2): [0, 1, 0],
        (0, 3): [1, 0, 0],
        (1, 4): [0, 1, 0],
        (3, 4): [0, 1, 0],
    }


def test_counts_in_memory_can_be_sent_to_another_process() -> None:
    """Those on disk belong to the process that has their files, and are not added either."""
    pairs = Preferences.from_pairs([(0, 1), (1, 2)], items=range(3))
    counts = PairCounts.of(pairs)
    assert as_dictionary(pickle.loads(pickle.dumps(counts))) == as_dictionary(counts)
    counter = PairCounter(memory=1)
    counter.add_preferences(pairs)
    there = counter.finish(pairs.catalogue)
    assert there.on_disk
    with pytest.raises(InvalidInput, match="must be in memory"):
        there + counts


def test_the_least_memory_does_not_count_row_by_row(monkeypatch: pytest.MonkeyPatch) -> None:
    """A chunk has many rows, whose sums are then written to disk."""
    monkeypatch.setattr("penchant.preferences.pair_counts._LEAST_CHUNK", 1 << 16)
    random = np.random.default_rng(0)
    better = random.integers(0, 300, 20_000)
    worse = (better + random.integers(1, 300, len(better))) % 300
    counter, whole = PairCounter(memory=1), PairCounter(memory=None)
    for each in (counter, whole):
        each.add(better, worse)
    assert len(counter._runs) == 1
    found, expected = counter.finish(Items(300)), whole.finish(Items(300))
    assert found.on_disk
    assert not expected.on_disk
    for one, other in zip(found.arrays(), expected.arrays(), strict=True):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("memory", [SMALL, None])
def test_half_wins_are_those_of_preferences(memory: int | None) -> None:
    """In memory and on disk."""
    random = np.random.default_rng(0)
    better = random.integers(0, 9, 200)
    tie = random.random(200) < 0.4
    preferences = Preferences.from_pairs(
        np.column_stack([better, (better + random.integers(1, 9, 200)) % 9]), tie=tie
    )
    counter = PairCounter(memory=memory)
    counter.add_preferences(preferences)
    found = counter.finish(preferences.catalogue).ties_as_half_wins()
    assert found.on_disk == (memory is not None)
    assert as_dictionary(found) == as_dictionary(PairCounts.of(preferences.ties_as_half_wins()))
