"""The verdict: places and goal in sentences that agree with one another and with the ranking."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from penchant.ask import Settled
from penchant.ranking import Ranking
from penchant.study import Study
from penchant.study.verdict import places, verdict


def ranked(*sizes: int) -> Ranking:
    """A ranking whose groups have these sizes."""
    scores = np.repeat(-10.0 * np.arange(len(sizes)), sizes) - 0.01 * np.arange(sum(sizes))
    return Ranking.from_scores(
        [f"i{k}" for k in range(sum(sizes))], scores, variance=np.full(sum(sizes), 0.01)
    )


def near(value: float, goal: str = "order", top: int | None = None) -> Settled:
    return Settled(goal, value, 0.001, 0.9, 12, (8, 18), top, 0.405)


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ((4,), "No single place is certain yet."),
        ((1, 1, 1), "Every place is certain."),
        ((1, 3), "The first place is certain; places 2 to 4 are still open."),
        ((1, 1, 1, 6), "The first three places are certain; places 4 to 9 are still open."),
        ((2, 1, 3), "Places 1 to 2 and 4 to 6 are still open."),
        ((2, 2, 2), "Places 1 to 2, 3 to 4 and one more group are still open."),
        ((2, 2, 2, 2), "Places 1 to 2, 3 to 4 and two more groups are still open."),
        ((*[1] * 12, 2), "The first 12 places are certain; places 13 to 14 are still open."),
    ],
)
def test_places_are_those_of_the_groups(sizes: tuple[int, ...], words: str) -> None:
    """The certain ones at the top, then those that are open."""
    ranking = ranked(*sizes)
    assert np.bincount(ranking.groups)[1:].tolist() == list(sizes)
    assert places(ranking, more=True) == words
    assert not {"yet", "still"} & set(places(ranking).rstrip(".").split())


def test_a_ranking_without_intervals_is_not_judged() -> None:
    """Nothing is known about it."""
    assert "not known" in places(Ranking.from_scores(["a", "b"], [1.0, 0.0]))


def test_a_goal_that_is_reached_comes_first() -> None:
    """With what counts as equal; that no place is certain is then no contradiction, and nothing is still to come."""
    assert verdict(ranked(4), near(0.95), comparisons=50) == (
        "The goal is reached: 97 % of pairs are expected in the right order or nearly equal.",
        "Items whose scores differ by less than 0.41 count as equal.",
        "No single place is certain. The goal asks for no more.",
    )
    plain = Ranking.from_scores(["a", "b"], [0.1, 0.0], variance=[1.0, 1.0], scale="log odds")
    for scale, words in (("elo", "less than 70 count"), ("probability", "less than 0.41 in log odds count")):
        assert words in verdict(plain.on_scale(scale), near(0.95), comparisons=50)[1]
    first, _, last = verdict(ranked(1, 3), near(0.95, "top", 2), comparisons=50)
    assert first == "The goal is reached: the top 2 is 95 % sure."
    assert last == "The first place is certain; places 2 to 4 are open. The goal asks for no more."
    assert verdict(ranked(1, 1, 1), near(0.95), comparisons=50)[-1] == "Every place is certain."


def test_a_goal_that_is_not_reached_comes_after_the_places() -> None:
    """In the words of `Settled`."""
    found = near(0.8)
    assert verdict(ranked(1, 3), found, comparisons=50) == (
        places(ranked(1, 3), more=True),
        f"{str(found)[0].upper()}{str(found)[1:]}.",
    )


@pytest.mark.parametrize(
    ("items", "comparisons", "words"),
    [
        (4, 3, "once there are as many answers as items"),
        (4, 4, "is being computed"),
        (2001, 3, "The whole order of 2,001 items is too much to evaluate"),
    ],
)
def test_why_nothing_is_known_of_the_goal(items: int, comparisons: int, words: str) -> None:
    """Too early, under way, or too many items."""
    assert words in verdict(ranked(items), None, comparisons=comparisons)[1]


def test_without_answers(tmp_path: Path) -> None:
    """Nobody has answered, or all was skipped."""
    with Study.create(tmp_path / "s.db", ["a", "b", "c"], seed=1) as study:
        assert study.verdict() == ("Nobody has answered yet.",)
        study.tell(study.ask("ann"), "skip")
        assert study.verdict() == ("All questions were skipped so far.",)
        for _ in range(30):
            asked = study.ask("ann")
            study.tell(asked, "left" if asked.left < asked.right else "right")
        ranking, settled = study.rank(), study.settled()
        assert study.verdict() == study.verdict(ranking) == verdict(ranking, settled, comparisons=30)
