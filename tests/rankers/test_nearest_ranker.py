"""The consensus of the nearest rows' rankings."""

from __future__ import annotations

from itertools import combinations, permutations
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from penchant.rankers import NearestLabelRanker
from tests.rankers.test_label_ranker import ranked


def contradictions(order: Any, rankings: Any) -> int:
    """How many pairs of labels, over all rankings, stand the other way round than in ``order``."""
    return sum(
        ranking[late] and ranking[early] and ranking[late] < ranking[early]
        for ranking in rankings.tolist()
        for early, late in combinations(order, 2)
    )


@settings(max_examples=40)
@given(
    seed=st.integers(0, 10_000), k=st.integers(2, 4), m=st.integers(1, 6), share=st.sampled_from([0.0, 0.5])
)
def test_the_consensus_contradicts_the_fewest(seed: int, k: int, m: int, share: float) -> None:
    """Among all orders it contradicts the neighbours least, then all rows least, then has the lowest columns."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(9, 2))
    ranks = np.where(rng.random((9, k)) < share, 0, rng.integers(1, k + 1, size=(9, k)))
    ranks[0, :2] = 1, 2
    asked = rng.normal(size=(3, 2))
    model = NearestLabelRanker(m).fit(X, ranks)
    for x, predicted in zip(asked, model.predict(asked), strict=True):
        near = ranks[np.argsort(((X - x) ** 2).sum(axis=1))[:m]]
        best = min(
            permutations(range(k)),
            key=lambda order: (contradictions(order, near), contradictions(order, ranks), order),
        )
        assert tuple(np.argsort(predicted)) == best


def test_one_neighbour_is_repeated() -> None:
    """Asked about a row that it has seen, with one neighbour, it says what that row said."""
    X, ranks = ranked()
    np.testing.assert_array_equal(NearestLabelRanker(1).fit(X, ranks).predict(X), ranks)
    assert NearestLabelRanker(1).fit(X, ranks).score(X, ranks) == 1.0


def test_more_neighbours_than_rows_are_all_rows() -> None:
    """Then every row gets the same consensus."""
    X, ranks = ranked(8)
    predicted = NearestLabelRanker(100).fit(X, ranks).predict(X)
    assert (predicted == predicted[0]).all()
