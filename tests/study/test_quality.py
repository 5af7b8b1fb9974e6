"""Checks of the answers of a study."""

from __future__ import annotations

import json

import numpy as np
import pytest

from penchant.study.columns import AnswerColumns
from penchant.study.quality import (
    FASTEST,
    LEAST_ANSWERS,
    MOST_READ,
    READING,
    check_answers,
    least_seconds,
    repeated_answers,
)
from penchant.study_reports import Check, Checks
from tests.study.simulated import simulated_columns

NAMES = [
    "left share",
    "left share of judges",
    "repeat agreement",
    "ties",
    "skips",
    "cycles",
    "connected",
    "judges agree",
    "time to read",
]


def failed(checks: Checks) -> set[str]:
    return {check.name for check in checks if check.passed is False}


def test_every_check_is_reported() -> None:
    """Of a study without answers, of a clean one, and after the check of the fold where the study gives one."""
    nothing = check_answers(AnswerColumns.of([], [], [], items="abc"))
    assert [check.name for check in nothing] == NAMES
    assert all(check.passed is None and "not enough data" in check.message for check in nothing)
    clean = check_answers(simulated_columns(), fold=Check("fold", True, None, None, "equal"))
    assert [check.name for check in clean] == ["fold", *NAMES]
    assert clean.ok
    assert len(clean) == 10


def test_a_clean_study_rarely_fails() -> None:
    """At most one of ten studies without faults has any alarm."""
    assert sum(not check_answers(simulated_columns(seed, shares={"tie": 0.1})).ok for seed in range(30)) <= 3


def test_a_lean_to_one_side_fails() -> None:
    """Of all judges, or of one, who is named; and to the right as to the left."""
    for lean, limit in ((0.8, 0.52), (-0.8, 0.48)):
        checks = check_answers(simulated_columns(lean=lean))
        assert checks["left share"].passed is False
        assert checks["left share"].limit == pytest.approx(limit)
    columns = simulated_columns()
    own = columns.judge == 4
    columns.choice[own] = np.where(np.random.default_rng(0).random(own.sum()) < 0.9, 0, 1)
    checks = check_answers(columns)
    assert checks["left share of judges"].passed is False
    assert checks["left share of judges"].value == pytest.approx((columns.choice[own] == 0).mean())
    assert "j4 may answer without looking" in checks["left share of judges"].message


def test_answers_without_sides_say_nothing_about_sides() -> None:
    """Nor about repeats, in which sides are swapped."""
    columns = simulated_columns(lean=2.0, sides=[False] * 600)
    assert columns.preferences().n_pairs == 600
    checks = check_answers(columns)
    for name in ("left share", "left share of judges", "repeat agreement"):
        assert checks[name].passed is None


def test_a_small_lean_passes_however_sure() -> None:
    """51.5 % of many answers differ from one half, and matter to no order."""
    columns = simulated_columns(n_judges=2, answers=20_000)
    columns.choice[:] = np.arange(40_000) % 200 >= 103
    check = check_answers(columns)["left share"]
    assert check.passed
    assert check.value == pytest.approx(0.515)


@pytest.mark.parametrize(("name", "outcome", "share"), [("ties", "tie", 0.7), ("skips", "skip", 0.35)])
def test_too_many_ties_or_skips_fail(name: str, outcome: str, share: float) -> None:
    """And fewer pass."""
    many = check_answers(simulated_columns(shares={outcome: share}))
    assert failed(many) == {name}
    assert many[name].value == pytest.approx(share, abs=0.06)
    assert check_answers(simulated_columns(shares={outcome: share / 3}))[name].passed


def repeats_of(agreeing: int, others: int, *, marked: bool = True, choice: str = "left") -> AnswerColumns:
    """Pairs answered twice by one judge with sides swapped, so many of them in the same way."""
    same = {"left": "right", "tie": "tie"}[choice]
    total = agreeing + others
    pairs = [(f"a{k}", f"b{k}") for k in range(total)]
    first = [(left, right, choice) for left, right in pairs]
    second = [(right, left, same if k < agreeing else "left") for k, (left, right) in enumerate(pairs)]
    left, right, chosen = zip(*first, *second, strict=True)
    questions = [f"q{k}" for k in range(2 * total)]
    return AnswerColumns.of(
        left,
        right,
        chosen,
        items=[name for pair in pairs for name in pair],
        judge=["ann"] * (2 * total),
        question=questions,
        repeats=[None] * total + questions[:total] if marked else None,
    )


@pytest.mark.parametrize(
    ("agreeing", "others", "passed"),
    [(80, 20, True), (50, 50, None), (200, 200, False), (10, 5, None), (20, 80, False)],
)
def test_repeated_answers_agree(agreeing: int, others: int, passed: bool | None) -> None:
    """They pass beyond chance and fail where agreement is surely slight; between, more repeats are needed."""
    check = check_answers(repeats_of(agreeing, others))["repeat agreement"]
    assert check.passed is passed
    if agreeing + others >= LEAST_ANSWERS:
        assert check.value == pytest.approx(agreeing / (agreeing + others))


def test_pairs_asked_again_by_themselves_may_agree_by_chance() -> None:
    """A study asks again about close pairs, of which half agree; less than by chance fails."""
    assert check_answers(repeats_of(220, 200, marked=False))["repeat agreement"].passed is None
    assert check_answers(repeats_of(100, 300, marked=False))["repeat agreement"].passed is False


