"""What is wrong with a log, in the words of every store."""

from __future__ import annotations

from penchant.store import Inspection
from penchant.store.inspection import MOST_LISTED, EventScan, side_problems, token_problems
from penchant.store.postgres.address import PostgresAddress
from penchant.store.side import checksum, context_hash
from penchant.store.table import digest

SALT = b"salt"
ADDRESS = PostgresAddress.parse("postgresql://db.example/ranking?study=talks")


def test_many_problems_of_a_kind_are_not_all_listed() -> None:
    """A log that is damaged everywhere gives a short report, and the runs that can be read."""
    scan = EventScan()
    for number in range(1, 201, 2):
        scan.add(number, "does not match its checksum" if number % 4 == 1 else None)
    problems = scan.problems(None)
    assert len(problems) == 2 * MOST_LISTED
    assert problems[0] == "event 2: missing"
    assert scan.readable[:2] == [(3, 3), (7, 7)]


def test_rows_that_match_their_checksums_are_no_problem() -> None:
    """And those that do not are counted by table."""
    token = ("t1", "hash", "judge", "ann", 1.0, None, None)
    assert token_problems([(*token, digest(*token))]) == []
    assert token_problems([(*token, "other")]) == ["the tokens: 1 of 1 do not match their checksums"]
    context, user, state = b"tea", ("k", "ann"), (3, b"state")
    sound = (
        [(context_hash(SALT, context), context)],
        [(*user, digest(*user))],
        [(*state, checksum(*state))],
    )
    assert list(side_problems(SALT, *sound)) == []
    assert list(side_problems(b"", *sound)) == ["the contexts: 1 do not match their hashes"]
    assert list(side_problems(SALT, [("x", context)], [("k", "bob", "x")], [(3, b"other", "x")])) == [
        "the contexts: 1 do not match their hashes",
        "the users: 1 do not match their checksums",
        "the checkpoint: it does not match its checksum",
    ]


def test_a_report_says_how_much_can_be_read() -> None:
    """With the numbers of the events, or that their number is unknown."""
    assert str(Inspection(ADDRESS, 3, ((1, 3),), ())) == "sound: all 3 events match their checksums"
    damaged = Inspection(ADDRESS, None, ((1, 3), (5, 5)), ("event 4: missing",))
    assert str(damaged) == "damaged: 4 of an unknown number of events can be read (numbers 1–3, 5)"
