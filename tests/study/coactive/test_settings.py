"""The settings of a coactive study: every learner with all its settings, and what is rejected."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.coactive import (
    ExponentiatedPerceptron,
    ItemMap,
    PerturbedPerceptron,
    PreferencePerceptron,
    RankingMap,
    Scaling,
    SecondOrderPerceptron,
)
from penchant.errors import InvalidInput
from penchant.study.coactive.settings import (
    DEFAULTS,
    LEARNERS,
    checked_settings,
    first_settings,
    is_complete,
    make_learner,
)
from tests.study.coactive.kinds import STUDIES


@pytest.mark.parametrize("kind", STUDIES)
def test_stored_settings_make_the_same_learner(kind: str) -> None:
    """What the log stores is complete, plain, and stored the same again."""
    stored = first_settings(STUDIES[kind], "title", ())
    assert is_complete(stored)
    assert checked_settings(stored) == stored
    first, second = (make_learner(stored, seed=5) for _ in range(2))
    assert first.state_row().tobytes() == second.state_row().tobytes()


def test_every_learner_has_a_name() -> None:
    """All five can be named; a setting that is not given gets its default, which is stored."""
    for name in LEARNERS:
        given: dict[str, Any] = {"name": name, **({"bound": 1.0} if name == "exponentiated" else {})}
        stored = first_settings({"learner": given, "names": ["x"]}, "", ())["learner"]
        assert stored["name"] == name
        assert "averaged" in stored["settings"]
        assert make_learner(first_settings({"learner": given, "names": ["x"]}, "", ()), seed=1).rounds == 0


def test_a_learner_may_be_given_itself() -> None:
    """A new learner is stored by its name and settings; map and number of features are the study's."""
    stored = checked_settings({"learner": PreferencePerceptron(RankingMap(), 3, batch=4, averaged=True)})[
        "learner"
    ]
    assert (stored["name"], stored["settings"]["batch"], stored["settings"]["averaged"]) == (
        "perceptron",
        4,
        True,
    )
    begun = PreferencePerceptron(RankingMap(), 1).update([[1.0], [2.0]], [0, 1], [1, 0])
    with pytest.raises(InvalidInput, match="learner must not have begun to learn"):
        checked_settings({"learner": begun})
    assert checked_settings({"learner": ExponentiatedPerceptron(ItemMap(), 2, bound=1.0)})["learner"][
        "name"
    ] == ("exponentiated")


def test_a_perturbed_learner_takes_the_seed_of_the_study() -> None:
    """Unless it has one of its own."""
    own, other = (
        make_learner(first_settings({"learner": {"name": "perturbed", **seed}}, "", ()), seed=5).learner
        for seed in ({}, {"seed": 7})
    )
    assert isinstance(own, PerturbedPerceptron)
    assert isinstance(other, PerturbedPerceptron)
    assert (own.seed, other.seed) == (5, 7)


def test_learning_can_start_from_weights() -> None:
    """Weights by name are where the learner starts, and their features have columns from the beginning."""
    settings = first_settings({"learner": {"name": "perceptron", "weights": {"x": 2.0}}}, "", ())
    assert make_learner(settings, seed=0).weights == {"x": 2.0}
    with pytest.raises(InvalidInput, match="weights must be left out for exponentiated"):
        first_settings(
            {"learner": {"name": "exponentiated", "bound": 1.0, "weights": {"x": 2.0}}, "names": ["x"]},
            "",
            (),
        )


def test_the_features_of_the_items_are_the_names() -> None:
    """Where features cannot join; given names come first."""
    settings = first_settings({"learner": "second-order"}, "", ["x", "y", "x"])
    assert settings["names"] == ["x", "y"]
    assert isinstance(make_learner(settings, seed=0).learner, SecondOrderPerceptron)


def test_scaling_is_stored_as_constants() -> None:
    """From a mapping or from a `Scaling`."""
    given = {"x": (1.0, 2.0)}
    assert checked_settings({"scaling": given}) == checked_settings({"scaling": Scaling.given(given)})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"speed": 1}, "setting must be one of"),
        ({"learner": "svm"}, "learner must be one of perceptron"),
        ({"learner": 3}, "learner must be a learner, or one of"),
        ({"learner": {"name": "perceptron", "speed": 1}}, "setting of perceptron must be one of"),
        ({"learner": {"name": "perceptron", "forget": 1}}, "forget must be"),
        ({"learner": "exponentiated", "names": ["x"]}, "learner must have the setting bound"),
        ({"learner": "convex"}, "names must name the features that convex learns from"),
        ({"learner": "perturbed", "map": "item"}, "feature_map must be a RankingMap"),
        ({"map": "tree"}, "map must be one of"),
        ({"depth": 0}, "depth must be"),
        ({"log": "ten"}, "log must be one of"),
        ({"names": ["x", "x"]}, "names must be different texts"),
        ({"features": [3]}, "features must be different texts"),
        ({"scaling": {"x": 3}}, "scaling of 'x' must be a pair"),
        ({"per_user": 1}, "per_user must be true or false"),
        ({"baseline": {"weights": {"x": "y"}}}, "weight of 'x' must be"),
        ({"baseline": "best"}, r"baseline must be 'given', {'feature': name}, .* got 'best'"),
        ({"retention": {"weeks": 1}}, "retention must be a number of days"),
        ({"retention": {"days": 0}}, "days of retention must be"),
        ({"title": "a\u202eb"}, "title must not hold control characters"),
    ],
)
def test_wrong_settings_are_named(settings: dict[str, Any], message: str) -> None:
    """Each error says which setting, what it may be, what came and what to do."""
    with pytest.raises(InvalidInput, match=message):
        first_settings(settings, "title", ())


def test_usual_settings_are_complete() -> None:
    """The log stores all of them, whatever was given."""
    assert first_settings({}, "title", ()).keys() == DEFAULTS.keys()
    assert checked_settings({"retention": 3}) == {"retention": {"days": 3.0}}
    assert checked_settings({"baseline": {"feature": "price"}}) == {"baseline": {"feature": "price"}}
    assert not is_complete({"title"})


@pytest.mark.parametrize(
    "settings",
    [
        {"names": 5},
        {"features": 5},
        {"scaling": 5},
        {"scaling": [1]},
        {"learner": {"name": "perceptron", "settings": 5}},
    ],
)
def test_settings_of_a_wrong_type_are_named(settings: dict[str, Any]) -> None:
    """Each is reported as invalid input, with what it must be."""
    with pytest.raises(InvalidInput, match=next(iter(settings))):
        checked_settings(settings)
