"""Lines of LETOR, one by one."""

from __future__ import annotations

import pytest

from penchant.formats.parsing.letor_lines import document, parsed_line
from penchant.formats.parsing.reading import Wrong
from penchant.formats.parsing.source import Limits

LIMITS = Limits()


def test_a_line_has_a_grade_a_query_and_sorted_features() -> None:
    """Numbers may be written in every usual way, and features in any order."""
    found = parsed_line("  2.5\tqid:0012 3:1e-2 1:+.5 9:-4.\r\n", LIMITS)
    assert found == (2.5, 12, [0, 2, 8], [0.5, 0.01, -4.0])
    assert parsed_line("0 qid:3", LIMITS) == (0.0, 3, [], [])


@pytest.mark.parametrize("query", ["tea", "1.5", "-3", "12345678901234567890", "a:b", "Zürich"])
def test_a_query_may_be_any_text(query: str) -> None:
    """What is no integer of up to 18 digits is kept as it is written."""
    assert parsed_line(f"1 qid:{query} 1:2", LIMITS).query == query


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("1 2:3", "must have a query like qid:7, got '1 2:3'"),
        ("1 qid: 1:2", "must be like"),
        ("1 qid:1 1:2 2", "got '2'"),
        ("1 qid:1 1:0x1", "got '1:0x1'"),
        ("1 qid:1 1:1_0", "got '1:1_0'"),
        ("1 qid:1 4:1 0:2", "must count from 1, got 0"),
        ("1 qid:1 4:1 2:2 4:1", "feature 4 must stand once in a line, got it twice"),
        ("1e999 qid:1", "grade must be a finite number, got inf"),
        ("1 qid:1 1:1e999", "features must be finite numbers"),
        ("1 qid:1 1:" + "1" * 1001, "digits of a number must be at most 1,000"),
        ("1 qid:" + "x" * 200_000, "characters of a query must be at most 131,072, got 200,000"),
    ],
)
def test_a_wrong_line_is_explained(line: str, reason: str) -> None:
    """The reason names what is wrong."""
    with pytest.raises(Wrong) as error:
        parsed_line(line, LIMITS)
    assert reason in str(error.value.args[0])


def test_comments_name_documents() -> None:
    """The id ends where another key begins; quotes and colons are understood."""
    assert document("docid = GX000-00 inc = 1 prob = 0.02") == "GX000-00"
    assert document(' doc:"a b"') == "a b"
    assert document("docid =   ") is None
    assert document("") is None
