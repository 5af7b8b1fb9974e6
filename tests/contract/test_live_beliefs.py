"""Every belief of a running study is held to one contract."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from itertools import count
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.gp import LinkedGP, MonotoneGP, PreferenceGP
from penchant.gp.inference.live_data import LiveData
from penchant.gp.linked.field_belief import FieldBelief
from penchant.gp.linked.field_prior import FieldPrior
from penchant.gp.linked.item_prior import ItemPrior, Settings
from penchant.online import OnlineMixture
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.starting import sparse_start
from tests.contract.live import LiveContract
from tests.contract.model import N_ITEMS, judged

Make = Callable[[Preferences], Any]
NEAR = np.exp(-((np.arange(N_ITEMS)[:, None] - np.arange(N_ITEMS)) ** 2) / 2.0)

FEATURES = pd.DataFrame(
    {"height": np.linspace(0, 1, N_ITEMS), "width": np.cos(np.arange(N_ITEMS))},
    index=list(map(str, range(N_ITEMS))),
)

LIVE: dict[str, Make] = {
    "BradleyTerry": BradleyTerry().live,
    "BradleyTerry of a given prior": BradleyTerry(0.3).live,
    "Thurstone": Thurstone().live,
    "a prior of any covariance": lambda preferences: OnlineMixture.from_prior(
        map(str, range(N_ITEMS)), 2.0 * NEAR, noise=0.7, factors=(0.5, 2.0), weights=(0.5, 0.5)
    ).learn(preferences),
    "SparseBelief": lambda preferences: sparse_start(BradleyTerry().fit(preferences)),
    "LinkedGP": LinkedGP().live,
    "LinkedGP with features": lambda preferences: LinkedGP(nugget=0.5).live(preferences, features=FEATURES),
    "PreferenceGP": lambda preferences: PreferenceGP(noise=0.7).live(preferences, features=FEATURES),
    "MonotoneGP": lambda preferences: MonotoneGP(increasing=["width"], decreasing=["height"]).live(
        preferences, features=FEATURES
    ),
}


def field_belief(preferences: Preferences) -> FieldBelief:
    """Return the belief that `LinkedGP.live` makes of more than 2,000 items, of few."""
    data, settings = LiveData.of(preferences), Settings.checked(LinkedGP(nugget=0.5).get_params())
    item_prior = ItemPrior.of(FEATURES.to_numpy(), None, None, N_ITEMS)
    prior = FieldPrior.through(item_prior, settings, tuple(FEATURES.columns), 1.0, N_ITEMS)
    return FieldBelief(data.items, prior, data.answers, counts=data.counts, threshold=0.01)


LIVE["FieldBelief"] = field_belief


class TestLiveBeliefs(LiveContract):
    @pytest.fixture(params=LIVE)
    def make(self, request: pytest.FixtureRequest) -> Make:
        return LIVE[request.param]


_counter = count()


class IgnoresWeights(OnlineMixture):
    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        return super().answer(first, second, outcome)


class IsDifferentEachTime(OnlineMixture):
    def answer(self, first: int, second: int, outcome: int, weight: float = 1.0) -> float:
        return super().answer(first, second, outcome, weight * (1 + 1e-9 * next(_counter)))


class LeavesOutAPair(OnlineMixture):
    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        return super().contributions(a, b)[:-1]


class CountsWhatIsLeft(OnlineMixture):
    """Weighs pairs by what their answers are above or below the prediction."""

    def contributions(self, a: int, b: int) -> list[tuple[int, int, float]]:
        sites = self._pair_sites(0)
        rows = self._prior.covariance(0)
        weights = sites.gradient * sites.apart(rows[a] - rows[b])
        return list(zip(sites.first.tolist(), sites.second.tolist(), weights.tolist(), strict=True))


class NeverTies(OnlineMixture):
    def outcome_probabilities(self, first: int, second: int) -> Any:
        return super().outcome_probabilities(first, second) * [1.0, 1.0, 0.0]


FAULTS = {
    "test_a_weight_counts_as_so_many_answers": IgnoresWeights,
    "test_one_start_gives_one_belief": IsDifferentEachTime,
    "test_contributions_add_up": LeavesOutAPair,
    "test_a_pair_contributes_for_its_winner": CountsWhatIsLeft,
    "test_ties_and_bad_answers_are_learned_or_rejected": NeverTies,
}


@pytest.mark.parametrize("clause", FAULTS)
def test_a_planted_fault_is_found(clause: str) -> None:
    """The clause passes for the honest belief and fails for the one with the fault."""

    def run(kind: type[OnlineMixture]) -> None:
        def make(preferences: Preferences) -> OnlineMixture:
            return kind.from_prior(map(str, range(N_ITEMS)), 2.0 * NEAR, noise=0.7).learn(preferences)

        test = getattr(LiveContract(), clause)
        test(make if "make" in inspect.signature(test).parameters else make(judged()))

    run(OnlineMixture)
    with pytest.raises(AssertionError):
        run(FAULTS[clause])
