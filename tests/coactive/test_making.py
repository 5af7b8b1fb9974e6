"""Learners by their names in the registry, and back to the settings that make them."""

from __future__ import annotations

from inspect import Parameter

import pytest

from penchant import coactive
from penchant.coactive import (
    Learner,
    NamedLearner,
    PreferencePerceptron,
    RankingMap,
    make_learner,
    settings_of,
)
from penchant.coactive.making import settings_of_kind
from penchant.errors import InvalidInput
from penchant.registry import family
from penchant.saving import to_bytes

NEEDED = {"exponentiated": {"bound": 3.0}}
NAMES = ["stars", "price"]


def test_every_public_learner_can_be_named() -> None:
    """Each class that the package exports is an entry of the registry."""
    exported = [getattr(coactive, name) for name in coactive.__all__]
    learners = {kind for kind in exported if isinstance(kind, type) and issubclass(kind, Learner)} - {Learner}
    assert {entry.load() for entry in family("coactive").values()} == learners


@pytest.mark.parametrize("learner", family("coactive"))
@pytest.mark.parametrize("map", ["ranking", "item"])
def test_settings_make_the_learner_again(learner: str, map: str) -> None:
    """All settings are there, also the usual ones, as plain values; what they make is the same to the byte."""
    if (learner, map) == ("perturbed", "item"):
        with pytest.raises(InvalidInput, match="feature_map must be a RankingMap"):
            make_learner(learner, map=map)
        return
    scaling = {"price": (1.0, 2.0)}
    made = make_learner(
        learner, names=NAMES, map=map, scaling=scaling, averaged=True, **NEEDED.get(learner, {})
    )
    found = settings_of(made)
    assert set(found) == {"learner", "names", "map", "depth", "log", "scaling", *settings_of_kind(learner)}
    assert (found["learner"], found["averaged"], found["scaling"]) == (learner, True, {"price": [1.0, 2.0]})
    assert to_bytes(make_learner(**found)) == to_bytes(made)


@pytest.mark.parametrize("learner", family("coactive"))
def test_settings_are_checked(learner: str) -> None:
    """A setting of another learner, one that is missing, and features that are missing are named."""
    needed = NEEDED.get(learner, {})
    with pytest.raises(InvalidInput, match=r"setting must be one of .*averaged, got 'speed'"):
        make_learner(learner, names=NAMES, speed=1, **needed)
    for name, value in settings_of_kind(learner).items():
        if value is Parameter.empty:
            with pytest.raises(InvalidInput, match=f"{name} must be given for {learner}"):
                make_learner(learner, names=NAMES)
    if not make_learner(learner, names=NAMES, **needed).additive:
        with pytest.raises(InvalidInput, match=f"names must hold all features of {learner}"):
            make_learner(learner, **needed)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"learner": "glicko"}, "learner must be one of perceptron"),
        ({"map": "list"}, "map must be one of ranking, item"),
        ({"map": "item", "depth": 3}, "depth must be left out where map is item"),
        ({"depth": 0}, "depth must be a whole number"),
        ({"scaling": {"a": 1}}, "scaling of 'a' must be a pair"),
    ],
)
def test_what_cannot_be_made_is_named(settings, message: str) -> None:
    """Another name, another map, settings that do not fit it."""
    with pytest.raises(InvalidInput, match=message):
        make_learner(**settings)


def test_a_learner_of_another_kind_has_no_name() -> None:
    """A class of one's own is not in the registry."""

    class Mine(PreferencePerceptron):
        pass

    with pytest.raises(InvalidInput, match="learner must be one of the registry"):
        settings_of(NamedLearner(Mine(RankingMap(), 1)))