def test_repeats_are_swapped_and_answered_by_the_same_judge() -> None:
    """Marked repeats count alone; without any, the next answer of a judge about a pair, skips left out."""
    rows = [("a", "b", "left"), ("b", "a", "skip"), ("b", "a", "tie"), ("b", "a", "left"), ("a", "b", "left")]
    left, right, choice = zip(*rows, strict=True)
    judged = AnswerColumns.of(left, right, choice, items="ab", judge=["ann", "ann", "ann", "ann", "bob"])
    before, again = repeated_answers(judged)
    assert (before.tolist(), again.tolist()) == ([0], [2])
    marked = AnswerColumns.of(
        left, right, choice, items="ab", question=list("vwxyz"), repeats=[None, "v", None, "v", "y"]
    )
    before, again = repeated_answers(marked)
    assert (before.tolist(), again.tolist()) == ([0, 3], [3, 4])


def test_a_circle_fails() -> None:
    """Where each item mostly beats the next half of a circle, no order fits."""
    n = 15
    ahead = (np.arange(n)[None] - np.arange(n)[:, None]) % n
    checks = check_answers(simulated_columns(n_items=n, chance=np.where(ahead <= n // 2, 0.8, 0.2)))
    assert checks["cycles"].passed is False
    assert "run in a circle" in checks["cycles"].message


def test_groups_that_were_never_compared_fail() -> None:
    """Where there are answers enough to connect all; retired items need no comparison."""

    def connected(pairs: list[str], items: str, retired: str = "", choice: str = "left") -> Check:
        left, right = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
        columns = AnswerColumns.of(left, right, [choice] * len(pairs), items=items)
        return check_answers(columns, retired=retired)["connected"]

    assert connected(["ab", "bc", "dc"], "abcd").passed
    assert connected(["ab", "ab", "cd"], "abcd").message.startswith("2 groups never compared")
    assert connected(["ab", "ab", "cd"], "abcd").passed is False
    assert connected(["ab", "ba", "ab"], "abcd").message == "2 items without an answer: ask about them"
    assert connected(["ab"], "abcd").passed is None
    assert connected(["ab", "ba"], "abc", retired="c").passed
    assert connected(["ab", "bc"], "abc", choice="skip").passed is None
    assert connected(["ab", "bc"], "abc", choice="both_bad").passed


def test_a_judge_who_disagrees_is_named() -> None:
    """And what to look at."""
    checks = check_answers(simulated_columns(reliability={4: -1.0}))
    assert failed(checks) == {"judges agree"}
    assert "j4 agrees with the others in" in checks["judges agree"].message
    assert checks["judges agree"].message.endswith("look at the answers of j4")


def test_the_time_to_read_is_that_of_new_items() -> None:
    """A judge reads an item once, of a long text only the beginning."""
    columns = AnswerColumns.of(
        ["a", "b", "a", "c"],
        ["b", "a", "c", "a"],
        ["left"] * 4,
        items="abc",
        judge=["ann", "ann", "ann", "bob"],
        lengths=[100, 50, 10 * MOST_READ],
    )
    expected = [150, 0, MOST_READ, MOST_READ + 100]
    assert least_seconds(columns).tolist() == pytest.approx([FASTEST + each / READING for each in expected])


def test_answers_too_fast_to_be_read_fail() -> None:
    """A fifth of one judge's answers are named, a few of all pass; unnamed judges are taken together."""
    rng = np.random.default_rng(0)
    seconds = rng.uniform(1.0, 20.0, 600)
    assert check_answers(simulated_columns(seconds=seconds))["time to read"].passed
    columns = simulated_columns(seconds=seconds)
    columns.seconds[np.flatnonzero(columns.judge == 4)[:20]] = 0.1
    check = check_answers(columns)["time to read"]
    assert check.passed is False
    assert check.value == pytest.approx(1 / 3)
    assert check.message.endswith("look at the answers of j4")
    unnamed = AnswerColumns.of(["a"] * 30, ["b"] * 30, ["left"] * 30, items="ab", seconds=[0.1] * 30)
    assert check_answers(unnamed)["time to read"].message.startswith("somebody unnamed answered 100 %")
    assert (
        check_answers(simulated_columns(n_judges=40, answers=3, seconds=[0.1] * 120))["time to read"].passed
        is None
    )


def test_checks_are_shown_as_text_frame_and_json() -> None:
    """One line a check, with pass, FAIL or a dash."""
    checks = Checks(
        (
            Check("fold", True, None, None, "equal"),
            Check("ties", False, 0.7, 0.5, "many"),
            Check("skips", None, None, 0.2, "not enough data"),
        )
    )
    assert not checks.ok
    assert repr(checks).splitlines() == [
        "result  check  found",
        "pass    fold   equal",
        "FAIL    ties   many",
        "–       skips  not enough data",
    ]
    state = json.loads(checks.to_json())
    assert (state["ok"], state["checks"][1]["value"]) == (False, 0.7)
    assert list(checks.to_frame()["name"]) == ["fold", "ties", "skips"]
    assert repr(Checks(())) == "no checks"
    json.loads(check_answers(simulated_columns(lean=0.8)).to_json())
