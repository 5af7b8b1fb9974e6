"""A coactive study as a whole: made, opened, and as good as the simulation engine to the last bit."""

from __future__ import annotations

from copy import copy
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest

from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    ItemMap,
    Learner,
    PerturbedPerceptron,
    PreferencePerceptron,
    RankingMap,
    SecondOrderPerceptron,
)
from penchant.errors import InvalidInput
from penchant.orders import prepend
from penchant.simulate import BetterItem, NoisyRanking, StrictRanking, User, play
from penchant.simulate.engine import Setting
from penchant.study import Study
from penchant.study.coactive import CoactiveStudy
from tests.simulate.tables import movies, web
from tests.study.coactive.kinds import STUDIES
from tests.study.coactive.simulated import clicks, made

FIELDS = ("presented", "feedback", "presented_utility", "feedback_utility", "best_utility", "weights")
WEB: dict[str, Learner] = {
    "perceptron": PreferencePerceptron(RankingMap(), 4),
    "averaged": PreferencePerceptron(RankingMap(3), 4, averaged=True, forget=0.02),
    "batch": PreferencePerceptron(RankingMap(log="base2"), 4, batch=4),
    "perturbed": PerturbedPerceptron(RankingMap(), 4, seed=9),
    "exponentiated": ExponentiatedPerceptron(RankingMap(), 4, bound=3.0, horizon=30),
    "convex": ConvexPerceptron(RankingMap(), 4, radius=1.0),
    "second-order": SecondOrderPerceptron(RankingMap(), 4, radius=1.0),
}
ITEMS: dict[str, Learner] = {
    "perceptron": PreferencePerceptron(ItemMap(), 3),
    "exponentiated": ExponentiatedPerceptron(ItemMap(), 3, bound=3.0, signed=False),
    "convex": ConvexPerceptron(ItemMap(), 3),
    "second-order": SecondOrderPerceptron(ItemMap(), 3),
}


class StudyPlayer:
    """A study that plays in the simulation engine as a learner does."""

    def __init__(self, learner: Learner, folder: Path) -> None:
        self._learner, self._folder = learner, folder
        self._study: CoactiveStudy | None = None
        self._shown = ""

    def seeded(self, seed: int) -> Self:
        """Return a player with a new study, whose learner has random numbers of its own."""
        other = copy(self)
        other._learner = self._learner.seeded(seed)
        feature_map = self._learner.feature_map
        settings: dict[str, Any] = {"map": "item"}
        if isinstance(feature_map, RankingMap):
            settings = {"depth": feature_map.depth, "log": feature_map.log}
        path = self._folder / f"{len(list(self._folder.iterdir()))}.db"
        names = [f"f{k}" for k in range(self._learner.n_features)]
        fresh = other._learner if "seed" in vars(other._learner) else type(self._learner).__name__
        learner = other._learner if isinstance(fresh, Learner) else self._learner
        other._study = CoactiveStudy.create(path, seed=1, learner=learner, names=names, **settings)
        return other

    @property
    def weights(self) -> Any:
        """The weights of the next round."""
        if self._study is None:
            return self._learner.weights
        self._study.weights()
        return self._study._models.shared.learner.weights

    def copy(self) -> Self:
        """Return another one that has not begun."""
        return self.seeded(0)

    def present(self, context: Any) -> Any:
        """Return the order, or the item."""
        assert self._study is not None
        shown = self._study.present(context)
        self._shown = shown.id
        order = np.array([int(id) for id in shown.order])
        return int(order[0]) if isinstance(self._learner.feature_map, ItemMap) else order

    def update(self, context: Any, presented: Any, feedback: Any) -> Any:
        """Give the feedback to the study."""
        assert self._study is not None
        if isinstance(self._learner.feature_map, ItemMap):
            self._study.feedback(self._shown, better=str(feedback))
        else:
            self._study.feedback(self._shown, order=[str(index) for index in feedback])


