"""The table of events: numbering of batches, conflicts and checksums."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import Conflict
from penchant.store.entry import Entry
from penchant.store.table import Record, decide

entries = st.builds(Entry, st.sampled_from("abcdef"), st.just("note"), st.sampled_from(["{}", '{"x":1}']))


batches_of_entries = st.lists(st.lists(entries, min_size=1, max_size=4), max_size=8)


@given(batches_of_entries, batches_of_entries)
def test_deciding_together_is_deciding_one_by_one(
    before: list[list[Entry]], batches: list[list[Entry]]
) -> None:
    """Batches that share a commit have the outcome that they would have had each on its own, in turn."""
    rows: dict[str, Record] = {}
    for batch in before:
        rows |= {record.id: record for record in decide([batch], rows, len(rows), 0.0)[1]}
    together, new = decide(batches, rows, len(rows), 1.0)
    alone = []
    one_by_one = dict(rows)
    for batch in batches:
        outcomes, more = decide([batch], one_by_one, len(one_by_one), 1.0)
        alone += outcomes
        one_by_one |= {record.id: record for record in more}
    assert [repr(outcome) for outcome in together] == [repr(outcome) for outcome in alone]
    assert one_by_one == rows | {record.id: record for record in new}
    assert sorted(record.number for record in one_by_one.values()) == list(range(1, len(one_by_one) + 1))


@given(batches_of_entries)
def test_a_batch_is_rejected_just_when_it_contradicts(batches: list[list[Entry]]) -> None:
    """A conflict means that an id was kept, or stands in the batch, with other content; else all is kept."""
    kept: dict[str, str] = {}
    outcomes, _ = decide(batches, {}, 0, 0.0)
    for batch, outcome in zip(batches, outcomes, strict=True):
        wanted: dict[str, set[str]] = {}
        for entry in batch:
            wanted.setdefault(entry.id, set()).add(entry.text)
        contradicts = any(len(texts | {kept.get(id, min(texts))}) > 1 for id, texts in wanted.items())
        assert isinstance(outcome, Conflict) == contradicts
        if not isinstance(outcome, Conflict):
            assert [one.event.id for one in outcome] == [entry.id for entry in batch]
            kept |= {id: min(texts) for id, texts in wanted.items()}
