"""The table of events: numbering of batches, conflicts and checksums."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from penchant.errors import Conflict, Damaged
from penchant.store.entry import Entry, canonical
from penchant.store.table import Record, decide, digest, events_of

entries = st.builds(
    Entry, st.sampled_from("abcdef"), st.just("note"), st.sampled_from(["{}", '{"x":1}']), st.just(1)
)


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


@given(st.integers(1, 2**63 - 1), st.text(), st.text(), st.floats(), st.text(), st.integers(1, 2**63 - 1))
def test_the_checksum_is_the_digest_of_all_fields(
    number: int, id: str, kind: str, time: float, content: str, version: int
) -> None:
    """Files of all versions have it: the fields in the order of the table."""
    record = Record(number, id, kind, time, content, version)
    assert record.checksum() == digest(number, id, kind, version, time, content)


@pytest.mark.parametrize(
    "content", ["", " {}", "{} ", "{}{}", "[]", "1", '{"x":1', "{'x': 1}", "[" * 100_000]
)
def test_only_a_json_object_is_an_event(content: str) -> None:
    """A content with anything around the object, or with something else than an object, is damaged."""
    with pytest.raises(Damaged, match="content of event 3 must be a JSON object"):
        Record(3, "e", "note", 0.0, content).event()


@pytest.mark.parametrize(
    "record",
    [
        Record("1", "e", "note", 0.0, "{}"),  # type: ignore[arg-type]
        Record(1, b"e", "note", 0.0, "{}"),  # type: ignore[arg-type]
        Record(1, "e", "note", 0, "{}"),
        Record(1, "e", "note", float("nan"), "{}"),
        Record(1, "e", "note", 0.0, "{}", 1.0),  # type: ignore[arg-type]
    ],
)
def test_a_field_of_another_type_is_damage(record: Record) -> None:
    """SQLite stores anything anywhere: a right checksum over a wrong type is not enough."""
    number, id, kind, time, content, version = record
    with pytest.raises(Damaged, match="must match its checksum"):
        Record.of((number, id, kind, version, time, content, record.checksum()))


def row_of(record: Record, checksum: str | None = None) -> tuple[object, ...]:
    number, id, kind, time, content, version = record
    return (number, id, kind, version, time, content, record.checksum() if checksum is None else checksum)


@given(st.lists(st.tuples(st.text(), st.floats(allow_nan=False, allow_infinity=False), st.integers(1, 99))))
def test_reading_many_rows_is_reading_each(fields: list[tuple[str, float, int]]) -> None:
    """The loop over a page gives the events that the rows give one by one."""
    records = [
        Record(number, f"e{number}", text or "note", time, canonical("e", {text: [time, text]}), version)
        for number, (text, time, version) in enumerate(fields, 1)
        if text.isprintable()
    ]
    assert events_of(map(row_of, records)) == [record.event() for record in records]


@pytest.mark.parametrize(
    "row",
    [
        row_of(Record(1, "e", "note", 0.0, "{}"), "00"),
        row_of(Record(1, "e", "note", 0, "{}")),
        row_of(Record(1, "e", "note", float("inf"), "{}")),
        row_of(Record(1, "e", "note", 0.0, "[]")),
        row_of(Record(1, "e", "note", 0.0, "{} ")),
        row_of(Record(1, "e", "note", 0.0, "{")),
        row_of(Record(1, "e", "note", 0.0, '{"x":' + "[" * 100_000)),
        row_of(Record(1, "e", "note", 0.0, b"{}")),  # type: ignore[arg-type]
    ],
)
def test_a_damaged_row_among_many_is_found(row: tuple[object, ...]) -> None:
    """What is wrong with a single row is wrong with it in a page."""
    with pytest.raises(Damaged, match="event 1 must"):
        events_of([row])


@pytest.mark.parametrize(
    "texts",
    [
        ('{"a":1},{"b":2', '"c":3}'),
        ('{"a":1}\n,{"b":2', '"c":3}'),
        ('{"a":1}', '{"b":2}\n,{"c":3}'),
        ('{"a":1}', '[{"b":2}]'),
        ('{"a":1}', ' {"b":2}'),
    ],
)
def test_contents_that_are_objects_only_together_are_found(texts: tuple[str, ...]) -> None:
    """Rows are parsed at once, and no row may begin or end in another."""
    rows = [row_of(Record(number, f"e{number}", "note", 0.0, text)) for number, text in enumerate(texts, 1)]
    with pytest.raises(Damaged, match="must be a JSON object"):
        events_of(rows)
