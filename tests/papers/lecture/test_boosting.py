"""RankBoost under its bounds, with a quick size."""

from __future__ import annotations

import numpy as np
import pytest

from penchant.papers.lecture.boosting import CLAIMS
from penchant.papers.result import Result
from tests.conftest import DATA
from tests.papers.running import result_of

THEOREMS = (
    "3.weak-rankers",
    "3.normaliser",
    "3.reweighting",
    "3.upper-bound",
    "3.boosting-theorem",
)


@pytest.fixture(scope="module")
def quick() -> Result:
    return result_of("3.boosting", size="quick")


def test_theorems_hold_on_a_stand_in(quick: Result) -> None:
    """What is proved must hold on any data; the bounds follow one another in each round."""
    assert quick.data.startswith("a made-up stand-in for letor4-mq2008")
    assert len(quick.verdicts) == len(CLAIMS)
    assert {quick.verdicts[claim] for claim in THEOREMS} == {"holds"}
    order = quick.frame[["risk", "∏ Z", "exp(−2 Σ γ²)", "exp(−2 γ² T)"]].to_numpy()
    assert (np.diff(order, axis=1) > -1e-9).all()


def test_undecided_pairs_gain_weight(quick: Result) -> None:
    """Their weight is unchanged but for the normalisation, which divides it by Z below 1."""
    z = quick.frame["Z"][0]
    assert quick.numbers["D₂ / D₁ of pairs that round 1 leaves undecided"].value == pytest.approx(1 / z)
    assert quick.verdicts["3.undecided"] == "holds"


@pytest.mark.needs("data:letor4-mq2008")
def test_theorems_hold_on_real_queries() -> None:
    """The same on about 900 documents of MQ2008."""
    result = result_of("3.boosting", size="quick", data=DATA)
    assert {result.verdicts[claim] for claim in THEOREMS} == {"holds"}
    assert result.numbers["largest risk − ∏ Z"].value <= 1e-9
