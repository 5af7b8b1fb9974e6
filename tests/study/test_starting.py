"""The model of a study with what it knows of the items."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from penchant.errors import InvalidInput
from penchant.gp import MonotoneGP
from penchant.preferences import Preferences
from penchant.study import Study
from penchant.study.answers import Answer, Question
from penchant.study.items import Item
from penchant.study.learning import LINKED, SLOW, USUAL, Schedule
from penchant.study.settings import model_as_stored
from penchant.study.starting import ModelStart, check_start
from penchant.worth import BradleyTerry

CARS = {
    name: Item(name, name, fields={"range": reach, "seats": seats})
    for name, reach, seats in (("a", 300, 2), ("b", 400, 4), ("c", 500, 4), ("d", 650, 5))
}


def answers(*pairs: str) -> list[Answer]:
    return [
        Answer(str(number), Question(str(number), better, worse, "me"), "left", place=number)
        for number, (better, worse) in enumerate(pairs)
    ]


@pytest.mark.parametrize(
    "model", ["bradley-terry", "linked-gp", "preference-gp", MonotoneGP(increasing=("range",))]
)
def test_every_model_starts_and_learns(model: Any) -> None:
    """With features where it takes them; without answers it is the prior, with answers it prefers what they prefer."""
    start = ModelStart(model_as_stored(model), CARS, ["range", "seats"])
    assert start(start.encode([])).items_ == tuple("abcd")
    given = answers("ba", "ca", "db", "dc", "cb", "da", "db", "ba", "ca", "dc")
    learned = start.learning().advance(start.encode(given))
    assert learned.rank().items[0] == "d"


def test_linked_items_share_what_is_learned() -> None:
    """An answer about one of two linked items moves the other."""
    items = {name: Item(name, name, links={"b": 1.0} if name == "a" else {}) for name in "abc"}
    start = ModelStart(model_as_stored("linked-gp"), items, [])
    belief = start(start.encode(answers("ac")))
    assert belief.mean[1] > belief.mean[2]


def test_all_models_but_linked_ones_are_fitted_in_batch() -> None:
    """A monotone utility then has its certificate; linked models have a belief alone."""
    prefs = Preferences.from_pairs([("a", "b")], items="abcd")
    assert ModelStart(model_as_stored("thurstone"), CARS, []).fitted(prefs).rank().items[0] == "a"
    monotone = model_as_stored(MonotoneGP(increasing=("range",), lengthscale=1.0, scale=1.0, noise=1.0))
    assert ModelStart(monotone, CARS, ["range"]).fitted(prefs).certificate_
    with pytest.raises(InvalidInput, match="use belief"):
        ModelStart(model_as_stored("linked-gp"), CARS, ["range"]).fitted(prefs)


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"model": "monotone-gp", "features": ["range"]}, "increasing or decreasing must name a feature"),
        ({"model": MonotoneGP(increasing=("price",)), "features": ["range"]}, "price"),
        ({"model": "preference-gp"}, "features must name the features"),
        ({"features": ["price"]}, "price"),
    ],
)
def test_a_study_that_cannot_start_is_not_made(tmp_path: Path, settings: dict[str, Any], words: str) -> None:
    """The model is tried on the items before anything is written."""
    with pytest.raises(InvalidInput, match=words):
        Study.create(tmp_path / "s.db", CARS.values(), **settings)
    assert not (tmp_path / "s.db").exists()


def test_settings_with_which_no_model_can_start_are_rejected() -> None:
    """Before a study is made: settings of models of worth, and more items than a function of features takes."""
    settings = {"model": {"name": "bradley-terry", "settings": BradleyTerry().get_params()}, "features": []}
    check_start(settings, CARS)
    settings["model"]["settings"]["prior"] = -1.0
    with pytest.raises(InvalidInput, match="prior must be"):
        check_start(settings, CARS)
    many = {str(row): Item(str(row), "car", fields={"range": row}) for row in range(2001)}
    settings = {"model": model_as_stored("preference-gp"), "features": ["range"]}
    with pytest.raises(
        InvalidInput, match="at most 2,000 for preference-gp, got 2,001: choose the model linked-gp"
    ):
        check_start(settings, many)


@pytest.mark.parametrize(("count", "expected"), [(200, USUAL), (500, SLOW), (501, LINKED)])
def test_linked_items_are_started_the_less_often_the_more_there_are(count: int, expected: Schedule) -> None:
    """Up to 200 items, up to 500, and more."""
    items = {str(k): Item(str(k), str(k)) for k in range(count)}
    assert ModelStart(model_as_stored("linked-gp"), items, []).schedule == expected
