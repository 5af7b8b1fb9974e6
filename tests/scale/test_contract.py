"""Models that a cluster has fitted keep the contract of models: each of its fits is one by two workers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from penchant import Preferences
from penchant.rankers import RankBoost, RankSVM
from penchant.scale import fit
from penchant.worth import BradleyTerry, Thurstone
from tests.contract.model import ModelContract
from tests.contract.ranker import GRADES, RankerContract, X

delayed = pytest.importorskip("dask").delayed


class OnACluster(ModelContract):
    """The contract, where `fit` is that of `penchant.scale`; the rows are in three partitions."""

    @pytest.fixture(autouse=True)
    def connected(self, client: Any) -> None:
        self.client = client

    def fit(self, preferences: Preferences) -> Any:
        if not len(preferences):
            return self.make().fit(preferences)  # a cluster has nothing to do, and says so
        parts = [delayed(preferences[start::3]) for start in range(3)]
        return fit(self.make(), parts, client=self.client)


class TestBradleyTerry(OnACluster):
    Model = BradleyTerry


class TestThurstone(OnACluster):
    Model = Thurstone


class RankerOnACluster(RankerContract):
    """The contract of rankers, where what was taught is of two partitions, each with a query of its own."""

    @pytest.fixture(autouse=True)
    def connected(self, client: Any) -> None:
        self.client = client

    def taught(self) -> Any:
        parts = [delayed((X[start::2], GRADES[start::2], np.full(20, start))) for start in range(2)]
        return fit(self.make(), parts, client=self.client)

    def test_the_same_data_give_the_same_bytes(self) -> None:
        """Weaker than on one machine: the same scores up to rounding, for a worker may add in another way."""
        np.testing.assert_allclose(self.taught().predict(X), self.taught().predict(X), rtol=1e-9, atol=1e-12)


class TestRankSVM(RankerOnACluster):
    Model = RankSVM


class TestRankBoost(RankerOnACluster):
    Model = RankBoost

    def make(self, **settings: Any) -> RankBoost:
        return RankBoost(10, **settings)
