"""Judges: the table that people look at."""

from __future__ import annotations

import numpy as np
import pytest

from penchant import Preferences
from penchant.errors import InvalidInput
from penchant.worth import CrowdBradleyTerry, Judges
from tests.worth.crowds import answers


def test_the_table_of_judges() -> None:
    """The table shows the least reliable first, says how many more there are, and goes into a frame."""
    _, prefs = answers(per_judge=20, reliability=np.r_[-1, np.ones(24)], bias=np.zeros(25))
    judges = CrowdBradleyTerry().fit(prefs).judges(level=0.9)
    lines = repr(judges).splitlines()
    assert lines[0].split() == [
        *("judge", "answers", "reliability", "left", "bias", "left", "share", "agreement", "finding"),
    ]
    assert lines[1].startswith("j00 ")
    assert lines[-1].startswith("… and 5 more, ")
    frame = judges.to_frame()
    assert len(frame) == len(judges) == 25
    assert frame["reliability"].is_monotonic_increasing
    assert frame["answers"].tolist() == [20] * 25
    np.testing.assert_allclose(np.log(frame["left_share"] / (1 - frame["left_share"])), frame["bias"])


def test_no_judges_make_an_empty_table() -> None:
    """Where nobody is named the table says so."""
    judges = CrowdBradleyTerry().fit(Preferences.from_pairs([(0, 1), (1, 0)])).judges()
    assert len(judges) == 0
    assert repr(judges) == "no judges were named"
    assert judges.to_frame().empty


def test_findings_say_what_is_clear() -> None:
    """Each finding is said exactly where the interval at the level says it."""
    judges = Judges(
        judges=tuple("abcdef"),
        answers=np.full(6, 9),
        reliability=np.array([-1, 0, 0.5, 0.5, 1, 1.0]),
        reliability_error=np.array([0.3, 0.3, 0.1, 0.5, 0.2, 0.2]),
        bias=np.array([0, 0, 0, 0, 1, -1.0]),
        bias_error=np.full(6, 0.3),
        level=0.95,
        model="",
    )
    assert judges.findings == ("upside down", "at random", "less reliable", "", "leans left", "leans right")


def test_a_level_is_between_0_and_1() -> None:
    """A level of 95 is rejected with a message."""
    model = CrowdBradleyTerry().fit(Preferences.from_pairs([(0, 1)], judge=["ann"]))
    with pytest.raises(InvalidInput, match=r"level must be a number between 0 and 1, got 95: 0.95 is usual"):
        model.judges(level=95)


def test_programs_are_told_apart_and_compared_with_people() -> None:
    """A program's agreement is with people, people's with one another; who is to be looked at is named."""
    pairs = [("a", "b"), ("b", "c"), ("a", "c")] * 6
    flipped = [(worse, better) for better, worse in pairs]
    who = [name for name in ("ann", "bob", "bot") for _ in pairs]
    model = CrowdBradleyTerry().fit(Preferences.from_pairs([*pairs, *pairs, *flipped], judge=who))
    found = model.judges(programs=["bot"])
    assert found.people_agreement == 1
    assert found.agreement[found.judges.index("bot")] == 0
    look, agrees = found.notes()
    assert look.startswith("Look at: bot (")
    assert agrees == (
        "bot, a program, agrees with people in 0 % (± 0 %) of 18 answers about the same pairs; "
        "people agree with one another in 100 %"
    )
    assert [row["kind"] for row in found.rows()] == ["program", "person", "person"]
    assert found.to_frame()["program"].tolist() == [True, False, False]
    with pytest.raises(
        InvalidInput, match=r"programs must name judges, of whom there are 3 \('bot', .* got 'eve'"
    ):
        model.judges(programs=["eve"])
