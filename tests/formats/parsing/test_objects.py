"""JSONL and Parquet: rankings, choices, clicks, chats and comparisons, each an object."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from penchant import Preferences
from penchant.formats import read_file
from tests.formats.files import lines, only_reason
from tests.formats.strategies import file, rows_of


def test_rankings_with_ties(tmp_path: Path) -> None:
    """An order is a row, a nested list a tie, and an order may say that it leaves items untold."""
    path = lines(
        tmp_path,
        {"order": ["a", ["b", "c"]], "judge": "ann", "weight": 2},
        {"ranking": [3, "a"]},
        {"order": ["a", ["b", "c"]], "tied": False},
    )
    preferences = read_file(path, strict=True).preferences
    assert preferences.to_orders() == [["a", ["b", "c"]], ["3", "a"], ["a", ["b", "c"]]]
    assert (preferences.n_pairs, preferences.n_ties) == (5, 1)
    assert [row[2:4] for row in rows_of(preferences)] == [(2.0, "ann"), (1.0, None), (1.0, None)]


def test_choices_and_clicks(tmp_path: Path) -> None:
    """Choices and pages say the same as from_choices and from_clicks, pages keep their source."""
    path = lines(tmp_path, {"choice": "b", "offered": ["a", "b", "c"]})
    assert read_file(path).preferences == Preferences.from_choices(["b"], [["a", "b", "c"]])
    pages = [("ABCDE", "CD"), ("XY", "Y"), ("XY", "X")]
    path = lines(
        tmp_path, *({"presented": list(shown), "clicked": list(clicked)} for shown, clicked in pages)
    )
    reading = read_file(path)
    expected = Preferences.from_clicks(
        [list(shown) for shown, _ in pages], [list(clicked) for _, clicked in pages]
    )
    assert reading.preferences == expected
    assert reading.skipped == {"pages whose clicks change nothing": 1}


def test_comparisons_by_the_names_of_columns(tmp_path: Path) -> None:
    """Objects may have the names that columns have, different ones in one file, and numbers as ids."""
    path = lines(
        tmp_path,
        {"winner": 1, "loser": "b"},
        {"model_a": "b", "model_b": "c", "winner": "tie", "judge": "ann", "language": "de"},
        {"winner": "c", "loser": 1, "tie": False, "weight": 2.5},
    )
    reading = read_file(path, strict=True)
    assert reading.preferences.to_orders() == [["1", "b"], [["b", "c"]], ["c", "1"]]
    assert [row[2:] for row in rows_of(reading.preferences)] == [
        (1.0, None, None, None),
        (1.0, "ann", "b", None),
        (2.5, None, None, None),
    ]


def test_keys_can_be_given(tmp_path: Path) -> None:
    """Options name keys as they name columns."""
    path = lines(tmp_path, {"good": "a", "bad": "b", "order": [1]})
    assert read_file(path, better="good", worse="bad").preferences.to_orders() == [["a", "b"]]


def test_chosen_and_rejected_texts(tmp_path: Path) -> None:
    """Ids are used where there are some; else texts are the items, chats with their roles, and a note says so."""
    reading = read_file(lines(tmp_path, {"chosen": "Yes.", "rejected": "No.", "prompt": "?"}))
    assert (reading.preferences.items, reading.notes) == (("No.", "Yes."), ())
    chat = [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}]
    reading = read_file(lines(tmp_path, {"chosen": chat, "rejected": [chat[0]]}))
    assert reading.preferences.items == ("user: Hi", "user: Hi\nassistant: Hello")
    assert reading.notes == ("chosen and rejected carry no ids: the texts themselves are the items",)
    reading = read_file(lines(tmp_path, {"chosen": {"id": 7, "text": "…"}, "rejected": {"id": "8"}}))
    assert reading.preferences.to_orders() == [["7", "8"]]
    reading = read_file(
        lines(tmp_path, {"chosen": chat, "chosen_id": "x", "rejected": chat, "rejected_id": "y"})
    )
    assert reading.preferences.to_orders() == [["x", "y"]]


BAD = [
    ("[1]", "an object must stand on each line, got [1]"),
    ("{", "not JSON (Expecting property name"),
    ('{"winner": NaN, "loser": "b"}', "not JSON (NaN is no number in JSON)"),
    ("[" * 20_000, "lists and objects inside one another must be at most 100, got 20,000"),
    ('{"winner": "b", "loser": "b"}', "'b' is compared with itself"),
    ('{"winner": "b", "loser": null}', "loser is empty"),
    ('{"winner": "b", "loser": 1.5}', "worse must hold ids that are text or whole numbers, got 1.5"),
    ('{"winner": "b", "loser": true}', "worse must hold ids that are text or whole numbers, got True"),
    ('{"winner": "b", "loser": "\\ud800"}', "loser is no valid text"),
    ('{"winner": "b", "loser": "c", "weight": "x"}', "weight must be a number above 0, got 'x'"),
    ('{"winner": "b", "loser": ["c"]}', "worse must be text, an id or a list of messages"),
    ('{"this": 1, "that": 2}', "columns must say who was preferred, got 'this', 'that'"),
    ('{"order": "abc"}', "order must be a list of items, best first, got 'abc'"),
    ('{"order": []}', "order must be a list of items"),
    ('{"order": ["b", []]}', "order must be a list of items, got []"),
    ('{"order": ["b", ["c", "b"]]}', "an order must name each item once, got 'b' twice"),
    ('{"order": ["b", " "]}', "order must hold ids that are text or whole numbers, got ' '"),
    ('{"order": ["b", "c"], "tied": 1}', "tied must be true or false, got 1"),
    ('{"order": ["b", "c"], "weight": 0}', "weight must be a number above 0, got 0"),
    ('{"order": ["b", "c"], "period": "soon"}', "period must be a whole number or a date, got 'soon'"),
    ('{"choice": "b", "offered": ["b"]}', "offered must hold more than the choice 'b'"),
    ('{"offered": ["b"]}', "offered must come with choice, got it alone"),
    ('{"presented": ["b", "b"], "clicked": ["b"]}', "presented must name each item once"),
    ('{"presented": "bc", "clicked": ["b"]}', "presented must be a list of items"),
]


@pytest.mark.parametrize(("line", "reason"), BAD)
def test_a_bad_object_is_rejected_by_line(line: str, reason: str, tmp_path: Path) -> None:
    """One bad line among good ones is rejected by its number and reason; the others stay."""
    good = '{"winner": "a", "loser": "z"}\n'
    reading = read_file(file(tmp_path, "votes.jsonl", f"{good}\n{line}\n{good}"))
    (refusal,) = reading.refusals
    assert refusal.line == 3
    assert reason in refusal.reason
    assert (reading.n_rows, reading.preferences.items) == (3, ("a", "z"))


def test_a_repeated_item_is_found_in_one_walk(tmp_path: Path) -> None:
    """The item that stands twice at the end of a long order is named without comparing all with all."""
    names = [str(i) for i in range(100_000)]
    path = file(
        tmp_path, "x.jsonl", '{"order": ["a", "b"]}\n' + json.dumps({"order": [*names, names[-1]]}) + "\n"
    )
    assert only_reason(path) == "an order must name each item once, got '99999' twice"


def test_rows_with_keys_of_their_own_share_a_table(tmp_path: Path) -> None:
    """Keys that play no part may differ on every line."""
    lines = [json.dumps({"winner": "a", "loser": "b", f"key {i}": i}) for i in range(5000)]
    assert len(read_file(file(tmp_path, "x.jsonl", "\n".join(lines))).preferences) == 5000
