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
    """The contract of rankers, where what was taught is of two partitions of one query."""

    @pytest.fixture(autouse=True)
    def connected(self, client: Any) -> None:
        self.client = client

    def taught(self) -> Any:
        parts = [delayed((X[start::2], GRADES[start::2], np.zeros(20))) for start in range(2)]
        return fit(self.make(), parts, client=self.client)


class TestRankSVM(RankerOnACluster):
    Model = RankSVM


class TestRankBoost(RankerOnACluster):
    Model = RankBoost

    def make(self, **settings: Any) -> RankBoost:
        return RankBoost(10, **settings)
