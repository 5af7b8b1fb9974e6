"""The contract bites: for each promise there is a model with a planted fault, and the suite finds it."""

from __future__ import annotations

import inspect
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from penchant import worth
from penchant.errors import CannotSave
from penchant.worth import WinRate
from tests.contract.model import ModelContract

_counter = count()


class StoresMore(WinRate):
    def __init__(self, prior: float = 1.0, *, tie_value: float = 0.5) -> None:
        super().__init__(prior, tie_value=tie_value)
        self.half = prior / 2


class ChangesASetting(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.prior = 2.0


class WritesToItsInput(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        members = preferences.statements.members
        members.flags.writeable = True
        members[:] = np.sort(members)


class IsDifferentEachTime(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.scores_ = self.scores_ + 1e-12 * next(_counter)


class LikesLowNumbers(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.scores_ = self.scores_ - 0.01 * np.arange(len(self.scores_))


class ListensToTheLast(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        pairs = preferences.pairs()
        self.scores_ = self.scores_ + 1e-4 * np.bincount(
            pairs[:, 0], np.arange(len(pairs)), len(self.scores_)
        )


class ForgetsWeights(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences.without("weight"))


class IsTooSure(WinRate):
    def _win_probability(self, first: Any, second: Any) -> Any:
        return np.minimum(super()._win_probability(first, second) + 0.01, 0.99)


class TellsItUpsideDown(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.scores_ = -self.scores_


class HasAFavourite(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        if not self.wins_.any():
            self.scores_[0] = 1.0


class GoesToInfinity(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.scores_[(self.losses_ == 0) & (self.wins_ > 0)] = np.inf


class IsSureOfTheUnknown(WinRate):
    def _variance(self) -> Any:
        return np.where(self._counts == 0, 1e-9, super()._variance())


class NeverGetsSurer(WinRate):
    def _variance(self) -> Any:
        return np.where(self._counts == 0, 2.0, 1.0)


class RanksBackwards(WinRate):
    def rank(self, **settings: Any) -> Any:
        ranking = super().rank(**settings)
        object.__setattr__(ranking, "scores", ranking.scores[::-1])
        return ranking


class TakesAnything(WinRate):
    def fit(self, preferences: Any, y: None = None) -> Any:
        return super().fit(preferences if hasattr(preferences, "n_items") else _two_items())


class TakesStrangers(WinRate):
    def win_probability(self, a: Any, b: Any) -> Any:
        return 0.5 if a == "nobody" else super().win_probability(a, b)


class AnswersUntaught(WinRate):
    def _fitted(self) -> Any:
        return self if hasattr(self, "scores_") else self.fit(_two_items())


class LosesItsState(WinRate):
    def __save_state__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "wins_"} | {
            "wins_": self.losses_
        }

    @classmethod
    def __load_state__(cls, state: Any) -> Any:
        model = cls()
        vars(model).update(state)
        return model


class CountsUpdates(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.updates_ = getattr(self, "updates_", 0) + 1


class ForgetsOnUpdate(WinRate):
    def _rearrange(self, moved: Any, n_items: int) -> None:
        super()._rearrange(moved, n_items)
        self.wins_ = self.wins_ / 2


class MixesUpNewcomers(WinRate):
    def _rearrange(self, moved: Any, n_items: int) -> None:
        super()._rearrange(moved, n_items)
        if n_items > len(moved):
            self.wins_ = self.wins_[::-1].copy()


class KeepsEverything(WinRate):
    def _learn(self, preferences: Any) -> None:
        super()._learn(preferences)
        self.log_ = np.concatenate([getattr(self, "log_", np.empty(0)), preferences.pairs().ravel()])


class CannotScore(WinRate):
    def score(self, preferences: Any, y: None = None) -> float:
        return float("nan")


def _two_items() -> Any:
    from penchant import Preferences

    return Preferences.from_pairs([(0, 1)])


FAULTS = {
    "test_the_constructor_only_stores": StoresMore,
    "test_fitting_keeps_the_settings": ChangesASetting,
    "test_inputs_stay_untouched": WritesToItsInput,
    "test_the_same_data_give_the_same_bytes": IsDifferentEachTime,
    "test_renaming_items_permutes_scores": LikesLowNumbers,
    "test_the_order_of_pairs_does_not_matter": ListensToTheLast,
    "test_a_pair_twice_is_weight_two": ForgetsWeights,
    "test_probabilities_of_the_two_outcomes_sum_to_one": IsTooSure,
    "test_a_higher_score_is_the_likelier_winner": TellsItUpsideDown,
    "test_no_data_give_the_prior": HasAFavourite,
    "test_an_unbeaten_item_stays_finite": GoesToInfinity,
    "test_a_never_compared_item_stays_finite_and_wide": IsSureOfTheUnknown,
    "test_intervals_narrow_with_data": NeverGetsSurer,
    "test_it_ranks": RanksBackwards,
    "test_it_refuses_what_is_not_preferences": TakesAnything,
    "test_it_refuses_unknown_items": TakesStrangers,
    "test_it_refuses_to_be_asked_before_it_learned": AnswersUntaught,
    "test_saved_and_loaded_it_is_the_same": LosesItsState,
    "test_state_depends_on_the_answers_alone": CountsUpdates,
    "test_updating_comes_to_where_fitting_does": ForgetsOnUpdate,
    "test_new_items_may_come_later": MixesUpNewcomers,
    "test_memory_does_not_grow_with_rounds": KeepsEverything,
    "test_it_works_inside_scikit_learn": CannotScore,
}

CLAUSES = sorted(name for name in vars(ModelContract) if name.startswith("test_"))


def test_each_clause_has_its_planted_fault() -> None:
    """No promise of the contract goes without a model that breaks it."""
    assert sorted(FAULTS) == CLAUSES


@pytest.mark.parametrize("clause", CLAUSES)
def test_a_planted_fault_is_found(clause: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clause passes for the honest model and fails for the one with the fault."""
    faulty = FAULTS[clause]
    monkeypatch.setattr(worth, faulty.__name__, faulty, raising=False)
    monkeypatch.setattr(worth, "__all__", [*worth.__all__, faulty.__name__])
    faulty.__module__ = "penchant.worth"  # so that it may be saved

    def run(model: type) -> None:
        suite = type("Suite", (ModelContract,), {"Model": model})()
        test = getattr(suite, clause)
        test(tmp_path) if "tmp_path" in inspect.signature(test).parameters else test()

    run(WinRate)
    with pytest.raises((AssertionError, pytest.fail.Exception, CannotSave)):
        run(faulty)
