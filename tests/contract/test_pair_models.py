"""Every public model of features and pairs, held to the contract."""

from __future__ import annotations

from typing import Any

import pytest

from penchant.gp import MonotoneGP, PreferenceGP
from tests.contract.pair_model import PairModelContract


class TestPreferenceGP(PairModelContract):
    Model = PreferenceGP
    tolerance = 1e-4  # hyperparameters are searched until the evidence no longer rises


class TestPreferenceGPByLaplace(PairModelContract):
    Model = PreferenceGP

    def make(self, **settings: Any) -> PreferenceGP:
        return PreferenceGP(inference="laplace", optimizer=None, likelihood="logit", **settings)


@pytest.mark.filterwarnings("ignore:no comparison contradicts:penchant.errors.PenchantWarning")
class TestMonotoneGP(PairModelContract):
    Model = MonotoneGP
    tolerance = 1e-3  # as above, and the blend follows a bound that is told to 1e-4

    def make(self, **settings: Any) -> MonotoneGP:
        return MonotoneGP(increasing=[0, 1], **settings)
