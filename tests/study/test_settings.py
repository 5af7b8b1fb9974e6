"""How settled a study is, and how it asks."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from penchant.ask.stopping import last_look
from penchant.errors import InvalidInput
from penchant.study import Study
from penchant.study.compare import LEASE
from penchant.study.settings import ADDED

ITEMS = ("a", "b", "c", "d", "e")


def answer(study: Study, count: int, judge: str = "ann") -> None:
    """Answer in alphabetical order."""
    for _ in range(count):
        question = study.ask(judge)
        study.tell(question, "left" if question.left < question.right else "right")


def test_it_becomes_sure(tmp_path: Path) -> None:
    """Too early at first; then a probability below the level and answers left; with enough answers, enough."""
    with Study.create(tmp_path / "s.db", ITEMS, seed=1) as study:
        answer(study, 4)
        assert study.settled() is None
        answer(study, 4)
        early = study.settled()
        assert early is not None
        assert not early.enough
        assert early.left > 0
        answer(study, 60)
        late = study.settled()
        assert late is not None
        assert late.enough
        assert late.left == 0


def test_it_depends_on_the_answers_alone(tmp_path: Path) -> None:
    """Opened again, and after an answer given and taken back, a study says the same."""
    with Study.create(tmp_path / "s.db", ITEMS, top=2, seed=1) as study:
        answer(study, 12)
        said = study.settled()
        assert said is not None
        assert said.top == 2
        answer(study, 1)
        study.undo()
        assert study.settled() == said
    with Study.open(tmp_path / "s.db") as again:
        assert again.settled() == said
        assert again.top == 2


def test_ties_and_both_bad_count_and_skips_do_not(tmp_path: Path) -> None:
    """All five answers can stand in a study that is judged."""
    with Study.create(tmp_path / "s.db", ITEMS, seed=2) as study:
        for choice in ("left", "right", "tie", "both_bad", "left", "tie", "right"):
            study.tell(study.ask("ann"), choice)
        said = study.settled()
        study.tell(study.ask("ann"), "skip")
        assert said is not None
        assert study.settled() == said


def test_contradictions_do_not_settle_it(tmp_path: Path) -> None:
    """Answers of a judge who always takes the left one show no order, and it is not said to be sure."""
    with Study.create(tmp_path / "s.db", ITEMS, seed=2) as study:
        for _ in range(14):
            study.tell(study.ask("ann"), "left")
        said = study.settled()
        assert said is not None
        assert not said.enough


def test_looks_come_each_twentieth() -> None:
    """The answers looked at grow by at least one and about a twentieth, and never exceed those there are."""
    looks = sorted({last_look(30, count) for count in range(500)})
    assert looks[:3] == [0, 30, 31]
    assert all(later - look <= max(1, look * 0.05) for look, later in pairwise(looks[1:]))
    assert all(last_look(30, count) <= count for count in range(500))


def test_forbidden_pairs_are_not_asked(tmp_path: Path) -> None:
    """A pair that is forbidden never comes, in either order, also after the study was opened again."""
    place = tmp_path / "s.db"
    with Study.create(place, ITEMS[:3], forbidden=[("b", "a")], seed=1) as study:
        answer(study, 8)
    with Study.open(place) as study:
        answer(study, 8)
        assert all({one.question.left, one.question.right} != {"a", "b"} for one in study.answers())


def test_a_pair_comes_back_with_its_sides_swapped(tmp_path: Path) -> None:
    """Each time a pair is asked again, whoever stood on the left stands on the right."""
    shown: dict[frozenset[str], list[str]] = {}
    with Study.create(tmp_path / "s.db", ITEMS[:3], seed=3) as study:
        for _ in range(24):
            question = study.ask("ann")
            shown.setdefault(frozenset((question.left, question.right)), []).append(question.left)
            study.tell(question, "tie")
    assert all(one != other for lefts in shown.values() for one, other in pairwise(lefts))


def test_a_pause_brings_no_pair_back_at_once(tmp_path: Path) -> None:
    """The same judge is not asked about the same pair within three questions, however long they take."""

    class Clock:
        now = 1000.0

        def __call__(self) -> float:
            return self.now

    clock, pairs = Clock(), []
    with Study.create(tmp_path / "s.db", ITEMS, seed=1, clock=clock) as study:
        for _ in range(20):
            question = study.ask("ann")
            pairs.append(frozenset((question.left, question.right)))
            study.tell(question, "tie")
            clock.now += LEASE + 1
    assert all(pair not in pairs[max(0, place - 3) : place] for place, pair in enumerate(pairs))


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"top": 0}, "top must be a whole number from 1 to 4"),
        ({"top": 5}, "top must be a whole number from 1 to 4"),
        ({"forbidden": [("a", "z")]}, "two different items"),
        ({"forbidden": 5}, "forbidden must be a list of pairs of items, got 5"),
        ({"features": 5}, "features must be a list of columns of the items, got 5"),
        ({"forbidden": [("a", "a")]}, "two different items"),
        ({"show": ["price"]}, "show must name columns of the items: they have none, got 'price'"),
        ({"show": 5}, "show must be a list of columns of the items, got 5"),
        ({"answers_each": -1}, "answers_each must be a whole number of at least 0"),
        ({"forbidden": [(x, y) for x in ITEMS for y in ITEMS if x < y]}, "leave a pair"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(tmp_path: Path, wrong: dict[str, Any], words: str) -> None:
    """A top that is no part of the items and pairs that are none are rejected, and no file is left behind."""
    with pytest.raises(InvalidInput, match=words):
        Study.create(tmp_path / "s.db", ITEMS, **wrong)
    assert not (tmp_path / "s.db").exists()


def test_columns_to_show_are_changed_by_their_names(tmp_path: Path) -> None:
    """A column that no item has is rejected; none is shown unless it is named."""
    with Study.create(tmp_path / "s.db", [{"id": "a", "price": 3}, "b"]) as study:
        assert study.settings["show"] == []
        assert study.change(show=["price"], answers_each=20)["answers_each"] == 20
        assert study.shown_columns == ["price"]
        with pytest.raises(InvalidInput, match="show must name columns of the items: price, got 'colour'"):
            study.change(show=["colour"])


def test_a_study_from_before_a_setting_has_its_first_value(tmp_path: Path) -> None:
    """The first event of an older study leaves the later settings out; any other that is missing is an error."""
    with Study.create(tmp_path / "s.db", ITEMS, seed=1) as study:
        created, *others = study.events()
    content = dict(created.content)
    older = {name: value for name, value in content["settings"].items() if name not in ADDED}
    event = created._replace(content={**content, "settings": older})
    with Study.from_events(tmp_path / "older.db", [event, *others]) as study:
        assert {name: study.settings[name] for name in ADDED} == ADDED
        study.change(answers_each=5)
        assert study.settings["answers_each"] == 5
    event = created._replace(content={**content, "settings": {**older, "least": None}})
    del event.content["settings"]["least"]
    with pytest.raises(InvalidInput, match="its settings must be"):
        Study.from_events(tmp_path / "wrong.db", [event, *others])
