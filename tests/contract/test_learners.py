"""Every public learner is found by introspection and held to the contract; and the contract bites."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from penchant import coactive
from penchant.coactive import (
    ConvexPerceptron,
    ExponentiatedPerceptron,
    Learner,
    PerturbedPerceptron,
    PreferencePerceptron,
    SecondOrderPerceptron,
)
from penchant.errors import CannotSave
from tests.contract.learner import LearnerContract
from tests.saving.testmodels import Unchecked


class TestPreferencePerceptron(LearnerContract):
    Learner = PreferencePerceptron


class TestBatches(LearnerContract):
    Learner = PreferencePerceptron
    settings: ClassVar[dict[str, Any]] = {"batch": 4}


class TestExponentiatedPerceptron(LearnerContract):
    Learner = ExponentiatedPerceptron
    settings: ClassVar[dict[str, Any]] = {"bound": 5.0}


class TestConvexPerceptron(LearnerContract):
    Learner = ConvexPerceptron
    settings: ClassVar[dict[str, Any]] = {"radius": 2.0}


class TestSecondOrderPerceptron(LearnerContract):
    Learner = SecondOrderPerceptron
    settings: ClassVar[dict[str, Any]] = {"radius": 0.5}


class TestPerturbedPerceptron(LearnerContract):
    Learner = PerturbedPerceptron
    settings: ClassVar[dict[str, Any]] = {"seed": 0}


def public_learners() -> set[type]:
    """All learners that the room exports, but for the template."""
    exported = [getattr(coactive, name) for name in coactive.__all__]
    return {
        thing
        for thing in exported
        if inspect.isclass(thing) and issubclass(thing, Learner) and not inspect.isabstract(thing)
    }


def test_every_public_learner_has_a_contract() -> None:
    """A learner that is exported but not held to the contract fails here."""
    held = {suite.Learner for suite in LearnerContract.__subclasses__() if hasattr(suite, "Learner")}
    assert len(public_learners()) >= 5
    assert {learner.__name__ for learner in public_learners() - held} == set()


# -- planted faults ------------------------------------------------------------------------------------------


class LearnsBeforeItChecks(PreferencePerceptron):
    def update(self, context: Any, presented: Any, feedback: Any) -> Any:
        self._rounds += 1
        super().update(context, presented, feedback)
        self._rounds -= 1
        return self


class SkipsRoundsWithoutChange(PreferencePerceptron):
    def _learn(self, difference: Any) -> None:
        if difference.any():
            super()._learn(difference)


class MovesInPlace(PreferencePerceptron):
    def _learn(self, difference: Any) -> None:
        self._total = self._total + self._weights + difference
        self._weights += difference
        self._mass += 1.0
        self._rounds += 1


class HandsOutItsState(PreferencePerceptron):
    @property
    def weights(self) -> Any:
        return self._weights


class LearnsTheOpposite(PreferencePerceptron):
    def _learn(self, difference: Any) -> None:
        super()._learn(-difference)


class CopiesHalf(PreferencePerceptron):
    def copy(self) -> Any:
        return self


class SwapsAnewEachTime(PreferencePerceptron):
    def present(self, context: Any) -> Any:
        return np.random.default_rng().permutation(super().present(context))


class WritesToTheContext(PreferencePerceptron):
    def update(self, context: Any, presented: Any, feedback: Any) -> Any:
        if isinstance(context, np.ndarray):
            context += 1.0
        return super().update(context, presented, feedback)


class RemembersEverything(PreferencePerceptron):
    def _learn(self, difference: Any) -> None:
        super()._learn(difference)
        self._waiting = np.append(self._waiting, difference)


class TrustsFiles(PreferencePerceptron):
    __saved__ = Unchecked()

    @classmethod
    def __load_state__(cls, state: dict[str, Any]) -> Any:
        learner = cls.__new__(cls)
        vars(learner).update(state)
        return learner


FAULTS = {
    LearnsBeforeItChecks: "test_a_refused_update_changes_nothing",
    SkipsRoundsWithoutChange: "test_every_round_counts",
    MovesInPlace: "test_weights_can_only_be_read",
    HandsOutItsState: "test_weights_can_only_be_read",
    LearnsTheOpposite: "test_it_learns_a_taste",
    CopiesHalf: "test_a_copy_goes_its_own_way",
    SwapsAnewEachTime: "test_presenting_changes_nothing",
    WritesToTheContext: "test_inputs_stay_untouched",
    RemembersEverything: "test_memory_does_not_grow_with_rounds",
    TrustsFiles: "test_a_state_of_another_form_is_not_loaded",
}


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_planted_fault_is_found(fault: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The promise that the fault breaks fails for it, and holds for the learner that it was planted in."""
    monkeypatch.setattr(coactive, "__all__", [*coactive.__all__, fault.__name__])
    monkeypatch.setattr(coactive, fault.__name__, fault, raising=False)
    monkeypatch.setattr(fault, "__module__", "penchant.coactive.planted")
    sound, faulty = LearnerContract(), LearnerContract()
    sound.Learner, faulty.Learner = PreferencePerceptron, fault
    getattr(sound, FAULTS[fault])()
    with pytest.raises((AssertionError, pytest.fail.Exception, ValueError, CannotSave)):
        getattr(faulty, FAULTS[fault])()
