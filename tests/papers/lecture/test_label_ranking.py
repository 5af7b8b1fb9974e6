"""Label ranking, with seeds and quick sizes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from penchant.papers.lecture.label_ranking import (
    ALL,
    BY_PAIRS,
    CLAIMS,
    ONE,
    SUSHI,
    TAU,
    mean_rho,
)
from penchant.papers.result import Result
from tests.conftest import DATA
from tests.papers.running import result_of


@pytest.fixture(scope="module")
def quick() -> Result:
    return result_of("3.labels", size="quick")


def test_stand_ins_are_ranked_and_named_as_such(quick: Result) -> None:
    """Tastes that depend on the features are found; each claim has its numbers."""
    assert quick.data.startswith("a made-up stand-in for label-ranking and sushi: 3 sets and sushi")
    assert len(quick.verdicts) == len(CLAIMS)
    assert quick.verdicts["3.label-order"] == "holds"
    assert quick.tables[TAU]["set"].tolist() == [SUSHI, "glass", "iris", "wine", "mean of all"]


@pytest.mark.needs("data:label-ranking", "data:sushi")
def test_real_rankings_are_predicted() -> None:
    """Better than one order for all, on iris, glass and wine together."""
    result = result_of("3.labels", size="quick", data=DATA)
    assert result.numbers[f"{ALL}: {BY_PAIRS} − {ONE}, {TAU}"].value > 0.2
    assert result.data.startswith("label-ranking and sushi")


def test_another_seed_draws_other_rows_and_folds(quick: Result) -> None:
    """And the same one the same."""
    again, other = (result_of("3.labels", size="quick", seed=seed) for seed in (0, 1))
    assert quick.frame.equals(again.frame)
    assert not quick.frame.equals(other.frame)


@given(
    st.lists(st.tuples(st.permutations(range(1, 6)), st.permutations(range(1, 6))), min_size=1, max_size=4)
)
def test_rho_is_that_of_scipy(rows: list[tuple[list[int], list[int]]]) -> None:
    """Averaged over rows."""
    truth, predicted = (np.array(side) for side in zip(*rows, strict=True))
    mean = np.mean([spearmanr(*row).statistic for row in rows])
    assert mean_rho(truth, predicted) == pytest.approx(mean)