@pytest.mark.parametrize(
    ("learner", "setting", "user"),
    [
        *(
            (learner, web(12, 4), user)
            for learner in WEB.values()
            for user in (StrictRanking(0.5), NoisyRanking())
        ),
        *((learner, movies(24, 3), BetterItem()) for learner in ITEMS.values()),
    ],
    ids=[
        *(f"{name}-{user}" for name in WEB for user in ("strict", "noisy")),
        *(f"{name}-item" for name in ITEMS),
    ],
)
def test_regret_is_that_of_the_engine(learner: Learner, setting: Setting, user: User, tmp_path: Path) -> None:
    """Played in a study, every learner presents, is corrected and learns as in the engine, to the last bit."""
    expected = play(learner, user, setting, runs=1, rounds=10, seed=4, compiled=False)
    found = play(StudyPlayer(learner, tmp_path), user, setting, runs=1, rounds=10, seed=4, compiled=False)
    for field in FIELDS:
        assert getattr(found, field).tobytes() == getattr(expected, field).tobytes(), field


@pytest.mark.parametrize("kind", STUDIES)
def test_the_fold_is_the_state(path: Path, kind: str) -> None:
    """For every learner the models are those of the log, folded from zero, in this process and in another reader."""
    with made(path, **STUDIES[kind]) as study:
        clicks(study, 12, users=3, interleave="baseline")
        study.undo()
        assert study.check().ok
        weights = {user: study.weights(user) for user in (None, *study.users)}
        with Study.open(path, write=False) as reader:
            assert {user: reader.weights(user) for user in (None, *reader.users)} == weights
    with Study.open(path) as again:
        assert {user: again.weights(user) for user in (None, *again.users)} == weights


def test_a_check_finds_a_model_that_is_wrong(path: Path) -> None:
    """A running study whose weights are not those of its log is reported."""
    with made(path) as study:
        clicks(study, 2)
        assert study.check().ok
        study._models.shared.load_row(2 * study._models.shared.state_row())
        found = study.check()["fold of the log"]
        assert found.passed is False
        assert "has other weights than its log" in found.message


def test_the_kind_decides_the_class(path: Path) -> None:
    """`Study.create` and `Study.open` return the study of the right kind; another class rejects it."""
    from penchant.study.compare import CompareStudy

    with Study.create(path, kind="coactive") as study:
        assert isinstance(study, CoactiveStudy)
        assert study.settings["kind"] == "coactive"
        assert study.title == "study"
    with pytest.raises(InvalidInput, match="must be a study of the kind compare, got coactive"):
        CompareStudy.open(path)
    with Study.open(path) as study:
        assert isinstance(study, CoactiveStudy)


def test_items_need_no_company(path: Path) -> None:
    """A coactive study may have no items, or one."""
    with CoactiveStudy.create(path, ["only"]) as study:
        assert study.present(["only"]).order == ("only",)
        assert prepend(["only"], []) == ["only"]


def test_seeds_are_checked(path: Path) -> None:
    """A seed is a whole number from 0; without one it is random, and recorded."""
    with pytest.raises(InvalidInput, match="seed must be an integer from 0"):
        CoactiveStudy.create(path, seed=-1)
    with CoactiveStudy.create(path) as study:
        assert study.settings["seed"] >= 0


def test_items_have_the_features_that_are_named(path: Path) -> None:
    """A feature that no item has, and one that a learner with names of its own cannot take, are rejected at once."""
    with pytest.raises(InvalidInput, match="features must be fields of the items, got 'w', which none has"):
        made(path, features=["x", "w"])
    with pytest.raises(InvalidInput, match="names must hold every feature of the items for convex, got none"):
        made(path, learner="convex", names=["x"])
    with made(path, learner="convex", features=["x"]) as study:
        assert list(study.weights()) == ["x"]
        assert study.present(list(study.items)).order
