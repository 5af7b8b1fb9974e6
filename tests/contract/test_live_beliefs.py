"""Every belief of a running study is held to one contract."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from penchant import Preferences
from penchant.gp import LinkedGP, PreferenceGP
from penchant.online import OnlineMixture
from penchant.worth import BradleyTerry, Thurstone
from penchant.worth.starting import sparse_start
from tests.contract.live import LiveContract
from tests.contract.model import N_ITEMS

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
}


class TestLiveBeliefs(LiveContract):
    @pytest.fixture(params=LIVE)
    def make(self, request: pytest.FixtureRequest) -> Make:
        return LIVE[request.param]
