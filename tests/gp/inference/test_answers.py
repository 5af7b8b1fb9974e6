from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from penchant.gp.inference.answers import PairCounts
from tests.gp.problems import incidence

ANSWERS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.booleans(), st.floats(0.1, 3)), min_size=1, max_size=30
)


def test_the_same_answer_counts_once() -> None:
    """Repeats add up, a tie has no direction, and a pair of an item with itself is left out."""
    counts = PairCounts.of(
        np.array([[0, 1], [1, 0], [0, 1], [2, 1], [1, 2], [3, 3]]),
        4,
        weight=np.array([1.0, 2.0, 0.5, 1.0, 1.0, 9.0]),
        tie=np.array([False, False, False, True, True, False]),
    )
    told = zip(counts.better, counts.worse, counts.tie, counts.count, strict=True)
    assert [(int(a), int(b), bool(t), float(c)) for a, b, t, c in told] == [
        (0, 1, False, 1.5),
        (1, 0, False, 2.0),
        (1, 2, True, 2.0),
    ]


@given(answers=ANSWERS, seed=st.integers(0, 99))
def test_sums_over_pairs_are_those_of_the_incidence_matrix(answers: list[tuple], seed: int) -> None:
    """With D one row an answer: differences D f, spread Dᵀ v, precision Dᵀ diag(w) D."""
    pairs = np.array([answer[:2] for answer in answers])
    counts = PairCounts.of(pairs, 5, tie=np.array([answer[2] for answer in answers]))
    D = incidence(np.column_stack([counts.better, counts.worse]), 5)
    rng = np.random.default_rng(seed)
    utility, values = rng.normal(size=5), rng.random(len(D))
    np.testing.assert_allclose(counts.differences(utility), D @ utility, atol=1e-12)
    np.testing.assert_allclose(counts.spread(values), D.T @ values, atol=1e-12)
    np.testing.assert_allclose(counts.precision(values).toarray(), D.T @ (values[:, None] * D), atol=1e-12)
